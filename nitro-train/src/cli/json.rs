//! Results for programs.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

/// One value, on a line.
pub(super) fn print(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    writeln!(out, "{}", serde_json::to_string(value)?)?;
    Ok(())
}
