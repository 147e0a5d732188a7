//! An expert that says what to evaluate next, by a Gaussian process: the greatest expected improvement.

use super::fit::fit;
use super::kernel::Kernel;
use super::posterior::Posterior;
use super::pretrain::{pretrain, pretrain_alone};
use super::{Features, best_ns, loss};
use crate::random::Random;
use crate::{Evaluation, Outcome};

/// Most evaluations that a kernel is fitted to: of more, the fastest and the last.
const MOST: usize = 400;

/// The expert that stands in where sources mislead looks for what is better by more than this share of the speed:
/// among many equally good ones, which the sources led to, there is always one that is expected to be better by a
/// little.
const LEAP: f32 = 0.1;

pub(crate) struct Expert {
    features: Features,
    /// The kernel before anything is measured here.
    expected: Kernel,
    kernel: Kernel,
    /// True where the expectation was learned on other devices.
    learned: bool,
    /// By how much something has to be better to be worth anything.
    leap: f32,
    /// By what variances are multiplied.
    factor: f64,
    posterior: Posterior,
    /// The number of outcomes when the kernel was fitted.
    fitted: usize,
    /// The number of outcomes that the posterior has seen.
    seen: usize,
    /// The evaluations of the posterior's rows.
    evaluations: Vec<Evaluation>,
    /// The row of each candidate.
    row_of: Vec<u32>,
}

impl Expert {
    /// One who knows what the sources measured, if there are any.
    pub(crate) fn new(features: Features, random: &mut Random) -> Self {
        let learned = features.sources.len() > 1;
        let expected = pretrain(&features, random);
        Self::of(features, expected, learned)
    }

    /// One who knows the parameters alone, and of the sources how times depend on them.
    pub(crate) fn alone(features: &Features, random: &mut Random) -> Self {
        let learned = !features.sources.is_empty();
        let leap = if learned { LEAP } else { 0.0 };
        Self { leap, ..Self::of(features.alone(), pretrain_alone(features, random), learned) }
    }

    fn of(features: Features, expected: Kernel, learned: bool) -> Self {
        let most = features.candidates.iter().map(|candidate| candidate.index() + 1).max().unwrap_or(0);
        let mut row_of = vec![u32::MAX; most];
        (0..).zip(&features.candidates).for_each(|(row, candidate)| row_of[candidate.index()] = row);
        let posterior = Posterior::new(&features, &expected);
        let (kernel, evaluations) = (expected.clone(), Vec::new());
        Self {
            features,
            expected,
            kernel,
            factor: 1.0,
            posterior,
            learned,
            leap: 0.0,
            fitted: 0,
            seen: 0,
            evaluations,
            row_of,
        }
    }

