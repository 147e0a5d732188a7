//! `train record`: measurements of this machine's devices into the store.

use anyhow::{Context, Result, bail};

use super::args::RecordArgs;
use super::data::{self, Stores};
use super::progress::Reporter;
use crate::measure::{DeviceSpec, Inputs, Repeats, record_inputs};
use crate::store::Store;
use crate::trainer::{Registered, Trainer};

pub(super) fn run(trainer: &Trainer, args: &RecordArgs) -> Result<()> {
    let functions = data::registered(trainer, &args.data.functions)?;
    let mut stores = Stores::open(trainer, &args.data.store)?;
    let repeats = Repeats { budget_ns: f64::from(args.repeat_ms) * 1e6, ..Repeats::default() };
    let devices = if args.devices.is_empty() { &[DeviceSpec::whole_host()][..] } else { &args.devices };
    for device in devices {
        for registered in &functions {
            let inputs = match &args.inputs {
                Some(folder) => Inputs::Folder(folder),
                None => Inputs::Generated(&registered.generated),
            };
            if matches!(inputs, Inputs::Generated([])) {
                bail!(
                    "`{}` has no built-in inputs: give a folder with --inputs DIR",
                    registered.function.name()
                );
            }
            function_on(registered, *device, inputs, repeats, stores.writable()?)?;
        }
    }
    Ok(())
}

/// Records one function on one device; what the store holds already is skipped.
pub(super) fn function_on(
    registered: &Registered,
    device: DeviceSpec,
    inputs: Inputs<'_>,
    repeats: Repeats,
    store: &mut dyn Store,
) -> Result<()> {
    let function = registered.function;
    let label = format!("{} on {device}", function.name());
    let recorded = device.run(|| {
        let progress = Reporter::new(label.clone());
        record_inputs(function, &device.host(), inputs, repeats, store, &progress, &registered.record)
    })?;
    let stopped = || format!("recording {label} stopped; what was measured is kept");
    recorded.map_err(anyhow::Error::from_boxed).with_context(stopped)
}
