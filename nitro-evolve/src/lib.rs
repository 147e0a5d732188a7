//! Evolution of compiled GPU kernels, after GEVO (Liou, Forrest and Wu, "GEVO: GPU code optimization using evolutionary computation").
//!
//! A PTX text, from whatever compiler, and a [`Workload`] that says how it is run and what of its results counts, become a small patch that is faster on
//! inputs that the search never saw.
//!
//! [`Workload`] → candidates (`nitro_codegen::ptx`, `nitro_search::evolve`) → times and errors ([`Bench`]) → finalists → minimised and explained → accepted by tests

pub mod bench;
pub mod sandbox;
pub mod workload;

pub use self::bench::Bench;
pub use self::workload::{Set, Workload, WorkloadError};
