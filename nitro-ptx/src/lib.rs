//! PTX as data: compiled code that is edited, after GEVO (Liou, Forrest and Wu, "GEVO: GPU code optimization using
//! evolutionary computation").
//!
//! - [`Module`] is a text as data; printed again it is the same program, [`machine_code`] says whether two are.
//! - [`Base`] is a module that is to be edited. It draws random edits with the repairs that they need, and applies
//!   edits of any origin.
//! - [`Patch`] is a list of edits as text, for people and for other machines.
//!
//! An edit is accepted when every register that is read has a value on all ways that lead there, and barriers lie
//! where all threads come to. What it does to the results, and whether it is any faster, is for others to find out.
//!
//! [`emulate`] runs a text on the CPU, and finds races and accesses that are out of bounds. A [`Profile`] of such runs
//! proposes edits.
//!
//! The crate knows neither nests, nor devices, nor how a candidate is timed.

mod apply;
mod assigned;
mod base;
mod bits;
mod body;
mod bounds;
mod deadline;
mod describe;
mod edit;
#[cfg(test)]
mod edit_tests;
pub mod emulate;
mod flow;
mod head;
mod legal_edits;
mod machine;
mod module;
mod mutate;
mod names;
mod numbers;
mod opcode;
mod parameters;
mod parse;
mod patch;
mod print;
mod profile;
mod reach;
mod rewrite;
mod scan;
mod simplify;
mod sites;
mod statement;
#[cfg(test)]
mod tests;
mod uniform;
mod violation;

pub use self::base::Base;
pub use self::bounds::Bounds;
pub use self::deadline::Deadline;
pub use self::edit::{CacheMode, Edit, Fix, Operation, PatchError, Reach, Value};
pub use self::machine::machine_code;
pub use self::module::{InstructionId, Module};
pub use self::parameters::Parameter;
pub use self::parse::ParseError;
pub use self::patch::Patch;
pub use self::profile::{Profile, Proposal, Reason};
pub use self::violation::Violation;
