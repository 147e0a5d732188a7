//! Selection of the device features to learn from.
//!
//! - [`candidates`]: those that are known, differ, and do not repeat each other.
//! - [`profile_based`]: P-DFS, those that hardware counters point to.
//! - [`transfer`]: how well machines with each subset of them carry over from source to source;
//!   [`cross_validation`]: CV-DFS selects by that.

mod candidates;
mod cross_validation;
pub mod profile_based;
pub mod transfer;

pub use candidates::Candidates;
