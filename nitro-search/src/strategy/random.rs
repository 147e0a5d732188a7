//! Any order.

use super::Steps;
use crate::{Candidate, Outcome, Space, random};

/// How many are proposed at once; what they give changes nothing.
const STEP: usize = 64;

pub(super) struct Random {
    left: Vec<Candidate>,
}

impl Random {
    pub(super) fn new(space: &Space, seed: u64) -> Self {
        let mut left: Vec<_> = space.candidates().collect();
        random::Random::new(seed).shuffle(&mut left);
        Self { left }
    }
}

impl Steps for Random {
    fn ask(&mut self) -> Vec<Candidate> {
        self.left.split_off(self.left.len().saturating_sub(STEP))
    }

    fn tell(&mut self, _: &[Outcome]) {}
}
