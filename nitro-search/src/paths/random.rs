//! Paths at random.

use super::{Crossing, Decision, Decisions, Guide, Path, PathStrategy, Report, WalkError, Walks};
use crate::Observation;
use crate::random::Random;

/// Paths of a step; what they give changes nothing.
const STEP: usize = 10;

/// Paths by chance: at every node each option that is allowed there is as likely.
///
/// A colony has to beat it with as many evaluations.
pub struct RandomPaths {
    random: Random,
    walks: Walks,
}

impl RandomPaths {
    /// Creates one that has not begun.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), walks: Walks::default() }
    }
}

impl PathStrategy for RandomPaths {
    fn propose(&mut self, decisions: &dyn Decisions) -> Result<Vec<Path>, WalkError> {
        let mut step = Vec::new();
        while step.len() < STEP {
            let Some(path) = self.walks.new_path(decisions, &mut self.random)? else { break };
            step.push(path);
        }
        Ok(step)
    }

    fn learn(&mut self, _: &dyn Decisions, _: &[Observation<Path, Report>]) {}
}

impl Guide for Random {
    fn choose(&mut self, _: &[Crossing], _: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        Ok(open[self.below(open.len())])
    }
}
