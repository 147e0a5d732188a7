//! The loss of a worker.

use nitro_process::{Death, FrameError, ProcessError};

use super::message::Answer;
use crate::runner::RunnerError;

/// The reason for which a worker is of no use any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Loss {
    /// It could not be started.
    #[error(transparent)]
    Start(#[from] ProcessError),
    /// It was late, has ended, or cannot be understood.
    #[error("{who} {0}", who = if is_late(.0) { "it" } else { "its worker" })]
    Death(#[from] Death),
    /// It ended between two candidates.
    #[error("its worker ended while it ran nothing")]
    Idle,
    /// It said itself that it cannot go on.
    #[error("{0}")]
    Device(String),
    /// Its answer belongs to another request.
    #[error("its worker answered {0:?} to another request")]
    OtherAnswer(Answer),
    /// There is nothing to begin with.
    #[error("no workload was begun with")]
    NoTask,
    /// It cannot be asked.
    #[error("a request cannot be sent: {0}")]
    Request(#[from] FrameError),
}

impl Loss {
    /// Returns true if it did not answer in time.
    pub(super) fn is_late(&self) -> bool {
        matches!(self, Self::Death(death) if is_late(death))
    }
}

/// Returns true if a worker did not answer in time.
fn is_late(death: &Death) -> bool {
    matches!(death, Death::Late { .. })
}

impl From<Loss> for RunnerError {
    fn from(loss: Loss) -> Self {
        Self(loss.to_string())
    }
}

impl From<ProcessError> for RunnerError {
    fn from(error: ProcessError) -> Self {
        Self(error.to_string())
    }
}
