//! The output of results for programs.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

/// Prints a value as JSON, on a line.
pub(super) fn print(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    writeln!(out, "{}", serde_json::to_string(value)?)?;
    Ok(())
}
