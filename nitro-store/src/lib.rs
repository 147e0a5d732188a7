//! Measurements of variants: as plain data, in stores, and in the files of other programs.
//!
//! - [`recordings`]: everything measured of one function, which learning reads.
//! - [`store`]: one SQLite file, a Redis server, or memory.
//! - [`exchange`]: CSV tables, and files of Kernel Tuner.
//!
//! The crate must not know how measurements are made, what is learned from them, or commands.

pub mod exact;
mod example;
pub mod exchange;
pub mod printable;
pub mod recordings;
pub mod store;
pub mod unique;
mod unit_names;

#[doc(hidden)]
pub use example::example;
