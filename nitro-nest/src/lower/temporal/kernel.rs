//! Kernels with tiles in time, as they are decided.

use super::geometry::Geometry;
use super::pipeline::Pipeline;
use super::stencil::Stencil;

/// A kernel that runs several iterations of a stencil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporal {
    pub(crate) stencil: Stencil,
    pub(crate) pipeline: Pipeline,
    pub(crate) geometry: Geometry,
    /// The iterations that it runs.
    pub(crate) steps: i64,
    /// The iterator of the loop in time, and how many iterations after it the kernel begins.
    pub(crate) time: usize,
    pub(crate) begins_after: i64,
    /// For each field the array that is read, and the one that is written.
    pub(crate) arrays: Vec<[usize; 2]>,
}
