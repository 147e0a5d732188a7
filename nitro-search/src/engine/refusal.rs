//! Refusals of what an engine is told.

/// The reason for which an observation is refused; the search is as before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TellError {
    /// Nobody asked for it, or it was told before.
    #[error("{0} is not waited for: it was never asked for, or was told before")]
    NotAsked(String),
    /// A time is finite and not negative.
    #[error("{0} cannot have taken {1} ns; what has no time is told as failed")]
    Time(String, f64),
    /// So is the time of a part, and a metric is finite.
    #[error("{0} cannot have {2} as its {1}; leave out what was not measured")]
    Number(String, String, f64),
    /// Observations that are restored are those of another search.
    #[error("the outcome of {0} is none of this search's: it would not have been asked for")]
    Foreign(String),
    /// It took less than its lower bound, so the bound is wrong, and what was excluded by it may be faster.
    #[error(
        "{proposal} took {time_ns} ns, less than its bound of {bound_ns} ns, so nothing is proved: {explanation}"
    )]
    Unsound {
        /// Its name.
        proposal: String,
        /// Its time.
        time_ns: f64,
        /// The bound.
        bound_ns: f64,
        /// The reasons of the bound.
        explanation: String,
    },
    /// The strategy that is restored cannot propose.
    #[error("{0}")]
    Strategy(String),
}
