//! The error of a workload.

use std::path::PathBuf;

/// An error in a workload.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The text is not a workload.
    #[error("{}:{line}: {message}", file.display())]
    Text {
        /// The file of the workload.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The mistake, and what to change.
        message: String,
    },
    /// A case makes no sense, though the text does.
    #[error("{}: with {case}, {message}", file.display())]
    Case {
        /// The file of the workload.
        file: PathBuf,
        /// The numbers of the case.
        case: String,
        /// The mistake, and what to change.
        message: String,
    },
}
