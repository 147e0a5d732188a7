//! `train devices --next`: which unmeasured device to measure next.

use std::io::Write;

use anyhow::Result;

use super::args::DevicesArgs;
use super::data::Stores;
use super::devices::number;
use super::named;
use crate::evaluate::Split;
use crate::learn::next_device::{Experience, Worth, between_and_beyond, distinct, rank};
use crate::measure::describe_device;
use crate::plain_table::Table;
use crate::recordings::DeviceRecord;
use crate::trainer::{Trainer, kind_of};

/// How many are shown.
const SHOWN: usize = 8;

pub(super) fn run(trainer: &Trainer, args: &DevicesArgs, out: &mut dyn Write) -> Result<()> {
    let mut stores = Stores::open(trainer, &args.data.store)?;
    let mut experiences = Vec::new();
    for function in stores.functions(&args.data.functions)? {
        let recordings = stores.load(&function)?;
        say!("{function}: leaving out each of {} devices in turn", recordings.devices.len());
        let inputs = Split::by_name(&recordings).train;
        experiences.push(Experience::new(&recordings, &inputs, crate::DEFAULT_SEED)?);
    }
    let kinds: std::collections::BTreeSet<String> = experiences.iter().map(kind).collect();
    for kind in kinds {
        let of_kind: Vec<Experience> =
            experiences.iter().filter(|e| self::kind(e) == kind).cloned().collect();
        print(out, trainer, &kind, &of_kind)?;
    }
    Ok(())
}

/// What kind of device a function was recorded on; of devices that this program cannot name, the function itself.
fn kind(experience: &Experience) -> String {
    let kinds: Vec<&str> = experience.sources.iter().map(|source| kind_of(&source.id)).collect();
    match kinds.as_slice() {
        [first, rest @ ..] if rest.iter().all(|kind| kind == first) => (*first).to_owned(),
        _ => experience.function.clone(),
    }
}

/// The candidates of a kind, and what they are called: devices that can be named here, else points among the sources.
fn candidates(
    trainer: &Trainer,
    kind: &str,
    experiences: &[Experience],
) -> (Vec<DeviceRecord>, &'static str) {
    let provider = trainer.providers.iter().find(|provider| provider.kind() == kind);
    let names = provider.map_or_else(Vec::new, |provider| provider.names());
    let describe = |name: String| match named::open(trainer, &name) {
        Ok(device) => Some(describe_device(&*device)),
        Err(error) => {
            say!("{name} is left out: {error}");
            None
        }
    };
    let here: Vec<DeviceRecord> = names.into_iter().filter_map(describe).collect();
    let is_new = |device: &DeviceRecord| experiences.iter().any(|experience| !experience.knows(&device.id));
    if here.iter().any(is_new) {
        return (here, "devices of this machine");
    }
    let sources = distinct(experiences.iter().flat_map(|experience| experience.sources.clone()));
    (between_and_beyond(&sources), "kinds of devices between and beyond those with recordings")
}

fn print(out: &mut dyn Write, trainer: &Trainer, kind: &str, experiences: &[Experience]) -> Result<()> {
    let functions = experiences.iter().map(|experience| experience.function.as_str()).collect::<Vec<_>>();
    let (candidates, what) = candidates(trainer, kind, experiences);
    let ranked = rank(experiences, &candidates);
    writeln!(out, "\n{}: {what}, by what measuring one is expected to be worth", functions.join(", "))?;
    let Some(first) = ranked.first() else {
        writeln!(out, "  the recorded devices know no device feature in common: nothing can be told")?;
        return Ok(());
    };
    writeln!(out)?;
    let mut table = Table::new(["device", "less regret, %", "distance", "nearest source"]);
    for Worth { id, gain, distance, nearest, .. } in ranked.iter().take(SHOWN) {
        table.row([id.clone(), format!("{:.2}", 100.0 * gain), format!("{distance:.2}"), nearest.clone()]);
    }
    writeln!(out, "{table}")?;
    writeln!(out, "{}", reason(first, ranked.len()))?;
    if let Some(device) = candidates.iter().find(|device| device.id == first.id) {
        let features = device.features.iter().map(|(name, &value)| format!("{name} {}", number(value)));
        writeln!(out, "Its device features: {}", features.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

fn reason(first: &Worth, candidates: usize) -> String {
    let Worth { id, nearest, distance, functions, .. } = first;
    let place = format!("{id} lies {distance:.2} from the nearest recorded device, {nearest}");
    if functions.is_empty() {
        return format!(
            "No device that was left out did worse for being far from the others, so nothing is expected of measuring one more. {place}: of all \
             {candidates} it would tell most about devices that are different."
        );
    }
    let gains =
        functions.iter().map(|(name, gain)| format!("{name} {:.2}", 100.0 * gain)).collect::<Vec<_>>();
    format!(
        "{place}. By how regret grew with distance where devices were left out, measuring it takes away in points of exhaustive search, mean \
         over the {candidates}: {}.",
        gains.join(", ")
    )
}
