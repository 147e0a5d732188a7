//! Functions whose variants have tuning parameters: what is measured, learned, dispatched, explained, pinned and
//! captured is a variant with a value for each of them.

pub mod cuda;
mod host;

pub use host::{Order, sum, transpose};
