//! Validation of strategies on source devices and inputs that they were not trained on: leave-one-device-out
//! cross-validation *within* the sources (nested, where an evaluation leaves a device out around it).
//!
//! Each source in turn is the temporary target, and the inputs are cut into folds of which each in turn is left
//! out: a strategy is trained on the other sources and the other folds, as it will be for a device and inputs that
//! nobody has measured.
//!
//! Where few sources leave the question to the inputs, how these are cut into folds decides as much as what is
//! compared; so they are cut several times, and the mean counts. Over six pairs of sources and five seeds of each
//! of ten functions that took the number of different strategies that `auto` ships for a pair from 2.0 to 1.6, at
//! the same share of speed on the other devices (96.7 and 96.8 %). To take the simplest strategy within one
//! standard error over the inputs was tried too: 96.4 %, and not more stable.

use nitro_stats::statistics::mean;
use rayon::prelude::*;

use super::caution::{hardly_ahead, with_caution};
use super::folds::{inputs_within, rest, sample};
use super::gate::Asked;
use super::learners::{Hyperparameters, TrainingSet};
use super::strategy::{DeviceFeatures, Strategy};
use super::study::Study;
use super::task::{MIN_SOURCES, Task};
use super::training_inputs::training_inputs;

/// Number of folds that the inputs are cut into.
const FOLDS: usize = 4;
/// Number of times that they are cut where there are too few sources to tell devices apart.
const REPEATS: usize = 5;
/// Bound on the sum of squared sample counts over all selectors trained for one comparison.
const EFFORT: f64 = 1e9;

/// The results of strategies on temporary targets, input by input.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The folds that the inputs (positions in [`Task::inputs`]) were cut into, the first time.
    pub folds: Vec<Vec<usize>>,
    /// The inputs, ascending, with the share of the best variant's speed on each, by strategy and temporary target.
    pub shares: Vec<Vec<Vec<(usize, f64)>>>,
    /// The same where the default choice runs when another is hardly ahead of it ([`hardly_ahead`]).
    pub careful: Vec<Vec<Vec<(usize, f64)>>>,
    /// The same where a small tree is asked in the selector's place, if the time for choosing counts.
    pub distilled: Vec<Vec<Vec<Asked>>>,
}

/// The results of a selector on an input, followed always and with caution.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Judgement {
    input: usize,
    share: f64,
    careful: f64,
    /// The same where a small tree is asked, and the time for that.
    distilled: f64,
    distilled_ns: f64,
}

impl Judgement {
    /// Returns the result of the small tree.
    fn of_tree(&self) -> Asked {
        Asked { input: self.input, share: self.distilled, choosing_ns: self.distilled_ns }
    }
}

/// A strategy as it is trained for one temporary target.
struct Trial {
    strategy: Strategy,
    target: usize,
    device_features: Vec<String>,
    hyperparameters: Hyperparameters,
}

/// The inputs of one training and judgement.
struct Part<'a> {
    judged: &'a [usize],
    /// All others.
    inputs: Vec<usize>,
}

impl<'a> Part<'a> {
    /// Leaves out one of these folds.
    fn new(folds: &'a [Vec<usize>], fold: usize) -> Self {
        Self { judged: &folds[fold], inputs: rest(folds, fold) }
    }
}

/// Trains and judges strategies for each source as temporary target and each fold of the inputs.
pub fn validate(study: &Study<'_>, strategies: &[Strategy]) -> Validation {
    let trials: Vec<Trial> = strategies
        .iter()
        .flat_map(|&strategy| (0..study.sources().len()).map(move |target| trial(study, strategy, target)))
        .collect();
    let (task, sources) = (study.task(), study.sources());
    let repeats = if sources.len() < MIN_SOURCES { REPEATS } else { 1 };
    // Training takes time that grows with the square of the samples: of many inputs some are drawn.
    let limit = inputs_within(EFFORT / (trials.len() * FOLDS * repeats).max(1) as f64, sources.len(), FOLDS);
    let inputs = sample(task.all_inputs(), limit, task.seed);
    let mut cuts: Vec<Vec<Vec<usize>>> =
        (0..repeats).map(|repeat| task.folds(&inputs, FOLDS, repeat)).collect();
    let parts: Vec<Part<'_>> =
        cuts.iter().flat_map(|folds| (0..folds.len()).map(move |fold| Part::new(folds, fold))).collect();
    let runs: Vec<Vec<Judgement>> = (0..trials.len() * parts.len())
        .into_par_iter()
        .map(|at| run(task, sources, &trials[at / parts.len()], &parts[at % parts.len()]))
        .collect();
    let means: Vec<Vec<Judgement>> = runs.chunks(parts.len().max(1)).map(means).collect();
    let (mut shares, mut careful, mut distilled) = (Vec::new(), Vec::new(), Vec::new());
    for of_strategy in means.chunks(sources.len().max(1)) {
        shares.push(by_input(of_strategy, |judged| judged.share));
        careful.push(by_input(of_strategy, |judged| judged.careful));
        distilled
            .push(of_strategy.iter().map(|judged| judged.iter().map(Judgement::of_tree).collect()).collect());
    }
    Validation { folds: cuts.swap_remove(0), shares, careful, distilled }
}

