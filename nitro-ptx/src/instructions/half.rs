//! Floats of 16 bits, one or two at once ("Half Precision Floating Point Instructions").

use super::arithmetic::minimum::{greatest, least};
use super::arithmetic::round::{Rounding, mantissa, mode, odd_sum, of_half};
use super::entry::Entry;

pub(super) const FAMILY: &[Entry] = &[
    // Functions give more bits than a half has, so that it is rounded once ("Half Precision Floating Point
    // Instructions").
    Entry::value("add{.rn}{.ftz}{.sat}.f16/.f16x2  d, a, b\n add{.rn}.bf16/.bf16x2  d, a, b", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, b, _| odd_sum(a, b)))
    }),
    Entry::value("sub{.rn}{.ftz}{.sat}.f16/.f16x2  d, a, b\n sub{.rn}.bf16/.bf16x2  d, a, b", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, b, _| odd_sum(a, -b)))
    }),
    Entry::value("mul{.rn}{.ftz}{.sat}.f16/.f16x2  d, a, b\n mul{.rn}.bf16/.bf16x2  d, a, b", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, b, _| a * b))
    }),
    Entry::value(
        "fma.rn{.ftz}{.sat}.f16/.f16x2  d, a, b, c
         fma.rn{.ftz}.relu.f16/.f16x2  d, a, b, c
         fma.rn{.relu}.bf16/.bf16x2  d, a, b, c",
        |_| Some(|a, b, c, mode| each(a, b, c, mode, |a, b, c| odd_sum(a * b, c))),
    ),
    Entry::value("abs{.ftz}.f16/.f16x2  d, a\n abs.bf16/.bf16x2  d, a", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.abs()))
    }),
    Entry::value("neg{.ftz}.f16/.f16x2  d, a\n neg.bf16/.bf16x2  d, a", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, _, _| -a))
    }),
    Entry::value(
        "min{.ftz}{.NaN}{.xorsign.abs}.f16/.f16x2  d, a, b
         min{.NaN}{.xorsign.abs}.bf16/.bf16x2  d, a, b",
        |_| Some(|a, b, c, mode| each(a, b, c, mode, |a, b, _| least(a, b, mode))),
    ),
    Entry::value(
        "max{.ftz}{.NaN}{.xorsign.abs}.f16/.f16x2  d, a, b
         max{.NaN}{.xorsign.abs}.bf16/.bf16x2  d, a, b",
        |_| Some(|a, b, c, mode| each(a, b, c, mode, |a, b, _| greatest(a, b, mode))),
    ),
    Entry::special("tanh.approx.f16/.f16x2/.bf16/.bf16x2  d, a", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.tanh()))
    }),
    Entry::special("ex2.approx.f16/.f16x2  d, a\n ex2.approx.ftz.bf16/.bf16x2  d, a", |_| {
        Some(|a, b, c, mode| each(a, b, c, mode, |a, _, _| a.exp2()))
    }),
];

/// Applies a function of exact values to each half; it rounds so that it may be rounded again.
fn each(a: u64, b: u64, c: u64, mode: u64, function: impl Fn(f64, f64, f64) -> f64) -> u64 {
    let mantissa = mantissa(mode & mode::BF16 != 0);
    let mut result = 0;
    for at in if mode & mode::PAIR != 0 { &[0, 16][..] } else { &[0] } {
        let [a, b, c] = [a, b, c].map(|bits| flushed(of_half((bits >> at) as u16, mantissa), mode));
        // Results are flushed before they saturate, and saturate before they are rounded.
        let mut value = flushed_result(function(a, b, c), mode);
        if mode & mode::SATURATE != 0 {
            value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
        }
        if mode & mode::RECTIFY != 0 && value <= 0.0 {
            value = 0.0;
        }
        result |= u64::from(Rounding::Nearest.half(value, mantissa)) << at;
    }
    result
}

/// Returns the sum of halves, or of pairs of them, with nothing else said.
pub(super) fn half_sum(a: u64, b: u64, mode: u64) -> u64 {
    each(a, b, 0, mode, |a, b, _| odd_sum(a, b))
}

/// Returns zero for what is subnormal in its format, if subnormals are flushed.
pub(super) fn flushed(value: f64, mode: u64) -> f64 {
    let smallest = if mode & mode::BF16 != 0 { f64::from(f32::MIN_POSITIVE) } else { SMALLEST };
    if mode & mode::FLUSH != 0 && value.abs() < smallest { 0.0_f64.copysign(value) } else { value }
}

/// Returns zero for a result that is subnormal, as if it had been rounded with exponents that have no end.
fn flushed_result(value: f64, mode: u64) -> f64 {
    let (smallest, digits) =
        if mode & mode::BF16 != 0 { (f64::from(f32::MIN_POSITIVE), 7) } else { (SMALLEST, 10) };
    // From here on it is rounded to the smallest number that is normal.
    let least = smallest * (1.0 - 2_f64.powi(-2 - digits));
    if mode & mode::FLUSH != 0 && value.abs() < least { 0.0_f64.copysign(value) } else { value }
}

/// The smallest number of the first format that is no subnormal.
const SMALLEST: f64 = 6.103_515_625e-5;
