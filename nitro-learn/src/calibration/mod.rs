//! A few measurements on a device that nobody had measured, and from them a selector that is better there than what
//! other devices tell.
//!
//! Measured so few, a variant's cost cannot be learned from scratch. But of every training input it is known what
//! the variants cost on the source devices, and what a model of those expects here. So the table of this device is
//! *completed*: what was not measured is estimated from what was (`mixture`, then `process`). A forest grows from
//! the completed table as from a measured one. Which inputs to measure is decided before any is: those after which
//! the rest is known best (`process::most_telling`).
//!
//! The selector needs no more time than that of any forest: all that is left of the calibration are the values in
//! its leaves.

mod mixture;
mod process;

use std::collections::BTreeSet;

use nitro_core::model::{Calibration, Model, OnDevice};
use nitro_store::recordings::Recordings;

use self::mixture::Mixture;
use self::process::{Points, Process};
use super::comparison::{compare, mean_and_standard_error};
use super::error::LearnError;
use super::folds::sample;
use super::learners::{CALIBRATED, Hyperparameters, TrainingSet};
use super::performance::PerformanceTable;
use super::strategy::Strategy;
use super::study::{Study, StudyOptions};
use super::task::Task;

/// The most training inputs among which the most telling ones are sought; of more, some are drawn. The work grows with
/// the cube.
const MAX_CANDIDATES: usize = 1000;
/// A calibration that is judged leaves out each measured input in turn, or parts of them where there are more than
/// these.
const MAX_FOLDS: usize = 20;
/// The weight of an input that no captured call is like, where 1 is the mean: programs come to do other things too.
const UNCALLED: f64 = 0.3;
/// An error that is larger by this share of the smaller one counts 1/e as much.
const TOLERANCE: f64 = 0.3;

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
    let known: BTreeSet<String> = recordings.devices[device].features.keys().cloned().collect();
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

/// Everything known before anything is measured on a device: the training inputs, costs of variants on the source
/// devices, and what a model of those expects on this one.
pub struct Calibrator<'a> {
    study: &'a Study<'a>,
    /// Position of the device in the recordings.
    device: usize,
    /// The share of speed that the model expects to be lost on this device, by training input and class.
    expected: Vec<Vec<f64>>,
    /// The share that was lost on a source, by source, training input and class; not a number where it was not measured
    /// or not admissible.
    sources: Vec<Vec<Vec<f64>>>,
    points: Points,
}

