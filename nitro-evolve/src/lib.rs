//! Evolution of compiled GPU kernels, after GEVO (Liou, Forrest and Wu, "GEVO: GPU code optimization using
//! evolutionary computation").
//!
//! A PTX text from any compiler, and a [`Workload`] that says how it is run and which of its results count, become a
//! small patch that is faster on inputs that the search never saw.
//!
//! [`Workload`] → candidates (`nitro_ptx`, `nitro_search::evolve`) → stages of acceptance on devices ([`Runner`]) →
//! finalists → minimised and explained → accepted by a test

mod awaited;
mod begin_with;
mod blame;
mod check;
mod cli;
mod compare;
mod deadline;
mod devices;
mod difference;
mod draft;
mod early;
mod effort;
mod emulated;
mod error;
mod evaluator;
mod evolve;
mod exactness;
mod explanation;
mod finding;
mod findings;
mod floors;
mod generation;
mod history;
mod images;
mod log;
mod machine_code;
mod margin;
mod memory;
mod mend;
mod minimise;
mod observer;
mod patched;
mod plan;
mod proposals;
mod repair;
pub mod report;
pub mod runner;
pub mod sandbox;
mod sanitizer;
mod search;
mod stages;
mod subject;
mod time_breakdown;
mod tool;
mod words;
pub mod workload;

pub use self::begin_with::BeginWithError;
pub use self::check::{Check, CheckOutcome, CheckReport, Depth, Objection};
pub use self::cli::EvolveCommand;
pub use self::deadline::Deadline;
pub use self::effort::{Effort, Efforts};
pub use self::emulated::{EmulatorCheck, EmulatorRunner};
pub use self::error::EvolveError;
pub use self::evolve::{EvolveRequest, EvolveResult, evolve};
pub use self::exactness::Exactness;
pub use self::finding::{Contract, DroppedEdit, ExplainedEdit, Finding, TestCase, Undone, Verdict};
pub use self::history::{Counts, History};
pub use self::log::LogError;
pub use self::machine_code::Disassembler;
pub use self::observer::{Observer, Progress};
pub use self::patched::PatchFolder;
pub use self::plan::{PlannedError, PlannedSubject};
pub use self::runner::{Assemble, Runner};
pub use self::subject::{Subject, SubjectError};
pub use self::time_breakdown::TimeBreakdown;
pub use self::workload::{Set, Workload, WorkloadError};
