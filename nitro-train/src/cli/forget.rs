//! `train forget`: recordings that are taken out of a store.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::ForgetArgs;
use super::json;
use crate::trainer::{ForgetRequest, ForgottenOf, Trainer, WhichRecordings};

pub(super) fn run(trainer: &Trainer, args: &ForgetArgs, out: &mut dyn Write) -> Result<()> {
    let which = WhichRecordings { variant: args.which.variant.clone(), inputs: args.which.input.clone() };
    let request =
        ForgetRequest { data: args.data.request(), which, device: args.device.clone(), all: args.all };
    let forgotten = trainer.forget(&request)?;
    if args.output.json {
        return json::print(out, &forgotten);
    }
    for ForgottenOf { function, forgotten } in &forgotten {
        writeln!(out, "{function}: {forgotten}")?;
    }
    let is_nothing = |one: &ForgottenOf| one.forgotten.measurements + one.forgotten.evaluations == 0;
    if !args.all && forgotten.iter().all(is_nothing) {
        bail!("nothing that is recorded is meant: `export` and `devices` show what there is");
    }
    Ok(())
}
