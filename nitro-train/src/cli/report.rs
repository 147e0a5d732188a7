//! The command `train report`, which writes a page about how good the choices are.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::args::ReportArgs;
use super::json;
use crate::report::ReportData;
use crate::trainer::{ReportRequest, Trainer};

/// Writes the page, and prints its path.
pub(super) fn run(trainer: &Trainer, args: &ReportArgs, out: &mut dyn Write) -> Result<()> {
    let data = args.request.data.profiled(args.profiles.profiles.clone());
    let request = ReportRequest { data, ..args.request.clone() };
    write(&trainer.report(&request)?, &args.out)?;
    if args.output.json {
        return json::print(out, &json!({ "page": args.out }));
    }
    writeln!(out, "{}", args.out.display())?;
    Ok(())
}

/// Writes the page to a file.
pub(super) fn write(report: &ReportData, file: &Path) -> Result<()> {
    report.write(file).with_context(|| format!("{}: the page cannot be written", file.display()))
}
