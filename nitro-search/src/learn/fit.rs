//! The kernel that explains what was measured best.

use super::Features;
use super::kernel::{Kernel, Rows};

/// Standard deviation of the logarithms of lengths and of standard deviations before anything is known.
const SPREAD: f64 = 1.0;
/// The spread of a kernel that was learned on other devices. The variances of what sources do not explain keep the
/// other one: how far devices are apart was learned from a handful of devices, however many configurations each of
/// them measured.
const SPREAD_LEARNED: f64 = 0.5;
/// The spread of the weights of the sources: which of them this device is like has to be found out.
const SPREAD_WEIGHTS: f64 = 1.5;
/// The number of evaluations that the variance which is expected before counts for.
const PRIOR_COUNT: f64 = 10.0;

/// Evaluated rows and what was beyond expectation of them.
pub(super) struct Task<'a> {
    pub(super) features: &'a Features,
    pub(super) rows: &'a [usize],
    pub(super) losses: &'a [f64],
    /// The number of evaluations that the expected variance counts for.
    pub(super) prior_count: f64,
}

/// Returns how well a kernel explains the rows.
pub(super) struct Likelihood {
    pub(super) logarithm: f64,
    /// By what all variances are to be multiplied.
    pub(super) factor: f64,
}

impl Task<'_> {
    /// The marginal likelihood, for the factor of the variances that is most likely.
    pub(super) fn likelihood(&self, kernel: &Kernel) -> Likelihood {
        let count = self.rows.len();
        let mut lower: Vec<f64> = Vec::with_capacity(count * (count + 1) / 2);
        let mut starts = Vec::with_capacity(count);
        let mut solved: Vec<f64> = Vec::with_capacity(count);
        let mut determinant = 0.0;
        for (at, &row) in self.rows.iter().enumerate() {
            let covariances = kernel.covariances(self.features, row, Rows::These(&self.rows[..=at]));
            let begin = lower.len();
            starts.push(begin);
            for (other, &covariance) in covariances[..at].iter().enumerate() {
                let start = starts[other];
                let known: f64 = dot(&lower[begin..], &lower[start..start + other]);
                lower.push((f64::from(covariance) - known) / lower[start + other]);
            }
            let own = dot(&lower[begin..], &lower[begin..begin + at]);
            let last = (f64::from(covariances[at]) + kernel.noise - own).max(1e-9).sqrt();
            let residual = self.losses[at] - kernel.prior_mean(self.features, row);
            solved.push((residual - dot(&lower[begin..], &solved)) / last);
            lower.push(last);
            determinant += last.ln();
        }
        let square = dot(&solved, &solved);
        let degrees = count as f64 + self.prior_count;
        let factor = (square + self.prior_count) / degrees;
        Likelihood { logarithm: -0.5 * degrees * factor.ln() - determinant, factor }
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The most likely kernel, given what it was expected to be, and the factor of its variances.
pub(super) fn fit(
    features: &Features,
    rows: &[usize],
    losses: &[f64],
    expected: &Kernel,
    begin: &Kernel,
    learned: bool,
) -> (Kernel, f64) {
    let with_sources = !features.sources.is_empty();
    let task = Task { features, rows, losses, prior_count: if learned { PRIOR_COUNT } else { 1.0 } };
    let score = |kernel: &Kernel| task.likelihood(kernel).logarithm - surprise(kernel, expected, learned);
    let sources = expected.weights.len();
    // As if the device were mostly like one of the sources.
    let mostly = |most: usize| {
        let weight = |(at, weight): (usize, &f64)| 0.6 * weight + if at == most { 0.4 } else { 0.0 };
        Kernel { weights: expected.weights.iter().enumerate().map(weight).collect(), ..begin.clone() }
    };
    let mut starts: Vec<Kernel> = (0..sources).filter(|_| sources > 1).map(mostly).collect();
    starts.insert(0, begin.clone());
    let best = starts
        .into_iter()
        .map(|kernel| (score(&kernel), kernel))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((mut best, mut kernel)) = best else { return (expected.clone(), 1.0) };
    ascend(&mut kernel, &mut best, &[0.25, 4.0, 0.5, 2.0], with_sources, score);
    let factor = task.likelihood(&kernel).factor;
    (kernel, factor)
}

/// Half the squared distance to what was expected, in standard deviations.
fn surprise(kernel: &Kernel, expected: &Kernel, learned: bool) -> f64 {
    let ratios = |own: &[f64], other: &[f64], power: f64, spread: f64| -> f64 {
        own.iter().zip(other).map(|(own, other)| (power * (own / other).ln() / spread).powi(2)).sum()
    };
    let spread = if learned { SPREAD_LEARNED } else { SPREAD };
    let lengths = ratios(&kernel.inverse_squared_lengths, &expected.inverse_squared_lengths, 0.5, spread);
    let noise = ratios(&[kernel.noise], &[expected.noise], 0.5, spread);
    if kernel.weights.is_empty() {
        return 0.5 * (lengths + noise);
    }
    let alike = [kernel.alike_inverse_squared_length];
    let alike = ratios(&alike, &[expected.alike_inverse_squared_length], 0.5, spread);
    let variances = |kernel: &Kernel| [kernel.own, kernel.alike, kernel.linear];
    let apart = ratios(&variances(kernel), &variances(expected), 0.5, SPREAD);
    let weights = ratios(&kernel.weights, &expected.weights, 1.0, SPREAD_WEIGHTS);
    0.5 * (lengths + noise + alike + apart + weights)
}

/// Coordinate ascent by factors, twice through all coordinates.
pub(super) fn ascend(
    kernel: &mut Kernel,
    best: &mut f64,
    factors: &[f64],
    sources: bool,
    score: impl Fn(&Kernel) -> f64,
) {
    let count = coordinates(kernel, sources);
    for _ in 0..2 {
        for at in 0..count {
            for &factor in factors {
                let mut tried = kernel.clone();
                scale(&mut tried, at, factor);
                let found = score(&tried);
                if found > *best {
                    (*best, *kernel) = (found, tried);
                }
            }
        }
    }
}

fn coordinates(kernel: &Kernel, sources: bool) -> usize {
    1 + kernel.inverse_squared_lengths.len() + if sources { 4 + kernel.weights.len() } else { 0 }
}

fn scale(kernel: &mut Kernel, at: usize, factor: f64) {
    let lengths = kernel.inverse_squared_lengths.len();
    if at < lengths {
        kernel.inverse_squared_lengths[at] *= factor;
        return;
    }
    match at - lengths {
        0 => kernel.noise *= factor,
        1 => kernel.own *= factor,
        2 => kernel.alike *= factor,
        3 => kernel.linear *= factor,
        4 => kernel.alike_inverse_squared_length *= factor,
        weight => {
            kernel.weights[weight - 5] *= factor;
            let total: f64 = kernel.weights.iter().sum();
            kernel.weights.iter_mut().for_each(|weight| *weight /= total);
        }
    }
}
