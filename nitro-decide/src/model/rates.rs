//! Rates of a device: the most that it does, and the least time that it takes.

use nitro_search::{DeviceFigures, MemoryRates, RatesError};

/// Upper limits of what a device does in a time, and lower limits of latencies.
///
/// Of a whole GPU or of a part of its multiprocessors. A figure that was measured counts with 2 % to spare, and
/// never for less than the data sheet says: a benchmark that missed the peak must not make a bound wrong.
///
/// ```
/// use nitro_decide::Rates;
///
/// // as `nitro_cuda::device(0)?` and `nitro_cuda::rates` tell them on an H200
/// let features = [("sm_count", 132.0), ("clock_rate_mhz", 1980.0), ("l2_cache_kib", 61440.0), ("cuda_cores", 16896.0),
///     ("peak_gbps", 4917.0), ("loaded_bytes_per_clock", 127.6), ("l2_read_gbps", 5500.0)];
/// let rates = Rates::from_features(|name| features.iter().find(|own| own.0 == name).map(|own| own.1))?;
/// assert_eq!(rates.arithmetic_lanes_per_clock, 128.0);
/// assert_eq!(rates.l2_read_gbps, 5500.0 * 1.02);
/// assert!((rates.loaded_bytes_per_clock - 127.6 * 1.02).abs() < 1e-9);
/// # Ok::<(), nitro_decide::RatesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Multiprocessors.
    pub multiprocessors: u64,
    /// Highest clock of the multiprocessors.
    pub clock_ghz: f64,
    /// Instructions of warps that a multiprocessor starts.
    pub warp_instructions_per_clock: f64,
    /// Multiply-adds of a multiprocessor, in single precision.
    pub arithmetic_lanes_per_clock: f64,
    /// Threads of which a multiprocessor does a load or a store.
    pub memory_lanes_per_clock: f64,
    /// Bytes that loads bring to the registers of a multiprocessor.
    pub loaded_bytes_per_clock: f64,
    /// Sectors of 32 bytes that the first-level cache of a multiprocessor looks up.
    pub sectors_per_clock: f64,
    /// Answers of a multiprocessor's shared memory, each with one word of each bank.
    pub wavefronts_per_clock: f64,
    /// Requests that a multiprocessor's shared memory and first-level cache serve together: one brings a register
    /// to each lane of a warp, or two where all lanes share in pairs, or is one more answer of banks. Infinitely
    /// many where nobody measured it.
    pub requests_per_clock: f64,
    /// Bytes that a multiprocessor takes in from the second-level cache.
    pub port_bytes_per_clock: f64,
    /// Bytes that all multiprocessors together read of the second-level cache, in a nanosecond.
    pub l2_read_gbps: f64,
    /// Bytes that they write to it, in a nanosecond.
    pub l2_write_gbps: f64,
    /// Bytes that memory delivers or takes in a nanosecond.
    pub dram_gbps: f64,
    /// Size of the second-level cache.
    pub l2_bytes: f64,
    /// From one addition or multiplication to the next that needs it.
    pub arithmetic_clocks: f64,
    /// From a load that the first-level cache has to what needs it.
    pub load_clocks: f64,
    /// From a load that the second-level cache has, but not the first, to what needs it.
    pub l2_load_clocks: f64,
    /// From a load of shared memory to what needs it.
    pub shared_load_clocks: f64,
    /// A barrier of one warp.
    pub barrier_clocks: f64,
    /// A kernel that does nothing.
    pub launch_ns: f64,
    /// Threads that a multiprocessor has at once.
    pub threads_per_multiprocessor: u64,
    /// Threads that a block has at most.
    pub threads_per_block: u64,
    /// Blocks that a multiprocessor has at once.
    pub blocks_per_multiprocessor: u64,
    /// Bytes of shared memory that the blocks of a multiprocessor have together.
    pub shared_bytes_per_multiprocessor: u64,
    /// Registers that the threads of a multiprocessor have together.
    pub registers_per_multiprocessor: u64,
}

impl Rates {
    /// Takes device features by their names, those of a GPU with those that `nitro_cuda::rates` measures. Of the
    /// latter any may be missing: then the data sheet counts alone, and a latency or a launch that nobody knows
    /// counts as nothing. So does a launch in the regime `graph`, whose times hold none. What is not above 0 is not
    /// known.
    ///
    /// # Errors
    /// When the number of multiprocessors, their clock or cores, the second-level cache or the memory's bandwidth
    /// is not known.
    pub fn from_features(feature: impl Fn(&str) -> Option<f64>) -> Result<Self, RatesError> {
        let memory = MemoryRates::from_features(&feature)?;
        let features = DeviceFigures(feature);
        let multiprocessors = features.known("sm_count")?;
        let clock_ghz = features.known("clock_rate_mhz")? / 1e3;
        Ok(Self {
            multiprocessors: multiprocessors as u64,
            clock_ghz,
            warp_instructions_per_clock: features.most("warp_instructions_per_clock", 4.0),
            arithmetic_lanes_per_clock: features
                .most("arithmetic_lanes_per_clock", features.known("cuda_cores")? / multiprocessors),
            memory_lanes_per_clock: features.most("memory_lanes_per_clock", 32.0),
            loaded_bytes_per_clock: features.most("loaded_bytes_per_clock", 128.0),
            sectors_per_clock: features.most("sectors_per_clock", 4.0),
            wavefronts_per_clock: features.most("wavefronts_per_clock", 1.0),
            // No data sheet has it, and devices differ in what they do at once
            requests_per_clock: features.measured("requests_per_clock", f64::INFINITY),
            port_bytes_per_clock: features.most("port_bytes_per_clock", 64.0),
            l2_read_gbps: memory.l2_read_gbps,
            l2_write_gbps: memory.l2_write_gbps,
            dram_gbps: memory.dram_gbps,
            l2_bytes: memory.l2_bytes,
            arithmetic_clocks: features.least("arithmetic_clocks", 4.0).min(4.0),
            load_clocks: features.least("load_clocks", 0.0),
            l2_load_clocks: features.least("l2_load_clocks", features.least("load_clocks", 0.0)),
            shared_load_clocks: features.least("shared_load_clocks", 0.0),
            barrier_clocks: features.least("barrier_clocks", 0.0),
            launch_ns: match features.get("regime_graph") {
                Some(_) => 0.0,
                None => features.least("launch_ns", 0.0),
            },
            threads_per_multiprocessor: 2048,
            threads_per_block: 1024,
            blocks_per_multiprocessor: 32,
            shared_bytes_per_multiprocessor: 228 << 10,
            registers_per_multiprocessor: 64 << 10,
        })
    }

    /// Returns what memory moves.
    pub(super) fn memory(&self) -> MemoryRates {
        let Self { l2_read_gbps, l2_write_gbps, dram_gbps, l2_bytes, .. } = *self;
        MemoryRates { l2_read_gbps, l2_write_gbps, dram_gbps, l2_bytes }
    }

    /// Returns the most registers that each thread of a block of so many has.
    pub(super) fn registers_of_thread(&self, threads: f64) -> f64 {
        let of_warps = 32.0 * (threads / 32.0).ceil().max(1.0);
        (self.registers_per_multiprocessor as f64 / of_warps).min(255.0)
    }

    pub(super) fn ns(&self, clocks: f64) -> f64 {
        clocks / self.clock_ghz
    }
}
