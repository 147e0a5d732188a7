//! The bound that branch and bound prunes by, and its plan.

use super::ClassPlan;
use crate::candidate::{Candidate, ChoiceId, Values};

/// A lower limit of the time of everything inside a state. [`BranchAndBound`](super::BranchAndBound) has an example.
pub trait LowerBound {
    /// Nanoseconds that nothing inside takes less than; 0 says nothing. It answers the same for the same state.
    fn bound_ns(&self, candidate: &Candidate) -> f64;

    /// Explains the bound: for people, and for the error when something took less.
    fn explain(&self, candidate: &Candidate) -> String {
        format!("the bound of {candidate:?} is {} ns", self.bound_ns(candidate))
    }

    /// Names the limit, in a word or two: by that, statistics count what is pruned.
    fn limit(&self, _: &Candidate) -> Option<&'static str> {
        None
    }

    /// Divides the open values of a choice into parts within which it seldom matters which one is taken; by default
    /// each value is a part.
    ///
    /// Where each open choice has but one part, the points of a state are a class, of which one may stand for all
    /// ([`BranchPlan::classes`]).
    fn parts(&self, candidate: &Candidate, choice: ChoiceId) -> Vec<Values> {
        candidate.values(choice).each().collect()
    }

    /// Returns so many choices that are open, all if there are fewer, what to decide first in front; by default in
    /// the order of the problem. None are returned where nothing is open.
    fn order(&self, candidate: &Candidate, most: usize) -> Vec<ChoiceId> {
        candidate.open().take(most).collect()
    }
}

/// The settings of a search.
///
/// ```
/// use nitro_decide::BranchPlan;
///
/// let soon = BranchPlan { percent: 5.0, ..BranchPlan::default() };
/// assert_eq!(soon.dive_every, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchPlan {
    /// The share that may be lost: nothing inside takes less than the best that is found, less so many percent of
    /// that. 0 loses nothing; counted as between 0 and 100.
    pub percent: f64,
    /// Of so many leaves one is come to by a dive, the first of all too: dives find something good before the proof
    /// is done. 0 never dives.
    pub dive_every: usize,
    /// In so many states all open choices are compared by the least bound of their children, before one is decided;
    /// in later ones what gained most then is decided first. 0 decides in the order of [`LowerBound::order`].
    pub compared: usize,
    /// So many points are counted at most, those inside of what is pruned: a space with more says nothing of them. It
    /// walks through all of them.
    pub counted_points: u64,
    /// Classes of points, of which one stands for all: then a proof holds up to these. Choices that seldom matter come
    /// last. None takes each point for itself.
    pub classes: Option<ClassPlan>,
    /// All chance comes from it.
    pub seed: u64,
}

impl Default for BranchPlan {
    fn default() -> Self {
        Self { percent: 0.0, dive_every: 4, compared: 0, counted_points: 0, classes: None, seed: 0 }
    }
}
