//! The command `train forget`, which removes recordings from a store.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::ForgetArgs;
use super::json;
use crate::trainer::{ForgottenOf, Trainer};

/// Removes recordings, and prints how many.
pub(super) fn run(trainer: &Trainer, args: &ForgetArgs, out: &mut dyn Write) -> Result<()> {
    let forgotten = trainer.forget(&args.request)?;
    if args.output.json {
        return json::print(out, &forgotten);
    }
    for ForgottenOf { function, forgotten } in &forgotten {
        writeln!(out, "{function}: {forgotten}")?;
    }
    let rows = forgotten.iter().map(|own| own.forgotten.measurements + own.forgotten.evaluations);
    if !args.request.all && rows.sum::<usize>() == 0 {
        bail!("nothing that is recorded is meant: `export` and `devices` show what there is");
    }
    Ok(())
}
