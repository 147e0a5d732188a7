//! Which recordings a command works on: a store that the user names, or nitro.db over what the program carries.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::args::StoreArgs;
use crate::exchange;
use crate::profile::{Folder, files};
use crate::recordings::{DeviceRecord, Profiles, Recordings};
use crate::store::{self, Store};
use crate::trainer::{Registered, Shipped, Trainer};

/// The store used when the user names none.
const DEFAULT_STORE: &str = "nitro.db";

/// The store, and under it the recordings that the program carries.
pub(super) struct Stores<'t> {
    trainer: &'t Trainer,
    url: String,
    store: Option<Box<dyn Store>>,
    shipped: &'t [Shipped],
    shipped_proxies: Option<&'static [u8]>,
    /// The user's profiles.
    profiles: Option<Folder>,
}

impl<'t> Stores<'t> {
    /// Opens the store if it exists. Recordings that the program carries take part only when the user names no store.
    pub(super) fn open(trainer: &'t Trainer, args: &StoreArgs) -> Result<Self> {
        let mut stores = Self::over_shipped(trainer, args)?;
        if args.store.is_some() {
            stores.shipped = &[];
        }
        Ok(stores)
    }

    /// Opens the store if it exists, over the recordings that the program carries.
    pub(super) fn over_shipped(trainer: &'t Trainer, args: &StoreArgs) -> Result<Self> {
        let url = args.store.clone().unwrap_or_else(|| DEFAULT_STORE.to_owned());
        let store = if store::exists(&url) { Some(store::open(&url)?) } else { None };
        let (shipped, shipped_proxies) = (&*trainer.shipped, trainer.shipped_proxies);
        Ok(Self { trainer, url, store, shipped, shipped_proxies, profiles: None })
    }

    /// With the profiles in a folder, where there is one, in the place of those that the program carries.
    pub(super) fn with_profiles(mut self, folder: Option<&Path>) -> Self {
        self.profiles = folder.map(Folder::new);
        self
    }

    /// The store itself, made when absent.
    pub(super) fn writable(&mut self) -> Result<&mut dyn Store> {
        if self.store.is_none() {
            self.store = Some(store::open(&self.url)?);
        }
        Ok(self.store.as_deref_mut().expect("it was opened above"))
    }

    /// The names of all functions with recordings, or those of `wanted`, each of which must have some.
    pub(super) fn functions(&mut self, wanted: &[String]) -> Result<Vec<String>> {
        let mut known: BTreeSet<String> =
            self.shipped.iter().map(|shipped| shipped.function.to_owned()).collect();
        if let Some(store) = &mut self.store {
            known.extend(store.functions()?);
        }
        if known.is_empty() {
            let store = store::shown(&self.url);
            bail!("{store}: no recordings; make some with `record` or take some with `import`");
        }
        if let Some(missing) = wanted.iter().find(|name| !known.contains(*name)) {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            bail!("{}: no recordings of `{missing}`; there are some of {known}", store::shown(&self.url));
        }
        Ok(if wanted.is_empty() { known.into_iter().collect() } else { wanted.to_vec() })
    }

    /// What was recorded of one function, of the variants that this program has: what is fitted, judged and shipped is for the code at
    /// hand, and a store may be shared with programs of other Cargo features.
    pub(super) fn load(&mut self, function: &str) -> Result<Recordings> {
        self.load_if_recorded(function)?.with_context(|| self.has_none_of(function))
    }

    /// As [`Stores::load`], if anything was recorded.
    pub(super) fn load_if_recorded(&mut self, function: &str) -> Result<Option<Recordings>> {
        let mut recordings = self.everything(function)?;
        if let Some(recordings) = &mut recordings
            && let Some(registered) = self.trainer.registered(function)
        {
            let own = registered.function.variants();
            let is_own = |name: &str| own.iter().any(|variant| variant.name == name);
            // With none in common they are of a namesake, which is for others to find.
            let is_known = recordings.variants.iter().any(|name| is_own(name));
            let left_out = if is_known { recordings.keep_variants(is_own) } else { Vec::new() };
            if !left_out.is_empty() {
                say!("{function}: left out, as this program does not have them: {}", left_out.join(", "));
            }
        }
        Ok(recordings)
    }

