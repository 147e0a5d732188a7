//! When a search stops, what it answers, and why it refuses what it is told.

use crate::Candidate;

/// When a search stops, at the latest when its strategy has nothing left. How long it may take, its caller knows,
/// who can stop asking at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// At most so many evaluations, failed ones counted.
    pub evaluations: Option<usize>,
    /// Once something takes at most so many nanoseconds.
    pub target_ns: Option<f64>,
    /// Once so many evaluations on end have brought nothing better.
    pub plateau: Option<usize>,
}

impl Budget {
    /// At most so many evaluations.
    #[must_use]
    pub fn evaluations(evaluations: usize) -> Self {
        Self { evaluations: Some(evaluations), ..Self::default() }
    }
}

/// What [`Search::ask`](crate::Search::ask) answers, and [`PathSearch::ask`](crate::PathSearch::ask).
#[derive(Clone, Debug, PartialEq)]
pub enum Ask<T = Candidate> {
    /// These are to be evaluated, at once or one after the other, and told in any order.
    Evaluate(Vec<T>),
    /// What comes next depends on what was asked and not yet told.
    Wait,
    /// The search is over.
    Done(Ended),
}

/// Why a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The strategy has nothing left: all was evaluated, or a walk has come to its end.
    Exhausted,
    /// [`Budget::evaluations`] is used up.
    Evaluations,
    /// [`Budget::target_ns`] is reached.
    Target,
    /// [`Budget::plateau`] evaluations brought nothing better.
    Plateau,
}

/// Why an outcome is refused; the search is as before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TellError<T = Candidate> {
    /// Nobody asked for it, or it was told before.
    #[error("{0} is not waited for: it was never asked for, or was told before")]
    NotAsked(T),
    /// A time is finite and not negative.
    #[error("{0} cannot have taken {1} ns; what has no time is told as failed")]
    Time(T, f64),
    /// So is the time of a part, and a metric is finite.
    #[error("{0} cannot have {2} as its {1}; leave out what was not measured")]
    Number(T, String, f64),
    /// Outcomes that are restored are those of another search.
    #[error("the outcome of {0} is none of this search's: it would not have been asked for")]
    Foreign(T),
}
