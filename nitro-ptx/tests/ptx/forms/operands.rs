//! Operands at the edges of their types, in all combinations that are drawn.

use nitro_test_support::random::Random;

use super::case::Case;
use super::float::Format;

/// The kind of operands that a case takes.
pub fn group(case: &Case) -> String {
    let types = case.types();
    match Format::of(case.kind()) {
        Some(_) if types.len() == 2 && matches!(case.name.as_str(), "add" | "sub" | "fma") => {
            format!("mixed.{}", case.kind())
        }
        Some(_) => case.kind().to_owned(),
        None => "integer".to_owned(),
    }
}

/// Operands of a kind for so many threads.
pub fn drawn(group: &str, seed: u64, threads: usize) -> Vec<[u64; 4]> {
    let mut random = Random::new(seed ^ group.bytes().fold(7, |seed, byte| seed * 31 + u64::from(byte)));
    let one = |random: &mut Random, at: usize| match group {
        "integer" => integer(random),
        "mixed.f16" | "mixed.bf16" if at == 2 => wide(random),
        "mixed.f16" | "mixed.bf16" if at == 1 => {
            // The second operand of a sum has 32 bits, that of a product 16, which are its lowest.
            let format = Format::of(&group[6..]).unwrap();
            float(random, Format::F32) & !0xffff | float(random, format)
        }
        "mixed.f16" | "mixed.bf16" => float(random, Format::of(&group[6..]).unwrap()),
        _ => {
            let format = Format::of(group).unwrap();
            match format.bits() {
                16 => float(random, format) | float(random, format) << 16,
                _ => float(random, format),
            }
        }
    };
    let operands = |_| {
        let mut values = [0, 1, 2, 3].map(|at| one(&mut random, at));
        // Some are the same, or each other's opposite.
        match random.below(8) {
            0 => values[1] = values[0],
            1 if group != "integer" => values[1] = values[0] ^ sign(group),
            2 => values[2] = values[0],
            _ => {}
        }
        values
    };
    (0..threads).map(operands).collect()
}

fn sign(group: &str) -> u64 {
    Format::of(group).map_or(0x8000, Format::sign)
}

fn wide(random: &mut Random) -> u64 {
    float(random, Format::F32)
}

fn integer(random: &mut Random) -> u64 {
    const EDGES: [u64; 20] =
        [0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff];
    const WIDE: [u64; 9] = [
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        1 << 62,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
        0x8000_0000_8000_8000,
    ];
    match random.below(6) {
        0 | 1 => EDGES[random.below(20) as usize],
        2 => WIDE[random.below(9) as usize],
        3 => random.bits() >> random.below(64),
        4 => (random.bits() >> random.below(64)).wrapping_neg(),
        _ => random.bits(),
    }
}

/// A float with fields at their edges more often than not.
fn float(random: &mut Random, format: Format) -> u64 {
    let mantissa_bits = match format {
        Format::F16 => 10,
        Format::Bf16 => 7,
        Format::F32 => 23,
        Format::F64 => 52,
    };
    let exponent_bits = format.bits() - 1 - mantissa_bits;
    let (most, ones) = ((1_u64 << exponent_bits) - 1, (1_u64 << mantissa_bits) - 1);
    let bias = most / 2;
    let half = 1_u64 << (mantissa_bits - 1);
    let exponents = [
        0,
        0,
        1,
        2,
        bias - 2,
        bias - 1,
        bias,
        bias + 1,
        bias + u64::from(mantissa_bits),
        (bias + 31).min(most - 1),
        (bias + 63).min(most - 1),
        bias / 2,
        bias + bias / 2,
        most - 1,
        most,
    ];
    let exponent = match random.below(4) {
        0 => random.below(most + 1),
        1 => (bias + random.below(5)).saturating_sub(2),
        _ => exponents[random.below(15) as usize],
    };
    let mantissas = [0, 0, 1, 2, half - 1, half, half + 1, ones - 1, ones];
    let mantissa = match random.below(3) {
        0 => random.bits() & ones,
        _ => mantissas[random.below(9) as usize],
    };
    (random.below(2) << (format.bits() - 1)) | exponent << mantissa_bits | mantissa
}