    /// Everything recorded of one function, whatever this program has.
    pub(super) fn load_all(&mut self, function: &str) -> Result<Recordings> {
        self.everything(function)?.with_context(|| self.has_none_of(function))
    }

    fn has_none_of(&self, function: &str) -> String {
        format!("{}: no recordings of `{function}`", store::shown(&self.url))
    }

    fn everything(&mut self, function: &str) -> Result<Option<Recordings>> {
        let mut recordings: Option<Recordings> = None;
        if let Some(store) = &mut self.store
            && store.functions()?.iter().any(|name| name == function)
        {
            recordings = Some(store.load(function)?);
        }
        for shipped in self.shipped.iter().filter(|shipped| shipped.function == function) {
            let below = read_shipped(shipped)?;
            match &mut recordings {
                None => recordings = Some(below),
                Some(own) => {
                    if !own.lay_over(&below) {
                        tracing::warn!(
                            function,
                            "the carried recordings have other features and are left out"
                        );
                    }
                }
            }
        }
        if let Some(recordings) = &mut recordings {
            recordings.profiles = self.profiles(function)?;
        }
        Ok(recordings)
    }

    fn profiles(&self, function: &str) -> Result<Profiles> {
        if let Some(folder) = &self.profiles {
            return Ok(folder.read(function)?);
        }
        let of_function = self.shipped.iter().filter(|shipped| shipped.function == function);
        let Some(bytes) = of_function.filter_map(|shipped| shipped.profiles).next() else {
            return Ok(Profiles::default());
        };
        let variants = files::read_variants(&format!("profiles of {function}"), bytes);
        let proxies = self.shipped_proxies.map(|bytes| files::read_proxies("profiles of the proxies", bytes));
        let read = variants.and_then(|variants| {
            Ok(Profiles { variants, proxies: proxies.transpose()?.unwrap_or_default() })
        });
        read.with_context(|| format!("the profiles of `{function}` that this program carries"))
    }

    /// All devices with recordings.
    pub(super) fn devices(&mut self) -> Result<Vec<DeviceRecord>> {
        let mut devices = match &mut self.store {
            Some(store) => store.devices()?,
            None => Vec::new(),
        };
        for shipped in self.shipped {
            for device in read_shipped(shipped)?.devices {
                if !devices.iter().any(|own| own.id == device.id) {
                    devices.push(device);
                }
            }
        }
        devices.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(devices)
    }
}

fn read_shipped(shipped: &Shipped) -> Result<Recordings> {
    let read = exchange::read_bytes(shipped.function, shipped.measurements, shipped.inputs, shipped.devices);
    read.with_context(|| format!("the recordings of `{}` that this program carries", shipped.function))
}

/// The program's functions of these names that run on the device; all that do without names.
pub(super) fn registered_on<'t>(
    trainer: &'t Trainer,
    names: &[String],
    device: &str,
) -> Result<Vec<&'t Registered>> {
    let (fitting, other): (Vec<_>, Vec<_>) =
        registered(trainer, names)?.into_iter().partition(|registered| registered.runs_on(device));
    match other.first() {
        Some(other) if !names.is_empty() || fitting.is_empty() => {
            let (name, kind) = (other.function.name(), other.runs_on.unwrap_or("another"));
            bail!("`{name}` runs on {kind} devices, not on {device}: name one with --device");
        }
        _ => Ok(fitting),
    }
}

/// The program's functions of these names, all without names.
pub(super) fn registered<'t>(trainer: &'t Trainer, names: &[String]) -> Result<Vec<&'t Registered>> {
    if names.is_empty() {
        return Ok(trainer.functions.iter().collect());
    }
    let find = |name: &String| {
        trainer.registered(name).with_context(|| {
            let known = trainer.functions.iter().map(|r| r.function.name()).collect::<Vec<_>>().join(", ");
            format!("this program has no function `{name}` to measure; it has {known}")
        })
    };
    names.iter().map(find).collect()
}
