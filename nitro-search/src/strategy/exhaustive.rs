//! Everything, in order.

use std::convert::Infallible;

use super::start::Start;
use crate::{Candidate, Evaluation, Outcome, Proposer};

/// Candidates of a step; what they give changes nothing.
const STEP: usize = 64;

pub(super) struct Exhaustive {
    next: usize,
    end: usize,
}

impl Exhaustive {
    pub(super) fn new(start: &Start<'_>) -> Self {
        Self { next: 0, end: start.space.len() }
    }
}

impl Proposer for Exhaustive {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        let from = self.next;
        self.next = (from + STEP).min(self.end);
        Ok((from..self.next).map(Candidate::new).collect())
    }

    fn learn(&mut self, _: &[Outcome]) {}
}
