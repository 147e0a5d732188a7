//! The search space: the problem of how the loops of a kernel are nested and what becomes of them.

mod build;
mod kernel;
mod kinds;
mod loading;
mod nesting;
mod orders;
mod passing;
mod resources;
#[cfg(test)]
mod tests;

pub use self::kernel::{
    Access, Array, Dependence, Dimension, Kernel, Limits, Operation, Outer, Passing, Statement,
};
pub use self::nesting::{Loading, NestLoop, Nesting};

/// The kinds of a loop, in the order of the values of its choice.
pub(super) const KINDS: [&str; 5] = ["plain", "unrolled", "vector", "block", "thread"];
/// The orders of two loops or statements, in the order of the values of their choice.
pub(super) const ORDERS: [&str; 5] = ["before", "after", "inner", "outer", "merged"];
/// The layouts of a tile in shared memory, in the order of the values of its choice: as the array does in global memory
/// or with its dimensions the other way round, and each with [`PADDING`] more elements for each of its rows, so
/// that these begin in different banks.
pub const LAYOUTS: [&str; 4] = ["as it lies", "as it lies, padded", "transposed", "transposed, padded"];
/// When tiles that are staged are loaded, in the order of the values of their choice: each when it is needed; or
/// into registers while the one before is used, from where they come to shared memory once nobody needs that any
/// more, or at once where there is a second tile.
pub const LOADINGS: [&str; 3] = ["as needed", "ahead", "ahead, two tiles"];
/// As many elements more has each row of a padded tile: four, so that rows begin where four elements may be copied
/// at once.
pub const PADDING: u64 = 4;
