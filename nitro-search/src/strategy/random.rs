//! Any order.

use std::convert::Infallible;

use super::start::Start;
use crate::{Candidate, Evaluation, Outcome, Proposer, random};

/// Candidates of a step; what they give changes nothing.
const STEP: usize = 64;

pub(super) struct Random {
    left: Vec<Candidate>,
}

impl Random {
    pub(super) fn new(start: &Start<'_>) -> Self {
        let mut left: Vec<_> = start.space.candidates().collect();
        random::Random::new(start.seed).shuffle(&mut left);
        Self { left }
    }
}

impl Proposer for Random {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        Ok(self.left.split_off(self.left.len().saturating_sub(STEP)))
    }

    fn learn(&mut self, _: &[Outcome]) {}
}
