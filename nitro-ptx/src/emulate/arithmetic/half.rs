//! Floats of 16 bits, one or two at once.

use super::Function;
use super::float::{greatest, least};
use super::round::{Rounding, mode, odd_sum, of_half};

/// Bits of the mantissa.
pub(in crate::emulate) fn mantissa(is_bf16: bool) -> u32 {
    if is_bf16 { 7 } else { 10 }
}

/// Applies a function of exact values to each half; it rounds so that it may be rounded again.
fn each(a: u64, b: u64, c: u64, mode: u64, function: impl Fn(f64, f64, f64) -> f64) -> u64 {
    let mantissa = mantissa(mode & mode::BF16 != 0);
    let one = |at: u32| {
        let of = |bits: u64| flushed(of_half((bits >> at) as u16, mantissa), mode);
        let mut value = flushed_result(function(of(a), of(b), of(c)), mode);
        if mode & mode::SATURATE != 0 {
            value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
        }
        if mode & mode::RECTIFY != 0 && value <= 0.0 {
            value = 0.0;
        }
        u64::from(Rounding::Nearest.half(value, mantissa)) << at
    };
    if mode & mode::PAIR != 0 { one(0) | one(16) } else { one(0) }
}

/// The sum of halves, or of pairs of them, with nothing else said.
pub(in crate::emulate) fn half_sum(a: u64, b: u64, mode: u64) -> u64 {
    each(a, b, 0, mode, |a, b, _| odd_sum(a, b))
}

/// Zero for what is subnormal in its format, if subnormals are flushed.
pub(super) fn flushed(value: f64, mode: u64) -> f64 {
    let smallest = if mode & mode::BF16 != 0 { f64::from(f32::MIN_POSITIVE) } else { SMALLEST };
    if mode & mode::FLUSH != 0 && value.abs() < smallest { 0.0_f64.copysign(value) } else { value }
}

/// Zero for a result that is subnormal, as if it had been rounded with exponents that have no end.
fn flushed_result(value: f64, mode: u64) -> f64 {
    let (smallest, digits) =
        if mode & mode::BF16 != 0 { (f64::from(f32::MIN_POSITIVE), 7) } else { (SMALLEST, 10) };
    // From here on it is rounded to the smallest number that is normal.
    let least = smallest * (1.0 - 2_f64.powi(-2 - digits));
    if mode & mode::FLUSH != 0 && value.abs() < least { 0.0_f64.copysign(value) } else { value }
}

/// The smallest number of the first format that is no subnormal.
const SMALLEST: f64 = 6.103_515_625e-5;

/// The function of an opcode of floats of 16 bits, and how many sources it takes before the mode.
pub(in crate::emulate) fn half(name: &str) -> Option<(Function, usize)> {
    let function: (Function, usize) = match name {
        "add" => (|a, b, c, mode| each(a, b, c, mode, |a, b, _| odd_sum(a, b)), 2),
        "sub" => (|a, b, c, mode| each(a, b, c, mode, |a, b, _| odd_sum(a, -b)), 2),
        "mul" => (|a, b, c, mode| each(a, b, c, mode, |a, b, _| a * b), 2),
        "fma" => (|a, b, c, mode| each(a, b, c, mode, |a, b, c| odd_sum(a * b, c)), 3),
        "min" => (|a, b, c, mode| each(a, b, c, mode, |a, b, _| least(a, b, mode)), 2),
        "max" => (|a, b, c, mode| each(a, b, c, mode, |a, b, _| greatest(a, b, mode)), 2),
        "neg" => (|a, b, c, mode| each(a, b, c, mode, |a, _, _| -a), 1),
        "abs" => (|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.abs()), 1),
        "ex2" => (|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.exp2()), 1),
        "tanh" => (|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.tanh()), 1),
        _ => return None,
    };
    Some(function)
}
