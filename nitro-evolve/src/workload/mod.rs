//! Workloads: how a kernel is run and which of its results count, as a text that a user writes.
//!
//! A [`Workload`] is read from TOML and checked once; [`Workload::inputs`] makes the buffers and launches of one of
//! its cases.

mod buffers;
mod content;
mod definitions;
mod element;
mod error;
mod expression;
mod inputs;
mod layout;
mod model;
mod names;
mod read;
mod redrawn;
mod step;
#[cfg(test)]
mod tests;
mod unroll;
mod unwritten;
mod written;

pub use self::element::Element;
pub use self::error::WorkloadError;
pub use self::inputs::{Argument, InputBuffer, Inputs, Launch};
pub(crate) use self::layout::Scalar;
#[cfg(test)]
pub(crate) use self::layout::StructureBuilder;
pub use self::layout::{Layout, Member};
pub(crate) use self::model::{BufferVariable, Case};
pub use self::model::{Comparison, Role, Set, Workload};
pub use self::unroll::{HostCopy, HostStep};
pub(crate) use self::unwritten::LESS;
