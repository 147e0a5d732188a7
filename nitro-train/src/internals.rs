//! Parts of the trainer that this repository's own examples, benchmarks and tests look into: the comparisons with
//! LIBSVM and linfa-svm, the time that CV-DFS takes, P-DFS on the shipped profiles, what captured calls bring a
//! calibration. Nothing else may rely on them.

use crate::learn::Strategy;
pub use crate::learn::calibration::Calibrator;
pub use crate::learn::device_features::profile_based::{Models, RESOURCES, Relevance, Resource, select};
pub use crate::learn::device_features::transfer::{Transfer, TransferPlan};
#[cfg(feature = "linfa")]
pub use crate::learn::learners::svm::LinfaSvm;
pub use crate::learn::learners::svm::{BinarySolver, Machine, Parameters, SamplesByClass, Smo, Stop};
pub use crate::learn::performance::PerformanceTable;
pub use crate::learn::scaling::scale_of;
pub use crate::learn::space::{DeviceSpace, InputSpace};
pub use crate::learn::study::Study;
pub use crate::learn::task::{Sample, Task};
pub use crate::random::Random;
pub use crate::traffic::weights::calls_among;

/// Returns the table of a strategy's learner, which CV-DFS selects device features by.
pub fn transfer(task: &Task<'_>, plan: &TransferPlan<'_>, strategy: Strategy) -> Transfer {
    strategy.learner().transfer(task, plan)
}
