//! The error of an evolution.

use std::path::PathBuf;

use crate::begin_with::BeginWithError;
use crate::log::LogError;
use crate::runner::RunnerError;

/// An error after which an evolution cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvolveError {
    /// There is nothing to run on any more.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// A patch to begin with does not fit.
    #[error(transparent)]
    BeginWith(#[from] BeginWithError),
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log is of another evolution.
    #[error(
        "the log does not fit this evolution ({0}); give another folder by --out, or remove it to begin anew"
    )]
    Foreign(String),
    /// A patched text does not fit its launch plan any more.
    #[error(transparent)]
    Plan(#[from] nitro_launch::PlanError),
    /// Another file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}
