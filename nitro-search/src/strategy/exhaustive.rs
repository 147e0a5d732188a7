//! Everything, in order.

use super::Steps;
use crate::{Candidate, Outcome, Space};

/// How many are proposed at once; what they give changes nothing.
const STEP: usize = 64;

pub(super) struct Exhaustive {
    next: usize,
    end: usize,
}

impl Exhaustive {
    pub(super) fn new(space: &Space) -> Self {
        Self { next: 0, end: space.len() }
    }
}

impl Steps for Exhaustive {
    fn ask(&mut self) -> Vec<Candidate> {
        let from = self.next;
        self.next = (from + STEP).min(self.end);
        (from..self.next).map(Candidate::new).collect()
    }

    fn tell(&mut self, _: &[Outcome]) {}
}
