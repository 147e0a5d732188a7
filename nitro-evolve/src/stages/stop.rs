//! The ways in which a candidate's way ends.

use nitro_search::Failure;

use crate::runner::RunnerError;

/// A failure of a candidate, with the reason in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub failure: Failure,
    pub why: String,
}

/// The end of a candidate's way.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The candidate failed; others may go on.
    Refused(Refusal),
    /// Nothing can be run any more.
    Lost(RunnerError),
}

impl Stop {
    /// Creates the stop of a candidate that failed.
    pub(super) fn refused(failure: Failure, why: impl Into<String>) -> Self {
        Self::Refused(Refusal { failure, why: why.into() })
    }
}

impl From<RunnerError> for Stop {
    fn from(error: RunnerError) -> Self {
        Self::Lost(error)
    }
}

/// Takes a refusal out of a result; an error is left where nothing can be run any more.
pub(crate) fn refusal(judged: Result<(), Stop>) -> Result<Option<Refusal>, RunnerError> {
    match judged {
        Ok(()) => Ok(None),
        Err(Stop::Refused(refusal)) => Ok(Some(refusal)),
        Err(Stop::Lost(error)) => Err(error),
    }
}
