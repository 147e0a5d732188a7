//! Paths at random.

use super::{Crossing, Decision, Decisions, Guide, WalkError, Walks};
use crate::random::Random;

/// Paths of a step; what they give changes nothing.
const STEP: usize = 10;

/// Whoever walks at random.
pub(super) struct Wanderer {
    random: Random,
    walks: Walks,
}

impl Wanderer {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), walks: Walks::default() }
    }

    pub(super) fn ask(&mut self, decisions: &dyn Decisions) -> Result<Vec<Vec<Crossing>>, WalkError> {
        let path = |_| self.walks.new_path(decisions, &mut self.random).transpose();
        (0..STEP).map_while(path).collect()
    }
}

impl Guide for Random {
    fn choose(&mut self, _: &[Crossing], _: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        Ok(open[self.below(open.len())])
    }
}
