//! Floats of 32 and 64 bits.

use super::Function;
use super::half::mantissa;
use super::round::{Rounding, mode, odd, odd_sum, of_half};
use super::soft;
use crate::emulate::types::Type;

/// The function of an opcode of floats, and how many sources it takes before the mode.
pub(in crate::emulate) fn float(name: &str, parts: &[&str], kind: Type) -> Option<(Function, usize)> {
    match kind {
        Type::F32 => single(name, parts),
        Type::F64 => double(name, parts),
        _ => None,
    }
}

/// What is not a number has these bits in results of 32 bits.
const NAN: u64 = 0x7fff_ffff;

pub(in crate::emulate) fn flushed(value: f32, mode: u64) -> f32 {
    if mode & mode::FLUSH != 0 && value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

fn read(bits: u64, mode: u64) -> f32 {
    flushed(f32::from_bits(bits as u32), mode)
}

fn written(value: f32, mode: u64) -> u64 {
    let mut value = flushed(value, mode);
    if mode & mode::SATURATE != 0 {
        value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
    }
    if value.is_nan() { NAN } else { u64::from(value.to_bits()) }
}

/// A function of 32 bits with its mode.
macro_rules! f32s {
    (|$a:ident, $b:ident, $c:ident, $mode:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, $mode: u64| {
            let ($a, $b, $c) = (read(a, $mode), read(b, $mode), read(c, $mode));
            let _ = ($a, $b, $c);
            written($value, $mode)
        })
    };
}

fn single(name: &str, parts: &[&str]) -> Option<(Function, usize)> {
    let is_nearest = matches!(Rounding::parse(parts), None | Some((Rounding::Nearest, _)));
    let is_plain = is_nearest && !parts.iter().any(|part| matches!(*part, "ftz" | "sat"));
    let sources = match name {
        "fma" | "mad" => 3,
        "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => 2,
        _ => 1,
    };
    let function: Option<Function> = match name {
        "add" if is_plain => Some(|a, b, _, _| written(of(a) + of(b), 0)),
        "sub" if is_plain => Some(|a, b, _, _| written(of(a) - of(b), 0)),
        "mul" if is_plain => Some(|a, b, _, _| written(of(a) * of(b), 0)),
        "fma" | "mad" if is_plain => Some(|a, b, c, _| written(of(a).mul_add(of(b), of(c)), 0)),
        "add" if is_nearest => f32s!(|a, b, c, mode| a + b),
        "sub" if is_nearest => f32s!(|a, b, c, mode| a - b),
        "div" if parts.contains(&"approx") => f32s!(|a, b, c, mode| by_reciprocal(a, b)),
        "sqrt" if is_nearest => f32s!(|a, b, c, mode| a.sqrt()),
        "add" => f32s!(|a, b, c, mode| directed_sum(a.into(), b.into(), mode)),
        "sub" => f32s!(|a, b, c, mode| directed_sum(a.into(), (-b).into(), mode)),
        "mul" => f32s!(|a, b, c, mode| rounded(f64::from(a) * f64::from(b), mode)),
        "fma" | "mad" => f32s!(|a, b, c, mode| directed_sum(f64::from(a) * f64::from(b), c.into(), mode)),
        "div" => f32s!(|a, b, c, mode| directed_quotient(a.into(), b.into(), mode)),
        "rcp" => f32s!(|a, b, c, mode| directed_quotient(1.0, a.into(), mode)),
        "sqrt" => f32s!(|a, b, c, mode| directed_root(a.into(), mode)),
        "neg" => f32s!(|a, b, c, mode| -a),
        "abs" => f32s!(|a, b, c, mode| a.abs()),
        "min" => f32s!(|a, b, c, mode| least(a.into(), b.into(), mode) as f32),
        "max" => f32s!(|a, b, c, mode| greatest(a.into(), b.into(), mode) as f32),
        // As exact as 64 bits are, once rounded: a GPU's results differ in their last bits.
        "rsqrt" => f32s!(|a, b, c, mode| (1.0 / f64::from(a).sqrt()) as f32),
        "ex2" => f32s!(|a, b, c, mode| f64::from(a).exp2() as f32),
        "lg2" => f32s!(|a, b, c, mode| f64::from(a).log2() as f32),
        "sin" => f32s!(|a, b, c, mode| f64::from(a).sin() as f32),
        "cos" => f32s!(|a, b, c, mode| f64::from(a).cos() as f32),
        "tanh" => f32s!(|a, b, c, mode| f64::from(a).tanh() as f32),
        "copysign" => Some(|a, b, _, _| b & 0x7fff_ffff | a & 0x8000_0000),
        _ => None,
    };
    function.map(|function| (function, sources))
}

