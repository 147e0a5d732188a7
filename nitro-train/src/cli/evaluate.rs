//! `train evaluate`: the leave-one-device-out table.

use std::io::Write;

use anyhow::Result;

use super::args::EvaluateArgs;
use super::json;
use crate::trainer::{EvaluateRequest, Trainer};

pub(super) fn run(trainer: &Trainer, args: &EvaluateArgs, out: &mut dyn Write) -> Result<()> {
    let request = EvaluateRequest {
        data: args.data.profiled(&args.profiles),
        inputs: args.split.lists(),
        study: args.study.options(),
        objective: args.objective.request(),
        leave_out: args.leave_out,
        calibration: args.calibration.iter().map(|&count| count as usize).collect(),
        seed: args.seed.seed,
    };
    for evaluation in trainer.evaluate(&request)? {
        let evaluation = evaluation?;
        match args.show.json.json {
            true => json::print(out, &evaluation)?,
            false => writeln!(out, "{evaluation:0$}", args.show.columns())?,
        }
    }
    Ok(())
}
