//! The command `train evaluate`, which prints the leave-one-device-out table or the leave-one-input-out tables.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::{EvaluateArgs, LeftOut};
use super::functions::Functions;
use super::json;
use crate::trainer::{EvaluateRequest, Trainer};

/// Number of times that times are drawn anew, to see which choices change.
const DRAWS: usize = 5;

/// Evaluates each function, and prints its table at once.
pub(super) fn run(trainer: &Trainer, args: &EvaluateArgs, out: &mut dyn Write) -> Result<()> {
    let LeftOut::Devices(leave_out) = args.leave_out else { return leave_out_inputs(trainer, args, out) };
    let request = EvaluateRequest {
        data: args.request.data.profiled(args.profiles.profiles.clone()),
        study: args.study.options(),
        objective: args.objective.request(),
        leave_out,
        // Tables say of changed choices only what was recorded again.
        draws: if args.show.json.json && args.request.recorded_again.is_none() { DRAWS } else { 0 },
        ..args.request.clone()
    };
    let mut functions = Functions::default();
    for evaluation in trainer.evaluate(&request)? {
        let Some(evaluation) = functions.take(evaluation) else { continue };
        match args.show.json.json {
            true => json::print(out, &evaluation)?,
            false => writeln!(out, "{evaluation:0$}", args.show.columns())?,
        }
    }
    functions.end("evaluated")
}

/// Leaves each input out in turn. All others are learned from, so lists of inputs are refused.
fn leave_out_inputs(trainer: &Trainer, args: &EvaluateArgs, out: &mut dyn Write) -> Result<()> {
    let EvaluateRequest { inputs, calibration, calibration_seconds, .. } = &args.request;
    if inputs.is_given() || !calibration.is_empty() || !calibration_seconds.is_empty() {
        bail!(
            "--leave-out input takes all inputs in turn on each device: leave out --train-inputs, --test-inputs, \
             --calibration and --calibration-seconds"
        );
    }
    let mut functions = Functions::default();
    let data = args.request.data.profiled(args.profiles.profiles.clone());
    for devices in trainer.leave_out_inputs(&data, args.request.seed)? {
        for device in functions.take(devices).unwrap_or_default() {
            match args.show.json.json {
                true => json::print(out, &device)?,
                false => writeln!(out, "{device:0$}", args.show.columns())?,
            }
        }
    }
    functions.end("evaluated")
}
