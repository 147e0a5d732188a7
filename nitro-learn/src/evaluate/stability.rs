//! The stability of choices: ties that no measurement tells apart, and choices that change if all is measured again.

use std::collections::HashMap;

use nitro_core::model::Model;
use nitro_stats::random::Random;
use nitro_stats::statistics::mean;
use nitro_store::recordings::{Measurement, Outcome, Recordings};

use super::chooser::Chooser;
use super::error::EvaluateError;
use super::evaluator::EvaluateOptions;
use crate::performance::PerformanceTable;
use crate::study::Study;
use crate::task::Task;

/// The standard errors of a difference within which two times are not told apart: 95 of 100 equal ones lie there.
const TOLD_APART: f64 = 2.0;

/// Training sets as they were recorded another time, or could have been: each time is drawn anew from what its repeats
/// say of it.
pub(super) struct Resampled {
    /// Each with its table, which all held-out devices share.
    sets: Vec<(Recordings, PerformanceTable)>,
}

/// The change of choices when a model is learned from other times of the same inputs.
pub(super) struct Flips {
    /// The share of test inputs whose choice is another one, in the mean over the sets.
    pub(super) inputs: f64,
    /// The share of exhaustive search that is lost by that, in the mean over all test inputs; below 0 where it is won.
    pub(super) regret: f64,
}

impl Resampled {
    /// Takes the times that were recorded again, and draws as many sets as the options ask for; none where no spread of
    /// any time is known.
    ///
    /// # Errors
    /// Where nothing of it was recorded again.
    pub(super) fn new(recordings: &Recordings, options: &EvaluateOptions) -> Result<Self, EvaluateError> {
        let is_known = recordings.measurements.iter().any(|one| one.error_ns() > 0.0);
        let mut again = Vec::new();
        for other in &options.recorded_again {
            let taken = with_times_of(recordings, other);
            again.push(taken.ok_or_else(|| EvaluateError::NothingAgain(recordings.function.clone()))?);
        }
        let draws = 0..if is_known { options.draws as u64 } else { 0 };
        again.extend(draws.map(|draw| drawn(recordings, options.seed ^ draw)));
        let mut sets = Vec::new();
        for set in again {
            let performance = PerformanceTable::new(&set)?;
            sets.push((set, performance));
        }
        Ok(Self { sets })
    }

    /// Returns how the choices of `auto`, which was fitted from these sources and made these choices for the test
    /// inputs, change on a device; none without draws.
    pub(super) fn flips(
        &self,
        task: &Task<'_>,
        options: &EvaluateOptions,
        (sources, auto): (&[usize], &Model),
        (device, test, chosen): (usize, &[usize], &[Option<usize>]),
    ) -> Result<Option<Flips>, EvaluateError> {
        let known = task.recordings.devices[device].known_features();
        let (mut changed, mut lost) = (Vec::new(), Vec::new());
        for (recordings, performance) in &self.sets {
            let again = Task::new(recordings, performance, &task.inputs, task.seed);
            let again = again.with_objective(&options.objective);
            let study = Study::new(&again, sources.to_vec(), Some(&known), &options.study);
            // The features that did not pay are not asked for here either.
            let mut columns: Vec<usize> = (0..study.task().columns.len()).collect();
            columns.retain(|&column| auto.features.contains(&study.task().features()[column]));
            let model = study.with_columns(&columns).fit(auto.provenance.strategy.parse()?).model;
            let Model { gate, coverage, training_inputs, caution, is_distilled, .. } = auto.clone();
            let model = Model { gate, caution, coverage, is_distilled, training_inputs, ..model };
            let again = choices(&again, &model, device, test)?;
            for ((&input, before), after) in test.iter().zip(chosen).zip(again) {
                let Some(shares) = task.performance.shares(device, input) else { continue };
                let share = |class: &Option<usize>| class.and_then(|class| shares[class]).unwrap_or(0.0);
                changed.push(f64::from(u8::from(*before != after)));
                lost.push(share(before) - share(&after));
            }
        }
        Ok(mean(changed).zip(mean(lost)).map(|(inputs, regret)| Flips { inputs, regret }))
    }
}

/// Returns the recordings with the outcomes of others, where those have the same device, input, variant and
/// configuration; none where they have nothing of it.
fn with_times_of(recordings: &Recordings, others: &Recordings) -> Option<Recordings> {
    let known: HashMap<_, _> = others.measurements.iter().map(|one| (key(others, one), one)).collect();
    let mut again = recordings.clone();
    let mut is_any = false;
    for one in &mut again.measurements {
        let Some(other) = known.get(&key(recordings, one)) else { continue };
        one.outcome = other.outcome;
        is_any = true;
    }
    is_any.then_some(again)
}

/// Returns what a measurement is of, by names.
fn key<'a>(recordings: &'a Recordings, one: &'a Measurement) -> [&'a str; 4] {
    let Recordings { devices, inputs, variants, .. } = recordings;
    [&devices[one.device].id, &inputs[one.input].name, &variants[one.variant], &one.configuration]
}

/// Draws each time from a normal distribution about its median, as wide as the standard error of that.
fn drawn(recordings: &Recordings, seed: u64) -> Recordings {
    let mut drawn = recordings.clone();
    let mut random = Random::new(seed);
    for one in &mut drawn.measurements {
        if let Outcome::Time(time_ns) = &one.outcome {
            // No time falls to nothing.
            one.outcome = Outcome::Time((time_ns + random.normal() * one.error_ns()).max(0.5 * time_ns));
        }
    }
    drawn
}

/// Returns the class that a model chooses for each of some inputs on a device.
pub(super) fn choices(
    task: &Task<'_>,
    model: &Model,
    device: usize,
    inputs: &[usize],
) -> Result<Vec<Option<usize>>, EvaluateError> {
    let chooser = Chooser::of_classes(task.recordings, task.performance.classes(), model, device)?;
    let mut choices = Vec::with_capacity(inputs.len());
    for &input in inputs {
        let shares = task.performance.shares(device, input);
        choices.push(shares.and_then(|shares| chooser.choose(input, |class| shares[class].is_some())));
    }
    Ok(choices)
}

/// Returns the share of test inputs on which the choice cannot be told apart from another variant; none where no spread
/// is known.
pub(super) fn ties(
    task: &Task<'_>,
    (device, test, chosen): (usize, &[usize], &[Option<usize>]),
) -> Option<f64> {
    let recordings = task.recordings;
    let of_device = || recordings.measurements.iter().filter(|one| one.device == device);
    if of_device().all(|one| one.error_ns() == 0.0) {
        return None;
    }
    let mut by_input: Vec<Vec<(usize, &Measurement)>> = vec![Vec::new(); recordings.inputs.len()];
    for one in of_device() {
        by_input[one.input].extend(task.performance.classes().of_measurement(one).map(|class| (class, one)));
    }
    let mut tied = Vec::with_capacity(test.len());
    for (&input, class) in test.iter().zip(chosen) {
        let Some(class) = *class else { continue };
        let (own, others): (Vec<_>, Vec<_>) = by_input[input].iter().partition(|(other, _)| *other == class);
        let is_tied = own.iter().any(|(_, own)| others.iter().any(|(_, other)| is_tie(own, other)));
        tied.push(f64::from(u8::from(is_tied)));
    }
    mean(tied)
}

/// Returns true for two times that their spreads do not tell apart.
fn is_tie(one: &Measurement, other: &Measurement) -> bool {
    let times = one.outcome.time_ns().zip(other.outcome.time_ns());
    times.is_some_and(|(a, b)| (a - b).abs() <= TOLD_APART * one.error_ns().hypot(other.error_ns()))
}