    /// Returns how much each source tells, as far as is known by now.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.kernel.weights
    }

    /// Up to `count` candidates that are still there, the most promising first.
    pub(crate) fn propose(
        &mut self,
        outcomes: &[Outcome],
        count: usize,
        is_there: impl Fn(crate::Candidate) -> bool,
    ) -> Vec<crate::Candidate> {
        self.learn(outcomes);
        let best_ns = best_ns(outcomes.iter().map(|outcome| outcome.report));
        let losses: Vec<f64> = self.evaluations.iter().map(|&evaluation| loss(evaluation, best_ns)).collect();
        let means = self.means(&losses);
        // The best has no loss by definition; before anything ran, any speed is better than none.
        let best = if best_ns.is_finite() { -self.leap } else { 1.0 };
        let mut open: Vec<usize> =
            (0..self.features.len()).filter(|&row| is_there(self.features.candidates[row])).collect();
        let checkpoint = self.posterior.checkpoint();
        let mut proposals = Vec::new();
        while proposals.len() < count {
            let Some(at) = self.most_promising(&open, &means, best, outcomes.is_empty()) else { break };
            let row = open.swap_remove(at);
            proposals.push(self.features.candidates[row]);
            if proposals.len() < count {
                self.posterior.add(&self.features, &self.kernel, row);
            }
        }
        self.posterior.back_to(checkpoint);
        proposals
    }

    /// The position among the open rows of the one from which most is expected.
    fn most_promising(&self, open: &[usize], means: &[f32], best: f32, is_first: bool) -> Option<usize> {
        let variances = self.posterior.variances();
        let promise = |&row: &usize| {
            // Nothing is measured: how far one may be wrong is the same everywhere.
            if is_first {
                -means[row]
            } else {
                logarithm_of_improvement(best - means[row], (variances[row] * self.factor as f32).sqrt())
            }
        };
        let promises = open.iter().map(promise).enumerate();
        promises.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(at, _)| at)
    }

    /// The loss that is expected of every row.
    fn means(&self, losses: &[f64]) -> Vec<f32> {
        let rows = self.posterior.rows();
        let prior = |row: usize| self.kernel.prior_mean(&self.features, row);
        let residuals: Vec<f64> = losses.iter().zip(rows).map(|(loss, &row)| loss - prior(row)).collect();
        let mut means = self.posterior.means(&residuals);
        means.iter_mut().enumerate().for_each(|(row, mean)| *mean += prior(row) as f32);
        means
    }

    fn learn(&mut self, outcomes: &[Outcome]) {
        // Ever less often: that costs no more than a constant factor over what is new.
        if outcomes.len() > self.fitted + self.fitted / 3 {
            self.fit(outcomes);
        }
        for outcome in &outcomes[self.seen..] {
            self.add(outcome);
        }
        self.seen = outcomes.len();
    }

    fn add(&mut self, outcome: &Outcome) {
        // Of a large space some candidates are not among the rows.
        if let Some(&row) = self.row_of.get(outcome.proposal.index()).filter(|&&row| row != u32::MAX) {
            self.posterior.add(&self.features, &self.kernel, row as usize);
            self.evaluations.push(outcome.report);
        }
    }

    /// Fits the kernel, and begins the posterior anew with it.
    fn fit(&mut self, outcomes: &[Outcome]) {
        let kept = telling(outcomes);
        let best_ns = best_ns(kept.iter().map(|outcome| outcome.report));
        let row = |outcome: &&Outcome| {
            self.row_of.get(outcome.proposal.index()).is_some_and(|&row| row != u32::MAX)
        };
        let known: Vec<&Outcome> = kept.iter().filter(row).collect();
        let rows: Vec<usize> =
            known.iter().map(|outcome| self.row_of[outcome.proposal.index()] as usize).collect();
        let losses: Vec<f64> = known.iter().map(|outcome| loss(outcome.report, best_ns)).collect();
        (self.kernel, self.factor) =
            fit(&self.features, &rows, &losses, &self.expected, &self.kernel, self.learned);
        self.posterior = Posterior::new(&self.features, &self.kernel);
        self.evaluations.clear();
        kept.iter().for_each(|outcome| self.add(outcome));
        (self.fitted, self.seen) = (outcomes.len(), outcomes.len());
    }
}

/// At most [`MOST`] of the outcomes, in their order: the fastest three quarters and the last quarter.
fn telling(outcomes: &[Outcome]) -> Vec<Outcome> {
    let (earlier, last) = outcomes.split_at(outcomes.len().saturating_sub(MOST / 4));
    let mut order: Vec<usize> = (0..earlier.len()).collect();
    order.sort_by(|&one, &other| earlier[one].report.cost().total_cmp(&earlier[other].report.cost()));
    order.truncate(MOST - MOST / 4);
    order.sort_unstable();
    order.into_iter().map(|at| earlier[at]).chain(last.iter().copied()).collect()
}

/// The logarithm of the expected improvement of something that is better by `gain` in the mean, with this standard
/// deviation. Far below the best, where the improvement itself would be 0 everywhere, it still tells what is less
/// far.
fn logarithm_of_improvement(gain: f32, deviation: f32) -> f32 {
    let deviation = deviation.max(1e-6);
    let far = gain / deviation;
    let density = -0.5 * far * far - 0.918_938_5;
    if far < -4.0 {
        // Mills' ratio, to the second term.
        return deviation.ln() + density - 2.0 * (-far).ln();
    }
    // The logistic approximation of the normal distribution.
    let below = 1.0 / (1.0 + (-1.5976 * far - 0.07056 * far * far * far).exp());
    deviation.ln() + (far * below + density.exp()).max(1e-7).ln()
}
