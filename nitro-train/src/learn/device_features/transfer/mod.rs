//! How well machines carry over to a device that they were not trained on, measured on source devices alone.
//!
//! Each source in turn is the temporary target: machines are trained on the other sources, for every subset of device
//! features up to a size and for none, and judged by what they choose on the temporary target. Inputs are
//! held out as well (two folds), so that a machine that has only memorised its inputs is not rewarded.
//!
//! What makes this affordable: subsets whose distances between the remaining sources are equal share one machine, of
//! which only the last step, the kernel between target and sources, is redone a subset; and the number of samples is
//! bounded so that the whole table costs about the same whatever the number of devices and features.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::learn::folds::{inputs_within, rest, sample};
use crate::learn::learners::Hyperparameters;
use crate::learn::learners::svm::{Machine, Parameters, SamplesByClass, Smo, Stop};
use crate::learn::space::DeviceSpace;
use crate::learn::task::{MIN_SOURCES, Task};

const FOLDS: usize = 2;
/// Bound on the sum of squared sample counts over all machines trained for one table: some seconds on two cores.
const EFFORT: f64 = 4e8;

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

/// What to compare.
pub struct TransferPlan<'a> {
    /// The source devices.
    pub sources: &'a [usize],
    /// Device features to make subsets of.
    pub candidates: &'a [String],
    /// Hyperparameters of machines without device features.
    pub plain: Hyperparameters,
    /// Hyperparameters of machines with some.
    pub joined: Hyperparameters,
    /// The largest subset that is tried.
    pub subset_size: usize,
}

/// Machines to train once: on these sources, in this space, for all these columns (subsets).
struct Job {
    target: usize,
    sources: Vec<usize>,
    space: DeviceSpace,
    parameters: Parameters,
    columns: Vec<usize>,
}

/// Sum of shares and number of them.
type Tally = (f64, usize);

/// Fills the table.
pub fn transfer(task: &Task<'_>, plan: &TransferPlan<'_>) -> Transfer {
    let candidates = if plan.sources.len() < MIN_SOURCES { &[] } else { plan.candidates };
    let subsets = subsets(candidates.len(), plan.subset_size);
    let features = columns(&subsets, candidates);
    let jobs: Vec<Job> =
        (0..plan.sources.len()).flat_map(|target| jobs_of_target(task, plan, &features, target)).collect();
    let machines = (jobs.len() * FOLDS).max(1);
    let limit = inputs_within(EFFORT / machines as f64, plan.sources.len(), FOLDS);
    let inputs = sample(task.all_inputs(), limit, task.seed);
    let parts = task.folds(&inputs, FOLDS);
    let tallies: Vec<Vec<(usize, Tally)>> = (0..jobs.len() * parts.len())
        .into_par_iter()
        .map(|at| run(task, &jobs[at / parts.len()], &features, &parts, at % parts.len()))
        .collect();
    let mut sums = vec![vec![(0.0, 0); features.len()]; plan.sources.len()];
    for (at, tallies) in tallies.iter().enumerate() {
        let row = &mut sums[jobs[at / parts.len()].target_position(plan.sources)];
        for &(column, (sum, count)) in tallies {
            row[column] = (row[column].0 + sum, row[column].1 + count);
        }
    }
    let scores = sums.iter().map(|row| row.iter().map(mean).collect()).collect();
    Transfer { candidates: candidates.to_vec(), subsets, scores }
}

impl Job {
    fn target_position(&self, sources: &[usize]) -> usize {
        sources.iter().position(|&source| source == self.target).expect("targets are sources")
    }
}

fn jobs_of_target(
    task: &Task<'_>,
    plan: &TransferPlan<'_>,
    features: &[Vec<String>],
    target: usize,
) -> Vec<Job> {
    let target = plan.sources[target];
    let sources: Vec<usize> = plan.sources.iter().copied().filter(|&source| source != target).collect();
    let mut jobs: Vec<Job> = Vec::new();
    let mut known: BTreeMap<(bool, Vec<i64>), usize> = BTreeMap::new();
    for (column, features) in features.iter().enumerate() {
        let space = task.device_space(&sources, features);
        let key = (features.is_empty(), space.distances_key());
        let at = *known.entry(key).or_insert(jobs.len());
        if at == jobs.len() {
            let parameters = Parameters::from(if features.is_empty() { &plan.plain } else { &plan.joined });
            jobs.push(Job { target, sources: sources.clone(), space, parameters, columns: Vec::new() });
        }
        jobs[at].columns.push(column);
    }
    jobs
}

/// Trains on all parts but one and judges every column of the job on that one.
fn run(
    task: &Task<'_>,
    job: &Job,
    features: &[Vec<String>],
    parts: &[Vec<usize>],
    part: usize,
) -> Vec<(usize, Tally)> {
    let Parameters { cost, gamma } = job.parameters;
    let set = SamplesByClass::new(task.samples(&job.sources, &rest(parts, part)));
    let stop = Stop::of_search(set.samples().len());
    let machine = set.train(&Smo, stop, &task.space, &job.space, gamma, &[cost]).remove(0);
    let kernel = task.space.kernel(gamma);
    let sums: Vec<Vec<f64>> = parts[part]
        .iter()
        .map(|&input| machine.partial_sums(&set, kernel.row(input), job.sources.len()))
        .collect();
    let judge = |&column: &usize| {
        let space = task.device_space(&job.sources, &features[column]);
        let to_sources = space.kernel_to(&task.device_row(job.target, &features[column]), gamma);
        (column, tally(task, job.target, &machine, &parts[part], &sums, &to_sources))
    };
    job.columns.iter().map(judge).collect()
}

fn tally(
    task: &Task<'_>,
    target: usize,
    machine: &Machine,
    inputs: &[usize],
    sums: &[Vec<f64>],
    to_sources: &[f64],
) -> Tally {
    let share =
        |(&input, sums): (&usize, &Vec<f64>)| task.share(target, input, machine.ranking(sums, to_sources));
    inputs.iter().zip(sums).filter_map(share).fold((0.0, 0), |(sum, count), share| (sum + share, count + 1))
}

fn mean(&(sum, count): &Tally) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// None first, then all of size one, two, and so on up to a size, each in alphabetical order.
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
    let names = |subset: &Vec<usize>| subset.iter().map(|&at| candidates[at].clone()).collect();
    subsets.iter().map(names).collect()
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
