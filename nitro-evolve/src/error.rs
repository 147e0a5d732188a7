//! The error of an evolution.

use std::path::PathBuf;

use nitro_search::{UnderFloor, Until};

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
    /// A search is to stop near a floor that is not known.
    #[error(
        "no floor is known with the inputs of the search, near which it could end; leave out --until {0}"
    )]
    NoFloor(Until),
    /// A time is under its floor.
    #[error(transparent)]
    UnderFloor(#[from] UnderFloor),
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
