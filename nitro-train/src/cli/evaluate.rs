//! `train evaluate`: the leave-one-device-out table.

use std::io::Write;

use anyhow::Result;

use super::args::EvaluateArgs;
use super::data::Stores;
use super::split;
use crate::evaluate::{DeviceEvaluation, EvaluateOptions, evaluate_with};
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &EvaluateArgs, out: &mut dyn Write) -> Result<()> {
    let stores = Stores::open(trainer, &args.data.store)?;
    let mut stores = stores.with_profiles(args.profiles.profiles.as_deref());
    for function in stores.functions(&args.data.functions)? {
        let recordings = stores.load(&function)?;
        let split =
            split::read(&recordings, args.split.train_inputs.as_deref(), args.split.test_inputs.as_deref())?;
        say!("{function}: leaving out each of {} devices in turn", recordings.devices.len());
        let options = EvaluateOptions { seed: args.seed, study: args.study.options() };
        let evaluation = evaluate_with(&recordings, &split, &options, progress)?;
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(&evaluation)?)?,
            false => writeln!(out, "{evaluation}")?,
        }
    }
    Ok(())
}

/// One line on stderr for each device that is judged.
pub(super) fn progress(device: &DeviceEvaluation) {
    let figures =
        device.selectors.get("auto").map_or(String::new(), |auto| format!(" {:.1} %", 100.0 * auto.mean));
    say!("  {}: auto is {}{figures}", device.held_out, device.auto_is);
}
