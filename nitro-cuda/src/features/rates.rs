//! Microbenchmarks of the most that a device does, and of the least time that it takes. Each reports its best run.

use std::collections::BTreeSet;

use nitro_core::DeviceFeature;

use super::measure::{RUNS, runs_ns, stream, zeroed};
use super::{on, register_feature};
use crate::{Argument, Buffer, Cuda, CudaError, Grid, Kernel, Program, Stream};

static KERNELS: Program = Program::new("nitro-cuda/src/features/rates.cu", include_str!("rates.cu"));

const THREADS: u32 = 1024;
/// Steps of a chain in a round.
const STEPS: f64 = 256.0;
const MIB: usize = 1 << 20;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Measure = fn(Cuda) -> Result<f64, CudaError>;

const RATES: [(&str, Measure); 18] = [
    ("warp_instructions_per_clock", |device| {
        Ok(best_rate(device, "instructions", &[1.0f32.into()], 128.0)? / 32.0)
    }),
    ("arithmetic_lanes_per_clock", |device| best_rate(device, "arithmetic", &[1.0f32.into()], 128.0)),
    ("special_lanes_per_clock", |device| best_rate(device, "special", &[1.0f32.into()], 128.0)),
    ("memory_lanes_per_clock", memory_lanes),
    ("loaded_bytes_per_clock", loaded_bytes),
    ("sectors_per_clock", sectors),
    ("wavefronts_per_clock", wavefronts),
    ("requests_per_clock", requests),
    ("port_bytes_per_clock", port_bytes),
    ("l2_read_gbps", l2_read_gbps),
    ("l2_write_gbps", l2_write_gbps),
    ("dram_gbps", dram_gbps),
    ("arithmetic_clocks", |device| latency(device, "arithmetic_chain", &[1.0f32.into()])),
    ("shared_load_clocks", |device| latency(device, "shared_chain", &[])),
    ("load_clocks", |device| linked_latency(device, "cached_chain")),
    ("l2_load_clocks", |device| linked_latency(device, "l2_chain")),
    ("barrier_clocks", |device| latency(device, "barrier_chain", &[])),
    ("launch_ns", launch_ns),
];

/// Measures now, in some seconds, the most that this device does and the least time that it takes. This is for lower
/// limits of times, such as `nitro_decide::Rates` makes of them.
///
/// Rates are the best of a few runs, latencies the shortest.
///
/// Of a multiprocessor, in its clocks:
/// - `warp_instructions_per_clock`, `arithmetic_lanes_per_clock` (multiply-adds) and `special_lanes_per_clock`
///   (reciprocal square roots),
/// - `memory_lanes_per_clock` (threads of which a load is done) and `loaded_bytes_per_clock` (what loads bring to
///   registers),
/// - `sectors_per_clock` (of 32 bytes, in the first-level cache), `wavefronts_per_clock` (answers of shared memory,
///   each with a word of each bank) and `port_bytes_per_clock` (from the second-level cache),
/// - `requests_per_clock`, of shared memory and the first-level cache together. A request is a register for each lane
///   of a warp, or two where all lanes share in pairs, or one more answer.
///
/// Of all multiprocessors together: `l2_write_gbps`, `dram_gbps` and `l2_read_gbps` (where all read the same, which may
/// be delivered to several at once).
///
/// Clocks from one to the next that needs it: `arithmetic_clocks`, `shared_load_clocks`, `load_clocks` (the first-level
/// cache has it), `l2_load_clocks` and `barrier_clocks` (of one warp). `launch_ns` is of a kernel that does nothing, of
/// many in a row.
///
/// ```no_run
/// for rate in nitro_cuda::rates(nitro_cuda::device(0)?)? {
///     println!("{} {:.2}", rate.name, rate.value);
/// }
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
///
/// # Errors
/// When NVRTC or the device cannot be used.
pub fn rates(device: Cuda) -> Result<Vec<DeviceFeature>, BoxError> {
    measured(device, |_| true)
}

/// Measures now those of the [`rates`] that are of the memory and its second-level cache, in a part of the time. With
/// [`Attributes::features`](crate::Attributes::features) they are what `nitro_search::MemoryRates` takes.
///
/// # Errors
/// As [`rates`].
pub fn memory_rates(device: Cuda) -> Result<Vec<DeviceFeature>, BoxError> {
    measured(device, |name| name.ends_with("_gbps"))
}

