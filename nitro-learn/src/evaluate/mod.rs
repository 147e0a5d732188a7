//! Evaluation: how close selectors come to exhaustive search on devices they were not trained on.
//!
//! Leave-one-device-out: each device in turn is held out, selectors are fitted on the others from training inputs, and
//! judged on the held-out device by test inputs. A figure is (time of the best variant of that input on that device) /
//! (time of the chosen one), 1.0 = exhaustive search; a chosen variant that failed or answered wrong counts as 0; an
//! inadmissible one is passed over for the next in the ranking, as at run time.

mod alike;
mod baselines;
mod benefit;
mod chooser;
mod climbed;
mod display;
mod error;
mod evaluation;
mod evaluator;
mod figures;
mod left_out_inputs;
mod one_fewer;
mod overhead;
mod pairs;
mod same_learner;
mod split;
mod stability;
mod statistics;
mod worst;

use nitro_core::model::Model;
use nitro_store::recordings::Recordings;

use self::evaluator::Evaluator;
use self::pairs::pairs;
use self::statistics::sensitivity;
use crate::performance::PerformanceTable;
use crate::resolve_sources;
use crate::task::Task;

pub use alike::{best_of_another, within_machines};
pub use benefit::feature_benefits;
pub use chooser::Chooser;
pub(crate) use chooser::net_shares_of_model;
pub use chooser::shares_of_model;
pub use climbed::ClimbFigures;
pub use error::EvaluateError;
pub use evaluation::{ByEffort, DeviceEvaluation, Evaluation, PairTable, Pairs, Shares};
pub use evaluator::{EvaluateOptions, LeaveOut};
pub use figures::{Figures, Selectors, selector_names};
pub use left_out_inputs::{InputFigures, LeftOutInputs, leave_out_inputs};
pub use one_fewer::{OneFewer, one_source_fewer};
pub use same_learner::{OfSet, SameLearner};
pub use split::Split;
pub use statistics::Sensitivity;
pub use statistics::{VariantStatistics, best_variant_shares};
pub use worst::WorstInput;
pub use worst::worst_inputs;

/// Holds out each device in turn.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
///
/// let evaluation = evaluate(&recordings, &Split::by_name(&recordings), &EvaluateOptions::default())?;
/// let large = evaluation.devices.iter().find(|device| device.held_out == "large").expect("each is held out");
/// assert_eq!(large.sources, ["small"]);
/// assert!(large.selectors.get("auto").is_some_and(|auto| auto.mean > 0.95));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
/// ```
/// # let recordings = nitro_store::example();
/// use std::cell::RefCell;
/// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate_with};
///
/// let (split, told) = (Split::by_name(&recordings), RefCell::new(Vec::new()));
/// evaluate_with(&recordings, &split, &EvaluateOptions::default(), |device| {
///     told.borrow_mut().push(device.held_out.clone()); // a line for who waits
/// })?;
/// assert_eq!(told.into_inner(), ["small", "large"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    let task = task.with_objective(&options.objective);
    let evaluator = Evaluator::new(&task, &split.test, options)?;
    let (mut devices, mut last) = (Vec::new(), None);
    for device in (0..recordings.devices.len()).filter(|&device| evaluator.has_tests(device)) {
        let sources = options.leave_out.sources(&recordings.devices, device);
        let learned = evaluator.learn(device, sources, last)?;
        let evaluation = evaluator.hold_out(device, &learned, None)?;
        judged(&evaluation);
        devices.push(evaluation);
        last = Some(learned);
    }
    let all: Vec<usize> = (0..recordings.devices.len()).collect();
    let judged = devices
        .iter()
        .filter_map(|device| Some((recordings.device_index(&device.held_out)?, &device.auto_model)));
    Ok(Evaluation {
        worst: worst_inputs(recordings, &performance, judged, &split.test)?,
        function: recordings.function.clone(),
        variants: recordings.variants.clone(),
        train_inputs: split.train.len(),
        test_inputs: split.test.len(),
        devices,
        sensitivity: sensitivity(&all, &performance, &split.test),
        pairs: pairs(&evaluator)?,
    })
}

/// Holds out one device, for which `shipped` was fitted on the named ones: `auto` is that very model, the other
/// selectors are fitted here.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate_on};
/// use nitro_learn::{FitOptions, fit};
///
/// let (split, sources) = (Split::by_name(&recordings), vec!["small".to_owned()]);
/// let inputs = Some(split.train.clone());
/// let model = fit(&recordings, &FitOptions { sources: sources.clone(), inputs, ..FitOptions::default() })?.model;
/// let on_large = evaluate_on(&recordings, &split, "large", &sources, &model, &EvaluateOptions::default())?;
/// assert_eq!((on_large.auto_model, on_large.shares["auto"].len()), (model, 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the model is of other recordings, when a device is not in the recordings, when one side of the split is
/// empty, or when there is nothing to learn from or to test on.
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
    let task = task.with_objective(&options.objective);
    let evaluator = Evaluator::new(&task, &split.test, options)?;
    if !evaluator.has_tests(device) {
        return Err(EvaluateError::NoTests {
            function: recordings.function.clone(),
            device: held_out.to_owned(),
        });
    }
    evaluator.hold_out(device, &evaluator.learn(device, sources, None)?, Some(shipped))
}

#[cfg(test)]
mod tests;
