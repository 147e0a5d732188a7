//! Selection of the device features to learn from.
//!
//! - `candidates`: those that are known, differ, and do not repeat each other.
//! - [`profile_based`]: P-DFS, those that hardware counters point to.
//! - `cross_validation`: CV-DFS, the subset whose machines carry over best from source to source
//!   ([`transfer`](crate::learners::transfer)).

mod candidates;
mod cross_validation;
pub mod profile_based;

pub use candidates::{Candidates, MAX_DEVICE_FEATURES};
