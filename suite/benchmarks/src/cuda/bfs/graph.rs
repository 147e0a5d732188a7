//! Graphs on a device.

use nitro_cuda::{Buffer, CudaError};

use crate::cuda::spmv::{Lengths, Pattern};

/// A directed graph on a device: the edges of each vertex, one vertex after the other.
#[derive(Debug)]
pub struct Graph {
    out_degrees: Lengths,
    pub(super) offsets: Buffer<u32>,
    pub(super) targets: Buffer<u32>,
}

impl Graph {
    /// Copies a graph to the device that this thread works on; row r of the pattern holds the ends of vertex r's edges.
    ///
    /// # Errors
    /// When the device's memory is too small, or the device cannot be used.
    ///
    /// # Panics
    /// When the pattern is not square.
    pub fn new(pattern: &Pattern) -> Result<Graph, CudaError> {
        assert_eq!(pattern.rows(), pattern.columns(), "an edge ends at a vertex");
        Ok(Graph {
            out_degrees: pattern.lengths(),
            offsets: Buffer::from_slice(pattern.offsets())?,
            targets: Buffer::from_slice(pattern.column_of())?,
        })
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// How many edges leave the vertices.
    #[must_use]
    pub fn out_degrees(&self) -> Lengths {
        self.out_degrees
    }
}
