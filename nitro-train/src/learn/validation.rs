//! What strategies achieve on source devices and inputs that they were not trained on: leave-one-device-out cross-validation *within* the
//! sources (nested, where an evaluation leaves a device out around it).
//!
//! Each source in turn is the temporary target, and the inputs are cut into folds of which each in turn is left out: a strategy is
//! trained on the other sources and the other folds, as it will be for a device and inputs that nobody has measured.

use rayon::prelude::*;

use super::folds::{inputs_within, rest, sample};
use super::learners::{Hyperparameters, TrainingSet};
use super::strategy::{DeviceFeatures, Strategy};
use super::study::Study;
use super::task::Task;

/// How many folds the inputs are cut into.
const FOLDS: usize = 4;
/// Bound on the sum of squared sample counts over all selectors trained for one comparison.
const EFFORT: f64 = 1e9;

/// How strategies did on temporary targets, input by input.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The folds that the inputs (positions in [`Task::inputs`]) were cut into.
    pub folds: Vec<Vec<usize>>,
    /// By strategy and temporary target: inputs, and the share of the best variant's speed on each.
    pub shares: Vec<Vec<Vec<(usize, f64)>>>,
}

/// A strategy as it is trained for one temporary target.
struct Trial {
    strategy: Strategy,
    target: usize,
    device_features: Vec<String>,
    hyperparameters: Hyperparameters,
}

/// Trains and judges strategies for each source as temporary target and each fold of the inputs.
pub fn validate(study: &Study<'_>, strategies: &[Strategy]) -> Validation {
    let trials: Vec<Trial> = strategies
        .iter()
        .flat_map(|&strategy| (0..study.sources().len()).map(move |target| trial(study, strategy, target)))
        .collect();
    let (task, sources) = (study.task(), study.sources());
    let limit = inputs_within(EFFORT / (trials.len() * FOLDS).max(1) as f64, sources.len(), FOLDS);
    let folds = task.folds(&sample(task.all_inputs(), limit, task.seed), FOLDS);
    let runs: Vec<Vec<(usize, f64)>> = (0..trials.len() * folds.len())
        .into_par_iter()
        .map(|at| run(task, sources, &trials[at / folds.len()], &folds, at % folds.len()))
        .collect();
    let joined: Vec<Vec<(usize, f64)>> = runs.chunks(folds.len().max(1)).map(<[_]>::concat).collect();
    let shares = joined.chunks(sources.len().max(1)).map(<[_]>::to_vec).collect();
    Validation { folds, shares }
}

fn trial(study: &Study<'_>, strategy: Strategy, target: usize) -> Trial {
    // Found with the temporary target among the sources: C and γ say little about a device, and searching anew for each target would
    // cost more than everything else.
    let tuned_for = match strategy.device_features {
        DeviceFeatures::None => &[][..],
        _ => &study.candidates().usable,
    };
    Trial {
        strategy,
        target,
        device_features: study.device_features_without(strategy, target),
        hyperparameters: study.tuned(strategy.learner(), tuned_for),
    }
}

/// Trains on all folds but one and judges on that one: its inputs and their shares.
fn run(
    task: &Task<'_>,
    sources: &[usize],
    trial: &Trial,
    folds: &[Vec<usize>],
    fold: usize,
) -> Vec<(usize, f64)> {
    let target = sources[trial.target];
    let is_other = |source: &usize| *source != target || sources.len() == 1;
    let sources: Vec<usize> = sources.iter().copied().filter(is_other).collect();
    let inputs = rest(folds, fold);
    let set = TrainingSet {
        task,
        sources: &sources,
        inputs: &inputs,
        device_features: &trial.device_features,
        is_final: false,
    };
    let trained = trial.strategy.learner().train(&set, &trial.hyperparameters);
    let selector = trained.selector.on_device(&task.device_row(target, &trial.device_features));
    let share = |&input: &usize| {
        let ranking = selector.rank(&task.input_row(input));
        let ranking = ranking.into_iter().map(|ranked| ranked.choice).collect();
        Some((input, task.share(target, input, ranking)?))
    };
    folds[fold].iter().filter_map(share).collect()
}
