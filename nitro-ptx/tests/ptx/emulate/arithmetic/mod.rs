//! Single instructions give what Rust gives, for drawn operands and for those at the edges of their types.

mod conversions;
mod floats;
mod halves;
mod integers;
mod video;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_test_support::random::Random;

use super::support::{Bytes, pack, unpack};

type Reference = fn(u64, u64, u64) -> u64;

/// Operands that are drawn, of many sizes, and edges: of integers, and of floats of 32 and 64 bits.
fn operands(seed: u64, count: usize) -> Vec<u64> {
    const EDGES: [u64; 22] = [
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        255,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 63,
        u64::MAX,
        0x3f80_0000,
        0x7f80_0000,
        0x7fc0_0000,
        0x0000_0001_0000_0001,
        0x7ff0_0000_0000_0000,
    ];
    let mut random = Random::new(seed);
    let mut one = || match random.below(8) {
        0 => EDGES[random.below(EDGES.len() as u64) as usize],
        1 => u64::from((random.below(2_000_001) as f32 / 1024.0 - 900.0).to_bits()),
        2 => (random.below(2_000_001) as f64 / 1024.0 - 900.0).to_bits(),
        3 => random.bits() >> random.below(64),
        4 => (random.bits() >> random.below(64)).wrapping_neg(),
        _ => random.bits(),
    };
    (0..count).map(|_| one()).collect()
}

/// The text of an instruction, with `D` for its result and `A`, `B` and `C` for its sources, of so many bits each.
/// Predicates have one bit.
fn run(text: &str, widths: [u32; 4], values: &[u64]) -> Vec<u64> {
    let declared = |name: &str, width: u32| match width {
        1 => format!(".reg .pred %{name};"),
        _ => format!(".reg .b{width} %{name};"),
    };
    let from = |name: &str, width: u32| match width {
        1 => format!("setp.ne.u64 %{name}, %x{name}, 0;"),
        64 => format!("mov.u64 %{name}, %x{name};"),
        _ => format!("cvt.u{width}.u64 %{name}, %x{name};"),
    };
    let names = ["d", "a", "b", "c"];
    let declarations: String = names.iter().zip(widths).map(|(name, width)| declared(name, width)).collect();
    let loads: String = names[1..].iter().zip(&widths[1..]).map(|(name, width)| from(name, *width)).collect();
    let stored = match widths[0] {
        1 => "selp.u64 %y, 1, 0, %d;".to_owned(),
        64 => "mov.u64 %y, %d;".to_owned(),
        width => format!("cvt.u64.u{width} %y, %d;"),
    };
    let instruction: String = text
        .chars()
        .map(|letter| {
            if "DABC".contains(letter) {
                format!("%{}", letter.to_ascii_lowercase())
            } else {
                letter.to_string()
            }
        })
        .collect();
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, \
        .param .u64 out)\n{{\n{declarations}\n\
         .reg .b32 %i; .reg .pred %p; .reg .b64 %in, %out, %at, %xa, %xb, %xc, %y;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;\n\
         mad.wide.u32 %at, %i, 24, %in; ld.global.u64 %xa, [%at]; ld.global.u64 %xb, [%at+8]; \
         ld.global.u64 %xc, [%at+16];\n\
         {loads}\n{instruction};\n{stored} mad.wide.u32 %at, %i, 8, %out; st.global.u64 [%at], %y; ret;\n}}\n"
    );
    let emulator =
        Emulator::new(&Module::parse(&text).unwrap()).unwrap_or_else(|unsupported| panic!("{unsupported}"));
    let mut results = Vec::new();
    for values in values.chunks(3 * 1024) {
        let threads = values.len() as u32 / 3;
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(values)), memory.allocate(vec![0; threads as usize * 8]));
        let parameters = [input.to_bytes(), output.to_bytes()];
        let launch = Launch {
            kernel: "k",
            grid: [1; 3],
            block: [threads, 1, 1],
            shared_bytes: 0,
            parameters: &parameters,
        };
        emulator.launch(&launch, &mut memory, &Options::default()).unwrap();
        results.extend(unpack::<u64>(memory.bytes(output)));
    }
    results
}

/// An instruction, the widths of its result and its sources, and what it should give, of which as many bits are
/// compared as the result has.
fn check(text: &str, widths: [u32; 4], reference: Reference) {
    let values = operands(text.len() as u64, 3 * 1500);
    let kept = |value: u64| if widths[0] == 64 { value } else { value & ((1 << widths[0]) - 1) };
    for (operands, result) in values.chunks(3).zip(run(text, widths, &values)) {
        let expected = kept(reference(operands[0], operands[1], operands[2]));
        assert_eq!(
            result, expected,
            "{text} of {:#x} {:#x} {:#x}: {result:#x} and not {expected:#x}",
            operands[0], operands[1], operands[2]
        );
    }
}

/// Checks an instruction against results of a device: an H100 with driver 580, on 2026-11-25.
fn measured(text: &str, widths: [u32; 4], operands: [u64; 3], result: u64) {
    let found = run(text, widths, &operands)[0];
    assert_eq!(found, result, "{text} of {operands:x?}: {found:#x} and not {result:#x}");
}

const B16: [u32; 4] = [16; 4];
const B32: [u32; 4] = [32; 4];
const B64: [u32; 4] = [64; 4];
/// One result of 64 bits, sources of 32; the last may have 64.
const WIDE: [u32; 4] = [64, 32, 32, 64];
/// A predicate of values of 32 or 64 bits and of another predicate.
const P32: [u32; 4] = [1, 32, 32, 1];
const P64: [u32; 4] = [1, 64, 64, 1];
const A64: [u32; 4] = [64, 64, 32, 32];

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// One bit pattern stands for all that are no numbers.
fn bits(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

fn zeroed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

/// Which float a value is rounded to whose product or sum with another has more bits than 64 hold: found by
/// comparing with its neighbours.
fn directed(is_below: impl Fn(f64) -> bool, is_exact: impl Fn(f64) -> bool, near: f32, up: bool) -> f32 {
    let mut found = near;
    // From below upwards, to the first that is not below.
    for _ in 0..3 {
        found = found.next_down();
    }
    loop {
        if is_exact(found.into()) {
            return found + 0.0;
        }
        let next = found.next_up();
        if !is_below(next.into()) && !is_exact(next.into()) {
            return if up { next } else { found };
        }
        found = next;
    }
}
