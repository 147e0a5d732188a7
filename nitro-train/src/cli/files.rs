//! `train import` and `train export`: measurements from and to other tools.

use std::io::Write;

use anyhow::Result;

use super::args::ExchangeArgs;
use crate::exchange::Files;
use crate::trainer::Trainer;

pub(super) fn import(trainer: &Trainer, args: &ExchangeArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.import(&args.function, &files(args), &args.store.request())?;
    writeln!(
        out,
        "{}: {} measurements of {} variants on {} inputs and {} devices",
        args.function,
        recordings.measurements.len(),
        recordings.variants.len(),
        recordings.inputs.len(),
        recordings.devices.len(),
    )?;
    Ok(())
}

pub(super) fn export(trainer: &Trainer, args: &ExchangeArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = trainer.export(&args.function, &files(args), &args.store.request())?;
    writeln!(out, "{}: {} measurements", args.measurements.display(), recordings.measurements.len())?;
    Ok(())
}

fn files(args: &ExchangeArgs) -> Files {
    Files {
        measurements: args.measurements.clone(),
        inputs: args.inputs.clone(),
        devices: args.devices.clone(),
    }
}
