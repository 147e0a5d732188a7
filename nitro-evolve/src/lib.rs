//! Evolution of compiled GPU kernels, after GEVO (Liou, Forrest and Wu, "GEVO: GPU code optimization using
//! evolutionary computation").
//!
//! A PTX text, from whatever compiler, and a [`Workload`] that says how it is run and what of its results counts,
//! become a small patch that is faster on inputs that the search never saw.
//!
//! [`Workload`] → candidates (`nitro_ptx`, `nitro_search::evolve`) → times and errors ([`Bench`]) → finalists →
//! minimised and explained → accepted by tests

mod begin_with;
pub mod bench;
mod cli;
mod compare;
mod devices;
mod difference;
mod emulated;
mod evaluate;
mod evolve;
mod finding;
mod first_run;
mod generation;
mod guide;
mod history;
mod images;
mod judge;
mod log;
mod machine_code;
mod memory;
mod patched;
mod plan;
mod refine;
pub mod report;
mod run;
pub mod sandbox;
mod sanitizer;
mod spent;
mod subject;
mod tool;
pub mod workload;

pub use self::begin_with::BeginWithError;
pub use self::bench::Bench;
pub use self::cli::EvolveCommand;
pub use self::difference::DiffLine;
pub use self::emulated::{EmulatorBench, EmulatorCheck};
pub use self::evaluate::{Assemble, Efforts};
pub use self::evolve::{EvolveError, Observer, State};
pub use self::finding::{
    Check, CheckOutcome, Checked, Compared, Contract, Epistasis, ExplainedEdit, Finding, Verdict,
};
pub use self::history::{Counts, History, Lineage, Moment, Tried};
pub use self::log::LogError;
pub use self::machine_code::{Disassembler, InstructionCounts, MachineCode, MachineCodeChange};
pub use self::patched::Patched;
pub use self::plan::{PlannedError, PlannedSubject};
pub use self::run::{EvolveRequest, Evolved, evolve};
pub use self::sanitizer::Sanitizer;
pub use self::spent::Spent;
pub use self::subject::{Subject, SubjectError};
pub use self::workload::{Set, Workload, WorkloadError};
