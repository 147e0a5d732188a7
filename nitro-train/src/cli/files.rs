//! The commands `train import` and `train export`, which exchange measurements with other tools.

use std::io::Write;

use anyhow::Result;
use nitro_store::recordings::Recordings;
use serde_json::json;

use super::args::{ExportArgs, ImportArgs, JsonArgs};
use super::json;
use crate::trainer::Trainer;

/// Imports files into the store, and prints how much there was.
pub(super) fn import(trainer: &Trainer, args: &ImportArgs, out: &mut dyn Write) -> Result<()> {
    let data = args.store.request();
    let recordings = match args.tables() {
        Some(files) => trainer.import(&args.function, &files, &data)?,
        None => trainer.import_kernel_tuner(&args.function, &args.kernel_tuner, &data)?,
    };
    print(out, &args.output, &recordings)
}

/// Exports recordings to files, and prints how much there was.
pub(super) fn export(trainer: &Trainer, args: &ExportArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.export(&args.function, &args.files.files(), &args.store.request())?;
    print(out, &args.output, &recordings)
}

/// Prints how much was read or written.
fn print(out: &mut dyn Write, args: &JsonArgs, recordings: &Recordings) -> Result<()> {
    let Recordings { function, variants, inputs, devices, measurements, spaces, .. } = recordings;
    let listed: usize = spaces.iter().map(|space| space.configurations.len()).sum();
    let (variants, inputs) = (variants.len(), inputs.len());
    let (devices, measurements) = (devices.len(), measurements.len());
    if args.json {
        let counts = json!({
            "function": function, "measurements": measurements, "variants": variants,
            "inputs": inputs, "devices": devices,
            "listed_configurations": listed,
        });
        return json::print(out, &counts);
    }
    let [measurements, variants, inputs, devices, listed_text] = [
        counted(measurements, "measurement"),
        counted(variants, "variant"),
        counted(inputs, "input"),
        counted(devices, "device"),
        counted(listed, "configuration"),
    ];
    write!(out, "{function}: {measurements} of {variants} on {inputs} and {devices}")?;
    match listed {
        0 => writeln!(out)?,
        _ => writeln!(out, ", {listed_text} listed")?,
    }
    Ok(())
}

/// Returns a count with its noun: `1 variant`, `2 variants`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
