//! The comparison of results on the device itself.

use nitro_cuda::{Argument, Buffer, Cuda, CudaError, Grid, GuardedBuffer, Kernel, Program, Stream};

use crate::workload::{Comparison, Member};

static KERNELS: Program =
    Program::new("nitro-evolve/src/sandbox/cuda/compare.cu", include_str!("compare.cu"));

/// The threads of a block.
const THREADS: u32 = 256;
/// The numbers of a verdict.
const NUMBERS: usize = 4;

/// A verdict on one buffer, as `compare.cu` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// The largest error of an element, where errors are of elements.
    pub worst: f64,
    /// The elements that differ, of which errors tell.
    pub differing: u64,
    /// The elements that the original writes and this program does not, or the other way round.
    pub strayed: u64,
    /// The bytes of an input, or beside the buffer, that are not as they were.
    pub damaged: u64,
}

impl Verdict {
    /// Returns the error of a buffer of so many elements.
    pub(super) fn error(&self, comparison: Comparison, elements: usize) -> f64 {
        match comparison {
            _ if self.strayed > 0 => f64::INFINITY,
            Comparison::Share => self.worst.max(self.differing as f64 / elements.max(1) as f64),
            Comparison::Relative | Comparison::Absolute | Comparison::Exact => self.worst,
        }
    }
}

/// The verdicts on the buffers of a case, while they are worked on.
pub(super) struct Verdicts {
    numbers: Buffer<u64>,
}

impl Verdicts {
    /// Creates empty verdicts on so many buffers.
    pub(super) fn new(stream: Stream, buffers: usize) -> Result<Self, CudaError> {
        let mut numbers = Buffer::uninit_on(stream, NUMBERS * buffers)?;
        numbers.fill_zero()?;
        Ok(Self { numbers })
    }

    /// Returns the argument of a kernel that judges a buffer.
    fn argument(&self, buffer: usize) -> Argument<'_> {
        Argument::pointer(self.numbers.pointer() + (NUMBERS * buffer * size_of::<u64>()) as u64)
    }

    /// Launches a kernel that judges.
    fn launch(&self, kernel: &str, threads: usize, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
        launch(self.numbers.stream(), kernel, threads, arguments)
    }

    /// Compares a member of a result, whose elements have so many bytes, with the original's; `fills` has the patterns
    /// that both were filled with, if they were.
    pub(super) fn compare(
        &self,
        at: usize,
        (found, golden): (&GuardedBuffer, &GuardedBuffer),
        (member, stride): (&Member, usize),
        fills: Option<[u32; 2]>,
    ) -> Result<(), CudaError> {
        let all = found.len() / stride * member.count;
        let [fill, golden_fill] =
            fills.unwrap_or_default().map(|word| u64::from(word) << 32 | u64::from(word));
        let of = |buffer: &GuardedBuffer| Argument::pointer(buffer.pointer() + member.offset_bytes as u64);
        let arguments = [
            of(found),
            of(golden),
            (all as u64).into(),
            (stride as u64).into(),
            (member.count as u64).into(),
            (member.stride_bytes as u64).into(),
            mode(member.comparison).into(),
            u32::from(fills.is_some()).into(),
            fill.into(),
            golden_fill.into(),
            self.argument(at),
        ];
        self.launch(&format!("compare_{}", member.element.name()), all, &arguments)
    }

    /// Counts bytes that are not as they were.
    pub(super) fn changed(
        &self,
        at: usize,
        now: &GuardedBuffer,
        before: &GuardedBuffer,
    ) -> Result<(), CudaError> {
        let arguments = [now.into(), before.into(), (now.len() as u64).into(), self.argument(at)];
        self.launch("changed", now.len().div_ceil(16), &arguments)
    }

    /// Counts bytes beside a buffer that are not this one.
    pub(super) fn beside(&self, at: usize, buffer: &GuardedBuffer, byte: u8) -> Result<(), CudaError> {
        for (address, bytes) in buffer.slack() {
            let byte = u32::from(byte);
            let arguments =
                [Argument::pointer(address), (bytes as u64).into(), byte.into(), self.argument(at)];
            self.launch("other_than", bytes, &arguments)?;
        }
        Ok(())
    }

    /// Waits for the verdicts.
    pub(super) fn to_vec(&self) -> Result<Vec<Verdict>, CudaError> {
        let numbers = self.numbers.to_vec()?;
        let (verdicts, _) = numbers.as_chunks::<NUMBERS>();
        Ok(verdicts.iter().map(verdict_of).collect())
    }
}

