//! The reasons for which supervision ends.

use std::io;

use nitro_process::{Death, ProcessError};
use nitro_store::store::StoreError;
use thiserror::Error;

/// The reason for which measuring in workers could not go on.
#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    /// Something of the system that supervising takes.
    #[error("{what}")]
    System { what: &'static str, source: io::Error },
    /// The program cannot be run again, or not be ended.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The trainer itself panicked, or the closure between two runs.
    #[error("the worker panicked, but not in a variant; what was measured is kept")]
    Panicked,
    /// It did not end by itself, and it was no variant's doing.
    #[error("the worker {0} while no variant ran; what was measured is kept")]
    Lost(Death),
    /// The fault that ended a worker cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Some of a team ended so.
    #[error("{}", .0.join("; "))]
    Members(Vec<String>),
}

impl WorkerError {
    /// For [`Result::map_err`].
    pub(super) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}
