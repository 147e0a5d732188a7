//! `train import` and `train export`: measurements from and to other tools.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::args::{ExportArgs, ImportArgs, JsonArgs};
use super::json;
use crate::recordings::Recordings;
use crate::trainer::Trainer;

pub(super) fn import(trainer: &Trainer, args: &ImportArgs, out: &mut dyn Write) -> Result<()> {
    let data = args.store.request();
    let recordings = match &args.files {
        Some(files) => trainer.import(&args.function, &files.files(), &data)?,
        None => trainer.import_kernel_tuner(&args.function, &args.kernel_tuner, &data)?,
    };
    print(out, &args.output, &recordings)
}

pub(super) fn export(trainer: &Trainer, args: &ExportArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.export(&args.function, &args.files.files(), &args.store.request())?;
    print(out, &args.output, &recordings)
}

/// How much there was.
fn print(out: &mut dyn Write, args: &JsonArgs, recordings: &Recordings) -> Result<()> {
    let Recordings { function, variants, inputs, devices, measurements, spaces, .. } = recordings;
    let listed: usize = spaces.iter().map(|space| space.configurations.len()).sum();
    let (variants, inputs) = (variants.len(), inputs.len());
    let (devices, measurements) = (devices.len(), measurements.len());
    if args.json {
        let counts = json!({
            "function": function, "measurements": measurements, "variants": variants, "inputs": inputs, "devices": devices,
            "listed_configurations": listed,
        });
        return json::print(out, &counts);
    }
    write!(
        out,
        "{function}: {measurements} measurements of {variants} variants on {inputs} inputs and {devices} devices"
    )?;
    match listed {
        0 => writeln!(out)?,
        listed => writeln!(out, ", {listed} configurations listed")?,
    }
    Ok(())
}
