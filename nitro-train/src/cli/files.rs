//! `train import` and `train export`: measurements from and to other tools.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::ExchangeArgs;
use super::data::Stores;
use crate::exchange::{self, Files};
use crate::trainer::Trainer;

pub(super) fn import(trainer: &Trainer, args: &ExchangeArgs, out: &mut dyn Write) -> Result<()> {
    let recordings = exchange::import(&args.function, &files(args))?;
    Stores::open(trainer, &args.store)?.writable()?.import(&recordings)?;
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
    let mut stores = Stores::open(trainer, &args.store)?;
    stores.functions(std::slice::from_ref(&args.function))?;
    let recordings = stores.load_all(&args.function)?;
    if recordings.measurements.is_empty() {
        bail!("there are no measurements of `{}` to export", args.function);
    }
    exchange::export(&recordings, &files(args))?;
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
