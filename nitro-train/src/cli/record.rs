//! The command `train record`, which measures this machine's devices into the store.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::RecordArgs;
use super::json;
use crate::measure::Share;
use crate::trainer::{
    FailedRecording, RecordRequest, RecordSummary, Recorded, Trainer, WhichRecordings, by_reason, named,
};
use crate::worker;

/// Records, and prints the summary as JSON if asked. Failures were told while recording.
pub(super) fn run(trainer: &Trainer, args: &RecordArgs, out: &mut dyn Write) -> Result<()> {
    let summary = trainer.record(&RecordRequest {
        again: args.again.then(|| which(args)),
        share: Share::new(worker::recorder_name()),
        ..args.request.clone()
    })?;
    if args.output.json {
        json::print(out, &summary)?;
    }
    all_inputs(&summary)
}

/// Returns the recordings to measure again.
pub(super) fn which(args: &RecordArgs) -> WhichRecordings {
    WhichRecordings { variant: args.which.variant.clone(), inputs: args.which.input.clone() }
}

/// The most failures that a message lists.
const TOLD: usize = 5;

/// Fails if an input was left out, or a function's recording ended early.
pub(super) fn all_inputs(summary: &RecordSummary) -> Result<()> {
    let functions = summary
        .failed
        .iter()
        .map(|FailedRecording { function, device, why }| format!("{function} on {device} ({why})"));
    let failed: Vec<String> = functions.chain(summary.recorded.iter().flat_map(failures)).collect();
    let (told, others) = failed.split_at(failed.len().min(TOLD));
    let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    match told {
        [] => Ok(()),
        told => bail!("{}{others} could not be recorded; the others were, and are kept", told.join(", ")),
    }
}

/// Returns the inputs that were left out, those of one reason together.
fn failures(recorded: &Recorded) -> impl Iterator<Item = String> {
    let Recorded { function, device, failed_inputs, .. } = recorded;
    by_reason(failed_inputs)
        .into_iter()
        .map(move |(why, inputs)| format!("{} of {function} on {device} ({why})", named(&inputs)))
}
