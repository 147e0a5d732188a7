//! Islands over a store.

use nitro_core::Artifact;
use nitro_train::BoxError;
use nitro_train::store::{self, Store};

use super::args::EvolveArgs;
use crate::{Exchange, Subject};

/// A board of the store, on which the islands of one PTX and workload post.
pub(super) struct Board {
    store: Box<dyn Store>,
    name: String,
    pub island: String,
}

impl Board {
    /// None without a store.
    pub(super) fn open(args: &EvolveArgs, subject: &Subject) -> Result<Option<Self>, BoxError> {
        let (Some(url), Some(island)) = (&args.store, island_name(args)) else { return Ok(None) };
        let (base, workload) = (subject.base().module().digest(), Artifact::of(subject.workload().text()));
        let name = format!("evolution of {base} with {workload}");
        Ok(Some(Self { store: store::open(url)?, name, island }))
    }

    /// Another one for each island, so that they do not find the same one after the other.
    pub(super) fn seed(&self, seed: u64) -> u64 {
        Artifact::of(&format!("{seed} {}", self.island)).digest() >> 32
    }

    /// What people are told in the beginning.
    pub(super) fn line(&self, args: &EvolveArgs) -> String {
        format!(
            "island {} of {}, {}: its best {} go there every {} generations",
            self.island,
            self.store.location(),
            self.name,
            args.migrants,
            args.migrate_every
        )
    }
}

impl Exchange for Board {
    fn leave(&mut self, text: &str) -> Result<(), BoxError> {
        Ok(self.store.post(&self.name, &self.island, text)?)
    }

    fn islands(&mut self) -> Result<Vec<String>, BoxError> {
        Ok(self.store.posters(&self.name)?)
    }

    fn left_by(&mut self, island: &str) -> Result<Option<String>, BoxError> {
        Ok(self.store.posted(&self.name, island)?)
    }
}

/// Without a store none; the name that was given, or else devices and machine, of which there is one process at most as a rule.
pub(super) fn island_name(args: &EvolveArgs) -> Option<String> {
    args.store.as_ref()?;
    Some(args.island.clone().unwrap_or_else(|| format!("{}@{}", args.devices.join("+"), machine())))
}

/// What this machine is called in its network; where nobody says so, what it is.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| std::env::var("COMPUTERNAME").ok());
    let told = told.map(|name| name.trim().to_owned()).filter(|name| nitro_core::name::check(name).is_ok());
    told.unwrap_or_else(|| nitro_core::host::machine().id())
}

/// The name as a part of a file's.
pub(super) fn file_part(island: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_+@.".contains(letter);
    let plain = island.chars().map(|letter| if is_plain(letter) { letter } else { '-' });
    plain.take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::file_part;

    #[test]
    fn the_name_of_an_island_becomes_no_path() {
        assert_eq!(file_part("cuda:0/16sm@node 7"), "cuda-0-16sm@node-7");
        assert_eq!(file_part("../../etc"), "..-..-etc");
    }
}