/// The mean on each input.
fn means(runs: &[Vec<Judgement>]) -> Vec<Judgement> {
    let mut judged = runs.concat();
    judged.sort_by_key(|judged| judged.input); // stable
    let mut means = Vec::new();
    for same in judged.chunk_by(|one, other| one.input == other.input) {
        let of = |share: fn(&Judgement) -> f64| mean(same.iter().map(share)).unwrap_or(0.0);
        means.push(Judgement {
            input: same[0].input,
            share: of(|own| own.share),
            careful: of(|own| own.careful),
            distilled: of(|own| own.distilled),
            distilled_ns: of(|own| own.distilled_ns),
        });
    }
    means
}

/// Returns the judged inputs with a share each, by temporary target.
fn by_input(targets: &[Vec<Judgement>], share: fn(&Judgement) -> f64) -> Vec<Vec<(usize, f64)>> {
    targets.iter().map(|judged| judged.iter().map(|own| (own.input, share(own))).collect()).collect()
}

fn trial(study: &Study<'_>, strategy: Strategy, target: usize) -> Trial {
    // Found with the temporary target among the sources: C and γ say little about a device, and searching anew for
    // each target would cost more than everything else.
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
fn run(task: &Task<'_>, sources: &[usize], trial: &Trial, part: &Part<'_>) -> Vec<Judgement> {
    let target = sources[trial.target];
    let is_alone = sources.len() == 1;
    let sources: Vec<usize> =
        sources.iter().copied().filter(|&source| source != target || is_alone).collect();
    let set = TrainingSet {
        task,
        sources: &sources,
        inputs: &part.inputs,
        device_features: &trial.device_features,
        is_final: false,
    };
    let trained = trial.strategy.learner().train(&set, &trial.hyperparameters);
    let on_target = || trained.selector.on_device(&task.device_row(target, &trial.device_features));
    let selector = on_target();
    let (counts_features, selection_ns) = (task.costs.is_some(), trial.strategy.learner().selection_ns());
    let tree = counts_features.then(|| on_target().distilled(&training_inputs(task, &sources, &part.inputs)));
    let caution = hardly_ahead(&task.performance);
    let mut judged = Vec::with_capacity(part.judged.len());
    for &input in part.judged {
        let row = task.input_row(input);
        let ranked = selector.rank(&row);
        let careful =
            caution.and_then(|own| task.share_of(target, input, with_caution(&own, ranked.clone())));
        if let Some(share) = task.share_of(target, input, ranked) {
            let (distilled, distilled_ns) = match &tree {
                Some(tree) => {
                    let way = tree.way(&row);
                    let asking_ns = if way.is_none() { selection_ns } else { 0.0 };
                    (
                        task.share_of(target, input, tree.rank(&row)),
                        task.way_ns(target, input, way) + asking_ns,
                    )
                }
                None => (None, 0.0),
            };
            judged.push(Judgement {
                input,
                share,
                careful: careful.unwrap_or(share),
                distilled: distilled.unwrap_or(share),
                distilled_ns,
            });
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_cuts_the_mean_counts() {
        let of = |(input, share)| Judgement { input, share, careful: 1.0, distilled: 1.0, distilled_ns: 5.0 };
        let runs = [vec![(2, 0.5), (0, 1.0)], vec![(1, 0.25)], vec![(0, 0.5)], vec![(1, 0.75), (2, 0.5)]];
        let runs = runs.map(|run| run.into_iter().map(of).collect::<Vec<_>>());
        assert_eq!(means(&runs), [(0, 0.75), (1, 0.5), (2, 0.5)].map(of));
    }
}
