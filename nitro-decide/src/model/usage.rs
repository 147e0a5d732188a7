//! Use of a device when the main statement is spread in one way, and the least time of that.

use super::dimensions::{Split, Splits, ThreadLoop};
use super::lanes::Axis;
use super::phases::Phases;
use super::rates::Rates;
use super::staging::Copied;
use super::terms::{TimeTerm, TimeTerms};
use super::work::{Touched, Work};

/// The places where an array that is read may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Global,
    Shared,
    Open,
}

/// The state of an array that a statement touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) place: Place,
    /// The most elements that one instruction brings of global memory.
    pub(super) width: f64,
    /// The dimensions of the statement, one of which may be that along which elements are neighbours in shared
    /// memory; none where nothing is known.
    pub(super) along: [Option<usize>; 2],
    /// The cost of bringing it to shared memory, where that is known.
    pub(super) copied: Copied,
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
        let none = Self { size: size as f64, copies: 1.0, blocks: 1.0, part: 1.0, run: size as f64 };
        let all = splits.coarse.iter().map(|split| Self::of(size, split));
        let both = |one: Self, other: Self| Self {
            size: one.size,
            copies: one.copies.min(other.copies),
            blocks: one.blocks.min(other.blocks),
            part: one.part.min(other.part),
            run: one.run.max(other.run),
        };
        all.reduce(both).unwrap_or(none)
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
    pub(super) fn of(work: &Work, seen: &[Seen], shapes: &[Shape]) -> Self {
        let mut sum = Self::default();
        if work.computes {
            let one = |(own, shape): (&super::work::WorkDimension, &Shape)| {
                if own.distinct { shape.size } else { shape.copies }
            };
            sum.arithmetic_lanes = work.dimensions.iter().zip(shapes).map(one).product();
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

    /// Each thread loads each element once, from wherever; what is staged, each block brings to shared memory once.
    fn read(&mut self, touched: &Touched, seen: Seen, shapes: &[Shape]) {
        let bytes = touched.element_bytes as f64;
        let each = |of: fn(&Shape) -> f64, other: fn(&Shape) -> f64| touched.product(shapes, of, other);
        let lanes = each(|shape| shape.size, |shape| shape.copies);
        let staged = each(|shape| shape.size, |shape| shape.blocks);
        let widest = (INSTRUCTION_BYTES / bytes).max(1.0);
        let shared_width = seen.shared_width(shapes, widest);
        let (direct, copied) = match seen.place {
            Place::Global => (lanes / seen.width, 0.0),
            Place::Shared => (lanes / shared_width, staged),
            Place::Open => (lanes / shared_width.max(seen.width), 0.0),
        };
        self.memory_lanes += direct;
        self.copying_lanes += (copied / seen.width + copied / widest).max(seen.copied.lanes);
        self.loaded_bytes += (lanes + copied) * bytes;
        // no fewer sectors than the bytes have; what is known of the threads of a warp is added elsewhere
        let sectors = if seen.place == Place::Shared { copied * bytes / 32.0 } else { 0.0 };
        self.sectors += sectors.max(seen.copied.sectors);
        self.wavefronts += seen.copied.wavefronts;
        self.stored_wavefronts += seen.copied.wavefronts;
        self.requests += seen.copied.requests + seen.copied.wavefronts;
        self.shared_requests += seen.copied.wavefronts;
        if seen.place == Place::Shared {
            self.shared_lanes += direct;
            self.shared_bytes += lanes * bytes;
        }
        self.block_bytes += each(|shape| shape.part, |_| 1.0) * bytes;
        self.l2_read_bytes += each(|shape| shape.size, |_| 1.0) * bytes;
    }

    fn write(&mut self, touched: &Touched, seen: Seen, shapes: &[Shape]) {
        let elements = touched.product(shapes, |shape| shape.size, |_| 1.0);
        self.memory_lanes += elements / seen.width;
        self.sectors += elements * touched.element_bytes as f64 / 32.0;
        self.l2_written_bytes += elements * touched.element_bytes as f64;
    }

    /// Bytes that go to and from memory: the cache may have as much before of what is read, and keep as much of
    /// what is written.
    fn dram_bytes(&self, l2_bytes: f64) -> f64 {
        [self.l2_read_bytes, self.l2_written_bytes].map(|bytes| (bytes - l2_bytes).max(0.0)).iter().sum()
    }
}

impl Seen {
    /// Elements that one load of shared memory may bring: neighbours in the tile that the thread has at once.
    pub(super) fn shared_width(&self, shapes: &[Shape], widest: f64) -> f64 {
        let runs = self.along.iter().flatten().map(|&at| shapes[at].run);
        runs.reduce(f64::max).map_or(widest, |run| run.min(widest))
    }
}

impl Touched {
    fn product(&self, shapes: &[Shape], apart: fn(&Shape) -> f64, other: fn(&Shape) -> f64) -> f64 {
        self.apart
            .iter()
            .zip(shapes)
            .map(|(&own, shape)| if own { apart(shape) } else { other(shape) })
            .product()
    }

    /// The loops of threads, as this array sees them.
    pub(super) fn axes(&self, splits: &[&Split]) -> Vec<Axis> {
        let of = |(split, &stride): (&&Split, &u64)| {
            let bytes = stride * self.element_bytes;
            let axis =
                move |own: &ThreadLoop| Axis { at: own.at, threads: own.threads, bytes: bytes * own.step };
            split.axes.iter().map(axis).collect::<Vec<_>>()
        };
        splits.iter().zip(&self.strides).flat_map(of).collect()
    }

    /// Returns how often each thread has to load of it, at least.
    pub(super) fn loads(&self, splits: &[&Split], width: f64) -> f64 {
        let inside =
            self.apart.iter().zip(splits).map(|(&own, split)| if own { split.inside as f64 } else { 1.0 });
        inside.product::<f64>() / width
    }
}

/// The shape of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Blocks, if that is known; else the most there may be.
    pub(super) blocks: f64,
    pub(super) blocks_known: bool,
    /// Threads of the main statement in a block, if they are known; else 0.
    pub(super) threads: f64,
    /// Bytes of shared memory of a block, at least.
    pub(super) shared_bytes: f64,
    /// Registers of a thread, at least; 0 where nothing is known.
    pub(super) registers: f64,
    /// The work that one thread does one after the other.
    pub(super) chain_clocks: f64,
    pub(super) barriers: f64,
    pub(super) phases: Phases,
}

