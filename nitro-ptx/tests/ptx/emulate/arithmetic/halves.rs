//! Floats of 16 bits.

use nitro_test_support::random::Random;

use super::{B16, B32, run, single};

/// The value of 16 bits with so many of them in the mantissa, by the definition of the format.
fn value_of_half(bits: u16, mantissa: i32) -> f64 {
    let exponent = i32::from(bits & 0x7fff) >> mantissa;
    let fraction = f64::from(bits & ((1 << mantissa) - 1)) / 2_f64.powi(mantissa);
    let bias = (1 << (14 - mantissa)) - 1;
    let magnitude = if exponent == 0 {
        fraction * 2_f64.powi(1 - bias)
    } else {
        (1.0 + fraction) * 2_f64.powi(exponent - bias)
    };
    if bits >> 15 != 0 { -magnitude } else { magnitude }
}

fn is_finite_half(bits: u16, mantissa: i32) -> bool {
    i32::from(bits & 0x7fff) >> mantissa < (1 << (15 - mantissa)) - 1
}

/// The nearest of all values, of two the one whose last bit is 0.
fn nearest_half(value: f64, mantissa: i32) -> u16 {
    let infinity = (((1 << (15 - mantissa)) - 1) << mantissa) as u16;
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    let below = (0..infinity)
        .collect::<Vec<u16>>()
        .partition_point(|&bits| value_of_half(bits, mantissa) <= magnitude) as u16
        - 1;
    // Beyond the last one counts as the next would.
    let above = 2.0 * value_of_half(infinity - 1, mantissa) - value_of_half(infinity - 2, mantissa);
    let next = if below + 1 == infinity { above } else { value_of_half(below + 1, mantissa) };
    let (down, up) = (magnitude - value_of_half(below, mantissa), next - magnitude);
    sign | if down < up || down == up && below.is_multiple_of(2) { below } else { below + 1 }
}

#[test]
fn floats_of_16_bits() {
    for (kind, mantissa) in [("f16", 10), ("bf16", 7)] {
        let all: Vec<u64> = (0..=u16::MAX).flat_map(|bits| [bits.into(), 0, 0]).collect();
        let values = run(&format!("cvt.f32.{kind} D, A"), [32, 16, 16, 16], &all);
        for (bits, value) in (0..=u16::MAX).zip(values) {
            if is_finite_half(bits, mantissa) {
                assert_eq!(f64::from(single(value)), value_of_half(bits, mantissa), "{kind} {bits:#x}");
            } else {
                assert!(!single(value).is_finite(), "{kind} {bits:#x}");
            }
        }
        let mut random = Random::new(9);
        let mut one = |bits: u64| if random.below(3) == 0 { random.bits() } else { bits };
        let halves: Vec<u64> =
            (0..1024 * 3).map(|at: u64| one(at.wrapping_mul(0x9e37) & 0xffff) & 0xffff).collect();
        let is_finite = |bits: u64| is_finite_half(bits as u16, mantissa);
        let value = |bits: u64| value_of_half(bits as u16, mantissa);
        let sums = run(&format!("add.rn.{kind} D, A, B"), B16, &halves);
        let products = run(&format!("mul.rn.{kind} D, A, B"), B16, &halves);
        let pairs = halves
            .chunks(3)
            .zip(sums)
            .zip(products)
            .filter(|((halves, _), _)| halves.iter().all(|half| is_finite(*half)));
        for ((halves, sum), product) in pairs.take(150) {
            let (a, b) = (value(halves[0]), value(halves[1]));
            // Sums of these are exact in 64 bits where they are near each other.
            if (a + b) - a == b && (a + b) - b == a {
                assert_eq!(sum as u16, nearest_half(a + b, mantissa), "{kind} {a} + {b}");
            }
            assert_eq!(product as u16, nearest_half(a * b, mantissa), "{kind} {a} * {b}");
        }
        let singles: Vec<u64> = (0..300).map(|at| halves[at] << 16 | (at as u64 * 0x1357) & 0xffff).collect();
        for (operands, half) in
            singles.chunks(3).zip(run(&format!("cvt.rn.{kind}.f32 D, A"), [16, 32, 32, 32], &singles))
        {
            if single(operands[0]).is_finite() {
                assert_eq!(
                    half as u16,
                    nearest_half(single(operands[0]).into(), mantissa),
                    "{kind} {}",
                    single(operands[0])
                );
            }
        }
    }
    // 1 + 2^-11 + 2^-24 is beyond the middle, which rounding twice would not see.
    let [one, small] = [0x3c00, 0x0001];
    assert_eq!(run("fma.rn.f16 D, A, B, C", B16, &[one, one, 0x1000]), [0x3c00]);
    assert_eq!(run("fma.rn.f16 D, A, B, C", B16, &[0x1001, one, one]), [0x3c01]);
    let pair = |low: u64, high: u64| low | high << 16;
    let x2 =
        run("fma.rn.f16x2 D, A, B, C", B32, &[pair(one, 0x4000), pair(0x4200, 0x4200), pair(small, one)]);
    assert_eq!(x2, [pair(0x4200, 0x4700)]);
    assert_eq!(run("cvt.rn.f16x2.f32 D, A, B", B32, &[0x3f80_0000, 0x4000_0000, 0]), [pair(0x4000, 0x3c00)]);
    assert_eq!(
        run("set.eq.f16x2.f16x2 D, A, B", B32, &[pair(one, small), pair(one, one), 0]),
        [pair(one, 0)]
    );
    assert_eq!(
        run("add.ftz.f16x2 D, A, B", B32, &[pair(small, one), pair(small, one), 0]),
        [pair(0, 0x4000)]
    );
}
