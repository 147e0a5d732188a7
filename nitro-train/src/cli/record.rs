//! `train record`: measurements of this machine's devices into the store.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::RecordArgs;
use super::json;
use crate::measure::Share;
use crate::trainer::{
    FailedRecording, RecordRequest, RecordSummary, Recorded, Trainer, WhichRecordings, by_reason, named,
};
use crate::worker;

/// What failed is told while it is recorded.
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

/// Which recordings are to be measured again.
pub(super) fn which(args: &RecordArgs) -> WhichRecordings {
    WhichRecordings { variant: args.which.variant.clone(), inputs: args.which.input.clone() }
}

/// So many failures are told where there are more.
const TOLD: usize = 5;

/// That no input was left out, and no function's recording ended early.
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

/// What was left out, inputs of one reason together.
fn failures(recorded: &Recorded) -> impl Iterator<Item = String> {
    let Recorded { function, device, failed_inputs, .. } = recorded;
    by_reason(failed_inputs)
        .into_iter()
        .map(move |(why, inputs)| format!("{} of {function} on {device} ({why})", named(&inputs)))
}