/// A quotient as of a product with the reciprocal, which is zero for the largest divisors.
fn by_reciprocal(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits((126 + 127) << 23);
    if b.is_finite() && b.abs() > LARGE { a * 0.0_f32.copysign(b) } else { a / b }
}

/// The function of `min` and `max` of three values.
pub(in crate::emulate) fn of_three(name: &str) -> Option<Function> {
    match name {
        "min" => f32s!(|a, b, c, mode| {
            let first = least(a.into(), b.into(), mode);
            least(first, c.into(), mode) as f32
        }),
        "max" => f32s!(|a, b, c, mode| {
            let first = greatest(a.into(), b.into(), mode);
            greatest(first, c.into(), mode) as f32
        }),
        _ => None,
    }
}

/// The function of an opcode whose result has 32 bits and whose operands have 16, but for the last, which has 32.
pub(in crate::emulate) fn mixed(name: &str) -> Option<Function> {
    fn half(bits: u64, mode: u64) -> f64 {
        of_half(bits as u16, mantissa(mode & mode::BF16 != 0))
    }
    Some(match name {
        "add" => |a, b, _, mode| written(directed_sum(half(a, mode), of(b).into(), mode), mode),
        "sub" => |a, b, _, mode| written(directed_sum(half(a, mode), (-of(b)).into(), mode), mode),
        "fma" => {
            |a, b, c, mode| written(directed_sum(half(a, mode) * half(b, mode), of(c).into(), mode), mode)
        }
        _ => return None,
    })
}

fn of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The smaller one, as the modifiers of an opcode say.
pub(super) fn least(a: f64, b: f64, mode: u64) -> f64 {
    signed(a, b, mode, smaller)
}

/// The larger one.
pub(super) fn greatest(a: f64, b: f64, mode: u64) -> f64 {
    signed(a, b, mode, |a, b, mode| -smaller(-a, -b, mode))
}

/// A choice among magnitudes, with the sign of a product, if the modifiers say so.
fn signed(a: f64, b: f64, mode: u64, choose: impl Fn(f64, f64, u64) -> f64) -> f64 {
    if mode & mode::MAGNITUDE == 0 {
        return choose(a, b, mode);
    }
    let is_negative = mode & mode::SIGN != 0 && a.is_sign_negative() != b.is_sign_negative();
    let chosen = choose(a.abs(), b.abs(), mode);
    if is_negative { -chosen } else { chosen }
}

/// The smaller one; negative zero is smaller than zero, and what is no number gives way to one that is.
fn smaller(a: f64, b: f64, mode: u64) -> f64 {
    let none_wins = mode & mode::NAN != 0;
    match (a.is_nan(), b.is_nan()) {
        (true, true) => f64::NAN,
        (true, false) | (false, true) if none_wins => f64::NAN,
        (true, false) => b,
        (false, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => a.min(b),
    }
}

fn directed_sum(a: f64, b: f64, mode: u64) -> f32 {
    let rounding = Rounding::of(mode);
    let sum = odd_sum(a, b);
    // What adds up to nothing is negative only where everything is rounded down.
    if sum == 0.0 && rounding == Rounding::Down && (a != 0.0 || a.is_sign_negative() != b.is_sign_negative())
    {
        return -0.0;
    }
    rounded(sum, mode)
}

/// A value rounded to 32 bits. What is flushed is what would be subnormal if exponents had no end, as on a device.
fn rounded(value: f64, mode: u64) -> f32 {
    const SCALE: f64 = 18_446_744_073_709_551_616.0; // 2^64
    let single = Rounding::of(mode).single(value);
    if mode & mode::FLUSH == 0 || single.abs() > f32::MIN_POSITIVE {
        return single;
    }
    let unbounded = f64::from(Rounding::of(mode).single(value * SCALE)) / SCALE;
    if unbounded.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f32.copysign(single) } else { single }
}

fn directed_quotient(a: f64, b: f64, mode: u64) -> f32 {
    let quotient = a / b;
    let missing = (-quotient).mul_add(b, a) * b.signum();
    rounded(if quotient == 0.0 { quotient } else { odd(quotient, missing) }, mode)
}

fn directed_root(a: f64, mode: u64) -> f32 {
    let root = a.sqrt();
    Rounding::of(mode).single(odd(root, (-root).mul_add(root, a)))
}

/// A function of 64 bits.
macro_rules! f64s {
    (|$a:ident, $b:ident, $c:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, _| {
            let ($a, $b, $c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let _ = ($a, $b, $c);
            f64::to_bits($value)
        })
    };
}

