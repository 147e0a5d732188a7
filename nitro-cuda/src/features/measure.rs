//! Device features that only a benchmark can tell: seven runs each.

use nitro_core::provide::Chain;

use crate::stopwatch::by_events;
use crate::{Buffer, Cuda, CudaError, Grid, Pod, Program, Stream};

static KERNELS: Program = Program::new("nitro-cuda/src/features/kernels.cu", include_str!("kernels.cu"));

pub(super) const RUNS: usize = 7;
const THREADS: u32 = 256;
/// Atomic additions of the two atomic benchmarks together on all threads. The work is the same on every device, so
/// that the time tells how fast it is.
const ADDITIONS: u64 = 1 << 26;
const COUNTERS: usize = 256;

/// A stream that only measures, one a device, since streams live as long as the process.
///
/// The device's own stream is not even asked: a thread of the background measures, and another one may begin a
/// capture of that stream at any time, which a wait would end with an error. What runs there meanwhile shows in the
/// spread of the figures.
pub(super) fn stream(device: Cuda) -> Result<Stream, CudaError> {
    static STREAMS: Chain<Stream> = Chain::new();
    match STREAMS.find(|stream| stream.device() == device) {
        Some(stream) => Ok(*stream),
        None => Ok(*STREAMS.push(Stream::new(device)?)),
    }
}

/// Zeros, on a stream.
pub(super) fn zeroed<T: Pod>(stream: Stream, length: usize) -> Result<Buffer<T>, CudaError> {
    let mut buffer = Buffer::uninit_on(stream, length)?;
    buffer.fill_zero()?;
    Ok(buffer)
}

/// Bytes read plus bytes written by a copy far beyond the caches, in a nanosecond (that is GB/s).
pub(super) fn copy_gbps(device: Cuda) -> Result<Vec<f64>, CudaError> {
    let attributes = device.attributes();
    let bytes =
        (8 * u64::from(attributes.l2_bytes)).clamp(64 << 20, 1 << 30).min(attributes.memory_bytes / 8);
    let elements = bytes as usize / 16;
    let stream = stream(device)?;
    let source = zeroed::<[u32; 4]>(stream, elements)?;
    let target = Buffer::<[u32; 4]>::uninit_on(stream, elements)?;
    let kernel = KERNELS.kernel_on(device, "copy")?;
    let grid = Grid::linear(4 * kernel.max_resident_blocks(THREADS, 0).max(1) as u32, THREADS);
    let times_ns = runs_ns(stream, || {
        // SAFETY: the arguments are of the kernel's types, and both buffers have so many elements.
        unsafe { kernel.launch_on(stream, grid, &[(&source).into(), (&target).into(), elements.into()]) }
    })?;
    Ok(times_ns.iter().map(|time_ns| (2 * 16 * elements) as f64 / time_ns).collect())
}

/// Milliseconds of 2^26 additions to 256 counters in each block's shared memory.
pub(super) fn shared_atomic_ms(device: Cuda) -> Result<Vec<f64>, CudaError> {
    atomic_ms(device, "shared_atomics")
}

/// Milliseconds of 2^26 additions to 256 counters in global memory.
pub(super) fn global_atomic_ms(device: Cuda) -> Result<Vec<f64>, CudaError> {
    atomic_ms(device, "global_atomics")
}

fn atomic_ms(device: Cuda, kernel: &str) -> Result<Vec<f64>, CudaError> {
    let stream = stream(device)?;
    let counters = zeroed::<u32>(stream, COUNTERS)?;
    let kernel = KERNELS.kernel_on(device, kernel)?;
    let blocks = kernel.max_resident_blocks(THREADS, 0).max(1) as u64;
    let additions = ADDITIONS.div_ceil(blocks * u64::from(THREADS)) as u32;
    let done = u64::from(additions) * blocks * u64::from(THREADS);
    let times_ns = runs_ns(stream, || {
        let grid = Grid::linear(blocks as u32, THREADS);
        // SAFETY: the arguments are of the kernel's types, and it adds to the 256 counters alone.
        unsafe { kernel.launch_on(stream, grid, &[(&counters).into(), additions.into()]) }
    })?;
    // Threads do whole numbers of additions: a little more than wanted.
    Ok(times_ns.iter().map(|time_ns| time_ns / 1e6 * ADDITIONS as f64 / done as f64).collect())
}

/// Times of `launch` on the stream, by events.
pub(super) fn runs_ns(
    stream: Stream,
    launch: impl Fn() -> Result<(), CudaError>,
) -> Result<Vec<f64>, CudaError> {
    launch()?; // warm-up
    stream.synchronize()?;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let mut stopwatch = by_events(stream);
        stopwatch.start();
        launch()?;
        times.push(stopwatch.stop());
    }
    stream.synchronize()?; // says why when a time is no number
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{nvrtc_architectures, nvrtc_version};
    use nitro_test_support::tools::NVRTC;

    #[test]
    fn the_kernels_compile_for_every_architecture_that_nvrtc_knows() {
        let Some(_) = NVRTC.found(nvrtc_version()) else { return };
        for architecture in nvrtc_architectures().unwrap() {
            let image = KERNELS.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(image.cubin().unwrap().starts_with(b"\x7fELF"), "sm_{architecture}");
        }
    }
}
