//! Breadth-first search on a device: three ways to go from one level to the next, each in two forms.
//!
//! *Expand-contract* keeps vertices in its queue, *contract-expand* edges, and *two-phase* both in turn. *Fused* is one
//! cooperative launch whose blocks meet after each level; *iterative* is a launch for each level, with the queue's size
//! copied to the host in between.

mod graph;
pub mod inputs;
mod record;
mod reference;
mod search;

pub use graph::Graph;
pub use record::record;
pub use reference::{Reference, checksum, traversed_edges_per_second};
pub use search::Search;

use nitro_cuda::{CudaError, Program};

/// The kernels.
pub static PROGRAM: Program = Program::new(
    "bfs/kernels.cu",
    concat!(
        "#line 1 \"solver/grid.cuh\"\n",
        include_str!("../solver/grid.cuh"),
        "#line 1 \"bfs/kernels.cu\"\n",
        include_str!("kernels.cu")
    ),
);

/// Threads of a block; as in `grid.cuh`.
const THREADS: u32 = 256;

/// Takes a queue of vertices to the next one, all levels in one launch.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn expand_contract_fused(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.fused("expand_contract_fused", graph, source)
}

/// Takes a queue of vertices to the next one, a launch a level.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn expand_contract_iterative(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.begin(graph, source, true)?;
    let (mut level, mut size) = (0, 1);
    while size > 0 {
        search.level("expand_contract_level", graph, level, in_and_out(level), size)?;
        level += 1;
        size = search.vertices_at(level)?;
    }
    Ok(())
}

/// Takes a queue of edges to the next one, all levels in one launch.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn contract_expand_fused(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.fused("contract_expand_fused", graph, source)
}

/// Takes a queue of edges to the next one, a launch a level.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn contract_expand_iterative(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.begin(graph, source, false)?;
    let (mut level, mut size) = (0, 1);
    while size > 0 {
        search.level("contract_expand_level", graph, level, in_and_out(level), size)?;
        level += 1;
        size = search.edges_at(level)?;
    }
    Ok(())
}

/// Takes a queue of vertices to one of edges and that to the next of vertices, all levels in one launch.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn two_phase_fused(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.fused("two_phase_fused", graph, source)
}

/// Takes a queue of vertices to one of edges and that to the next of vertices, two launches a level.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
pub fn two_phase_iterative(graph: &Graph, source: u32, search: &mut Search) -> Result<(), CudaError> {
    search.begin(graph, source, true)?;
    let (mut level, mut size) = (0, 1);
    while size > 0 {
        search.level("two_phase_expand", graph, level, [0, 1], size)?;
        // How many edges there are is known on the device alone; asking would cost as much as the launch.
        let expected = (size as f64 * graph.out_degrees().mean).ceil() as usize;
        search.level("two_phase_contract", graph, level, [1, 0], expected.max(size))?;
        level += 1;
        size = search.vertices_at(level)?;
    }
    Ok(())
}

/// The queues that a level reads and writes.
fn in_and_out(level: u32) -> [usize; 2] {
    let read = level as usize % 2;
    [read, 1 - read]
}