/// A function of 64 bits in the rounding of its mode, which is the last source.
macro_rules! directed {
    (|$a:ident, $b:ident, $c:ident, $rounding:ident| $value:expr) => {
        Some(|a: u64, b: u64, c: u64, mode: u64| {
            let ($a, $b, $c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let ($rounding, _) = (Rounding::of(mode), ($a, $b, $c));
            f64::to_bits($value)
        })
    };
}

/// An approximation that reads and writes the upper 32 bits alone, without subnormals; its NaN is a device's.
fn upper_half(a: u64, function: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = !0xffff_ffff;
    let value = function(without_subnormals(f64::from_bits(a & UPPER)));
    let bits = if value.is_nan() { u64::MAX >> 1 } else { value.to_bits() };
    bits & UPPER
}

/// Zero for what is subnormal.
fn without_subnormals(value: f64) -> f64 {
    if value.is_subnormal() { 0.0_f64.copysign(value) } else { value }
}

fn double(name: &str, parts: &[&str]) -> Option<(Function, usize)> {
    let is_nearest = matches!(Rounding::parse(parts), None | Some((Rounding::Nearest, _)));
    let is_flushed = parts.contains(&"ftz");
    let sources = match name {
        "fma" | "mad" => 3,
        "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => 2,
        _ => 1,
    };
    let function: Option<Function> = match name {
        "add" if is_nearest => f64s!(|a, b, c| a + b),
        "sub" if is_nearest => f64s!(|a, b, c| a - b),
        "mul" if is_nearest => f64s!(|a, b, c| a * b),
        "fma" | "mad" if is_nearest => f64s!(|a, b, c| a.mul_add(b, c)),
        "div" if is_nearest => f64s!(|a, b, c| a / b),
        "rcp" if is_flushed => Some(|a, _, _, _| upper_half(a, |a| without_subnormals(1.0 / a))),
        "rcp" if is_nearest => f64s!(|a, b, c| 1.0 / a),
        "sqrt" if is_nearest => f64s!(|a, b, c| a.sqrt()),
        "add" => directed!(|a, b, c, rounding| soft::sum(a, b, rounding)),
        "sub" => directed!(|a, b, c, rounding| soft::sum(a, -b, rounding)),
        "mul" => directed!(|a, b, c, rounding| soft::product(a, b, rounding)),
        "fma" | "mad" => directed!(|a, b, c, rounding| soft::fused(a, b, c, rounding)),
        "div" => directed!(|a, b, c, rounding| soft::quotient(a, b, rounding)),
        "rcp" => directed!(|a, b, c, rounding| soft::quotient(1.0, a, rounding)),
        "sqrt" => directed!(|a, b, c, rounding| soft::root(a, rounding)),
        "rsqrt" if is_flushed => Some(|a, _, _, _| upper_half(a, |a| 1.0 / a.sqrt())),
        "rsqrt" => f64s!(|a, b, c| 1.0 / a.sqrt()),
        "min" => f64s!(|a, b, c| least(a, b, 0)),
        "max" => f64s!(|a, b, c| greatest(a, b, 0)),
        "neg" => Some(|a, _, _, _| a ^ 1 << 63),
        "abs" => Some(|a, _, _, _| a & !(1 << 63)),
        "copysign" => Some(|a, b, _, _| b & !(1 << 63) | a & 1 << 63),
        _ => None,
    };
    function.map(|function| (function, sources))
}

/// Whether a float is of a kind: the function of `testp`.
pub(in crate::emulate) fn test(parts: &[&str], kind: Type) -> Option<Function> {
    macro_rules! tests {
        ($float:ident, $bits:ident) => {
            match *parts.first()? {
                "finite" => |a, _, _, _| u64::from($float::from_bits(a as $bits).is_finite()),
                "infinite" => |a, _, _, _| u64::from($float::from_bits(a as $bits).is_infinite()),
                "number" => |a, _, _, _| u64::from(!$float::from_bits(a as $bits).is_nan()),
                "notanumber" => |a, _, _, _| u64::from($float::from_bits(a as $bits).is_nan()),
                // A zero counts as normal.
                "normal" => |a, _, _, _| {
                    let value = $float::from_bits(a as $bits);
                    u64::from(value.is_normal() || value == 0.0)
                },
                "subnormal" => |a, _, _, _| u64::from($float::from_bits(a as $bits).is_subnormal()),
                _ => return None,
            }
        };
    }
    Some(match kind {
        Type::F32 => tests!(f32, u32),
        Type::F64 => tests!(f64, u64),
        _ => return None,
    })
}
