//! A few measurements on a device that nobody had measured, and from them a selector that is better there than what
//! other devices tell.
//!
//! Measured so few, a variant's cost cannot be learned from scratch. But the trees of a forest say which inputs are
//! alike, and its leaves what is to be expected: the leaves are corrected by what was measured beside it
//! ([`Forest::corrected`]). Which inputs to measure is decided before any is: those after which the rest is known best
//! (`process::most_telling`).
//!
//! The selector needs no more time than that of any forest: all that is left of the calibration are the values in
//! its leaves.
//!
//! Tried in a copy of the forest on the GPUs of MIOpen, with an architecture left out; % of exhaustive search after 10,
//! 30, 100 and 300 measured inputs: corrected leaves 91.5, 92.6, 93.2, 94.1; a table of this device that a Gaussian
//! process completes, and a forest of that, 91.1, 90.9, 92.8, 93.8; a shift for each variant 91.1, 91.8, 92.2, 92.3;
//! the measured inputs as training samples that count twenty times 90.2, 90.5, 92.1, 93.4.

mod probes;
mod process;

use nitro_core::model::{Calibration, Forest, MeasuredInput, Model, OnDevice, Selector};
use nitro_store::recordings::Recordings;

pub use self::probes::Probe;
use self::process::Points;
use super::comparison::compare;
use super::error::LearnError;
use super::folds::sample;
use super::learners::CALIBRATED;
use super::performance::PerformanceTable;
use super::strategy::Strategy;
use super::study::{Study, StudyOptions};
use super::task::Task;

/// The most inputs that are measured where seconds are the bound: the most telling ones come first.
pub const MOST_MEASURED: usize = 300;
/// The most training inputs among which the most telling ones are sought; of more, some are drawn. The work grows with
/// the cube.
const MAX_CANDIDATES: usize = 1000;
/// The weight of an input that no captured call is like, where 1 is the mean: programs come to do other things too.
const UNCALLED: f64 = 0.3;

/// Calls `act` with what is known of a device before it is measured: `shipped`, a model that was fitted from these
/// recordings, and what they say of its sources for these training inputs. `device` and `inputs` are positions in
/// the recordings.
///
/// # Errors
/// When the recordings lack what the model knows, or everything of its sources.
pub fn with_calibrator<T>(
    recordings: &Recordings,
    shipped: &Model,
    (device, inputs): (usize, &[usize]),
    act: impl FnOnce(&Calibrator<'_>) -> T,
) -> Result<T, LearnError> {
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, inputs, shipped.provenance.seed);
    let task = task_of_model(&task, shipped)?;
    let mut sources: Vec<usize> = (0..recordings.devices.len()).collect();
    sources.retain(|&source| {
        source != device && shipped.provenance.sources.contains(&recordings.devices[source].id)
    });
    if sources.is_empty() {
        return Err(LearnError::NoSources { function: recordings.function.clone() });
    }
    task.check_samples(&sources)?;
    let known = recordings.devices[device].known_features();
    let options = StudyOptions::default();
    // Not narrowed: the classes are the model's, whatever would be picked today.
    let study = Study::of_task(&task, sources, Some(&known), &options);
    let estimating: Vec<Strategy> =
        Strategy::all().filter(|strategy| strategy.learner_name() == CALIBRATED.name()).collect();
    let model = study.fit(compare(&study, &estimating).choice()).model;
    Ok(act(&Calibrator::new(&study, &model, device)))
}

/// The task with the choices and input features of a model, in its order.
fn task_of_model<'a>(task: &Task<'a>, model: &Model) -> Result<Task<'a>, LearnError> {
    let (own_classes, own_features) = (task.performance.classes(), task.features());
    let (mut classes, mut columns) = (Vec::new(), Vec::new());
    for name in &model.choices {
        classes.push(own_classes.index(name).ok_or_else(|| foreign(task, "choice", name))?);
    }
    for name in &model.features {
        let column = own_features.iter().position(|own| own == name);
        columns.push(column.ok_or_else(|| foreign(task, "feature", name))?);
    }
    Ok(task.with_classes(&classes).with_columns(&columns))
}

/// The error that recordings lack a name of a model.
fn foreign(task: &Task<'_>, kind: &'static str, name: &str) -> LearnError {
    LearnError::ForeignModel { function: task.recordings.function.clone(), kind, name: name.to_owned() }
}

/// Everything known before anything is measured on a device: the training inputs, and what a forest expects of variants
/// there.
pub struct Calibrator<'a> {
    study: &'a Study<'a>,
    /// Position of the device in the recordings.
    device: usize,
    forest: &'a Forest,
    /// The features of the device that the forest asks for.
    device_features: Vec<f64>,
    /// The forest on the device.
    expecting: OnDevice,
    points: Points,
}

