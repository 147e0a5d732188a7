//! `train import` and `train export`: measurements from and to other tools.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::args::ExchangeArgs;
use super::json;
use crate::exchange::Files;
use crate::recordings::Recordings;
use crate::trainer::Trainer;

pub(super) fn import(trainer: &Trainer, args: &ExchangeArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.import(&args.function, &files(args), &args.store.request())?;
    print(out, args, &recordings)
}

pub(super) fn export(trainer: &Trainer, args: &ExchangeArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.export(&args.function, &files(args), &args.store.request())?;
    print(out, args, &recordings)
}

/// How much there was.
fn print(out: &mut dyn Write, args: &ExchangeArgs, recordings: &Recordings) -> Result<()> {
    let Recordings { function, variants, inputs, devices, measurements, spaces, .. } = recordings;
    let listed: usize = spaces.iter().map(|space| space.configurations.len()).sum();
    let (variants, inputs) = (variants.len(), inputs.len());
    let (devices, measurements) = (devices.len(), measurements.len());
    if args.output.json {
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

fn files(args: &ExchangeArgs) -> Files {
    Files {
        measurements: args.measurements.clone(),
        inputs: args.inputs.clone(),
        devices: args.devices.clone(),
        parameters: args.parameters.clone(),
        feature_times: args.feature_times.clone(),
    }
}
