//! How good selectors are on devices that were left out.

use std::collections::BTreeMap;

use nitro_learn::evaluate::{
    ByEffort, DeviceEvaluation, EvaluateOptions, Evaluation, LeaveOut, Split, evaluate_with,
};
use nitro_store::recordings::Recordings;

use super::nearness::{auto_without, near};
use crate::Error;
use crate::figures::{HeldOut, Mode, OfFunction, percent};
use crate::recordings::{GINKGO, shipped};

/// A draw among the variants that succeed, as a selector is called.
pub const RANDOM_SUCCESSFUL: &str = "random-successful";

/// Both ways of leaving out, of one function.
///
/// # Errors
/// When there are no recordings of it, or nothing to learn from.
pub fn function(name: &str) -> Result<OfFunction, Error> {
    let recordings = shipped(name)?;
    let device = evaluate(&recordings, LeaveOut::Device)?;
    let machine = match recordings.devices.iter().any(|device| device.id.contains('@')) {
        true => Some(mode(&evaluate(&recordings, LeaveOut::Machine)?)),
        false => None,
    };
    let near = near(&recordings);
    Ok(OfFunction {
        near_training: near.len(),
        auto_without_near: percent(auto_without(&recordings, &device, &near)?),
        train_inputs: device.train_inputs,
        test_inputs: device.test_inputs,
        best_differs: percent(device.sensitivity.best_differs),
        none_is_near: percent(device.sensitivity.none_is_near),
        device: mode(&device),
        machine,
    })
}

/// One way of leaving out, told of on standard error.
///
/// # Errors
/// When there is nothing to learn from.
pub fn evaluate(recordings: &Recordings, leave_out: LeaveOut) -> Result<Evaluation, Error> {
    let calibration = if recordings.function == GINKGO { vec![10, 30, 100] } else { vec![10, 30] };
    let options = EvaluateOptions { leave_out, calibration, ..EvaluateOptions::default() };
    evaluate_split(recordings, &Split::by_name(recordings), &options)
}

/// As [`evaluate`], with these training and test inputs.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_split(
    recordings: &Recordings,
    split: &Split,
    options: &EvaluateOptions,
) -> Result<Evaluation, Error> {
    let tell = |device: &DeviceEvaluation| {
        eprintln!("  {}: {} left out, auto is {}", recordings.function, device.held_out, device.auto_is);
    };
    Ok(evaluate_with(recordings, split, options, tell)?)
}

/// What is kept of one way of leaving out.
pub fn mode(evaluation: &Evaluation) -> Mode {
    Mode { devices: evaluation.devices.iter().map(held_out).collect() }
}

fn held_out(device: &DeviceEvaluation) -> HeldOut {
    let random = device.random_successful.or_else(|| device.selectors.get("random"));
    let means = device.selectors.by_name().into_iter().chain([(RANDOM_SUCCESSFUL, random)]);
    HeldOut {
        device: device.held_out.clone(),
        sources: device.sources.len(),
        auto_is: device.auto_is.to_owned(),
        auto_worst: device.selectors.get("auto").map_or(0.0, |auto| percent(auto.worst)),
        means: means.filter_map(|(name, own)| Some((name.to_owned(), percent(own?.mean)))).collect(),
        calibrated: by_effort(&device.calibrated),
        calibrated_seconds: by_effort(&device.calibrated_seconds),
    }
}

fn by_effort(figures: &ByEffort) -> BTreeMap<usize, f64> {
    figures.iter().map(|(&effort, own)| (effort, percent(own.mean))).collect()
}