impl<'a> Calibrator<'a> {
    /// Prepares to calibrate `model`, which was fitted in the study, for a device of the recordings.
    ///
    /// # Panics
    /// When the model is no forest.
    pub fn new(study: &'a Study<'a>, model: &'a Model, device: usize) -> Self {
        let task = study.task();
        let Selector::Forest(forest) = &model.selector else {
            panic!("{} are calibrated", CALIBRATED.name())
        };
        let device_features = task.device_row(device, &model.device_features);
        let expecting = model.selector.on_device(&device_features);
        Self { study, device, forest, device_features, expecting, points: Points::new(&task.space) }
    }

    /// The inputs to measure, at most `count` of these (positions in [`Task::inputs`]), the most telling first.
    /// What they are to tell of is the inputs of real calls, where it is known how many of those each input of the
    /// recordings stands for; without `calls` all count alike.
    pub fn inputs(&self, count: usize, among: Vec<usize>, calls: &[f64]) -> Vec<usize> {
        let task = self.study.task();
        let by_input: Vec<f64> =
            task.inputs.iter().map(|&input| calls.get(input).copied().unwrap_or(0.0)).collect();
        let (called, others): (Vec<usize>, _) = among.into_iter().partition(|&input| by_input[input] > 0.0);
        let mut candidates = sample(called, MAX_CANDIDATES, task.seed);
        candidates.extend(sample(others, MAX_CANDIDATES - candidates.len(), task.seed));
        let weights = weights(&candidates.iter().map(|&input| by_input[input]).collect::<Vec<_>>());
        process::most_telling(&self.points, &candidates, &weights, count)
    }

    /// Positions in the recordings of the training inputs.
    pub fn recorded_inputs(&self) -> &[usize] {
        &self.study.task().inputs
    }

    /// All training inputs.
    pub fn all_inputs(&self) -> Vec<usize> {
        self.study.task().all_inputs()
    }

    /// A selector for the device from these training inputs, which were [`measured`](Self::measured) there; none
    /// where that chooses worse on them than `shipped`, each judged on inputs that it was not calibrated with.
    pub fn fit(&self, measured: &[usize], shipped: &Model) -> Option<Calibration> {
        let shares = |&input: &usize| Some((input, self.shares(input)?.to_vec()));
        self.fit_to(measured.iter().filter_map(shares).collect(), shipped)
    }

    /// As [`fit`](Self::fit), from these shares of the best class on each training input.
    fn fit_to(&self, measured: Vec<(usize, Vec<Option<f64>>)>, shipped: &Model) -> Option<Calibration> {
        let task = self.study.task();
        let measured_inputs = measured.len();
        let measured = measured
            .into_iter()
            .map(|(input, shares)| MeasuredInput { features: task.input_row(input), shares });
        let shipped = on_device(task, shipped, self.device);
        let corrected = self.forest.corrected(&self.device_features, measured.collect(), &shipped)?;
        Some(Calibration {
            device: task.recordings.devices[self.device].id.clone(),
            measured_inputs,
            selector: Selector::Forest(corrected),
        })
    }

    /// The training inputs (positions in [`Task::inputs`]) that were measured on the device.
    pub fn measured(&self) -> Vec<usize> {
        self.all_inputs().into_iter().filter(|&input| self.shares(input).is_some()).collect()
    }

    /// The name of a training input.
    pub fn name(&self, input: usize) -> &str {
        let task = self.study.task();
        &task.recordings.inputs[task.inputs[input]].name
    }

    /// Returns the shares of the classes that were measured, at least two: one alone is beside none.
    fn shares(&self, input: usize) -> Option<&[Option<f64>]> {
        let task = self.study.task();
        let shares = task.performance.known_shares(self.device, task.inputs[input])?;
        (shares.iter().flatten().count() > 1).then_some(shares)
    }
}

/// Returns the weights of inputs that stand for so many calls; 1 in the mean.
fn weights(calls: &[f64]) -> Vec<f64> {
    let mean = calls.iter().sum::<f64>() / calls.len().max(1) as f64;
    if mean <= 0.0 {
        return vec![1.0; calls.len()];
    }
    calls.iter().map(|calls| UNCALLED + (1.0 - UNCALLED) * calls / mean).collect()
}

/// Returns a model's choices on a device before it is calibrated.
fn on_device(task: &Task<'_>, model: &Model, device: usize) -> OnDevice {
    model.selector.on_device(&task.device_row(device, &model.device_features))
}

#[cfg(test)]
mod tests;
