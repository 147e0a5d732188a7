//! What branch and bound is told and tells: bounds, plans, leaves, errors.

use std::sync::Arc;

use crate::candidate::{ChoiceId, Partial};

/// A lower limit of the time of everything inside a state. [`BranchAndBound`](super::BranchAndBound) has an example.
pub trait LowerBound {
    /// Nanoseconds that nothing inside takes less than; 0 says nothing. It answers the same for the same state.
    fn bound_ns(&self, partial: &Partial) -> f64;

    /// Why that is the least: for people, and for the error when something took less.
    fn explain(&self, partial: &Partial) -> String {
        format!("the bound of {partial:?} is {} ns", self.bound_ns(partial))
    }

    /// What takes so long, in a word or two: by that, statistics count what is pruned.
    fn limit(&self, _: &Partial) -> Option<&'static str> {
        None
    }

    /// What to decide next; by default the first choice that is open.
    fn branch(&self, partial: &Partial) -> Option<ChoiceId> {
        partial.first_open()
    }
}

/// How to search.
///
/// ```
/// use nitro_decide::BranchPlan;
///
/// let soon = BranchPlan { percent: 5.0, ..BranchPlan::default() };
/// assert_eq!(soon.dive_every, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchPlan {
    /// What may be lost: nothing inside takes less than the best that is found, less so many percent of that. 0
    /// loses nothing; counted as between 0 and 100.
    pub percent: f64,
    /// Of so many leaves one is come to by a dive, the first of all too: dives find something good before the proof
    /// is done. 0 never dives.
    pub dive_every: usize,
    /// All chance comes from it.
    pub seed: u64,
}

impl Default for BranchPlan {
    fn default() -> Self {
        Self { percent: 0.0, dive_every: 4, seed: 0 }
    }
}

/// A decided state that is to be evaluated.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// One value of each choice: by these it is told.
    pub values: Arc<[usize]>,
    /// The state.
    pub partial: Partial,
    /// Nothing that is right takes less.
    pub bound_ns: f64,
}

/// Why what is told is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// Nobody asked for it, or it was told before; or of a restored search, it is not inside.
    #[error("{0:?} is not waited for: it was never asked for, was told before, or is not inside")]
    NotAsked(Vec<usize>),
    /// A time is finite and not negative.
    #[error("{0:?} cannot have taken {1} ns; what has no time is told as failed")]
    Time(Vec<usize>, f64),
    /// It took less than its bound: the bound is wrong, and what was pruned by it may be better.
    #[error(
        "{values:?} took {time_ns} ns, less than its bound of {bound_ns} ns, so nothing is proved: {explanation}"
    )]
    Unsound {
        /// One value of each choice.
        values: Vec<usize>,
        /// What it took.
        time_ns: f64,
        /// What nothing was to take less than.
        bound_ns: f64,
        /// The reasons of the bound.
        explanation: String,
    },
}
