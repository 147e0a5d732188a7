//! The budget of a search: when it stops, and why.

use crate::{Evaluation, Failure};

/// So many skipped proposals for each evaluation of the budget cost nothing, so that a search that skips everything
/// ends as well.
const FREE: usize = 10;

/// Limits of a search, which ends at the latest when its strategy has nothing left.
///
/// Wall time is no part of it: whoever asks can stop asking at any time.
///
/// ```
/// use nitro_search::Budget;
///
/// let budget = Budget { plateau: Some(20), ..Budget::evaluations(50) };
/// assert_eq!(budget.evaluations, Some(50));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// The most evaluations, failed ones counted.
    pub evaluations: Option<usize>,
    /// A time in nanoseconds that is good enough.
    pub target_ns: Option<f64>,
    /// The number of evaluations in a row without a gain after which the search ends.
    pub plateau: Option<usize>,
}

impl Budget {
    /// Returns a budget of so many evaluations.
    #[must_use]
    pub fn evaluations(evaluations: usize) -> Self {
        Self { evaluations: Some(evaluations), ..Self::default() }
    }
}

/// The reason for which a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The strategy has nothing left: all was evaluated or excluded, or a walk has come to its end.
    Exhausted,
    /// [`Budget::evaluations`] is used up.
    Evaluations,
    /// [`Budget::target_ns`] is reached.
    Target,
    /// [`Budget::plateau`] evaluations brought nothing better.
    Plateau,
}

/// The part of a budget that is used up.
pub(super) struct Account {
    budget: Budget,
    proposed: usize,
    skipped: usize,
    best_cost: f64,
    /// Evaluations since the best was found.
    without_gain: usize,
}

impl Account {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, proposed: 0, skipped: 0, best_cost: f64::INFINITY, without_gain: 0 }
    }

    /// Returns how many may still be proposed.
    pub(super) fn left(&self) -> usize {
        let Some(own) = self.budget.evaluations else { return usize::MAX };
        let free = self.skipped.min(own.saturating_mul(FREE));
        own.saturating_add(free).saturating_sub(self.proposed)
    }

    /// Counts proposals.
    pub(super) fn propose(&mut self, proposals: usize) {
        self.proposed += proposals;
    }

    /// Counts an evaluation, and says if it is the best so far.
    pub(super) fn count(&mut self, evaluation: Evaluation) -> bool {
        if evaluation == Evaluation::Failed(Failure::Skipped) {
            self.skipped += 1;
            self.without_gain += usize::from(self.skipped.is_multiple_of(FREE));
            return false;
        }
        self.without_gain += 1;
        let is_best = evaluation.cost() < self.best_cost;
        if is_best {
            self.best_cost = evaluation.cost();
            self.without_gain = 0;
        }
        is_best
    }

    /// Returns why the search is over, if it is; `is_idle` where nothing is under way and nothing more is proposed.
    pub(super) fn stop_reason(&self, is_idle: bool) -> Option<StopReason> {
        let budget = &self.budget;
        if budget.target_ns.is_some_and(|target| self.best_cost <= target) {
            return Some(StopReason::Target);
        }
        if budget.plateau.is_some_and(|most| self.without_gain >= most) {
            return Some(StopReason::Plateau);
        }
        let is_used_up = self.left() == 0;
        is_idle.then_some(if is_used_up { StopReason::Evaluations } else { StopReason::Exhausted })
    }
}
