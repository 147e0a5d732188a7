//! The problem of how the loops of a kernel are nested and what becomes of them.

mod kernel;
mod kinds;
mod orders;
mod resources;
#[cfg(test)]
mod tests;

pub use self::kernel::{
    Access, Array, Dependence, Dimension, Kernel, Limits, NestLoop, Nesting, Operation, Statement,
};

/// What becomes of a loop, in the order of the values of its choice.
pub(super) const KINDS: [&str; 5] = ["plain", "unrolled", "vector", "block", "thread"];
/// How the first of two loops or statements lies to the second, in the order of the values of their choice.
pub(super) const ORDERS: [&str; 5] = ["before", "after", "inner", "outer", "merged"];