fn measured(device: Cuda, is_wanted: fn(&str) -> bool) -> Result<Vec<DeviceFeature>, BoxError> {
    let mut rates = Vec::with_capacity(RATES.len());
    for (name, measure) in RATES.into_iter().filter(|(name, _)| is_wanted(name)) {
        rates.push(DeviceFeature { name: name.to_owned(), value: on(device, || measure(device))? });
    }
    Ok(rates)
}

/// Makes [`rates`] device features of every CUDA device, so that they are kept in the user's cache folder. Call it
/// before the devices are used: what a model learns from is no longer what it was.
///
/// ```
/// nitro_cuda::register_rates();
/// ```
pub fn register_rates() {
    RATES.into_iter().for_each(|(name, measure)| register_feature(name, measure));
}

/// A grid, and what it counts.
struct Clocks {
    stream: Stream,
    kernel: Kernel<'static>,
    grid: Grid,
    clocks: Buffer<u64>,
    sink: Buffer<u32>,
}

impl Clocks {
    fn new(device: Cuda, kernel: &str, blocks: usize, threads: u32) -> Result<Self, CudaError> {
        let stream = stream(device)?;
        let grid = Grid::linear(blocks as u32, threads);
        let sink = zeroed(stream, blocks * threads as usize)?;
        let kernel = KERNELS.kernel_on(device, kernel)?;
        Ok(Self { stream, kernel, grid, clocks: zeroed(stream, blocks)?, sink })
    }

