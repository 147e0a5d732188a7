//! The command `train coverage`, which shows how much real traffic lies far from the training inputs.

use std::io::Write;

use anyhow::Result;

use super::args::CoverageArgs;
use super::json;
use crate::trainer::captured_traffic;

/// Compares the captured calls with the models, and prints the result.
pub(super) fn run(args: &CoverageArgs, out: &mut dyn Write) -> Result<()> {
    for traffic in captured_traffic(&args.capture, &args.models)? {
        match args.show.json.json {
            true => json::print(out, &traffic)?,
            false => traffic.print(out, args.show.columns())?,
        }
    }
    Ok(())
}
