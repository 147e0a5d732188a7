//! The errors of profiling.

use std::io;

/// The reason for which a profile could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Nsight Compute is not installed.
    #[error(
        "ncu is not found: install NVIDIA Nsight Compute, which comes with the CUDA toolkit, and put its folder \
         into PATH"
    )]
    NoProfiler,
    /// The driver keeps the counters from this user.
    #[error(
        "this user may not read the GPU's hardware counters: run as root, or load the driver with \
         NVreg_RestrictProfilingToAdminUsers=0"
    )]
    NotPermitted,
    /// Nsight Compute knows no such metrics.
    #[error("ncu does not know {}", names.join(", "))]
    UnknownMetrics {
        /// The metrics.
        names: Vec<String>,
    },
    /// Nsight Compute saw no launch.
    #[error("ncu saw no launch{}", said.as_ref().map_or_else(String::new, |said| format!(": {said}")))]
    NothingSeen {
        /// The message of Nsight Compute about that.
        said: Option<String>,
    },
    /// A table, or the log of Nsight Compute, has another form than is understood here.
    #[error(transparent)]
    Form(#[from] nitro_store::exchange::ImportError),
    /// The announcements of the worker are damaged.
    #[error("the list of sections cannot be understood")]
    Sections(#[from] serde_json::Error),
    /// A file or process cannot be used.
    #[error("{what}")]
    Io {
        /// The attempt.
        what: String,
        /// The error of the system.
        source: io::Error,
    },
}
