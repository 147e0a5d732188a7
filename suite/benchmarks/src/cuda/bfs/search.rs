//! What a search works on, and what it found.

use nitro_cuda::{Argument, Buffer, CudaError, Grid};

use super::{Graph, PROGRAM, THREADS};

/// Blocks on a multiprocessor, at most. Half of what would fit: every level ends in a meeting of all blocks.
const BLOCKS_PER_MULTIPROCESSOR: usize = 4;

/// The memory of searches of one graph, and the distances that the last one found.
#[derive(Debug)]
pub struct Search {
    vertices: usize,
    edges: usize,
    distance: Buffer<u32>,
    /// Each holds a level's vertices, or its edges.
    queues: [Buffer<u32>; 2],
    /// Sizes of three queues of vertices and three of edges, as in `kernels.cu`.
    counters: Buffer<u32>,
    barrier: Buffer<u32>,
    sum: Buffer<u64>,
}

impl Search {
    /// The distance of a vertex that the source does not reach.
    pub const UNREACHED: u32 = u32::MAX;

    /// Memory for searches of a graph, on the device that this thread works on.
    ///
    /// # Errors
    /// When the device's memory is too small, or the device cannot be used.
    pub fn new(graph: &Graph) -> Result<Search, CudaError> {
        let places = graph.vertices().max(graph.edges()) + 1;
        Ok(Search {
            vertices: graph.vertices(),
            edges: graph.edges(),
            distance: Buffer::uninit(graph.vertices())?,
            queues: [Buffer::uninit(places)?, Buffer::uninit(places)?],
            counters: Buffer::uninit(6)?,
            barrier: Buffer::zeroed(2)?,
            sum: Buffer::uninit(1)?,
        })
    }

    /// The distance of every vertex from the source, in edges.
    ///
    /// # Errors
    /// When the search or the copy failed.
    pub fn distances(&self) -> Result<Vec<u32>, CudaError> {
        self.distance.to_vec()
    }

    /// Overwrites the distances, so that what a search leaves out shows.
    ///
    /// # Errors
    /// When the device fails.
    pub fn poison(&mut self) -> Result<(), CudaError> {
        self.distance.fill_bytes(0x5a)
    }

    /// A number that tells distances apart, computed on the device; [`checksum`](super::checksum) is the same on
    /// the host.
    ///
    /// # Errors
    /// When the search failed, or the device fails.
    pub fn checksum(&mut self) -> Result<u64, CudaError> {
        self.sum.fill_zero()?;
        let blocks = self.blocks(self.vertices);
        let arguments = [(self.vertices as u32).into(), (&self.distance).into(), (&mut self.sum).into()];
        // SAFETY: the arguments are the kernel's, and there is a distance for each vertex.
        unsafe { PROGRAM.kernel("checksum")?.launch(Grid::linear(blocks, THREADS), &arguments)? };
        self.sum.get(0)
    }

    /// As many blocks as so much work needs and the device keeps busy.
    fn blocks(&self, work: usize) -> u32 {
        let most = self.distance.stream().device().multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
        work.div_ceil(THREADS as usize).clamp(1, most) as u32
    }

    /// Fails unless the search was made for a graph of this size that has this vertex.
    fn check(&self, graph: &Graph, source: u32) -> Result<(), CudaError> {
        for (expected, found) in [(graph.vertices(), self.vertices), (graph.edges(), self.edges)] {
            if expected != found {
                return Err(CudaError::Length { expected, found });
            }
        }
        if source as usize >= graph.vertices() {
            return Err(CudaError::Index { index: source as usize, length: graph.vertices() });
        }
        Ok(())
    }

    /// Runs a whole search in one launch.
    pub(super) fn fused(&mut self, kernel: &str, graph: &Graph, source: u32) -> Result<(), CudaError> {
        self.check(graph, source)?;
        let kernel = PROGRAM.kernel(kernel)?;
        let resident = kernel.max_resident_blocks(THREADS, 0);
        let blocks = self.blocks(self.vertices.max(self.edges)).min(resident as u32);
        let [first, second] = &self.queues;
        let arguments = [
            (&graph.offsets).into(),
            (&graph.targets).into(),
            (&self.distance).into(),
            (&self.counters).into(),
            (self.vertices as u32).into(),
            source.into(),
            first.into(),
            second.into(),
            (&self.barrier).into(),
        ];
        // SAFETY: the arguments are the kernel's. A vertex enters a queue once and so does each of its edges, for
        // which the queues have places.
        unsafe { kernel.launch_cooperative(Grid::linear(blocks, THREADS), &arguments) }
    }

    /// Puts everything in its first state; `reached` says whether the source counts as reached while it is in the
    /// queue.
    pub(super) fn begin(&mut self, graph: &Graph, source: u32, reached: bool) -> Result<(), CudaError> {
        self.check(graph, source)?;
        let more = [
            (self.vertices as u32).into(),
            source.into(),
            u32::from(reached).into(),
            (&self.queues[0]).into(),
        ];
        self.launch("begin", graph, self.vertices, &more)
    }

    /// Launches a kernel on `work` elements of a queue: the level, the queue it reads and the one it writes.
    pub(super) fn level(
        &mut self,
        kernel: &str,
        graph: &Graph,
        level: u32,
        queues: [usize; 2],
        work: usize,
    ) -> Result<(), CudaError> {
        let more = [level.into(), (&self.queues[queues[0]]).into(), (&self.queues[queues[1]]).into()];
        self.launch(kernel, graph, work, &more)
    }

    fn launch(
        &self,
        kernel: &str,
        graph: &Graph,
        work: usize,
        more: &[Argument<'_>],
    ) -> Result<(), CudaError> {
        let mut arguments: Vec<Argument<'_>> = vec![
            (&graph.offsets).into(),
            (&graph.targets).into(),
            (&self.distance).into(),
            (&self.counters).into(),
        ];
        arguments.extend(more);
        let grid = Grid::linear(self.blocks(work), THREADS);
        // SAFETY: the arguments are the kernel's; as to the queues, see `fused`.
        unsafe { PROGRAM.kernel(kernel)?.launch(grid, &arguments) }
    }

    /// How many vertices the queue of a level has; waits for the level before.
    pub(super) fn vertices_at(&self, level: u32) -> Result<usize, CudaError> {
        self.counters.get(level as usize % 3).map(|size| size as usize)
    }

    /// How many edges the queue of a level has; waits for the level before.
    pub(super) fn edges_at(&self, level: u32) -> Result<usize, CudaError> {
        self.counters.get(3 + level as usize % 3).map(|size| size as usize)
    }
}
