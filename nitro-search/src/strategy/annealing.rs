//! Simulated annealing: a neighbour that is faster is moved to, a slower one with the probability exp(−ln(its time
//! / the current time) / temperature). The temperature begins at the spread of the logarithms of some random
//! configurations' times, and falls as 1 / (1 + evaluations / 10).

use std::sync::Arc;

use super::Steps;
use super::fresh::Fresh;
use crate::random::Random;
use crate::{Candidate, Outcome, Space};

/// Random configurations at the beginning: they tell the temperature, and the fastest is where the walk begins.
const BEGIN: usize = 8;
/// How many neighbours are tried at once, so that several workers have something to do.
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
    pub(super) fn new(space: Arc<Space>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let fresh = Fresh::new(&space, &mut random);
        Self { space, random, fresh, current: None, spread: None, evaluations: 0 }
    }

    /// Fresh neighbours of where the walk is, in random order.
    fn neighbours(&mut self) -> Vec<Candidate> {
        let Some(current) = self.current else { return Vec::new() };
        let mut found = self.space.neighbours(current.candidate);
        found.retain(|&candidate| self.fresh.has(candidate));
        self.random.shuffle(&mut found);
        found.truncate(STEP);
        found
    }

    fn accepts(&mut self, outcome: &Outcome) -> bool {
        let Some(current) = self.current else { return outcome.evaluation.time_ns().is_some() };
        let slower = (outcome.evaluation.cost() / current.evaluation.cost()).ln();
        let temperature = self.spread.unwrap_or(0.0) / (1.0 + self.evaluations as f64 / 10.0);
        slower <= 0.0 || self.random.unit() < (-slower / temperature).exp()
    }
}

/// Standard deviation of the logarithms of the times.
fn spread(outcomes: &[Outcome]) -> f64 {
    let times = outcomes.iter().filter_map(|outcome| outcome.evaluation.time_ns());
    let logarithms: Vec<f64> = times.filter(|&time| time > 0.0).map(f64::ln).collect();
    let count = logarithms.len().max(1) as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    (logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

impl Steps for Annealing {
    fn ask(&mut self) -> Vec<Candidate> {
        let step = self.neighbours();
        if !step.is_empty() {
            step.iter().for_each(|&candidate| _ = self.fresh.take(candidate));
            return step;
        }
        self.current = None;
        let count = if self.spread.is_none() { BEGIN } else { 1 };
        std::iter::from_fn(|| self.fresh.any()).take(count).collect()
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        self.evaluations += outcomes.len();
        if self.spread.is_none() {
            self.spread = Some(spread(outcomes));
            let ran = outcomes.iter().filter(|outcome| outcome.evaluation.time_ns().is_some());
            self.current =
                ran.copied().min_by(|one, other| one.evaluation.cost().total_cmp(&other.evaluation.cost()));
            return;
        }
        for outcome in outcomes {
            if self.accepts(outcome) {
                self.current = Some(*outcome);
            }
        }
    }
}
