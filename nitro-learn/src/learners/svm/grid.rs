//! C and γ by grid search with cross-validation.

use rayon::prelude::*;

use super::machine::Parameters;
use super::samples::{SEARCH_EFFORT, SamplesByClass};
use super::smo::{Smo, Stop};
use crate::folds::{inputs_within, rest, sample};
use crate::learners::TrainingSet;
use crate::task::MIN_SOURCES;

/// The grid of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Values of C, ascending.
    pub costs: Vec<f64>,
    /// Values of γ, ascending.
    pub gammas: Vec<f64>,
    /// Number of parts that inputs are cut into; fewer where devices are left out as well.
    pub folds: usize,
    /// Bound on the sum, over all machines trained for one search and one C, of the squared number of samples.
    /// Where there are more inputs than that allows a seeded sample is taken; where a grid peaks moves little with
    /// the number of samples.
    pub effort: f64,
}

impl Default for Grid {
    /// C from 2⁻¹ to 2⁹ and γ from 2⁻⁷ to 2³ in steps of a factor 4, five folds.
    fn default() -> Self {
        Self {
            costs: (-1..=9).step_by(2).map(|power| 2_f64.powi(power)).collect(),
            gammas: (-7..=3).step_by(2).map(|power| 2_f64.powi(power)).collect(),
            folds: 5,
            effort: 3e8,
        }
    }
}

/// The least number of (device, part of the inputs) that are left out, where there are that many parts.
const TRIALS: usize = 10;

/// Sum of shares and number of them.
type Tally = (f64, usize);

/// Finds the C and γ for which machines choose best on what they were not trained on.
///
/// The criterion is not the rate of right answers but what the choice is worth: the mean of best time over chosen
/// time. Ties go to the smaller C, then to the smaller γ, and a cell that is worse than the best by no more than
/// the standard error of that difference counts as a tie (the one-standard-error rule of Breiman, Friedman, Olshen
/// and Stone 1984): on few inputs the highest cell is often just a lucky one. With fewer than two inputs there is
/// nothing to validate on, and the smallest values are taken.
///
/// Left out are inputs and, because the selector is for unseen devices, also each device in turn, where enough others
/// remain ([`MIN_SOURCES`] with device features, 2 without).
pub fn search(set: &TrainingSet<'_>, by_regret: bool, grid: &Grid) -> Parameters {
    let (task, sources) = (set.task, set.sources);
    let min_sources = if set.device_features.is_empty() { 2 } else { MIN_SOURCES };
    let targets: Vec<Option<usize>> =
        if sources.len() < min_sources { vec![None] } else { (0..sources.len()).map(Some).collect() };
    let parts_wanted = TRIALS.div_ceil(targets.len()).clamp(2, grid.folds.max(2));
    let machines = grid.gammas.len() * targets.len() * parts_wanted;
    let limit = inputs_within(grid.effort / machines as f64, sources.len(), parts_wanted);
    let inputs = sample(set.inputs.to_vec(), limit, task.seed);
    let parts = task.folds(&inputs, parts_wanted, 0);
    let trials: Vec<Trial> = (0..grid.gammas.len())
        .flat_map(|gamma| targets.iter().map(move |&target| (gamma, target)))
        .flat_map(|(gamma, target)| (0..parts.len()).map(move |part| Trial { gamma, target, part }))
        .collect();
    let tallies: Vec<Vec<Tally>> =
        trials.par_iter().map(|trial| run(set, by_regret, grid, &parts, *trial)).collect();
    best_cell(grid, &trials, &tallies)
}

/// One γ, the device and the part of the inputs that are left out.
#[derive(Clone, Copy)]
struct Trial {
    gamma: usize,
    target: Option<usize>,
    part: usize,
}

/// Trains on what is not left out and judges on what is; one tally a C.
fn run(
    set: &TrainingSet<'_>,
    by_regret: bool,
    grid: &Grid,
    parts: &[Vec<usize>],
    trial: Trial,
) -> Vec<Tally> {
    let &TrainingSet { task, sources, device_features: features, .. } = set;
    let left_out = trial.target.map(|target| sources[target]);
    let others: Vec<usize> = sources.iter().copied().filter(|&source| Some(source) != left_out).collect();
    let space = task.device_space(&others, features);
    let inputs = rest(parts, trial.part);
    let samples = SamplesByClass::of(
        &TrainingSet { sources: &others, inputs: &inputs, ..*set },
        by_regret,
        SEARCH_EFFORT,
    );
    let (gamma, stop) = (grid.gammas[trial.gamma], Stop::of_search(samples.samples().len()));
    let machines = samples.train(&Smo, stop, &task.space, &space, gamma, &grid.costs);
    let judged: Vec<(usize, Vec<f64>)> = left_out
        .map_or_else(|| others.clone(), |target| vec![target])
        .into_iter()
        .map(|device| (device, space.kernel_to(&task.device_row(device, features), gamma)))
        .collect();
    let kernel = task.space.kernel(gamma);
    let mut tallies = Vec::with_capacity(machines.len());
    for machine in &machines {
        let mut tally = (0.0, 0);
        let inputs = &parts[trial.part];
        let sums = machine.partial_sums(&samples, &kernel, inputs, others.len());
        for (&input, sums) in inputs.iter().zip(&sums) {
            for (device, to_sources) in &judged {
                if let Some(share) = task.share(*device, input, machine.ranking(sums, to_sources)) {
                    tally = (tally.0 + share, tally.1 + 1);
                }
            }
        }
        tallies.push(tally);
    }
    tallies
}

