//! Why there is no profile.

use std::io;

/// Why a profile could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Nsight Compute is not installed.
    #[error(
        "ncu is not found: install NVIDIA Nsight Compute, which comes with the CUDA toolkit, and put its folder into PATH"
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
        /// What it says about that.
        said: Option<String>,
    },
    /// The log has another form than is understood here.
    #[error("the log of ncu cannot be understood")]
    Log(#[from] crate::exchange::ImportError),
    /// A file or process cannot be used.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        source: io::Error,
    },
}
