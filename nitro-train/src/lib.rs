//! The offline half of Nitro: measures variants, keeps the measurements, learns selectors from them, and tells how good
//! they are on devices that were not learned from.
//!
//! An application has its own trainer, by convention a package `train` beside it: see [`Trainer`]. The stages, data moving to the right:
//!
//! [`measure`], [`profile`] → [`store`], [`exchange`] → [`recordings`] → [`learn`] → [`evaluate`] → [`report`]
//!
//! What a trainer writes for applications are model files ([`nitro_core::model`]).

// Printing panics when nobody reads; `cli::output` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod active;
pub mod check;
mod cli;
mod digest;
pub mod evaluate;
mod exact;
pub mod exchange;
pub mod explain;
mod layer;
pub mod learn;
pub mod measure;
mod plain_table;
mod printable;
pub mod profile;
pub mod recordings;
pub mod report;
pub mod store;
pub mod traffic;
mod trainer;

pub use measure::{BoxError, Session};
pub use trainer::{Shipped, Trainer};

/// Seed of everything random where the user gives none.
pub const DEFAULT_SEED: u64 = 0;
