//! Launch plans as subjects: kernels that a search found, or anything else that ships as a plan.
//!
//! [`PlannedSubject::workload`] writes how a plan is run as a workload, which a person may change.
//! [`PlannedSubject::new`] compiles the plan to PTX that fits it. The result of evolution becomes a plan again by
//! [`PlannedSubject::patched`].

mod cases;
mod error;
mod formula;
mod subject;
mod write;

pub use self::error::PlannedError;
pub use self::subject::PlannedSubject;
