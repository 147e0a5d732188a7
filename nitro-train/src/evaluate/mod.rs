//! How close selectors come to exhaustive search on devices they were not trained on.
//!
//! Leave-one-device-out: each device in turn is held out, selectors are fitted on the others from training inputs, and
//! judged on the held-out device by test inputs. A figure is (time of the best variant of that input on that device) /
//! (time of the chosen one), 1.0 = exhaustive search; a chosen variant that failed or answered wrong counts as 0; an
//! inadmissible one is passed over for the next in the ranking, as at run time.

mod baselines;
mod benefit;
mod chooser;
mod display;
mod error;
mod evaluation;
mod evaluator;
mod figures;
mod overhead;
mod pairs;
mod split;
mod statistics;

use nitro_core::model::Model;

use self::evaluator::Evaluator;
use self::pairs::pairs;
use self::statistics::sensitivity;
use crate::learn::performance::PerformanceTable;
use crate::learn::resolve_sources;
use crate::learn::task::Task;
use crate::recordings::Recordings;

pub(crate) use benefit::feature_benefits;
pub use chooser::Chooser;
pub(crate) use chooser::shares_of_model;
pub use error::EvaluateError;
pub use evaluation::{DeviceEvaluation, Evaluation, PairTable, Pairs, Shares};
pub use evaluator::EvaluateOptions;
pub use figures::{Figures, Selectors, quantile, selector_names};
pub use split::Split;
pub use statistics::Sensitivity;
pub(crate) use statistics::best_variant_shares;

/// Holds out each device in turn.
///
/// # Errors
///
/// When fewer than two devices are recorded, when one side of the split is empty, or when there is nothing to learn
/// from.
pub fn evaluate(
    recordings: &Recordings,
    split: &Split,
    options: &EvaluateOptions,
) -> Result<Evaluation, EvaluateError> {
    evaluate_with(recordings, split, options, |_| ())
}

/// As [`evaluate`], and tells of each held-out device as soon as it is judged.
///
/// # Errors
///
/// As [`evaluate`].
pub fn evaluate_with(
    recordings: &Recordings,
    split: &Split,
    options: &EvaluateOptions,
    judged: impl Fn(&DeviceEvaluation),
) -> Result<Evaluation, EvaluateError> {
    split.check(recordings)?;
    if recordings.devices.len() < 2 {
        return Err(EvaluateError::TooFewDevices {
            function: recordings.function.clone(),
            devices: recordings.devices.len(),
        });
    }
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, options.seed);
    let evaluator = Evaluator::new(&task, &split.test, options);
    let devices = (0..recordings.devices.len())
        .filter(|&device| evaluator.has_tests(device))
        .map(|device| {
            let sources = (0..recordings.devices.len()).filter(|&other| other != device).collect();
            evaluator.hold_out(device, sources, None).inspect(|evaluation| judged(evaluation))
        })
        .collect::<Result<_, _>>()?;
    Ok(Evaluation {
        function: recordings.function.clone(),
        variants: recordings.variants.clone(),
        train_inputs: split.train.len(),
        test_inputs: split.test.len(),
        devices,
        sensitivity: sensitivity(recordings, &performance, &split.test),
        pairs: pairs(&evaluator)?,
    })
}

/// Holds out one device, for which `shipped` was fitted on the named ones: `auto` is that very model, the other selectors are
/// fitted here.
///
/// # Errors
///
/// When the model is of other recordings, when a device is not in the recordings, when one side of the split is empty, or when there is nothing to learn from or
/// to test on.
pub fn evaluate_on(
    recordings: &Recordings,
    split: &Split,
    held_out: &str,
    sources: &[String],
    shipped: &Model,
    options: &EvaluateOptions,
) -> Result<DeviceEvaluation, EvaluateError> {
    split.check(recordings)?;
    let device = resolve_sources(recordings, &[held_out.to_owned()])?[0];
    let sources = resolve_sources(recordings, sources)?;
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, options.seed);
    let evaluator = Evaluator::new(&task, &split.test, options);
    if !evaluator.has_tests(device) {
        return Err(EvaluateError::NoTests {
            function: recordings.function.clone(),
            device: held_out.to_owned(),
        });
    }
    evaluator.hold_out(device, sources, Some(shipped))
}

#[cfg(test)]
mod tests;
