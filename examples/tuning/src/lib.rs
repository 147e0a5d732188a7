//! Functions whose variants have tuning parameters: what is measured, learned, dispatched, explained, pinned and captured is a variant
//! with a value for each of them.

pub mod cuda;
mod sum;
mod transpose;

pub use sum::sum;
pub use transpose::{Order, transpose};
