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

/// Returns the kernel that makes bytes 0, which takes an address and how many there are.
pub(super) fn clear(device: Cuda) -> Result<Kernel<'static>, CudaError> {
    KERNELS.kernel_on(device, "clear")
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
    let most = 16 * stream.device().multiprocessors();
    let grid = Grid::covering(threads.min(most * THREADS as usize), THREADS);
    // SAFETY: the callers give arguments of the kernel's types, and buffers of as many elements as they say.
    unsafe { KERNELS.kernel_on(stream.device(), kernel)?.launch_on(stream, grid, arguments) }
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
mod tests {
    use nitro_cuda::{Options, Output, Source, compile, nvrtc_architectures, nvrtc_version};
    use nitro_ptx::emulate::{Emulator, Launch, Memory, Options as Emulated};
    use nitro_stats::random::Random;
    use nitro_test_support::tools::NVRTC;

    use super::*;
    use crate::compare;
    use crate::workload::{Element, Layout};

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
            let kernels = ELEMENTS.map(|element| format!("compare_{}", element.name()));
            let others = ["changed", "other_than", "put", "excuse", "spin"].map(str::to_owned);
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
        assert_eq!(verdict.error(Comparison::Share, 12), 0.25);
        let strayed = Verdict { strayed: 1, ..verdict };
        assert_eq!(strayed.error(Comparison::Share, 12), f64::INFINITY);
    }

    const COMPARISONS: [Comparison; 4] =
        [Comparison::Relative, Comparison::Absolute, Comparison::Share, Comparison::Exact];
    const COUNT: usize = 100;

    /// The kernels on the CPU; none leaves the test out.
    fn emulator() -> Option<Emulator> {
        NVRTC.found(nvrtc_version())?;
        let source = Source::new("compare.cu", include_str!("compare.cu"));
        let image = compile(&source, &Options::new(90).with_output(Output::Ptx)).unwrap();
        let module = nitro_ptx::Module::parse(image.ptx().unwrap()).unwrap();
        Some(Emulator::new(&module).unwrap_or_else(|error| panic!("{error}")))
    }

    /// What a kernel counts that begins with these buffers and goes on with these numbers.
    fn emulated(emulator: &Emulator, kernel: &str, buffers: &[&[u8]], numbers: &[u64]) -> Verdict {
        let mut memory = Memory::new();
        let buffers: Vec<u64> = buffers.iter().map(|bytes| memory.allocate(bytes.to_vec())).collect();
        let verdict = memory.allocate(vec![0; 8 * NUMBERS]);
        let parameters: Vec<Vec<u8>> = buffers
            .iter()
            .chain(numbers)
            .chain([&verdict])
            .map(|number| number.to_le_bytes().to_vec())
            .collect();
        // The emulator takes parameters of their sizes.
        let narrow = |(at, bytes): (usize, Vec<u8>)| match kernel.starts_with("compare")
            && (5..7).contains(&at)
            || kernel == "other_than" && at == 2
        {
            true => bytes[..4].to_vec(),
            false => bytes,
        };
        let parameters: Vec<Vec<u8>> = parameters.into_iter().enumerate().map(narrow).collect();
        let launch =
            Launch { kernel, grid: [2, 1, 1], block: [32, 1, 1], shared_bytes: 0, parameters: &parameters };
        emulator.launch(&launch, &mut memory, &Emulated::default()).unwrap_or_else(|fault| panic!("{fault}"));
        let numbers: Vec<u64> =
            memory.bytes(verdict).as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        verdict_of(&[numbers[0], numbers[1], numbers[2], numbers[3]])
    }

    /// Elements, of which few differ; among them what is no number.
    fn elements(element: Element, random: &mut Random) -> [Vec<u8>; 2] {
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];
        let mut found = Vec::new();
        let mut golden = Vec::new();
        let has_special = random.unit() < 0.5;
        for _ in 0..COUNT {
            let draw = |random: &mut Random| match has_special && random.unit() < 0.2 {
                true => special[(random.unit() * 6.0) as usize],
                false => (random.unit() - 0.3) * 300.0,
            };
            let (one, other) = (draw(random), draw(random));
            element.append(one, &mut golden);
            element.append(if random.unit() < 0.9 { one } else { other }, &mut found);
        }
        [found, golden]
    }

    #[test]
    fn the_device_compares_as_the_host_does() {
        let Some(emulator) = emulator() else { return };
        let mut random = Random::new(1);
        for element in ELEMENTS {
            for comparison in COMPARISONS.repeat(3) {
                let [found, golden] = elements(element, &mut random);
                let numbers = [COUNT as u64, element.bytes() as u64, 1, mode(comparison).into(), 0, 0, 0];
                let kernel = format!("compare_{}", element.name());
                let verdict = emulated(&emulator, &kernel, &[&found, &golden], &numbers);
                let expected = compare::error(&Layout::numbers(element, comparison), &found, &golden);
                assert_eq!(verdict.error(comparison, COUNT), expected, "{element:?} {comparison:?}");
            }
        }
    }

    /// Structures of a weight, padding, two large numbers and padding.
    #[test]
    fn members_of_structures_are_compared_apart() {
        let Some(emulator) = emulator() else { return };
        let (elements, stride) = (40, 32);
        let original: Vec<u8> = (0..elements * stride).map(|at| (at * 7) as u8).collect();
        let compared = |found: &[u8], (offset, element, count): (usize, Element, usize)| {
            let all = (elements * count) as u64;
            let numbers = [all, stride as u64, count as u64, mode(Comparison::Share).into(), 0, 0, 0];
            let kernel = format!("compare_{}", element.name());
            emulated(&emulator, &kernel, &[&found[offset..], &original[offset..]], &numbers).differing
        };
        let (weight, pair) = ((0, Element::F32, 1), (8, Element::I64, 2));
        let mut found = original.clone();
        [5, 29, 7 * stride + 4, 39 * stride + 31].into_iter().for_each(|at| found[at] ^= 1);
        assert_eq!((compared(&found, weight), compared(&found, pair)), (0, 0), "it is padding");
        [3, 9 * stride, 39 * stride + 2].into_iter().for_each(|at| found[at] ^= 1);
        assert_eq!((compared(&found, weight), compared(&found, pair)), (3, 0));
        [8, 23, 12 * stride + 15, 12 * stride + 16, 39 * stride + 8]
            .into_iter()
            .for_each(|at| found[at] ^= 1);
        assert_eq!((compared(&found, weight), compared(&found, pair)), (3, 5));
    }

    #[test]
    fn what_only_one_of_both_wrote_is_counted() {
        let Some(emulator) = emulator() else { return };
        let words = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
        let (fill, golden_fill) = (0xfff0_1234, 0x7e50_1234);
        let golden = words([1, 2, golden_fill, golden_fill]);
        let found = words([1, fill, fill, 5]);
        let numbers =
            |is_filled| [4, 4, 1, mode(Comparison::Exact).into(), is_filled, fill.into(), golden_fill.into()];
        let verdict = emulated(&emulator, "compare_u32", &[&found, &golden], &numbers(1));
        assert_eq!(verdict, Verdict { strayed: 2, ..Verdict::default() });
        let wide = |fill: u32| u64::from(fill) << 32 | u64::from(fill);
        let numbers = [2, 8, 1, mode(Comparison::Exact).into(), 1, wide(fill), wide(golden_fill)];
        let verdict = emulated(&emulator, "compare_f64", &[&found, &golden], &numbers);
        assert_eq!((verdict.strayed, verdict.differing), (1, 1), "of two elements");
    }

    #[test]
    fn every_byte_that_changed_is_seen() {
        let Some(emulator) = emulator() else { return };
        let before: Vec<u8> = (0..1003).map(|at| at as u8).collect();
        for at in (0..before.len()).step_by(59).chain([1002]) {
            let mut now = before.clone();
            now[at] ^= 0x10;
            let changed = emulated(&emulator, "changed", &[&now, &before], &[1003]);
            assert_eq!(changed, Verdict { damaged: 1, ..Verdict::default() }, "{at}");
        }
        assert_eq!(emulated(&emulator, "changed", &[&before, &before], &[1003]), Verdict::default());
        let beside = emulated(&emulator, "other_than", &[&before], &[1003, 7]);
        assert_eq!(beside.damaged, 1003 - 4, "a byte has 256 values");
    }

    /// Launches a kernel with one thread. The first of the buffers is what is left.
    fn single(emulator: &Emulator, kernel: &str, buffers: &[&[u8]], numbers: &[u64]) -> Vec<u8> {
        let mut memory = Memory::new();
        let addresses: Vec<u64> = buffers.iter().map(|bytes| memory.allocate(bytes.to_vec())).collect();
        let parameters: Vec<Vec<u8>> =
            addresses.iter().chain(numbers).map(|number| number.to_le_bytes().to_vec()).collect();
        let launch =
            Launch { kernel, grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, parameters: &parameters };
        emulator.launch(&launch, &mut memory, &Emulated::default()).unwrap_or_else(|fault| panic!("{fault}"));
        memory.bytes(addresses[0]).to_vec()
    }

    #[test]
    fn an_element_is_written_and_excused_alone() {
        let Some(emulator) = emulator() else { return };
        let bytes: Vec<u8> = (1..=9).collect();
        assert_eq!(single(&emulator, "put", &[&bytes], &[0x0403_0a0b, 2]), [11, 10, 3, 4, 5, 6, 7, 8, 9]);
        let (now, golden) = ([7, 7, 7, 7], [1, 2, 3, 4]);
        assert_eq!(single(&emulator, "excuse", &[&now, &golden, &golden], &[4]), golden);
        assert_eq!(single(&emulator, "excuse", &[&now, &golden, &[1, 2, 3, 5]], &[4]), now);
    }

    #[test]
    fn what_is_as_near_as_can_be_does_not_differ() {
        let Some(emulator) = emulator() else { return };
        let floats = |floats: [f32; 3]| floats.map(f32::to_le_bytes).concat();
        let [found, golden] = [floats([0.0, 1.0, 2.0]), floats([-0.0, 1.0, 3.0])];
        for (comparison, expected) in
            [(Comparison::Relative, 1), (Comparison::Exact, 2), (Comparison::Share, 2)]
        {
            let numbers = [3, 4, 1, mode(comparison).into(), 0, 0, 0];
            let verdict = emulated(&emulator, "compare_f32", &[&found, &golden], &numbers);
            assert_eq!(verdict.differing, expected, "{comparison:?}");
        }
    }
}