/// Nanoseconds of each term.
pub(super) type Times = [f64; 15];

impl Grid {
    /// The busiest multiprocessor's share of all blocks.
    pub(super) fn share(&self, rates: &Rates, terms: TimeTerms) -> f64 {
        let multiprocessors = rates.multiprocessors as f64;
        if !terms.whole_blocks || self.blocks < 1.0 {
            1.0 / multiprocessors
        } else if self.blocks_known {
            (self.blocks / multiprocessors).ceil() / self.blocks
        } else {
            (1.0 / multiprocessors).max(1.0 / self.blocks)
        }
    }

    /// Returns how many blocks some place for a block runs one after the other.
    pub(super) fn waves(&self, rates: &Rates) -> f64 {
        if !self.blocks_known {
            return 1.0;
        }
        let by_threads = rates.threads_per_multiprocessor as f64 / self.warps_threads().max(1.0);
        let by_shared = rates.shared_bytes_per_multiprocessor as f64 / self.shared_bytes.max(1.0);
        let registers = self.registers.max(1.0) * self.warps_threads().max(1.0);
        let by_registers = rates.registers_per_multiprocessor as f64 / registers;
        let most = rates.blocks_per_multiprocessor as f64;
        let resident = by_threads.min(by_shared).min(by_registers).min(most).floor().max(1.0);
        (self.blocks / (rates.multiprocessors as f64 * resident)).ceil()
    }

    fn warps_threads(&self) -> f64 {
        32.0 * (self.threads / 32.0).ceil()
    }

    pub(super) fn waste(&self, terms: TimeTerms) -> f64 {
        if terms.whole_warps && self.threads > 0.0 { self.warps_threads() / self.threads } else { 1.0 }
    }

    /// `main` is spread over the grid's threads, `others` in whatever way.
    pub(super) fn times(&self, main: &Use, others: &Use, rates: &Rates, terms: TimeTerms) -> Times {
        let all = main.plus(*others);
        let (share, waves, waste) = (self.share(rates, terms), self.waves(rates), self.waste(terms));
        let lanes = |of: fn(&Use) -> f64| of(main) * waste + of(others);
        let arithmetic = lanes(|own| own.arithmetic_lanes);
        let memory = lanes(|own| own.memory_lanes) + all.copying_lanes;
        let clocks = |amount: f64, per_clock: f64| rates.ns(amount * share / per_clock);
        let time = |term: TimeTerm| match term {
            TimeTerm::Issue => clocks((arithmetic + memory) / 32.0, rates.warp_instructions_per_clock),
            TimeTerm::Arithmetic => clocks(arithmetic, rates.arithmetic_lanes_per_clock),
            TimeTerm::MemoryInstructions => clocks(memory, rates.memory_lanes_per_clock),
            TimeTerm::LoadedBytes => clocks(all.loaded_bytes, rates.loaded_bytes_per_clock),
            TimeTerm::Sectors => clocks(all.sectors, rates.sectors_per_clock),
            TimeTerm::Wavefronts => clocks(all.wavefronts, rates.wavefronts_per_clock),
            TimeTerm::Requests => clocks(all.requests, rates.requests_per_clock),
            TimeTerm::BlockBytes => rates.ns(all.block_bytes / rates.port_bytes_per_clock),
            TimeTerm::L2Reads => all.l2_read_bytes / rates.l2_read_gbps,
            TimeTerm::L2Writes => all.l2_written_bytes / rates.l2_write_gbps,
            TimeTerm::Dram => all.dram_bytes(rates.l2_bytes) / rates.dram_gbps,
            TimeTerm::Latency => rates.ns(self.chain_clocks * waves),
            TimeTerm::Barriers => rates.ns(self.barriers * rates.barrier_clocks * waves),
            TimeTerm::Phases => rates.ns(self.phases.clocks() * waves),
            TimeTerm::Launch => rates.launch_ns,
        };
        TimeTerm::ALL.map(|term| if terms.has(term) { time(term) } else { 0.0 })
    }
}
