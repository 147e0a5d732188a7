//! What a device does at most, and how long it takes at least: microbenchmarks, each of which reports its best run.

use nitro_core::DeviceFeature;

use super::measure::{RUNS, runs_ns, stream, zeroed};
use super::{on, register_feature};
use crate::{Argument, Buffer, Cuda, CudaError, Grid, Kernel, Program, Stream};

static KERNELS: Program = Program::new("nitro-cuda/src/features/rates.cu", include_str!("rates.cu"));

const THREADS: u32 = 1024;
/// Steps of a chain in a round.
const STEPS: f64 = 256.0;
const MIB: usize = 1 << 20;

type Measure = fn(Cuda) -> Result<f64, CudaError>;

const RATES: [(&str, Measure); 17] = [
    ("warp_instructions_per_clock", |device| {
        Ok(best_rate(device, "instructions", &[1.0f32.into()], 128.0)? / 32.0)
    }),
    ("arithmetic_lanes_per_clock", |device| best_rate(device, "arithmetic", &[1.0f32.into()], 128.0)),
    ("special_lanes_per_clock", |device| best_rate(device, "special", &[1.0f32.into()], 128.0)),
    ("memory_lanes_per_clock", memory_lanes),
    ("loaded_bytes_per_clock", loaded_bytes),
    ("sectors_per_clock", sectors),
    ("wavefronts_per_clock", wavefronts),
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

/// What this device does at most and how long it takes at least, measured now, in some seconds: for lower limits of times, such as `nitro_search::partial::Rates` makes of them.
///
/// Rates are the best of a few runs and latencies the shortest; what belongs to a multiprocessor is in its clocks:
/// `warp_instructions_per_clock`, `arithmetic_lanes_per_clock` (multiply-adds), `special_lanes_per_clock` (reciprocal square roots), `memory_lanes_per_clock` (threads of
/// which a load is done), `loaded_bytes_per_clock` (what loads bring to registers), `sectors_per_clock` (of 32 bytes, in the first-level cache), `wavefronts_per_clock` (answers of shared
/// memory, each with a word of each bank), `port_bytes_per_clock`
/// (from the second-level cache); `l2_read_gbps` (where all read the same, which
/// may be delivered to several at once), `l2_write_gbps` and `dram_gbps` of all multiprocessors together; `arithmetic_clocks`, `shared_load_clocks`, `load_clocks`
/// (the first-level cache has it), `l2_load_clocks` and `barrier_clocks` (of one warp) from one to the next that needs it; `launch_ns`, a kernel that does nothing, of many in a row.
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
pub fn rates(device: Cuda) -> Result<Vec<DeviceFeature>, Box<dyn std::error::Error + Send + Sync>> {
    let one = |&(name, measure): &(&str, Measure)| {
        let value = on(device, || measure(device))?;
        Ok(DeviceFeature { name: name.to_owned(), value })
    };
    RATES.iter().map(one).collect()
}

/// Makes [`rates`] device features of every CUDA device, so that they are kept in the user's cache folder. Call it before the devices are used: what a model learns from is no
/// longer what it was.
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

/// As `best_rate` for loads of words of the first-level cache; per round there are 16.
fn best_cached(device: Cuda, kernel: &str, stride: u32, per_load: f64) -> Result<f64, CudaError> {
    let words = zeroed::<u32>(stream(device)?, 8192)?;
    best_rate(device, kernel, &[(&words).into(), stride.into()], 16.0 * per_load)
}

fn best_shared(device: Cuda, kernel: &str, stride: u32, per_load: f64) -> Result<f64, CudaError> {
    best_rate(device, kernel, &[stride.into()], 16.0 * per_load)
}

/// The most of some.
fn most(all: impl IntoIterator<Item = Result<f64, CudaError>>) -> Result<f64, CudaError> {
    all.into_iter().try_fold(0.0, |most: f64, one| Ok(most.max(one?)))
}

fn memory_lanes(device: Cuda) -> Result<f64, CudaError> {
    let shared = [0, 4].map(|stride| best_shared(device, "shared_words", stride, 1.0));
    most(shared.into_iter().chain([0, 4].map(|stride| best_cached(device, "cached_words", stride, 1.0))))
}

/// By one address for all lanes, by neighbours, and by half a warp that shares.
fn loaded_bytes(device: Cuda) -> Result<f64, CudaError> {
    let words = [0, 4].map(|stride| best_shared(device, "shared_words", stride, 4.0));
    let quads = [0, 16].map(|stride| best_shared(device, "shared_quads", stride, 16.0));
    let cached = [0, 16].map(|stride| best_cached(device, "cached_quads", stride, 16.0));
    most(words.into_iter().chain(quads).chain(cached))
}

/// Warps whose words are all in different banks take one answer of shared memory for each word of a thread.
fn wavefronts(device: Cuda) -> Result<f64, CudaError> {
    let words = best_shared(device, "shared_words", 4, 1.0 / 32.0);
    most([words, best_shared(device, "shared_quads", 16, 4.0 / 32.0)])
}

/// Lanes that are less than a sector apart share some; farther apart each has its own. Odd strides use other banks.
fn sectors(device: Cuda) -> Result<f64, CudaError> {
    let words = [4, 8, 16, 32, 36, 64, 68, 128, 132]
        .map(|stride: u32| best_cached(device, "cached_words", stride, f64::from(stride.min(32)) / 32.0));
    let quads = [16, 32, 48, 128, 144]
        .map(|stride: u32| best_cached(device, "cached_quads", stride, f64::from(stride.min(32)) / 32.0));
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

/// How many of so many quads `read_once` reads with so many threads: rounds of four each, which a thread leaves out unless all of its four are there.
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
            for kernel in
                ["instructions", "arithmetic", "special", "read_past_l1", "cached_quads", "shared_quads"]
            {
                let usage = image.usage(kernel).unwrap();
                assert_eq!(usage.spill_bytes, 0, "{kernel} for sm_{architecture}");
            }
        }
    }
}
