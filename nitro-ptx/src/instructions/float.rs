//! Floats of 32 bits ("Floating Point Instructions"), and their sums with halves ("Mixed Precision").

use super::arithmetic::minimum::{greatest, least};
use super::arithmetic::round::{Rounding, mantissa, mode, odd, odd_sum, of_half};
use super::entry::Entry;
use super::reading::Reading;
use crate::machine::compute::Function;
use crate::machine::source::Source;
use crate::machine::state::Action;
use crate::text::types::Type;

/// Makes a function of floats of 32 bits with their mode.
macro_rules! f32s {
    (|$a:ident, $b:ident, $c:ident, $mode:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, $mode: u64| {
            let ($a, $b, $c) = (read(a, $mode), read(b, $mode), read(c, $mode));
            let _ = ($a, $b, $c);
            written($value, $mode)
        })
    };
}

pub(super) const FAMILY: &[Entry] = &[
    Entry::value("add{.RND}{.ftz}{.sat}.f32  d, a, b", |op| match op.rounds() {
        Rounds::Plain => Some(|a, b, _, _| written(of(a) + of(b), 0)),
        Rounds::Nearest => f32s!(|a, b, c, mode| a + b),
        Rounds::Directed => f32s!(|a, b, c, mode| directed_sum(a.into(), b.into(), mode)),
    }),
    Entry::value("sub{.RND}{.ftz}{.sat}.f32  d, a, b", |op| match op.rounds() {
        Rounds::Plain => Some(|a, b, _, _| written(of(a) - of(b), 0)),
        Rounds::Nearest => f32s!(|a, b, c, mode| a - b),
        Rounds::Directed => f32s!(|a, b, c, mode| directed_sum(a.into(), (-b).into(), mode)),
    }),
    // A product of two floats of 32 bits is exact in 64, and is rounded once.
    Entry::value("mul{.RND}{.ftz}{.sat}.f32  d, a, b", |op| match op.rounds() {
        Rounds::Plain => Some(|a, b, _, _| written(of(a) * of(b), 0)),
        _ => f32s!(|a, b, c, mode| rounded(f64::from(a) * f64::from(b), mode)),
    }),
    // `mad` is fused as `fma` is on devices from sm_20 on ("mad").
    Entry::value("fma/mad.RND{.ftz}{.sat}.f32  d, a, b, c", |op| match op.rounds() {
        Rounds::Plain => Some(|a, b, c, _| written(of(a).mul_add(of(b), of(c)), 0)),
        _ => f32s!(|a, b, c, mode| directed_sum(f64::from(a) * f64::from(b), c.into(), mode)),
    })
    .with_numbers(),
    // `.approx` and `.full` have errors of up to 2 ulp on a device ("div").
    Entry::special("div.approx{.ftz}.f32  d, a, b", |_| f32s!(|a, b, c, mode| by_reciprocal(a, b))),
    Entry::sequence("div.full/.RND{.ftz}.f32  d, a, b", |_| {
        f32s!(|a, b, c, mode| directed_quotient(a.into(), b.into(), mode))
    }),
    Entry::special("rcp.approx/.RND{.ftz}.f32  d, a", |_| {
        f32s!(|a, b, c, mode| directed_quotient(1.0, a.into(), mode))
    }),
    Entry::special("sqrt.approx/.RND{.ftz}.f32  d, a", |op| match op.rounds() {
        Rounds::Plain | Rounds::Nearest => f32s!(|a, b, c, mode| a.sqrt()),
        Rounds::Directed => f32s!(|a, b, c, mode| directed_root(a.into(), mode)),
    }),
    Entry::value("abs{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| a.abs())),
    Entry::value("neg{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| -a)),
    // A number wins over NaN, unless `.NaN` says otherwise ("min", "max").
    Entry::value("min{.ftz}{.NaN}{.xorsign.abs}.f32  d, a, b", |_| {
        f32s!(|a, b, c, mode| least(a.into(), b.into(), mode) as f32)
    }),
    Entry::value("max{.ftz}{.NaN}{.xorsign.abs}.f32  d, a, b", |_| {
        f32s!(|a, b, c, mode| greatest(a.into(), b.into(), mode) as f32)
    }),
    Entry::value("min{.ftz}{.NaN}{.abs}.f32  d, a, b, c", |_| {
        f32s!(|a, b, c, mode| least(least(a.into(), b.into(), mode), c.into(), mode) as f32)
    }),
    Entry::value("max{.ftz}{.NaN}{.abs}.f32  d, a, b, c", |_| {
        f32s!(|a, b, c, mode| greatest(greatest(a.into(), b.into(), mode), c.into(), mode) as f32)
    }),
    // As exact as 64 bits are, once rounded: a GPU's results differ in their last bits.
    Entry::special("rsqrt.approx{.ftz}.f32  d, a", |_| {
        f32s!(|a, b, c, mode| (1.0 / f64::from(a).sqrt()) as f32)
    }),
    Entry::special("sin.approx{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| f64::from(a).sin() as f32)),
    Entry::special("cos.approx{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| f64::from(a).cos() as f32)),
    Entry::special("lg2.approx{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| f64::from(a).log2() as f32)),
    Entry::special("ex2.approx{.ftz}.f32  d, a", |_| f32s!(|a, b, c, mode| f64::from(a).exp2() as f32)),
    Entry::special("tanh.approx.f32  d, a", |_| f32s!(|a, b, c, mode| f64::from(a).tanh() as f32)),
    // The magnitude is that of the second source ("copysign").
    Entry::value("copysign.f32  d, a, b", |_| Some(|a, b, _, _| b & 0x7fff_ffff | a & 0x8000_0000)),
    // Tests write predicates ("testp").
    Entry::value("testp.finite.f32  p, a", |_| Some(|a, _, _, _| of(a).is_finite().into())),
    Entry::value("testp.infinite.f32  p, a", |_| Some(|a, _, _, _| of(a).is_infinite().into())),
    Entry::value("testp.number.f32  p, a", |_| Some(|a, _, _, _| (!of(a).is_nan()).into())),
    Entry::value("testp.notanumber.f32  p, a", |_| Some(|a, _, _, _| of(a).is_nan().into())),
    // A zero counts as normal.
    Entry::value("testp.normal.f32  p, a", |_| Some(|a, _, _, _| (of(a).is_normal() || of(a) == 0.0).into())),
    Entry::value("testp.subnormal.f32  p, a", |_| Some(|a, _, _, _| of(a).is_subnormal().into())),
    // Of mixed precision the halves are made floats first, without rounding ("add", "sub", "fma" of mixed
    // precision).
    Entry::pure("add{.RND}{.sat}.f32.f16/.bf16  d, a, c", |op| {
        mixed(op, |a, b, _, mode| written(directed_sum(half(a, mode), of(b).into(), mode), mode))
    }),
    Entry::pure("sub{.RND}{.sat}.f32.f16/.bf16  d, a, c", |op| {
        mixed(op, |a, b, _, mode| written(directed_sum(half(a, mode), (-of(b)).into(), mode), mode))
    }),
    Entry::pure("fma.RND{.sat}.f32.f16/.bf16  d, a, b, c", |op| {
        mixed(op, |a, b, c, mode| {
            written(directed_sum(half(a, mode) * half(b, mode), of(c).into(), mode), mode)
        })
    }),
];

/// The way in which an opcode rounds.
enum Rounds {
    /// To the nearest, with nothing else said: as the host's processor does.
    Plain,
    Nearest,
    Directed,
}

impl Reading<'_, '_> {
    fn rounds(&self) -> Rounds {
        match Rounding::parse(&self.parts) {
            None | Some((Rounding::Nearest, _)) if !self.has("ftz") && !self.has("sat") => Rounds::Plain,
            None | Some((Rounding::Nearest, _)) => Rounds::Nearest,
            _ => Rounds::Directed,
        }
    }
}

/// Decodes a function of halves and, as its last source, a float of 32 bits.
fn mixed(op: &Reading, function: Function) -> Result<Action, String> {
    let halves = op.instruction.operands.len() - 2;
    let mut from = op.sources(1, halves, op.kind)?;
    from[halves] = op.source(1 + halves, Type::F32)?;
    from[3] = Source::Constant(mode::of(&op.parts, op.kind));
    op.computed(function, from, 1)
}

fn half(bits: u64, mode: u64) -> f64 {
    of_half(bits as u16, mantissa(mode & mode::BF16 != 0))
}

fn of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Returns zero for what is subnormal, with `.ftz`.
pub(super) fn flushed(value: f32, mode: u64) -> f32 {
    if mode & mode::FLUSH != 0 && value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

fn read(bits: u64, mode: u64) -> f32 {
    flushed(of(bits), mode)
}

/// Returns the bits of a result. NaN has one payload, 0x7fffffff ("Floating Point Instructions").
fn written(value: f32, mode: u64) -> u64 {
    let mut value = flushed(value, mode);
    if mode & mode::SATURATE != 0 {
        value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
    }
    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
}

/// Returns a quotient as of a product with the reciprocal, which is zero for divisors above 2^126 ("div").
fn by_reciprocal(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits((126 + 127) << 23);
    if b.is_finite() && b.abs() > LARGE { a * 0.0_f32.copysign(b) } else { a / b }
}

fn directed_sum(a: f64, b: f64, mode: u64) -> f32 {
    let rounding = Rounding::of(mode);
    let sum = odd_sum(a, b);
    // What adds up to nothing is negative only where everything is rounded down (IEEE 754, 6.3).
    let is_cancelled = a != 0.0 || a.is_sign_negative() != b.is_sign_negative();
    if sum == 0.0 && rounding == Rounding::Down && is_cancelled {
        return -0.0;
    }
    rounded(sum, mode)
}

/// Rounds a value to 32 bits. What is flushed is what would be subnormal if exponents had no end, as on a device.
fn rounded(value: f64, mode: u64) -> f32 {
    const SCALE: f64 = 18_446_744_073_709_551_616.0; // 2^64
    let single = Rounding::of(mode).single(value);
    if mode & mode::FLUSH == 0 || single.abs() > f32::MIN_POSITIVE {
        return single;
    }
    // Times 2^64 nothing is subnormal, so that this rounds as without an end of exponents.
    let unbounded = f64::from(Rounding::of(mode).single(value * SCALE)) / SCALE;
    if unbounded.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f32.copysign(single) } else { single }
}

fn directed_quotient(a: f64, b: f64, mode: u64) -> f32 {
    let quotient = a / b;
    // The remainder, which is exact, says on which side of the quotient the true one is.
    let missing = (-quotient).mul_add(b, a) * b.signum();
    rounded(if quotient == 0.0 { quotient } else { odd(quotient, missing) }, mode)
}

fn directed_root(a: f64, mode: u64) -> f32 {
    let root = a.sqrt();
    Rounding::of(mode).single(odd(root, (-root).mul_add(root, a)))
}
