//! The kernel that one device's times have, seen from the others': learned on the sources, each of which is left out in turn.

use super::Features;
use super::fit::{Task, ascend};
use super::kernel::Kernel;
use crate::random::Random;

/// Rows a source, the better of two random ones each: what is slow everywhere tells little.
const ROWS: usize = 100;
/// How many rows the expected variance counts for.
const PRIOR_COUNT: f64 = 20.0;

/// What is expected of the kernel before anything is measured here; with fewer than two sources nothing is learned.
pub(super) fn pretrain(features: &Features, random: &mut Random) -> Kernel {
    let mut kernel = Kernel::new(features);
    let sources = features.sources.len();
    if sources < 2 || features.len() < 2 {
        return kernel;
    }
    let left_out: Vec<LeftOut> = (0..sources).map(|source| LeftOut::new(features, source, random)).collect();
    let score = |kernel: &Kernel| left_out.iter().map(|task| task.score(kernel)).sum();
    // The weights are those of the others, so they are not among what is learned.
    let mut all = Kernel { weights: Vec::new(), ..kernel.clone() };
    let mut best = score(&all);
    ascend(&mut all, &mut best, &[0.25, 4.0], true, score);
    kernel = Kernel { weights: kernel.weights, ..all };
    kernel
}

/// A source as if it were the device that is searched on.
struct LeftOut {
    features: Features,
    rows: Vec<usize>,
    losses: Vec<f64>,
}

impl LeftOut {
    fn new(features: &Features, source: usize, random: &mut Random) -> Self {
        let mut others = features.clone();
        let own = others.sources.remove(source);
        let count = others.sources.len();
        others.weights = vec![1.0 / count as f64; count];
        let mean = |row: usize| others.sources.iter().map(|losses| losses[row]).sum::<f32>();
        let mut draw = || {
            let (one, other) = (random.below(features.len()), random.below(features.len()));
            if mean(one) < mean(other) { one } else { other }
        };
        let mut rows: Vec<usize> = (0..ROWS).map(|_| draw()).collect();
        rows.sort_unstable();
        rows.dedup();
        let losses = rows.iter().map(|&row| f64::from(own[row])).collect();
        Self { features: others, rows, losses }
    }

    fn score(&self, kernel: &Kernel) -> f64 {
        let kernel = Kernel { weights: self.features.weights.clone(), ..kernel.clone() };
        let Self { features, rows, losses } = self;
        Task { features, rows, losses, prior_count: PRIOR_COUNT }.likelihood(&kernel).logarithm
    }
}
