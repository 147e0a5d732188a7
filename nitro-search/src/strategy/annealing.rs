//! Simulated annealing: a neighbour that is faster is moved to, a slower one with the probability exp(−ln(its time
//! / the current time) / temperature). The temperature begins at the spread of the logarithms of some random
//! configurations' times, and falls as 1 / (1 + evaluations / 10).

use std::convert::Infallible;
use std::sync::Arc;

use super::fresh::Fresh;
use super::start::{Start, fastest};
use crate::random::Random;
use crate::{Candidate, Evaluation, Outcome, Proposer, Space};

/// Random configurations at the beginning: they tell the temperature, and the fastest is where the walk begins.
const BEGIN: usize = 8;
/// Neighbours that are tried at once, so that several workers have something to do.
const STEP: usize = 4;

pub(super) struct Annealing {
    space: Arc<Space>,
    random: Random,
    fresh: Fresh,
    current: Option<Outcome>,
    /// Spread at the beginning; none before.
    spread: Option<f64>,
    evaluations: usize,
}

impl Annealing {
    pub(super) fn new(start: &Start<'_>) -> Self {
        let mut random = Random::new(start.seed);
        let fresh = Fresh::new(start.space, &mut random);
        let space = Arc::clone(start.space);
        Self { space, random, fresh, current: None, spread: None, evaluations: 0 }
    }

    /// Returns fresh neighbours of where the walk is, in random order.
    fn neighbours(&mut self) -> Vec<Candidate> {
        let Some(current) = self.current else { return Vec::new() };
        let mut found = self.space.neighbours(current.proposal);
        found.retain(|&candidate| self.fresh.has(candidate));
        self.random.shuffle(&mut found);
        found.truncate(STEP);
        found
    }

    /// Draws if the walk goes on from this outcome (Metropolis' rule, on logarithms of times).
    fn accepts(&mut self, outcome: &Outcome) -> bool {
        let Some(current) = self.current else { return outcome.report.time_ns().is_some() };
        let slower = (outcome.report.cost() / current.report.cost()).ln();
        let temperature = self.spread.unwrap_or(0.0) / (1.0 + self.evaluations as f64 / 10.0);
        slower <= 0.0 || self.random.unit() < (-slower / temperature).exp()
    }
}

/// Returns the standard deviation of the logarithms of the times.
fn spread(outcomes: &[Outcome]) -> f64 {
    let times = outcomes.iter().filter_map(|outcome| outcome.report.time_ns());
    let logarithms: Vec<f64> = times.filter(|&time| time > 0.0).map(f64::ln).collect();
    let count = logarithms.len().max(1) as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    (logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

impl Proposer for Annealing {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        let step = self.neighbours();
        if !step.is_empty() {
            step.iter().for_each(|&candidate| _ = self.fresh.take(candidate));
            return Ok(step);
        }
        self.current = None;
        let count = if self.spread.is_none() { BEGIN } else { 1 };
        Ok(std::iter::from_fn(|| self.fresh.any()).take(count).collect())
    }

    fn learn(&mut self, step: &[Outcome]) {
        self.evaluations += step.len();
        if self.spread.is_none() {
            self.spread = Some(spread(step));
            self.current = fastest(step).filter(|outcome| outcome.report.time_ns().is_some());
            return;
        }
        for outcome in step {
            if self.accepts(outcome) {
                self.current = Some(*outcome);
            }
        }
    }
}
