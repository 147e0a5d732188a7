//! `train record`: measurements of this machine's devices into the store.

use anyhow::{Context, Result, bail};
use nitro_core::provide::Workplace;

use super::args::RecordArgs;
use super::budget::function_within;
use super::data::{self, Stores};
use super::named;
use super::progress::Reporter;
use super::worker;
use crate::measure::{BoxError, Inputs, Plan, RecordError, Repeats, Share, record_inputs, run_on};
use crate::printable::printable;
use crate::recordings::Outcome;
use crate::store::Store;
use crate::trainer::{Registered, Trainer};

pub(super) fn run(trainer: &Trainer, args: &RecordArgs) -> Result<()> {
    let mut stores = Stores::open(trainer, &args.data.store)?;
    let repeats = Repeats { budget_ns: f64::from(args.repeat_ms) * 1e6, ..Repeats::default() };
    let share = Share::new(worker::recorder_name());
    for name in named::or_whole_host(&args.devices) {
        let device = named::open(trainer, &name)?;
        if args.cold && !device.empty_caches(true) {
            bail!("--cold: the caches of {name} cannot be emptied");
        }
        for registered in data::registered_on(trainer, &args.data.functions, &name)? {
            let inputs = match &args.inputs {
                Some(folder) => Inputs::Folder(folder),
                None => Inputs::Generated(&registered.generated),
            };
            let plan = Plan::new(inputs, repeats, share.clone());
            let store = stores.writable()?;
            match args.budget {
                None => function_on(registered, &name, &*device, &plan, store)?,
                Some(budget) => function_within(registered, &name, &*device, &plan, store, budget as usize)?,
            }
        }
    }
    Ok(())
}

/// Records one function on the device of this name and says what failed; what the store holds already is skipped.
pub(super) fn function_on(
    registered: &Registered,
    name: &str,
    device: &dyn Workplace,
    plan: &Plan<'_>,
    store: &mut dyn Store,
) -> Result<()> {
    measure_on(registered, name, device, plan, store)?;
    tell_faults(registered, name, device, store)
}

/// Records one function on the device of this name; what the store holds already is skipped.
pub(super) fn measure_on(
    registered: &Registered,
    name: &str,
    device: &dyn Workplace,
    plan: &Plan<'_>,
    store: &mut dyn Store,
) -> Result<()> {
    let label = label(registered, name);
    let recorded = run_on(device, || {
        let progress = Reporter::new(label.clone());
        record_inputs(registered.function, &device, plan, store, &progress, &registered.record)
    });
    let stopped = || format!("recording {label} stopped; what was measured is kept");
    recorded.flatten().map_err(known).with_context(stopped)
}

fn label(registered: &Registered, device: &str) -> String {
    format!("{} on {device}", registered.function.name())
}

/// Says which variants failed or answered wrong on the device, and why the first time.
pub(super) fn tell_faults(
    registered: &Registered,
    name: &str,
    device: &dyn Workplace,
    store: &mut dyn Store,
) -> Result<()> {
    let (recordings, device) = (store.load(registered.function.name())?, device.entry().id());
    let label = label(registered, name);
    for (index, variant) in recordings.variants.iter().enumerate() {
        let mut faults = recordings.measurements.iter().filter(|one| {
            one.variant == index
                && recordings.devices[one.device].id == device
                && matches!(one.outcome, Outcome::Failed | Outcome::Wrong)
        });
        let Some(first) = faults.next() else { continue };
        let (count, input) = (1 + faults.count(), &recordings.inputs[first.input].name);
        let reason = if first.reason.is_empty() { "failed".into() } else { printable(&first.reason) };
        say!("{label}: no time of `{variant}` on {count} inputs; on {input} it {reason}");
    }
    Ok(())
}

/// The error with its type, where that tells what to do: `anyhow` cannot look into a box.
pub(super) fn known(error: BoxError) -> anyhow::Error {
    match error.downcast::<RecordError>() {
        Ok(error) => anyhow::Error::new(*error),
        Err(error) => anyhow::Error::from_boxed(error),
    }
}