/// The simplest cell that is not distinguishably worse than the best one.
fn best_cell(grid: &Grid, trials: &[Trial], tallies: &[Vec<Tally>]) -> Parameters {
    // The simplest cells first: a small C and a small γ make a smooth boundary.
    let (mut cells, mut by_cell) = (Vec::new(), Vec::new());
    for cost in 0..grid.costs.len() {
        for gamma in 0..grid.gammas.len() {
            let of_gamma = trials.iter().zip(tallies).filter(|(trial, _)| trial.gamma == gamma);
            by_cell.push(of_gamma.map(|(_, of_costs)| of_costs[cost]).collect::<Vec<Tally>>());
            cells.push((cost, gamma));
        }
    }
    let best = (0..cells.len())
        .reduce(|best, cell| if mean(&by_cell[cell]) > mean(&by_cell[best]) { cell } else { best })
        .expect("a grid has at least one cell");
    // One standard error of the loss is not distinguishable (Breiman et al., "Classification and Regression Trees",
    // 1984, section 3.4.3).
    let chosen = (0..=best)
        .find(|&cell| {
            let loss = mean(&by_cell[best]) - mean(&by_cell[cell]);
            loss <= standard_error_of_loss(&by_cell[best], &by_cell[cell])
        })
        .unwrap_or(best);
    let (cost, gamma) = cells[chosen];
    Parameters { cost: grid.costs[cost], gamma: grid.gammas[gamma] }
}

fn mean(tallies: &[Tally]) -> f64 {
    let (sum, count) = tallies.iter().fold((0.0, 0), |(sum, count), tally| (sum + tally.0, count + tally.1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Standard error of the mean difference between two cells, which were judged on the same trials.
fn standard_error_of_loss(best: &[Tally], other: &[Tally]) -> f64 {
    let pairs = best.iter().zip(other).filter(|(best, _)| best.1 > 0);
    let losses: Vec<f64> = pairs.map(|(best, other)| (best.0 - other.0) / best.1 as f64).collect();
    let count = losses.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let mean = losses.iter().sum::<f64>() / count;
    let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (variance / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two γ, two C, three trials a γ; shares given as [γ][trial][C].
    fn choose(shares: [[[f64; 2]; 3]; 2]) -> Parameters {
        let grid = Grid { costs: vec![1.0, 2.0], gammas: vec![0.1, 0.2], folds: 3, effort: 1e6 };
        let trial = |gamma: usize, part: usize| Trial { gamma, target: None, part };
        let trials: Vec<Trial> =
            (0..2).flat_map(|gamma| (0..3).map(move |part| trial(gamma, part))).collect();
        let tallies: Vec<Vec<Tally>> = shares
            .iter()
            .flatten()
            .map(|of_costs| of_costs.iter().map(|&share| (10.0 * share, 10)).collect())
            .collect();
        best_cell(&grid, &trials, &tallies)
    }

    #[test]
    fn a_cell_that_is_clearly_better_is_chosen() {
        let clear = [[[0.5, 0.6], [0.5, 0.6], [0.5, 0.6]], [[0.5, 0.9], [0.5, 0.9], [0.5, 0.9]]];
        assert_eq!(choose(clear), Parameters { cost: 2.0, gamma: 0.2 });
    }

    #[test]
    fn ties_go_to_the_smaller_cost_then_to_the_smaller_gamma() {
        assert_eq!(choose([[[0.9; 2]; 3]; 2]), Parameters { cost: 1.0, gamma: 0.1 });
        let high_gamma = [[[0.5, 0.9]; 3], [[0.9, 0.9]; 3]];
        assert_eq!(choose(high_gamma), Parameters { cost: 1.0, gamma: 0.2 });
    }

    #[test]
    fn what_the_trials_cannot_tell_apart_is_a_tie() {
        // Better by 0.2, by 0.2 and worse by 0.3: the mean gain of 0.03 is within its standard error.
        let noise = [[[0.5, 0.7], [0.5, 0.7], [0.9, 0.6]], [[0.1; 2]; 3]];
        assert_eq!(choose(noise), Parameters { cost: 1.0, gamma: 0.1 });
    }
}
