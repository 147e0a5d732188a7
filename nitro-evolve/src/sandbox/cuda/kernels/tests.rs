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
        let others = ["changed", "other_than", "clear", "copy", "put", "excuse", "spin"].map(str::to_owned);
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
    let source = Source::new("compare.cu", include_str!("../compare.cu"));
    let image = compile(&source, &Options::new(90).with_output(Output::Ptx)).unwrap();
    let module = nitro_ptx::Module::parse(image.ptx().unwrap()).unwrap();
    Some(Emulator::new(&module).unwrap_or_else(|error| panic!("{error}")))
}

/// What a kernel counts that begins with these buffers and goes on with these numbers.
fn emulated(emulator: &Emulator, kernel: &str, buffers: &[&[u8]], numbers: &[u64]) -> Verdict {
    let mut memory = Memory::new();
    let buffers: Vec<u64> = buffers.iter().map(|bytes| memory.allocate(bytes.to_vec())).collect();
    let verdict = memory.allocate(vec![0; 8 * NUMBERS]);
    let parameters: Vec<Vec<u8>> =
        buffers.iter().chain(numbers).chain([&verdict]).map(|number| number.to_le_bytes().to_vec()).collect();
    // The emulator takes parameters of their sizes.
    let narrow = |(at, bytes): (usize, Vec<u8>)| match kernel.starts_with("compare") && (6..8).contains(&at)
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
            let numbers = [COUNT as u64, element.bytes() as u64, 1, 0, mode(comparison).into(), 0, 0, 0];
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
        let step = if count == 2 { 8 } else { 12 };
        let numbers = [all, stride as u64, count as u64, step, mode(Comparison::Share).into(), 0, 0, 0];
        let kernel = format!("compare_{}", element.name());
        emulated(&emulator, &kernel, &[&found[offset..], &original[offset..]], &numbers).differing
    };
    let (weight, pair) = ((0, Element::F32, 1), (8, Element::I64, 2));
    let mut found = original.clone();
    [5, 29, 7 * stride + 4, 39 * stride + 31].into_iter().for_each(|at| found[at] ^= 1);
    assert_eq!((compared(&found, weight), compared(&found, pair)), (0, 0), "it is padding");
    [3, 9 * stride, 39 * stride + 2].into_iter().for_each(|at| found[at] ^= 1);
    assert_eq!((compared(&found, weight), compared(&found, pair)), (3, 0));
    [8, 23, 12 * stride + 15, 12 * stride + 16, 39 * stride + 8].into_iter().for_each(|at| found[at] ^= 1);
    assert_eq!((compared(&found, weight), compared(&found, pair)), (3, 5));
    // Of three structures of twelve bytes in each the first float.
    assert_eq!(compared(&original, (0, Element::F32, 3)), 0);
    let strided = [13, 24 + 3, stride + 12, stride + 11].map(|at| {
        let mut one = original.clone();
        one[at] ^= 1;
        one
    });
    assert_eq!(strided.map(|found| compared(&found, (0, Element::F32, 3))), [1, 1, 1, 0]);
}

#[test]
fn what_only_one_of_both_wrote_is_counted() {
    let Some(emulator) = emulator() else { return };
    let words = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
    let (fill, golden_fill) = (0xfff0_1234, 0x7e50_1234);
    let golden = words([1, 2, golden_fill, golden_fill]);
    let found = words([1, fill, fill, 5]);
    let numbers =
        |is_filled| [4, 4, 1, 0, mode(Comparison::Exact).into(), is_filled, fill.into(), golden_fill.into()];
    let verdict = emulated(&emulator, "compare_u32", &[&found, &golden], &numbers(1));
    assert_eq!(verdict, Verdict { strayed: 2, ..Verdict::default() });
    let wide = |fill: u32| u64::from(fill) << 32 | u64::from(fill);
    let numbers = [2, 8, 1, 0, mode(Comparison::Exact).into(), 1, wide(fill), wide(golden_fill)];
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

#[test]
fn every_byte_is_cleared_or_copied_and_none_beside() {
    let Some(emulator) = emulator() else { return };
    let from: Vec<u8> = (0..700).map(|at| (at * 5) as u8 | 1).collect();
    for (to_begin, begin, bytes) in
        [(0, 0, 700), (0, 16, 640), (16, 32, 333), (3, 5, 650), (7, 7, 0), (9, 2, 1)]
    {
        let mut memory = Memory::new();
        let [to, source] = [vec![9; 700], from.clone()].map(|bytes| memory.allocate(bytes));
        let mut launch = |kernel: &str, numbers: &[u64]| {
            let parameters: Vec<Vec<u8>> =
                numbers.iter().map(|number| number.to_le_bytes().to_vec()).collect();
            let launch = Launch {
                kernel,
                grid: [2, 1, 1],
                block: [32, 1, 1],
                shared_bytes: 0,
                parameters: &parameters,
            };
            emulator
                .launch(&launch, &mut memory, &Emulated::default())
                .unwrap_or_else(|fault| panic!("{fault}"));
            memory.bytes(to).to_vec()
        };
        let mut expected = vec![9; 700];
        expected[to_begin..to_begin + bytes].copy_from_slice(&from[begin..begin + bytes]);
        let copied = launch("copy", &[to + to_begin as u64, source + begin as u64, bytes as u64]);
        assert_eq!(copied, expected, "{to_begin} {begin} {bytes}");
        expected[to_begin..to_begin + bytes].fill(0);
        assert_eq!(launch("clear", &[to + to_begin as u64, bytes as u64]), expected, "{to_begin} {bytes}");
    }
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
    for (comparison, expected) in [(Comparison::Relative, 1), (Comparison::Exact, 2), (Comparison::Share, 2)]
    {
        let numbers = [3, 4, 1, 0, mode(comparison).into(), 0, 0, 0];
        let verdict = emulated(&emulator, "compare_f32", &[&found, &golden], &numbers);
        assert_eq!(verdict.differing, expected, "{comparison:?}");
    }
}
