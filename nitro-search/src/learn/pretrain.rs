//! The kernel that one device's times have, seen from the others': learned on the sources, each of which is left
//! out in turn.

use super::Features;
use super::fit::{Likelihood, Task, ascend};
use super::kernel::Kernel;
use crate::random::Random;

/// Rows a source, the better of two random ones each: what is slow everywhere tells little.
const ROWS: usize = 100;
/// The number of rows that the expected variance counts for.
const PRIOR_COUNT: f64 = 20.0;

/// Learns what is expected of the kernel before anything is measured here; with fewer than two sources nothing is
/// learned.
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

/// Learns what is expected of the kernel over the parameters alone: that of the sources' own losses.
pub(super) fn pretrain_alone(features: &Features, random: &mut Random) -> Kernel {
    let mut kernel = Kernel::new(&features.alone());
    if features.sources.is_empty() || features.len() < 2 {
        return kernel;
    }
    let tasks: Vec<LeftOut> =
        features.sources.iter().map(|losses| LeftOut::alone(features, losses, random)).collect();
    let score = |kernel: &Kernel| tasks.iter().map(|task| task.score(kernel)).sum();
    let mut best = score(&kernel);
    ascend(&mut kernel, &mut best, &[0.25, 4.0], false, score);
    let factor = tasks.iter().map(|task| task.likelihood(&kernel).factor).sum::<f64>() / tasks.len() as f64;
    for variance in [&mut kernel.own, &mut kernel.noise, &mut kernel.constant] {
        *variance *= factor;
    }
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
        let sums: Vec<f32> =
            (0..features.len()).map(|row| others.sources.iter().map(|losses| losses[row]).sum()).collect();
        let rows = rows(features, &sums, random);
        let losses = rows.iter().map(|&row| f64::from(own[row])).collect();
        Self { features: others, rows, losses }
    }

    /// Without the other sources.
    fn alone(features: &Features, losses: &[f32], random: &mut Random) -> Self {
        let rows = rows(features, losses, random);
        let losses = rows.iter().map(|&row| f64::from(losses[row])).collect();
        Self { features: features.alone(), rows, losses }
    }

    fn score(&self, kernel: &Kernel) -> f64 {
        self.likelihood(kernel).logarithm
    }

    fn likelihood(&self, kernel: &Kernel) -> Likelihood {
        let kernel = Kernel { weights: self.features.weights.clone(), ..kernel.clone() };
        let Self { features, rows, losses } = self;
        Task { features, rows, losses, prior_count: PRIOR_COUNT }.likelihood(&kernel)
    }
}

/// Random rows, the better of two each by these losses.
fn rows(features: &Features, losses: &[f32], random: &mut Random) -> Vec<usize> {
    let mut draw = || {
        let (one, other) = (random.below(features.len()), random.below(features.len()));
        if losses[one] < losses[other] { one } else { other }
    };
    let mut rows: Vec<usize> = (0..ROWS).map(|_| draw()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
