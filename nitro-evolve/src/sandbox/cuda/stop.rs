//! The end of a run without times.

use nitro_cuda::CudaError;
use nitro_search::Failure;

use crate::runner::{RunOutcome, RunnerError};

/// The reason for which a run has no times.
#[derive(Debug)]
pub(super) enum Stop {
    /// The program is at fault, and others may run.
    Failed(Failure, String),
    /// Nothing can run in this process any more.
    Lost(String),
}

impl Stop {
    /// Returns a function that blames the program for an error, unless the device is lost.
    pub(super) fn of(failure: Failure) -> impl Fn(CudaError) -> Self {
        move |error| match error.is_fatal() {
            true => Self::Lost(in_words(&error)),
            false => Self::Failed(failure, in_words(&error)),
        }
    }

    /// Returns the outcome of the run.
    pub(super) fn outcome(self) -> Result<RunOutcome, RunnerError> {
        match self {
            Self::Failed(failure, why) => Ok(RunOutcome::Failed(failure, why)),
            Self::Lost(why) => Err(RunnerError(why)),
        }
    }
}

/// An error that is not the program's fault.
impl From<CudaError> for Stop {
    fn from(error: CudaError) -> Self {
        Self::Lost(in_words(&error))
    }
}

/// An error of a program that has to run.
impl From<Stop> for RunnerError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(_, why) | Stop::Lost(why) => Self(why),
        }
    }
}

/// Writes an error with its source, in one line.
fn in_words(error: &CudaError) -> String {
    use std::error::Error;
    let behind = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{behind}").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use nitro_cuda::Grid;

    use super::*;

    fn launch(code: u32) -> CudaError {
        let source = CudaError::Driver { call: "cuLaunchKernel", code, name: format!("ERROR_{code}") };
        CudaError::Launch { kernel: "k".to_owned(), grid: Grid::linear(1, 32), source: Box::new(source) }
    }

    #[test]
    fn a_refused_launch_is_the_candidate_s_and_a_lost_device_is_everybody_s() {
        let Stop::Failed(Failure::Launch, why) = Stop::of(Failure::Launch)(launch(701)) else { panic!() };
        assert!(
            why.starts_with("kernel `k` cannot be launched") && why.ends_with("ERROR_701 (701)"),
            "{why}"
        );
        assert!(matches!(Stop::of(Failure::Launch)(launch(700)), Stop::Lost(_)), "an illegal address");
        assert!(matches!(Stop::from(CudaError::OutOfMemory { bytes: 1 }), Stop::Lost(_)));
    }
}
