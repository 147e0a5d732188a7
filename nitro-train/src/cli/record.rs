//! `train record`: measurements of this machine's devices into the store.

use anyhow::Result;

use super::args::RecordArgs;
use crate::measure::{Repeats, Share};
use crate::trainer::{RecordRequest, Trainer};
use crate::worker;

/// What failed is told while it is recorded.
pub(super) fn run(trainer: &Trainer, args: &RecordArgs) -> Result<()> {
    trainer.record(&RecordRequest {
        data: args.data.request(),
        devices: args.devices.clone(),
        inputs: args.inputs.clone(),
        repeats: Repeats { budget_ns: f64::from(args.repeat_ms) * 1e6, ..Repeats::default() },
        max_inputs: args.budget.map(|inputs| inputs as usize),
        cold: args.cold,
        share: Share::new(worker::recorder_name()),
    })?;
    Ok(())
}
