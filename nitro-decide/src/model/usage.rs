//! Use of a device when the main statement is spread in one way, and the least time of that.

use super::dimensions::{Split, Splits};
use super::lanes::Axis;
use super::staging::StagingCost;
use super::work::{ArrayAccess, Work, WorkDimension};

/// The places where an array that is read may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Global,
    Shared,
    Open,
}

/// The state of an array that a statement touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayState {
    pub(super) place: Place,
    /// The most elements that one instruction brings of global memory.
    pub(super) width: f64,
    /// The dimensions of the statement, one of which may be that along which elements are neighbours in shared
    /// memory; none where nothing is known.
    pub(super) along: [Option<usize>; 2],
    /// The cost of bringing it to shared memory, where that is known.
    pub(super) copied: StagingCost,
}

/// The shape of a dimension that is spread, or the least of each figure for several ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) size: f64,
    /// Threads of the whole grid.
    pub(super) copies: f64,
    pub(super) blocks: f64,
    /// Iterations of a block.
    pub(super) part: f64,
    /// Neighbours that a thread has at once, at most.
    pub(super) run: f64,
}

impl Shape {
    pub(super) fn of(size: u64, split: &Split) -> Self {
        let (size, blocks) = (size as f64, split.blocks as f64);
        let (copies, run) = (blocks * split.threads as f64, split.run as f64);
        Self { size, copies, blocks, part: size / blocks, run }
    }

    pub(super) fn least(size: u64, splits: &Splits) -> Self {
        let all = splits.coarse.iter().map(|split| Self::of(size, split));
        all.reduce(Self::min).unwrap_or(Self {
            size: size as f64,
            copies: 1.0,
            blocks: 1.0,
            part: 1.0,
            run: size as f64,
        })
    }

    /// Joins two ways: of each figure what says less.
    fn min(self, other: Self) -> Self {
        Self {
            size: self.size,
            copies: self.copies.min(other.copies),
            blocks: self.blocks.min(other.blocks),
            part: self.part.min(other.part),
            run: self.run.max(other.run),
        }
    }

    /// Returns the iterations of a dimension that surely are computed: a compiler may do alike ones once a thread.
    fn computed(&self, own: &WorkDimension) -> f64 {
        if own.distinct { self.size } else { self.copies }
    }
}

/// Resources, of the whole grid. Lanes are threads, of which warps have 32.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    pub(super) arithmetic_lanes: f64,
    pub(super) memory_lanes: f64,
    /// Those of them that other threads may do than those of the statement: what stages tiles.
    pub(super) copying_lanes: f64,
    pub(super) loaded_bytes: f64,
    pub(super) sectors: f64,
    /// Times that shared memory answers: each with one word of each bank.
    pub(super) wavefronts: f64,
    /// Requests of loads, and of tiles that are written to shared memory.
    pub(super) requests: f64,
    /// Those of them that are of shared memory.
    pub(super) shared_requests: f64,
    /// Those of them, and of the answers, that are for tiles that are written.
    pub(super) stored_wavefronts: f64,
    /// Of `memory_lanes` and `loaded_bytes` what surely comes from shared memory to where it is needed.
    pub(super) shared_lanes: f64,
    pub(super) shared_bytes: f64,
    /// Of one block.
    pub(super) block_bytes: f64,
    pub(super) l2_read_bytes: f64,
    pub(super) l2_written_bytes: f64,
}

/// Most bytes of one instruction.
const INSTRUCTION_BYTES: f64 = 16.0;

