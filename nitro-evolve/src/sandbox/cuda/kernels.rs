//! What the device itself compares, and with what result.

use nitro_cuda::{Argument, Buffer, Cuda, CudaError, Grid, GuardedBuffer, Program, Stream};

use crate::workload::{Comparison, Element};

static KERNELS: Program =
    Program::new("nitro-evolve/src/sandbox/cuda/compare.cu", include_str!("compare.cu"));

const THREADS: u32 = 256;
/// Numbers of a verdict.
const NUMBERS: usize = 4;

/// What has become of one buffer, as `compare.cu` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// The largest error of an element, where errors are of elements.
    pub worst: f64,
    /// Elements that differ.
    pub differing: u64,
    /// Elements that are as they were filled, where the original writes something else.
    pub untouched: u64,
    /// Bytes of an input, or beside the buffer, that are not as they were.
    pub damaged: u64,
}

impl Verdict {
    /// The error of a buffer of so many elements.
    pub(super) fn error(&self, comparison: Comparison, elements: usize) -> f64 {
        match comparison {
            _ if self.untouched > 0 => f64::INFINITY,
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
    /// Of nothing yet, on so many buffers.
    pub(super) fn new(stream: Stream, buffers: usize) -> Result<Self, CudaError> {
        let mut numbers = Buffer::uninit_on(stream, NUMBERS * buffers)?;
        numbers.fill_zero()?;
        Ok(Self { numbers })
    }

    fn argument(&self, buffer: usize) -> Argument<'_> {
        Argument::pointer(self.numbers.pointer() + (NUMBERS * buffer * size_of::<u64>()) as u64)
    }

    fn launch(&self, kernel: &str, threads: usize, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
        launch(self.numbers.stream(), kernel, threads, arguments)
    }

    /// Compares a result with the original's; what it was filled with before, if it was.
    pub(super) fn compare(
        &self,
        at: usize,
        (found, golden): (&GuardedBuffer, &GuardedBuffer),
        (element, comparison): (Element, Comparison),
        filled: Option<u32>,
    ) -> Result<(), CudaError> {
        let count = found.len() / element.bytes();
        let word = u64::from(filled.unwrap_or(0));
        let arguments = [
            found.into(),
            golden.into(),
            (count as u64).into(),
            mode(comparison).into(),
            u32::from(filled.is_some()).into(),
            (word | word << 32).into(),
            self.argument(at),
        ];
        self.launch(&format!("compare_{}", name(element)), count, &arguments)
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

    /// Waits for them.
    pub(super) fn to_vec(&self) -> Result<Vec<Verdict>, CudaError> {
        let numbers = self.numbers.to_vec()?;
        let (verdicts, _) = numbers.as_chunks::<NUMBERS>();
        let verdict = |&[worst, differing, untouched, damaged]: &[u64; NUMBERS]| Verdict {
            worst: f64::from_bits(worst),
            differing,
            untouched,
            damaged,
        };
        Ok(verdicts.iter().map(verdict).collect())
    }
}

/// Keeps the device busy for so long, while the host gives it work.
pub(super) fn spin(stream: Stream, time_ns: u64) -> Result<(), CudaError> {
    // SAFETY: the argument is of the kernel's type, and it writes nothing.
    unsafe {
        KERNELS.kernel_on(stream.device(), "spin")?.launch_on(stream, Grid::linear(1, 1), &[time_ns.into()])
    }
}

/// Loads the kernels, so that the first use is no later than others.
pub(super) fn prepare(device: Cuda) -> Result<(), CudaError> {
    KERNELS.kernel_on(device, "spin").map(drop)
}

/// One of the kernels on so many elements, of which each thread may take several.
fn launch(stream: Stream, kernel: &str, threads: usize, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
    if threads == 0 {
        return Ok(());
    }
    let most = 16 * stream.device().multiprocessors();
    let grid = Grid::covering(threads.min(most * THREADS as usize), THREADS);
    // SAFETY: the callers give arguments of the kernel's types, and buffers of as many elements as they say.
    unsafe { KERNELS.kernel_on(stream.device(), kernel)?.launch_on(stream, grid, arguments) }
}

fn name(element: Element) -> &'static str {
    match element {
        Element::U8 => "u8",
        Element::I8 => "i8",
        Element::U16 => "u16",
        Element::I16 => "i16",
        Element::U32 => "u32",
        Element::I32 => "i32",
        Element::U64 => "u64",
        Element::I64 => "i64",
        Element::F32 => "f32",
        Element::F64 => "f64",
    }
}

/// As `compare.cu` counts them.
fn mode(comparison: Comparison) -> u32 {
    match comparison {
        Comparison::Relative => 0,
        Comparison::Absolute => 1,
        Comparison::Share => 2,
        Comparison::Exact => 3,
    }
}

#[cfg(test)]
mod tests {
    use nitro_cuda::{nvrtc_architectures, nvrtc_version};
    use nitro_test_support::tools::NVRTC;

    use super::*;

    const ELEMENTS: [Element; 10] = [
        Element::U8,
        Element::I8,
        Element::U16,
        Element::I16,
        Element::U32,
        Element::I32,
        Element::U64,
        Element::I64,
        Element::F32,
        Element::F64,
    ];

    #[test]
    fn the_kernels_compile_for_every_architecture_that_nvrtc_knows() {
        let Some(_) = NVRTC.found(nvrtc_version()) else { return };
        for architecture in nvrtc_architectures().unwrap() {
            let image = KERNELS.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
            let kernels = ELEMENTS.map(|element| format!("compare_{}", name(element)));
            let others = ["changed", "other_than", "spin"].map(str::to_owned);
            for kernel in kernels.iter().chain(&others) {
                let usage = image.usage(kernel).unwrap_or_else(|| panic!("{kernel} for sm_{architecture}"));
                assert_eq!(usage.spill_bytes, 0, "{kernel} for sm_{architecture}");
            }
        }
    }

    #[test]
    fn what_was_not_written_is_infinitely_wrong() {
        let verdict = Verdict { worst: 0.25, differing: 3, ..Verdict::default() };
        assert_eq!(verdict.error(Comparison::Relative, 12), 0.25);
        assert_eq!(verdict.error(Comparison::Share, 4), 0.75);
        assert_eq!(verdict.error(Comparison::Share, 0), 3.0, "of no elements none differ");
        let untouched = Verdict { untouched: 1, ..verdict };
        assert_eq!(untouched.error(Comparison::Share, 4), f64::INFINITY);
    }
}
