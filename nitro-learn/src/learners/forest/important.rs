//! Selection of the input features to learn from, of more than a model may have.
//!
//! Recursive feature elimination (Guyon, Weston, Barnhill and Vapnik, "Gene selection for cancer classification
//! using support vector machines", 2002) by importance in forests: one is grown on all features, the more important
//! half of them is kept, one is grown on those, and so on. A feature is as important as its splits explain of what
//! variants lose (Breiman, Friedman, Olshen and Stone 1984, section 5.3.4, over all trees). It takes several rounds
//! because features that say nearly the same share their importance until only some of them are left. What features
//! say together counts, which a measure of each by itself would miss.

use nitro_stats::random::Random;
use rayon::prelude::*;

use super::grow::{Samples, grow};
use super::samples::samples;
use crate::folds::sample;
use crate::learners::TrainingSet;
use crate::task::Task;

/// Number of trees of a forest that tells important features: more change little, and deeper ones split noise.
const TREES: usize = 24;
const MIN_LEAF: usize = 5;
/// Bound on the values that a forest is grown on, samples times features: some seconds on two cores for all rounds.
const EFFORT: usize = 2_000_000;
/// However many features there are, each is judged on about this many samples at least.
const MIN_SAMPLES: usize = 400;

/// The `most` most important input features, as ascending positions in [`Task::columns`], by what the sources show.
pub fn important(task: &Task<'_>, sources: &[usize], most: usize) -> Vec<usize> {
    let limit = (EFFORT / task.columns.len().max(1)).max(MIN_SAMPLES) / sources.len().max(1);
    let inputs = sample(task.all_inputs(), limit.max(1), task.seed);
    let set = TrainingSet { task, sources, inputs: &inputs, device_features: &[], is_final: false };
    let mut samples = samples(&set, &[]);
    let mut left: Vec<usize> = (0..task.columns.len()).collect();
    while left.len() > most {
        let columns = more_important(&importance(&samples, task.seed), (left.len() / 2).max(most));
        samples.keep(&columns);
        left = columns.iter().map(|&at| left[at]).collect();
    }
    left
}

/// Ascending positions of the `count` largest; of equals the first.
fn more_important(importance: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..importance.len()).collect();
    order.sort_by(|&a, &b| importance[b].total_cmp(&importance[a])); // stable
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Returns what the splits on each column explain, over all trees of a forest.
fn importance(samples: &Samples, seed: u64) -> Vec<f64> {
    let trees = (0..TREES as u64).into_par_iter().map(|number| {
        let seed = Random::new(seed ^ 0x494d_504f).next_u64().wrapping_add(number);
        grow(samples, 0..samples.columns(), MIN_LEAF, seed).gains
    });
    let trees: Vec<Vec<f64>> = trees.collect();
    (0..samples.columns()).map(|column| trees.iter().map(|gains| gains[column]).sum()).collect()
}