impl<'a> Calibrator<'a> {
    /// Prepares to calibrate `model`, which was fitted in the study and estimates what classes cost, for a device
    /// of the recordings.
    pub fn new(study: &'a Study<'a>, model: &Model, device: usize) -> Self {
        let task = study.task();
        let expected = expected(task, model, device);
        let sources: Vec<_> = study.sources().iter().map(|&source| losses_on(task, source)).collect();
        let points = Points::new(&task.space, &usual(&sources, &expected));
        Self { study, device, expected, sources, points }
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
        // How far corrections are to be trusted, and if they are at all, is read off inputs that they were not made of.
        let held_out = self.held_out(measured);
        let trust = self.trust(&held_out);
        if measured.is_empty() || !self.is_as_good(&held_out, trust, shipped) {
            return None;
        }
        let task = self.study.task();
        let completed = self.completed(measured, trust);
        let completed =
            task.with_performance(task.performance.with_shares(self.device, &task.inputs, &completed));
        let (sources, inputs) = ([self.device], completed.all_inputs());
        let set = TrainingSet {
            task: &completed,
            sources: &sources,
            inputs: &inputs,
            device_features: &[],
            is_final: true,
        };
        Some(Calibration {
            device: task.recordings.devices[self.device].id.clone(),
            measured_inputs: measured.len(),
            selector: CALIBRATED.train(&set, &Hyperparameters::new()).selector,
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

    fn shares(&self, input: usize) -> Option<&[Option<f64>]> {
        let task = self.study.task();
        task.performance.shares(self.device, task.inputs[input])
    }

    /// Returns the share of speed that each class loses on this device; not a number where the class is not admissible.
    fn losses(&self, input: usize) -> Vec<f64> {
        self.shares(input).map(losses).unwrap_or_default()
    }

    /// Returns the share of speed that is kept on this device, by training input and class: measured, or estimated from
    /// what was measured.
    fn completed(&self, measured: &[usize], trust: f64) -> Vec<Vec<Option<f64>>> {
        let corrected = self.corrected(measured);
        let classes = 0..self.study.task().performance.classes().count();
        let existing: Vec<bool> =
            classes.map(|class| measured.iter().any(|&input| !self.losses(input)[class].is_nan())).collect();
        let mut completed: Vec<Vec<Option<f64>>> = Vec::new();
        for input in self.all_inputs() {
            let losses = blended(&self.expected[input], &corrected(input), trust);
            let mut row = Vec::with_capacity(losses.len());
            for (class, loss) in losses.into_iter().enumerate() {
                // A class is possible if it ran on some input here, and on this input on some source.
                let ran_there = self.sources.iter().any(|source| !source[input][class].is_nan());
                row.push((existing[class] && ran_there).then(|| 1.0 - loss.clamp(0.0, 1.0)));
            }
            completed.push(row);
        }
        for &input in measured {
            completed[input] = self.shares(input).map(<[_]>::to_vec).unwrap_or_default();
        }
        completed
    }

    /// Returns a function that estimates the loss of each class on an input from these measured inputs.
    fn corrected<'m>(&'m self, measured: &'m [usize]) -> impl Fn(usize) -> Vec<f64> + 'm {
        // First what is the same for all inputs, then what inputs that are alike have in common beside it.
        let losses: Vec<Vec<f64>> = measured.iter().map(|&input| self.losses(input)).collect();
        let mixture = Mixture::new(&self.expected, &self.sources, measured, &losses);
        let mut left_over: Vec<Vec<f64>> = Vec::with_capacity(measured.len());
        for (&input, losses) in measured.iter().zip(&losses) {
            let mixed = mixture.losses(input);
            left_over.push(losses.iter().zip(mixed).map(|(loss, mixed)| loss - mixed).collect());
        }
        let process = Process::new(&self.points, measured, &left_over);
        move |input| {
            let left_over = process.left_over(input).chain(std::iter::repeat(0.0));
            mixture
                .losses(input)
                .into_iter()
                .zip(left_over)
                .map(|(mixed, left_over)| mixed + left_over)
                .collect()
        }
    }

    /// Every measured input, with what the others say of it.
    fn held_out(&self, measured: &[usize]) -> Vec<(usize, Vec<f64>)> {
        let folds = measured.len().min(MAX_FOLDS);
        let mut held_out = Vec::new();
        for fold in 0..folds {
            let (inside, rest): (Vec<usize>, Vec<usize>) =
                (0..measured.len()).partition(|at| at % folds == fold);
            let rest: Vec<usize> = rest.into_iter().map(|at| measured[at]).collect();
            let corrected = self.corrected(&rest);
            held_out.extend(inside.into_iter().map(|at| (measured[at], corrected(measured[at]))));
        }
        held_out
    }

    /// Returns the weight of the corrections beside what the model expects, 0 to 1. It comes from how well each tells
    /// the inputs that it was not made with: Akaike weights in their simplest form. Errors count most for the classes
    /// that are nearly best, as only those are ever chosen.
    fn trust(&self, held_out: &[(usize, Vec<f64>)]) -> f64 {
        let (mut of_expected, mut of_corrected) = (0.0, 0.0);
        for (input, corrected) in held_out {
            let losses = self.losses(*input);
            of_expected += error_near_best(&self.expected[*input], &losses);
            of_corrected += error_near_best(corrected, &losses);
        }
        // Akaike weights (Burnham and Anderson, "Model Selection and Multimodel Inference", 2002, section 2.9), with
        // a relative error in the place of the difference in AIC.
        let least = of_expected.min(of_corrected).max(f64::MIN_POSITIVE);
        let (expected, corrected) = (akaike_weight(of_expected, least), akaike_weight(of_corrected, least));
        corrected / (corrected + expected)
    }

    /// Returns true if the choices by estimates from the other measured inputs stand beside those of `shipped`. They
    /// may be worse by less than one standard error of the difference: the inputs to measure were taken far from each
    /// other, so each is told by the others worse than what was not taken. A tie is none: what nothing speaks against
    /// stays.
    fn is_as_good(&self, held_out: &[(usize, Vec<f64>)], trust: f64, shipped: &Model) -> bool {
        let task = self.study.task();
        let selector = on_device(task, shipped, self.device);
        let mut gains = Vec::new();
        for (input, corrected) in held_out {
            let of_shipped = selector.rank(&task.input_row(*input)).into_iter().map(|ranked| ranked.choice);
            let of_estimates = ranking(&blended(&self.expected[*input], corrected, trust));
            let shipped = task.share(self.device, *input, of_shipped.collect());
            let estimated = task.share(self.device, *input, of_estimates);
            gains.extend(estimated.zip(shipped).map(|(estimated, shipped)| estimated - shipped));
        }
        let (mean, error) = mean_and_standard_error(&gains);
        mean > -error
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

/// Sums the squared errors of estimated losses, each the less the more is lost.
fn error_near_best(estimated: &[f64], losses: &[f64]) -> f64 {
    let known = estimated.iter().zip(losses).filter(|(_, loss)| !loss.is_nan());
    known.map(|(estimated, loss)| ((estimated - loss) * (1.0 - loss)).powi(2)).sum::<f64>()
}

/// Returns how much an error counts beside the least one, which counts 1.
fn akaike_weight(error: f64, least: f64) -> f64 {
    (-(error / least - 1.0) / TOLERANCE).exp()
}

fn blended(expected: &[f64], corrected: &[f64], trust: f64) -> Vec<f64> {
    expected
        .iter()
        .zip(corrected)
        .map(|(expected, corrected)| expected + trust * (corrected - expected))
        .collect()
}

/// Classes by what they lose, least first.
fn ranking(losses: &[f64]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..losses.len()).collect();
    ranking.sort_by(|&a, &b| losses[a].total_cmp(&losses[b])); // stable
    ranking
}

fn losses(shares: &[Option<f64>]) -> Vec<f64> {
    shares.iter().map(|share| share.map_or(f64::NAN, |share| 1.0 - share)).collect()
}

/// Returns what was lost on a source, by training input and class.
fn losses_on(task: &Task<'_>, source: usize) -> Vec<Vec<f64>> {
    let none = vec![f64::NAN; task.performance.classes().count()];
    let shares = task.inputs.iter().map(|&input| task.performance.shares(source, input));
    shares.map(|shares| shares.map_or_else(|| none.clone(), losses)).collect()
}

/// Returns the mean loss over the sources, by training input and class; where none knows, what is expected here.
/// What is expected itself hangs on device features, which may be measured a little differently every time: which
/// inputs to measure should not.
fn usual(sources: &[Vec<Vec<f64>>], expected: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut usual = expected.to_vec();
    for (input, row) in usual.iter_mut().enumerate() {
        for (class, loss) in row.iter_mut().enumerate() {
            let mut known: Vec<f64> = sources.iter().map(|source| source[input][class]).collect();
            known.retain(|loss| !loss.is_nan());
            if !known.is_empty() {
                *loss = known.iter().sum::<f64>() / known.len() as f64;
            }
        }
    }
    usual
}

/// Returns what a model expects to be lost on a device, by training input and class.
fn expected(task: &Task<'_>, model: &Model, device: usize) -> Vec<Vec<f64>> {
    let selector = on_device(task, model, device);
    let mut expected = vec![vec![1.0; task.performance.classes().count()]; task.inputs.len()];
    for (input, losses) in expected.iter_mut().enumerate() {
        for ranked in selector.rank(&task.input_row(input)) {
            losses[ranked.choice] = 1.0 - ranked.confidence;
        }
    }
    expected
}

/// Returns a model's choices on a device before it is calibrated.
fn on_device(task: &Task<'_>, model: &Model, device: usize) -> OnDevice {
    model.selector.on_device(&task.device_row(device, &model.device_features))
}

#[cfg(test)]
mod tests;
