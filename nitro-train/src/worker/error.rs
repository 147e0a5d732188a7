//! The reasons for which supervision ends.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use nitro_store::store::StoreError;

/// The reason for which measuring in workers could not go on.
#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    /// Something of the system that supervising takes.
    #[error("{what}")]
    System { what: &'static str, source: io::Error },
    /// The program cannot be run again.
    #[error("{}: the worker could not be started", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// The trainer itself panicked, or the closure between two runs.
    #[error("the worker panicked, but not in a variant; what was measured is kept")]
    Panicked,
    /// It did not end by itself, and it was no variant's doing.
    #[error("the worker {how} while no variant ran; what was measured is kept")]
    Lost { how: String },
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
