//! `train calibrate`: a few measurements here correct the models.

use std::io::Write;

use anyhow::Result;

use super::args::CalibrateArgs;
use super::functions::Functions;
use super::json;
use crate::measure::Share;
use crate::trainer::{CalibrateRequest, CalibratedModels, Trainer};
use crate::worker;

pub(super) fn run(trainer: &Trainer, args: &CalibrateArgs, out: &mut dyn Write) -> Result<()> {
    let CalibratedModels { models, failed } = trainer.calibrate(&CalibrateRequest {
        data: args.data.request(),
        device: args.device.clone(),
        measurements: args.measurements as usize,
        captured: args.captured.clone(),
        inputs: args.inputs.clone(),
        train_inputs: args.train_inputs.clone(),
        models: args.models.models.clone(),
        share: Share::new(worker::recorder_name()),
        ..CalibrateRequest::default()
    })?;
    if args.output.json {
        json::print(out, &models)?;
    }
    for one in models.iter().filter(|_| !args.output.json) {
        let (function, device, count) = (&one.function, &one.device, one.measured_inputs);
        match one.is_calibrated {
            true => writeln!(
                out,
                "{function}: {} chooses by {count} measured inputs on {device}",
                one.model.display()
            )?,
            false => writeln!(
                out,
                "{function}: {} stays as it is on {device} ({count} inputs measured)",
                one.model.display()
            )?,
        }
    }
    Functions::of(models.len(), failed).end("calibrated")
}