impl Use {
    pub(super) fn of(work: &Work, seen: &[ArrayState], shapes: &[Shape]) -> Self {
        let mut sum = Self::default();
        if work.computes {
            let dimensions = work.dimensions.iter().zip(shapes);
            sum.arithmetic_lanes = dimensions.map(|(own, shape)| shape.computed(own)).product();
        }
        for (touched, &seen) in work.reads.iter().zip(seen) {
            sum.read(touched, seen, shapes);
        }
        for (touched, &seen) in work.writes.iter().zip(&seen[work.reads.len()..]) {
            sum.write(touched, seen, shapes);
        }
        sum
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            arithmetic_lanes: self.arithmetic_lanes + other.arithmetic_lanes,
            memory_lanes: self.memory_lanes + other.memory_lanes,
            copying_lanes: self.copying_lanes + other.copying_lanes,
            loaded_bytes: self.loaded_bytes + other.loaded_bytes,
            sectors: self.sectors + other.sectors,
            wavefronts: self.wavefronts + other.wavefronts,
            requests: self.requests + other.requests,
            shared_requests: self.shared_requests + other.shared_requests,
            stored_wavefronts: self.stored_wavefronts + other.stored_wavefronts,
            shared_lanes: self.shared_lanes + other.shared_lanes,
            shared_bytes: self.shared_bytes + other.shared_bytes,
            block_bytes: self.block_bytes + other.block_bytes,
            l2_read_bytes: self.l2_read_bytes + other.l2_read_bytes,
            l2_written_bytes: self.l2_written_bytes + other.l2_written_bytes,
        }
    }

    /// Adds what reading an array takes.
    ///
    /// Each thread loads each element once, from wherever; what is staged, each block brings to shared memory once.
    fn read(&mut self, touched: &ArrayAccess, seen: ArrayState, shapes: &[Shape]) {
        let bytes = touched.element_bytes as f64;
        // Along dimensions that do not lead to other elements, each thread or block has the same ones.
        let lanes = touched.product(shapes, |shape| shape.size, |shape| shape.copies);
        let staged = touched.product(shapes, |shape| shape.size, |shape| shape.blocks);
        let widest = (INSTRUCTION_BYTES / bytes).max(1.0);
        let shared_width = seen.shared_width(shapes, widest);
        // Instructions bring the most elements that may still be decided: of what is open, the best of both.
        let (direct, copied) = match seen.place {
            Place::Global => (lanes / seen.width, 0.0),
            Place::Shared => (lanes / shared_width, staged),
            Place::Open => (lanes / shared_width.max(seen.width), 0.0),
        };
        self.memory_lanes += direct;
        // A staged element is loaded to a register and written to shared memory, each by an instruction.
        self.copying_lanes += (copied / seen.width + copied / widest).max(seen.copied.lanes);
        self.loaded_bytes += (lanes + copied) * bytes;
        // No fewer sectors than the bytes have; what is known of the threads of a warp is added elsewhere
        let sectors = if seen.place == Place::Shared { copied * bytes / 32.0 } else { 0.0 };
        self.sectors += sectors.max(seen.copied.sectors);
        self.wavefronts += seen.copied.wavefronts;
        self.stored_wavefronts += seen.copied.wavefronts;
        self.requests += seen.copied.requests + seen.copied.wavefronts;
        self.shared_requests += seen.copied.wavefronts;
        if seen.place == Place::Shared {
            // Phases count what comes from shared memory by itself.
            self.shared_lanes += direct;
            self.shared_bytes += lanes * bytes;
        }
        // A block brings each of its elements through the port once, and the grid each from the cache once.
        self.block_bytes += touched.product(shapes, |shape| shape.part, |_| 1.0) * bytes;
        self.l2_read_bytes += touched.product(shapes, |shape| shape.size, |_| 1.0) * bytes;
    }

    fn write(&mut self, touched: &ArrayAccess, seen: ArrayState, shapes: &[Shape]) {
        // Each element is written once, however many threads have it.
        let elements = touched.product(shapes, |shape| shape.size, |_| 1.0);
        self.memory_lanes += elements / seen.width;
        self.sectors += elements * touched.element_bytes as f64 / 32.0;
        self.l2_written_bytes += elements * touched.element_bytes as f64;
    }

    /// Returns the bytes that go to and from memory.
    ///
    /// The cache may have as much before of what is read, and keep as much of what is written.
    pub(super) fn dram_bytes(&self, l2_bytes: f64) -> f64 {
        [self.l2_read_bytes, self.l2_written_bytes].map(|bytes| (bytes - l2_bytes).max(0.0)).iter().sum()
    }
}

impl ArrayState {
    /// Returns the elements that one load of shared memory may bring: neighbours in the tile that the thread has at
    /// once.
    pub(super) fn shared_width(&self, shapes: &[Shape], widest: f64) -> f64 {
        let runs = self.along.iter().flatten().map(|&at| shapes[at].run);
        runs.reduce(f64::max).map_or(widest, |run| run.min(widest))
    }
}

impl ArrayAccess {
    fn product(&self, shapes: &[Shape], apart: fn(&Shape) -> f64, other: fn(&Shape) -> f64) -> f64 {
        self.apart
            .iter()
            .zip(shapes)
            .map(|(&own, shape)| if own { apart(shape) } else { other(shape) })
            .product()
    }

    /// Returns the loops of threads, as this array sees them.
    pub(super) fn axes(&self, splits: &[&Split]) -> Vec<Axis> {
        let mut axes = Vec::new();
        for (split, stride) in splits.iter().zip(&self.strides) {
            let bytes = stride * self.element_bytes;
            axes.extend(split.axes.iter().map(|own| Axis {
                at: own.at,
                threads: own.threads,
                bytes: bytes * own.step,
            }));
        }
        axes
    }

    /// Returns how often each thread has to load of it, at least.
    pub(super) fn loads(&self, splits: &[&Split], width: f64) -> f64 {
        let inside =
            self.apart.iter().zip(splits).map(|(&own, split)| if own { split.inside as f64 } else { 1.0 });
        inside.product::<f64>() / width
    }
}
