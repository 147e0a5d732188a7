//! Local search with restarts: neighbours, which differ in one parameter, are tried in random order, and the search
//! moves on as soon as one is faster. Where none is, it begins again anywhere.

use std::convert::Infallible;
use std::sync::Arc;

use super::fresh::Fresh;
use super::start::{Start, fastest};
use crate::random::Random;
use crate::{Candidate, Evaluation, Outcome, Proposer, Space};

/// Neighbours that are tried at once, so that several workers have something to do.
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
    pub(super) fn new(start: &Start<'_>) -> Self {
        let mut random = Random::new(start.seed);
        let fresh = Fresh::new(start.space, &mut random);
        Self { space: Arc::clone(start.space), random, fresh, current: None, open: Vec::new() }
    }
}

impl Proposer for Local {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        let mut step = Vec::new();
        while step.len() < STEP {
            let Some(neighbour) = self.open.pop() else { break };
            if self.fresh.take(neighbour) {
                step.push(neighbour);
            }
        }
        if step.is_empty() {
            self.current = None;
            step.extend(self.fresh.any());
        }
        Ok(step)
    }

    fn learn(&mut self, step: &[Outcome]) {
        let Some(fastest) = fastest(step) else { return };
        // From what failed no way leads anywhere in particular: the next one begins anew.
        if fastest.report.cost() < self.current.map_or(f64::INFINITY, |current| current.report.cost()) {
            self.current = Some(fastest);
            self.open = self.space.neighbours(fastest.proposal);
            self.random.shuffle(&mut self.open);
        }
    }
}
