//! Floats of 64 bits ("Floating Point Instructions").

use super::arithmetic::minimum::{greatest, least};
use super::arithmetic::round::Rounding;
use super::arithmetic::soft;
use super::entry::Entry;
use super::reading::Reading;

/// Makes a function of floats of 64 bits.
macro_rules! f64s {
    (|$a:ident, $b:ident, $c:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, _| {
            let ($a, $b, $c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let _ = ($a, $b, $c);
            f64::to_bits($value)
        })
    };
}

/// Makes a function of floats of 64 bits in the rounding of its mode, which is the last source.
macro_rules! directed {
    (|$a:ident, $b:ident, $c:ident, $rounding:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, mode: u64| {
            let ($a, $b, $c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let ($rounding, _) = (Rounding::of(mode), ($a, $b, $c));
            f64::to_bits($value)
        })
    };
}

// The processor rounds to the nearest; in other directions software does.
pub(super) const FAMILY: &[Entry] = &[
    Entry::value("add{.RND}.f64  d, a, b", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a + b),
        false => directed!(|a, b, c, rounding| soft::sum(a, b, rounding)),
    }),
    Entry::value("sub{.RND}.f64  d, a, b", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a - b),
        false => directed!(|a, b, c, rounding| soft::sum(a, -b, rounding)),
    }),
    Entry::value("mul{.RND}.f64  d, a, b", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a * b),
        false => directed!(|a, b, c, rounding| soft::product(a, b, rounding)),
    }),
    Entry::value("fma/mad.RND.f64  d, a, b, c", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a.mul_add(b, c)),
        false => directed!(|a, b, c, rounding| soft::fused(a, b, c, rounding)),
    }),
    Entry::sequence("div.RND.f64  d, a, b", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a / b),
        false => directed!(|a, b, c, rounding| soft::quotient(a, b, rounding)),
    }),
    Entry::sequence("rcp.RND.f64  d, a", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| 1.0 / a),
        false => directed!(|a, b, c, rounding| soft::quotient(1.0, a, rounding)),
    }),
    Entry::sequence("sqrt.RND.f64  d, a", |op| match is_nearest(op) {
        true => f64s!(|a, b, c| a.sqrt()),
        false => directed!(|a, b, c, rounding| soft::root(a, rounding)),
    }),
    // These approximations have 20 bits ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64").
    Entry::sequence("rcp.approx.ftz.f64  d, a", |_| {
        Some(|a, _, _, _| upper_half(a, |a| without_subnormals(1.0 / a)))
    }),
    Entry::special("rsqrt.approx{.ftz}.f64  d, a", |op| match op.has("ftz") {
        true => Some(|a, _, _, _| upper_half(a, |a| 1.0 / a.sqrt())),
        false => f64s!(|a, b, c| 1.0 / a.sqrt()),
    }),
    // Doubles have neither `.NaN` nor `.ftz` ("min", "max").
    Entry::value("min.f64  d, a, b", |_| f64s!(|a, b, c| least(a, b, 0))),
    Entry::value("max.f64  d, a, b", |_| f64s!(|a, b, c| greatest(a, b, 0))),
    Entry::value("neg.f64  d, a", |_| Some(|a, _, _, _| a ^ 1 << 63)),
    Entry::value("abs.f64  d, a", |_| Some(|a, _, _, _| a & !(1 << 63))),
    Entry::value("copysign.f64  d, a, b", |_| Some(|a, b, _, _| b & !(1 << 63) | a & 1 << 63)),
    Entry::value("testp.finite.f64  p, a", |_| Some(|a, _, _, _| f64::from_bits(a).is_finite().into())),
    Entry::value("testp.infinite.f64  p, a", |_| Some(|a, _, _, _| f64::from_bits(a).is_infinite().into())),
    Entry::value("testp.number.f64  p, a", |_| Some(|a, _, _, _| (!f64::from_bits(a).is_nan()).into())),
    Entry::value("testp.notanumber.f64  p, a", |_| Some(|a, _, _, _| f64::from_bits(a).is_nan().into())),
    // A zero counts as normal.
    Entry::value("testp.normal.f64  p, a", |_| {
        Some(|a, _, _, _| (f64::from_bits(a).is_normal() || f64::from_bits(a) == 0.0).into())
    }),
    Entry::value("testp.subnormal.f64  p, a", |_| Some(|a, _, _, _| f64::from_bits(a).is_subnormal().into())),
];

fn is_nearest(op: &Reading) -> bool {
    matches!(Rounding::parse(&op.parts), None | Some((Rounding::Nearest, _)))
}

/// Returns an approximation that reads and writes the upper 32 bits alone, without subnormals ("rcp.approx.ftz.f64").
/// Its NaN is a device's.
fn upper_half(a: u64, function: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = !0xffff_ffff;
    let value = function(without_subnormals(f64::from_bits(a & UPPER)));
    let bits = if value.is_nan() { u64::MAX >> 1 } else { value.to_bits() };
    bits & UPPER
}

fn without_subnormals(value: f64) -> f64 {
    if value.is_subnormal() { 0.0_f64.copysign(value) } else { value }
}
