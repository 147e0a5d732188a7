//! The error of a launch plan that cannot be evolved.

use nitro_cuda::CudaError;
use nitro_launch::PlanError;

use crate::subject::SubjectError;
use crate::workload::WorkloadError;

/// An error of a launch plan that cannot be evolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlannedError {
    /// A number is missing, or the plan has no such number.
    #[error("{0}")]
    Numbers(String),
    /// The plan is refused, or cannot run with these sizes.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan cannot be compiled.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The workload of the plan has a mistake.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The workload does not fit the plan.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}
