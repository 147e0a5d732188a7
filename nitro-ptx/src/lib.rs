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

mod analysis;
#[cfg(test)]
mod edit_tests;
mod edits;
pub mod emulate;
mod instructions;
mod instrument;
mod machine;
mod machine_code;
mod profile;
#[cfg(test)]
mod tests;
mod text;

pub use self::analysis::pointed::Pointed;
pub use self::analysis::ranges::KnownLaunches;
pub use self::analysis::same::Same;
pub use self::edits::base::Base;
pub use self::edits::edit::{CacheMode, Edit, Fix, Operation, PatchError, Reach, Value};
pub use self::edits::patch::Patch;
pub use self::edits::proposal::{Proposal, Reason};
pub use self::instrument::violation::Violation;
pub use self::machine_code::machine_code;
pub use self::profile::Profile;
pub use self::text::error::ParseError;
pub use self::text::module::{InstructionId, Module};
pub use self::text::parameters::Parameter;
pub use self::text::textures::TextureAccess;
pub use self::text::variables::DeviceVariable;
