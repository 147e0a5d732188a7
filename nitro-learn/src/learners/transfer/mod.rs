//! Transfer of selectors of one kind to a device that they were not trained on, measured on source devices alone.
//!
//! Each source in turn is the temporary target: selectors are trained on the other sources, for every subset of device
//! features up to a size and for none, and judged by what they choose on the temporary target. Inputs are
//! held out as well (two folds), so that a selector that has only memorised its inputs is not rewarded.
//!
//! Each learner fills the table with selectors of its own kind
//! ([`Learner::transfer`](crate::learners::Learner::transfer)): `machines` share what hundreds of machines
//! have in common, `trained` is for every other kind. The number of samples is bounded, so that a table costs
//! about the same whatever the number of devices and features.

mod machines;
mod trained;

use rayon::prelude::*;

pub use self::machines::by_machines;
pub use self::trained::by_training;
use crate::folds::{inputs_within, rest, sample};
use crate::learners::Hyperparameters;
use crate::task::{MIN_SOURCES, Task};

const FOLDS: usize = 2;

/// Mean share of the best variant's speed on each temporary target.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Candidate device features, in alphabetical order.
    pub candidates: Vec<String>,
    /// Subsets of candidates: none first, then by size and alphabetically.
    pub subsets: Vec<Vec<usize>>,
    /// One row a source as temporary target, one column a subset.
    pub scores: Vec<Vec<f64>>,
}

/// The subsets of device features to compare.
pub struct TransferPlan<'a> {
    /// The source devices.
    pub sources: &'a [usize],
    /// Device features to make subsets of.
    pub candidates: &'a [String],
    /// Hyperparameters without device features.
    pub plain: Hyperparameters,
    /// Hyperparameters with some.
    pub joined: Hyperparameters,
    /// The largest subset that is tried.
    pub subset_size: usize,
}

/// Sum of shares and number of them.
type Tally = (f64, usize);

/// The table before it is filled.
struct Frame<'a> {
    task: &'a Task<'a>,
    sources: &'a [usize],
    candidates: &'a [String],
    subsets: Vec<Vec<usize>>,
    /// The names of each subset's features.
    features: Vec<Vec<String>>,
}

/// A unit of training: for this temporary target, on the other sources.
struct Job<W> {
    /// Its position among the sources.
    target: usize,
    work: W,
}

/// One job on one part of the inputs.
struct Part<'a> {
    target: usize,
    /// The inputs to train on.
    train: Vec<usize>,
    /// The inputs to judge on.
    judge: &'a [usize],
}

impl<'a> Frame<'a> {
    fn new(task: &'a Task<'a>, plan: &TransferPlan<'a>) -> Self {
        let candidates = if plan.sources.len() < MIN_SOURCES { &[] } else { plan.candidates };
        let subsets = subsets(candidates.len(), plan.subset_size);
        let features = columns(&subsets, candidates);
        Self { task, sources: plan.sources, candidates, subsets, features }
    }

    /// The sources without the one at this position.
    fn others(&self, target: usize) -> Vec<usize> {
        [&self.sources[..target], &self.sources[target + 1..]].concat()
    }

    /// Runs all jobs on all parts of the inputs, of which there are as many as `effort`, a bound on the sum of
    /// squared sample counts, allows. A run returns what it found by subset.
    fn fill<W: Sync>(
        self,
        jobs: &[Job<W>],
        effort: f64,
        run: impl Fn(&W, &Part<'_>) -> Vec<(usize, Tally)> + Sync,
    ) -> Transfer {
        let runs = (jobs.len() * FOLDS).max(1);
        let limit = inputs_within(effort / runs as f64, self.sources.len(), FOLDS);
        let inputs = sample(self.task.all_inputs(), limit, self.task.seed);
        let parts = self.task.folds(&inputs, FOLDS, 0);
        let tallies: Vec<Vec<(usize, Tally)>> = (0..jobs.len() * parts.len())
            .into_par_iter()
            .map(|at| {
                let (job, part) = (&jobs[at / parts.len()], at % parts.len());
                let target = self.sources[job.target];
                run(&job.work, &Part { target, train: rest(&parts, part), judge: &parts[part] })
            })
            .collect();
        let mut sums = vec![vec![(0.0, 0); self.features.len()]; self.sources.len()];
        for (at, tallies) in tallies.iter().enumerate() {
            let row = &mut sums[jobs[at / parts.len()].target];
            for &(column, (sum, count)) in tallies {
                row[column] = (row[column].0 + sum, row[column].1 + count);
            }
        }
        let scores = sums.iter().map(|row| row.iter().map(mean).collect()).collect();
        Transfer { candidates: self.candidates.to_vec(), subsets: self.subsets, scores }
    }
}

/// The shares of some choices.
fn tally(shares: impl Iterator<Item = Option<f64>>) -> Tally {
    shares.flatten().fold((0.0, 0), |(sum, count), share| (sum + share, count + 1))
}

fn mean(&(sum, count): &Tally) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Returns the empty subset, then all of size one, two, and so on up to a size, each in alphabetical order.
fn subsets(candidates: usize, size: usize) -> Vec<Vec<usize>> {
    let mut subsets = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..size {
        let end = subsets.len();
        for at in start..end {
            let next = subsets[at].last().map_or(0, |&last| last + 1);
            for candidate in next..candidates {
                subsets.push([subsets[at].as_slice(), &[candidate]].concat());
            }
        }
        start = end;
    }
    subsets
}

/// The names of each subset's features.
fn columns(subsets: &[Vec<usize>], candidates: &[String]) -> Vec<Vec<String>> {
    subsets.iter().map(|subset| subset.iter().map(|&at| candidates[at].clone()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_by_size_then_alphabetically() {
        assert_eq!(subsets(0, 3), [Vec::<usize>::new()]);
        let expected: [&[usize]; 8] = [&[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
        assert_eq!(subsets(3, 3), expected);
        assert_eq!(subsets(10, 3).len(), 1 + 10 + 45 + 120);
        assert_eq!(subsets(13, 3).len(), 1 + 377);
        assert_eq!(subsets(10, 1).len(), 1 + 10);
    }
}
