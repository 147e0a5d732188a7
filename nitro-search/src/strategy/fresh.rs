//! The candidates that were not yet proposed.

use crate::random::Random;
use crate::{Candidate, Space};

/// The candidates that were not yet proposed, in a random order.
pub(super) struct Fresh {
    order: Vec<Candidate>,
    /// Length of the part of the order that is used up.
    passed: usize,
    proposed: Vec<bool>,
}

impl Fresh {
    pub(super) fn new(space: &Space, random: &mut Random) -> Self {
        let mut order: Vec<_> = space.candidates().collect();
        random.shuffle(&mut order);
        Self { order, passed: 0, proposed: vec![false; space.len()] }
    }

    /// Returns true for a candidate that was not yet proposed.
    pub(super) fn has(&self, candidate: Candidate) -> bool {
        !self.proposed[candidate.index()]
    }

    /// Takes a candidate, and returns true if it was still there.
    pub(super) fn take(&mut self, candidate: Candidate) -> bool {
        !std::mem::replace(&mut self.proposed[candidate.index()], true)
    }

    /// Takes any.
    pub(super) fn any(&mut self) -> Option<Candidate> {
        while let Some(&candidate) = self.order.get(self.passed) {
            self.passed += 1;
            if self.take(candidate) {
                return Some(candidate);
            }
        }
        None
    }
}