/// Reads the numbers of a verdict.
fn verdict_of(&[worst, differing, strayed, damaged]: &[u64; NUMBERS]) -> Verdict {
    Verdict { worst: f64::from_bits(worst), differing, strayed, damaged }
}

/// Keeps the device busy for so long, while the host gives it work.
pub(super) fn spin(stream: Stream, time_ns: u64) -> Result<(), CudaError> {
    // SAFETY: the argument is of the kernel's type, and it writes nothing.
    unsafe {
        KERNELS.kernel_on(stream.device(), "spin")?.launch_on(stream, Grid::linear(1, 1), &[time_ns.into()])
    }
}

/// The most bytes that a thread clears or copies at once.
pub(super) const BYTES_AT_ONCE: usize = 16;

/// Returns the kernel that clears bytes or copies them, which takes addresses and how many bytes there are.
pub(super) fn on_bytes(device: Cuda, kernel: &str) -> Result<Kernel<'static>, CudaError> {
    KERNELS.kernel_on(device, kernel)
}

/// Returns the grid of a kernel on so many elements, of which each thread may take several; at least one thread.
pub(super) fn grid(stream: Stream, threads: usize) -> Grid {
    let most = 16 * stream.device().multiprocessors();
    Grid::covering(threads.clamp(1, most * THREADS as usize), THREADS)
}

/// Writes the first bytes of a buffer's element, of at most eight bytes.
pub(super) fn put(stream: Stream, address: u64, element: &[u8]) -> Result<(), CudaError> {
    let value = element.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let arguments = [Argument::pointer(address), value.into(), (element.len() as u64).into()];
    single(stream, "put", &arguments)
}

/// Gives an element the original's value, unless the original changes it: the addresses are of what it is now, of the
/// original's, and of what it was before that.
pub(super) fn excuse(stream: Stream, addresses: [u64; 3], bytes: usize) -> Result<(), CudaError> {
    let [now, golden, before] = addresses.map(Argument::pointer);
    single(stream, "excuse", &[now, golden, before, (bytes as u64).into()])
}

/// Launches a kernel with one thread on an element.
fn single(stream: Stream, kernel: &str, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
    // SAFETY: the callers give arguments of the kernel's types, and an element of a buffer.
    unsafe { KERNELS.kernel_on(stream.device(), kernel)?.launch_on(stream, Grid::linear(1, 1), arguments) }
}

/// Loads the kernels, so that the first use is no later than others.
pub(super) fn prepare(device: Cuda) -> Result<(), CudaError> {
    KERNELS.kernel_on(device, "spin").map(drop)
}

/// Launches one of the kernels on so many elements, of which each thread may take several.
fn launch(stream: Stream, kernel: &str, threads: usize, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
    if threads == 0 {
        return Ok(());
    }
    // SAFETY: the callers give arguments of the kernel's types, and buffers of as many elements as they say.
    unsafe { KERNELS.kernel_on(stream.device(), kernel)?.launch_on(stream, grid(stream, threads), arguments) }
}

/// Returns the number of a comparison in `compare.cu`.
fn mode(comparison: Comparison) -> u32 {
    match comparison {
        Comparison::Relative => 0,
        Comparison::Absolute => 1,
        Comparison::Share => 2,
        Comparison::Exact => 3,
    }
}

#[cfg(test)]
mod tests;
