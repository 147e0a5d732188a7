//! What a search of paths is asked, and what it answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ants::Ants;
use super::{Crossing, Report};
use crate::Budget;

/// Who proposes paths.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PathStrategy {
    /// An ant colony.
    Ants(Ants),
    /// A genetic algorithm: children take each part of the program from the parent that has the faster one, and mutate.
    Genetic,
    /// At every node any of the options that are allowed there, each as likely: what a colony has to beat with as
    /// many evaluations.
    Random,
}

/// What a search of paths is to do.
///
/// ```
/// use nitro_search::{Ants, PathPlan, PathStrategy};
///
/// let plan = PathPlan { seed: 7, ..PathPlan::new(PathStrategy::Ants(Ants::default())) };
/// assert_eq!(plan.budget.evaluations, Some(50));
/// ```
#[derive(Clone, Debug)]
pub struct PathPlan {
    /// Who proposes.
    pub strategy: PathStrategy,
    /// All chance comes from it: the same seed, the same proposals.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
}

impl PathPlan {
    /// This strategy with seed 0 and the paper's budget: 10 ants, 5 iterations, 50 evaluations.
    #[must_use]
    pub fn new(strategy: PathStrategy) -> Self {
        Self { strategy, seed: 0, budget: Budget::evaluations(50) }
    }
}

/// The number of a proposal, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathId(u64);

impl PathId {
    pub(super) fn of(index: usize) -> Self {
        Self(index as u64)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PathId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "path {}", self.0)
    }
}

/// A path to evaluate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Proposal {
    /// By which its outcome is told.
    pub id: PathId,
    /// The choices, in order.
    pub path: Vec<Crossing>,
}

/// A path and what running it gave: what is kept of a search, to restore it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathOutcome {
    /// The number of the proposal.
    pub id: PathId,
    /// The choices, in order.
    pub path: Vec<Crossing>,
    /// What that gave.
    pub report: Report,
}