    /// Of each block, for so many rounds; `between` are the arguments after the first two and before the last.
    fn run(&self, between: &[Argument<'_>], rounds: u32) -> Result<Vec<u64>, CudaError> {
        let own = [(&self.clocks).into(), (&self.sink).into()];
        let arguments: Vec<Argument<'_>> =
            own.into_iter().chain(between.iter().copied()).chain([rounds.into()]).collect();
        // SAFETY: the arguments are of the kernel's types, and both buffers have an element for each block and thread.
        unsafe { self.kernel.launch_on(self.stream, self.grid, &arguments)? };
        self.clocks.to_vec()
    }
}

/// Most of `per_round` (of each thread) that a multiprocessor does in a clock, when it has one block of 1024 threads.
fn best_rate(device: Cuda, kernel: &str, between: &[Argument<'_>], per_round: f64) -> Result<f64, CudaError> {
    const ROUNDS: u32 = 128;
    let clocks = Clocks::new(device, kernel, device.multiprocessors(), THREADS)?;
    let mut best: f64 = 0.0;
    for _ in 0..RUNS {
        let mut taken = clocks.run(between, ROUNDS)?;
        taken.sort_unstable();
        let usual = taken[taken.len() / 2].max(1); // multiprocessors are alike, but a clock may be read late
        best = best.max(per_round * f64::from(ROUNDS * THREADS) / usual as f64);
    }
    Ok(best)
}

/// Of these, loads touch so few that the first-level cache keeps them.
const CACHED_WORDS: usize = 65_536;
/// Every lane has an address of its own.
const ALL_LANES: u32 = 31;

/// As `best_rate` for loads of words of the first-level cache; per round there are 16.
fn cached_words(device: Cuda, stride: u32, per_load: f64) -> Result<f64, CudaError> {
    let words = zeroed::<u32>(stream(device)?, CACHED_WORDS)?;
    best_rate(device, "cached_words", &[(&words).into(), stride.into()], 16.0 * per_load)
}

fn cached_quads(device: Cuda, [stride, kept]: [u32; 2], per_load: f64) -> Result<f64, CudaError> {
    let words = zeroed::<u32>(stream(device)?, CACHED_WORDS)?;
    best_rate(device, "cached_quads", &[(&words).into(), stride.into(), kept.into()], 16.0 * per_load)
}

fn shared_words(device: Cuda, stride: u32, per_load: f64) -> Result<f64, CudaError> {
    best_rate(device, "shared_words", &[stride.into()], 16.0 * per_load)
}

fn shared_quads(device: Cuda, [stride, kept]: [u32; 2], per_load: f64) -> Result<f64, CudaError> {
    best_rate(device, "shared_quads", &[stride.into(), kept.into()], 16.0 * per_load)
}

/// The most of some.
fn most(all: impl IntoIterator<Item = Result<f64, CudaError>>) -> Result<f64, CudaError> {
    all.into_iter().try_fold(0.0, |most: f64, one| Ok(most.max(one?)))
}

fn memory_lanes(device: Cuda) -> Result<f64, CudaError> {
    let shared = [0, 4].map(|stride| shared_words(device, stride, 1.0));
    most(shared.into_iter().chain([0, 4].map(|stride| cached_words(device, stride, 1.0))))
}

/// By one address for all lanes, by neighbours, and by half a warp that shares.
fn loaded_bytes(device: Cuda) -> Result<f64, CudaError> {
    let words = [0, 4].map(|stride| shared_words(device, stride, 4.0));
    let quads = [0, 16].map(|stride| shared_quads(device, [stride, ALL_LANES], 16.0));
    let cached = [0, 16].map(|stride| cached_quads(device, [stride, ALL_LANES], 16.0));
    most(words.into_iter().chain(quads).chain(cached))
}

/// Warps whose words are all in different banks take one answer of shared memory for each word of a thread.
fn wavefronts(device: Cuda) -> Result<f64, CudaError> {
    let words = shared_words(device, 4, 1.0 / 32.0);
    most([words, shared_quads(device, [16, ALL_LANES], 4.0 / 32.0)])
}

/// The bits of its number by which a lane has an address of its own. Some lanes share with a neighbour, some with
/// the one behind that, some with neither.
const KEPT: [u32; 12] = [0, 1, 2, 3, 5, 6, 7, 13, 14, 15, 24, ALL_LANES];
/// Bytes from lane to lane, of loads of shared memory and of the first-level cache.
const APART: [[u32; 2]; 10] =
    [[0, 0], [4, 4], [8, 8], [16, 16], [64, 64], [128, 128], [132, 132], [4, 128], [128, 4], [4, 4096]];

/// Of shared memory, which is one with the first-level cache, alone, of that alone, and of both in turn. Where a
/// device does better in one of these ways than the most of [`requests_of`], that is its rate.
fn requests(device: Cuda) -> Result<f64, CudaError> {
    let words = zeroed::<u32>(stream(device)?, CACHED_WORDS)?;
    let mut all = Vec::new();
    for apart in APART {
        let [one, other] = apart.map(|stride| requests_of(|lane| lane * stride, 1) / 32.0);
        all.push(shared_words(device, apart[0], one));
        all.push(cached_words(device, apart[1], other));
        let between = [(&words).into(), apart[0].into(), apart[1].into()];
        all.push(best_rate(device, "both_words", &between, 8.0 * (one + other)));
    }
    for kept in KEPT {
        let each = requests_of(|lane| (lane & kept) * 16, 4) / 32.0;
        all.push(shared_quads(device, [16, kept], each));
        all.push(cached_quads(device, [16, kept], each));
        all.push(best_rate(device, "both_quads", &[(&words).into(), kept.into()], 16.0 * each));
    }
    all.push(cached_quads(device, [128, ALL_LANES], requests_of(|lane| lane * 128, 4) / 32.0));
    let both = requests_of(|_| 0, 4) + requests_of(|lane| lane * 8, 1);
    all.push(best_rate(device, "shared_both", &[], 8.0 * both / 32.0));
    most(all)
}

/// The number of requests of a load of so many words by a warp. One brings a register to each lane, or two where all
/// lanes share with a neighbour or with the one behind that, as
/// [NVIDIA's engineers](https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228/2) say.
/// Each takes one word of each of 32 banks.
fn requests_of(bytes: impl Fn(u32) -> u32, words: u32) -> f64 {
    let lanes: Vec<u32> = (0..32).map(bytes).collect();
    let share = |by: usize| (0..32).all(|lane| lanes[lane] == lanes[lane ^ by]);
    let registers = if share(1) || share(2) { words.div_ceil(2) } else { words };
    let asked: BTreeSet<u32> = lanes.iter().flat_map(|at| at / 4..at / 4 + words).collect();
    let of_bank = |bank: u32| asked.iter().filter(|word| *word % 32 == bank).count() as u32;
    f64::from((0..32).map(of_bank).fold(registers, u32::max))
}

/// Lanes that are less than a sector apart share some; farther apart each has its own. Odd strides use other banks.
fn sectors(device: Cuda) -> Result<f64, CudaError> {
    let words = [4, 8, 16, 32, 36, 64, 68, 128, 132]
        .map(|stride: u32| cached_words(device, stride, f64::from(stride.min(32)) / 32.0));
    let quads = [16, 32, 48, 128, 144]
        .map(|stride: u32| cached_quads(device, [stride, ALL_LANES], f64::from(stride.min(32)) / 32.0));
    most(words.into_iter().chain(quads))
}

/// One block alone reads what the second-level cache has.
fn port_bytes(device: Cuda) -> Result<f64, CudaError> {
    const ROUNDS: u32 = 4;
    let quads = 2 * MIB / 16;
    let data = zeroed::<[u32; 4]>(stream(device)?, quads)?;
    let clocks = Clocks::new(device, "read_past_l1", 1, THREADS)?;
    let between = [(&data).into(), (quads as u32).into(), 0u32.into()];
    let mut best: f64 = 0.0;
    for _ in 0..RUNS {
        let taken = clocks.run(&between, ROUNDS)?[0].max(1);
        best = best.max((16 * quads) as f64 * f64::from(ROUNDS) / taken as f64);
    }
    Ok(best)
}

fn l2_read_gbps(device: Cuda) -> Result<f64, CudaError> {
    most([2, 8, 16].map(|mib| l2_read_of(device, mib * MIB / 16)))
}

fn l2_read_of(device: Cuda, quads: usize) -> Result<f64, CudaError> {
    let stream = stream(device)?;
    let data = zeroed::<[u32; 4]>(stream, quads)?;
    let kernel = KERNELS.kernel_on(device, "read_past_l1")?;
    let blocks = kernel.max_resident_blocks(THREADS, 0).max(1);
    let clocks = Clocks::new(device, "read_past_l1", blocks, THREADS)?;
    let arguments = [
        (&clocks.clocks).into(),
        (&clocks.sink).into(),
        (&data).into(),
        (quads as u32).into(),
        1024u32.into(),
        1u32.into(),
    ];
    // SAFETY: the arguments are of the kernel's types, and the buffers have an element for each block, thread and quad.
    let times_ns = runs_ns(stream, || unsafe { kernel.launch_on(stream, clocks.grid, &arguments) })?;
    Ok((16 * quads * blocks) as f64 / shortest(&times_ns))
}

fn l2_write_gbps(device: Cuda) -> Result<f64, CudaError> {
    const ROUNDS: u32 = 32;
    let stream = stream(device)?;
    let written = |mib: usize| {
        let quads = mib * MIB / 16;
        let data = zeroed::<[u32; 4]>(stream, quads)?;
        let kernel = KERNELS.kernel_on(device, "write")?;
        let grid = Grid::linear(kernel.max_resident_blocks(THREADS, 0).max(1) as u32, THREADS);
        let arguments = [(&data).into(), (quads as u32).into(), ROUNDS.into()];
        // SAFETY: the arguments are of the kernel's types, and it writes so many elements alone.
        let times_ns = runs_ns(stream, || unsafe { kernel.launch_on(stream, grid, &arguments) })?;
        Ok((16 * quads) as f64 * f64::from(ROUNDS) / shortest(&times_ns))
    };
    most([4, 16].map(written))
}

/// Reads alone, far beyond the caches.
fn dram_gbps(device: Cuda) -> Result<f64, CudaError> {
    let attributes = device.attributes();
    let bytes =
        (16 * u64::from(attributes.l2_bytes)).clamp(64 << 20, 2 << 30).min(attributes.memory_bytes / 8);
    let quads = bytes / 16;
    let stream = stream(device)?;
    let data = zeroed::<[u32; 4]>(stream, quads as usize)?;
    let kernel = KERNELS.kernel_on(device, "read_once")?;
    let blocks = kernel.max_resident_blocks(THREADS, 0).max(1);
    let sink = zeroed::<u32>(stream, blocks * THREADS as usize)?;
    let arguments = [(&sink).into(), (&data).into(), quads.into()];
    let grid = Grid::linear(blocks as u32, THREADS);
    // SAFETY: the arguments are of the kernel's types, and the buffers have an element for each thread and quad.
    let times_ns = runs_ns(stream, || unsafe { kernel.launch_on(stream, grid, &arguments) })?;
    Ok(16.0 * read_quads(quads, grid_threads(blocks)) as f64 / shortest(&times_ns))
}

fn grid_threads(blocks: usize) -> u64 {
    blocks as u64 * u64::from(THREADS)
}

/// The number of quads, of so many, that `read_once` reads with so many threads. It reads in rounds of four each,
/// which a thread leaves out unless all of its four are there.
fn read_quads(quads: u64, threads: u64) -> u64 {
    let (rounds, rest) = (quads / (4 * threads), quads % (4 * threads));
    4 * (rounds * threads + rest.saturating_sub(3 * threads))
}

/// Clocks of a step: what twice as many rounds take longer, of one thread.
fn latency(device: Cuda, kernel: &str, between: &[Argument<'_>]) -> Result<f64, CudaError> {
    const ROUNDS: u32 = 16;
    let clocks = Clocks::new(device, kernel, 1, 1)?;
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let (once, twice) = (clocks.run(between, ROUNDS)?[0], clocks.run(between, 2 * ROUNDS)?[0]);
        least = least.min(twice.saturating_sub(once) as f64 / f64::from(ROUNDS) / STEPS);
    }
    Ok(least)
}

fn linked_latency(device: Cuda, kernel: &str) -> Result<f64, CudaError> {
    let stream = stream(device)?;
    let chain = Buffer::<u64>::uninit_on(stream, 1024)?;
    let link = KERNELS.kernel_on(device, "link")?;
    // SAFETY: the argument is of the kernel's type, and it writes 1024 elements.
    unsafe { link.launch_on(stream, Grid::linear(1, THREADS), &[(&chain).into()])? };
    latency(device, kernel, &[(&chain).into()])
}

/// Of many in a row, as those that are timed may be launched.
fn launch_ns(device: Cuda) -> Result<f64, CudaError> {
    const LAUNCHES: u32 = 256;
    let stream = stream(device)?;
    let kernel = KERNELS.kernel_on(device, "nothing")?;
    let times_ns = runs_ns(stream, || {
        // SAFETY: the kernel takes no arguments.
        (0..LAUNCHES).try_for_each(|_| unsafe { kernel.launch_on(stream, Grid::linear(1, 32), &[]) })
    })?;
    Ok(shortest(&times_ns) / f64::from(LAUNCHES))
}

fn shortest(times_ns: &[f64]) -> f64 {
    times_ns.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{nvrtc_architectures, nvrtc_version};
    use nitro_test_support::tools::NVRTC;

    #[test]
    fn requests_are_of_registers_or_of_the_busiest_bank() {
        let apart = |stride: u32| requests_of(|lane| lane * stride, 1);
        assert_eq!([0, 4, 8, 64, 128, 132].map(apart), [1.0, 1.0, 2.0, 16.0, 32.0, 1.0]);
        let kept = |kept: u32| requests_of(|lane| (lane & kept) * 16, 4);
        assert_eq!([0, 1, 2, 6, 14].map(kept), [2.0; 5]); // in pairs
        assert_eq!([3, 7, 15, 24, 31].map(kept), [4.0; 5]);
        assert_eq!(requests_of(|lane| lane * 128, 4), 32.0);
    }

    /// As `read_once` in `rates.cu` goes through them.
    #[test]
    fn what_is_read_of_memory_is_counted_as_its_threads_read_it() {
        for (quads, threads) in
            [(0, 3), (1, 1), (11, 3), (12, 3), (22, 3), (23, 3), (24, 3), (1000, 7), (5, 64)]
        {
            let of_thread = |thread: u64| {
                let rounds = (thread..).step_by(4 * threads as usize).take_while(|i| i + 3 * threads < quads);
                4 * rounds.count() as u64
            };
            let read: u64 = (0..threads).map(of_thread).sum();
            assert_eq!(read_quads(quads, threads), read, "{quads} quads, {threads} threads");
            assert!(read <= quads);
        }
        // what an H200 was measured with: 0.3 % were counted that nobody reads
        assert_eq!(read_quads(62_914_560, grid_threads(264)), 62_717_952);
    }

    #[test]
    fn the_kernels_compile_for_every_architecture_that_nvrtc_knows_and_spill_nothing() {
        let Some(_) = NVRTC.found(nvrtc_version()) else { return };
        for architecture in nvrtc_architectures().unwrap() {
            let image = KERNELS.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
            for kernel in [
                "instructions",
                "arithmetic",
                "special",
                "read_past_l1",
                "cached_quads",
                "shared_quads",
                "shared_both",
                "both_quads",
                "both_words",
            ] {
                let usage = image.usage(kernel).unwrap();
                assert_eq!(usage.spill_bytes, 0, "{kernel} for sm_{architecture}");
            }
        }
    }
}
