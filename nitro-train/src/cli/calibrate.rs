//! The command `train calibrate`, which corrects models by a few measurements here.

use std::io::{self, Write};

use anyhow::Result;

use super::args::CalibrateArgs;
use super::functions::Functions;
use super::json;
use crate::measure::Share;
use crate::trainer::{CalibrateRequest, CalibratedModel, CalibratedModels, Trainer};
use crate::worker;

/// Calibrates, and says what has become of each model.
pub(super) fn run(trainer: &Trainer, args: &CalibrateArgs, out: &mut dyn Write) -> Result<()> {
    let CalibratedModels { models, failed } = trainer.calibrate(&CalibrateRequest {
        share: Share::new(worker::recorder_name()),
        ..args.request.clone()
    })?;
    match args.output.json {
        true => json::print(out, &models)?,
        false => models.iter().try_for_each(|one| tell(one, out))?,
    }
    Functions::of(models.len(), failed).end("calibrated")
}

/// Says what has become of one model.
fn tell(one: &CalibratedModel, out: &mut dyn Write) -> io::Result<()> {
    let (function, device, count) = (&one.function, &one.device, one.measured_inputs);
    let model = one.model.display();
    match one.is_calibrated {
        true => writeln!(out, "{function}: {model} chooses by {count} measured inputs on {device}"),
        false => writeln!(out, "{function}: {model} stays as it is on {device} ({count} inputs measured)"),
    }
}
