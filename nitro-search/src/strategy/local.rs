//! Local search with restarts: neighbours, which differ in one parameter, are tried in random order, and the search
//! moves on as soon as one is faster. Where none is, it begins again anywhere.

use std::sync::Arc;

use super::Steps;
use super::fresh::Fresh;
use crate::random::Random;
use crate::{Candidate, Outcome, Space};

/// How many neighbours are tried at once, so that several workers have something to do.
const STEP: usize = 4;

pub(super) struct Local {
    space: Arc<Space>,
    random: Random,
    fresh: Fresh,
    current: Option<Outcome>,
    /// Neighbours of the current one that were not tried yet.
    open: Vec<Candidate>,
}

impl Local {
    pub(super) fn new(space: Arc<Space>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let fresh = Fresh::new(&space, &mut random);
        Self { space, random, fresh, current: None, open: Vec::new() }
    }

    fn move_to(&mut self, outcome: Outcome) {
        self.current = Some(outcome);
        self.open = self.space.neighbours(outcome.candidate);
        self.random.shuffle(&mut self.open);
    }
}

impl Steps for Local {
    fn ask(&mut self) -> Vec<Candidate> {
        let fresh = &mut self.fresh;
        let step: Vec<_> = std::iter::from_fn(|| {
            while let Some(candidate) = self.open.pop() {
                if fresh.take(candidate) {
                    return Some(candidate);
                }
            }
            None
        })
        .take(STEP)
        .collect();
        if !step.is_empty() {
            return step;
        }
        self.current = None;
        fresh.any().into_iter().collect()
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        let cost = |outcome: &Outcome| outcome.evaluation.cost();
        let Some(&fastest) = outcomes.iter().min_by(|one, other| cost(one).total_cmp(&cost(other))) else {
            return;
        };
        // From what failed no way leads anywhere in particular: the next one begins anew.
        if cost(&fastest) < self.current.as_ref().map_or(f64::INFINITY, cost) {
            self.move_to(fastest);
        }
    }
}
