//! Conversions among integers and floats ("Data Movement and Conversion Instructions: cvt").

use super::arithmetic::round::{Rounding, mantissa, mode, odd, of_half};
use super::entry::{Entry, SPECIAL};
use super::float::flushed;
use super::reading::{Reading, UNTYPED};
use crate::machine::compute::Function;
use crate::machine::source::{Source, ZERO};
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::pure(
        "cvt.u8.u8                                       d, a
         cvt{.sat}.u8.s8/.u16/.s16/.u32/.s32/.u64/.s64   d, a
         cvt.s8.s8                                       d, a
         cvt{.sat}.s8.u8/.u16/.s16/.u32/.s32/.u64/.s64   d, a
         cvt.u16.u8/.u16                                 d, a
         cvt{.sat}.u16.s8/.s16/.u32/.s32/.u64/.s64       d, a
         cvt.s16.u8/.s8/.s16                             d, a
         cvt{.sat}.s16.u16/.u32/.s32/.u64/.s64           d, a
         cvt.u32.u8/.u16/.u32                            d, a
         cvt{.sat}.u32.s8/.s16/.s32/.u64/.s64            d, a
         cvt.s32.u8/.s8/.u16/.s16/.s32                   d, a
         cvt{.sat}.s32.u32/.u64/.s64                     d, a
         cvt.u64.u8/.u16/.u32/.u64                       d, a
         cvt{.sat}.u64.s8/.s16/.s32/.s64                 d, a
         cvt.s64.u8/.s8/.u16/.s16/.u32/.s32/.s64         d, a
         cvt{.sat}.s64.u64                               d, a
         cvt.TOINT{.sat}.ANY.f16/.f64                    d, a
         cvt.TOINT{.ftz}{.sat}.ANY.f32                   d, a
         cvt.TOINT.INT.bf16                              d, a
         cvt.RND{.sat}.f16/.f64.ANY                      d, a
         cvt.RND{.ftz}{.sat}.f32.ANY                     d, a
         cvt.RND.bf16.INT                                d, a
         cvt{.TOINT}{.sat}.f16.f16                       d, a
         cvt{.TOINT}{.sat}.f64.f64                       d, a
         cvt{.TOINT}.bf16.bf16                           d, a
         cvt{.TOINT}{.ftz}{.sat}.f32.f32                 d, a
         cvt.RND{.sat}.f16.f64                           d, a
         cvt{.sat}.f64.f16                               d, a
         cvt{.RND}.f64.bf16                              d, a
         cvt.RND.f16.bf16                                d, a
         cvt.RND.bf16.f16/.f64                           d, a
         cvt.RND{.ftz}{.sat}.f16.f32                     d, a
         cvt.RND{.ftz}.bf16.f32                          d, a
         cvt.rn/.rz{.relu}{.satfinite}.f16/.bf16.f32     d, a
         cvt.RND{.ftz}{.sat}.f32.f64                     d, a
         cvt{.ftz}{.sat}.f32.f16                         d, a
         cvt{.ftz}{.sat}.f64.f32                         d, a
         cvt{.RND}{.ftz}.f32.bf16                        d, a",
        |op| {
            let [a] = op.sources(1, 1, op.kind)?;
            let (function, mode) = convert(&op.parts, op.first_kind(), op.kind).ok_or(UNTYPED)?;
            op.computed(function, [a, ZERO, ZERO, Source::Constant(mode)], cost(op))
        },
    ),
    Entry::pure("cvt.rn/.rz{.relu}{.satfinite}.f16x2/.bf16x2.f32  d, a, b", |op| {
        let half = if op.first_kind() == Type::F16x2 { Type::F16 } else { Type::Bf16 };
        let [.., _, _] = op.parts[..] else { return Err(UNTYPED.to_owned()) };
        let (_, mode) = convert(&op.parts[..op.parts.len() - 2], half, op.kind).ok_or(UNTYPED)?;
        let [a, b] = op.sources(1, 2, op.kind)?;
        op.computed(packed, [a, b, ZERO, Source::Constant(mode)], cost(op))
    }),
];

fn cost(op: &Reading) -> u8 {
    let is_special = |kind: Type| kind.bytes() == 8 || kind.is_float();
    if is_special(op.kind) || is_special(op.first_kind()) { SPECIAL } else { 1 }
}

/// The bits of a mode where the types are.
const FROM: u32 = 16;
const TO: u32 = 24;

/// Returns the function of a conversion, and its mode.
fn convert(parts: &[&str], to: Type, from: Type) -> Option<(Function, u64)> {
    // Without floats and `.sat` a conversion extends or cuts off bits ("cvt").
    let is_float = to.is_float() || from.is_float();
    let saturates = parts.contains(&"sat");
    if !is_float && !saturates {
        return Some((resized(to, from)?, 0));
    }
    let mut mode = code(from)? << FROM | code(to)? << TO;
    if let Some((rounding, is_integer)) = Rounding::parse(parts) {
        mode |= rounding as u64 | if is_integer { mode::INTEGER } else { 0 };
    } else if from.is_float() && !to.is_float() {
        return None;
    }
    let flags =
        [("sat", mode::SATURATE), ("ftz", mode::FLUSH), ("relu", mode::RECTIFY), ("satfinite", mode::FINITE)];
    for (part, bit) in flags {
        mode |= if parts.contains(&part) { bit } else { 0 };
    }
    // The most frequent conversions have functions of their own.
    let function: Function = match (to, from, mode & 0xffff) {
        (Type::F64, Type::F32, 0) => |a, _, _, _| f64::from(f32::from_bits(a as u32)).to_bits(),
        (Type::F32, Type::Signed(4), 0) => |a, _, _, _| u64::from((a as i32 as f32).to_bits()),
        (Type::F32, Type::Unsigned(4), 0) => |a, _, _, _| u64::from((a as u32 as f32).to_bits()),
        _ => any,
    };
    Some((function, mode))
}

/// Makes two floats one of two halves, the first the upper one.
fn packed(a: u64, b: u64, _: u64, mode: u64) -> u64 {
    any(a, 0, 0, mode) << 16 | any(b, 0, 0, mode) & 0xffff
}

/// Returns the function from one type of integers to another: beyond the result's bits a register has zeros, or its
/// sign.
fn resized(to: Type, from: Type) -> Option<Function> {
    macro_rules! from {
        ($from:ty) => {
            match to {
                Type::Unsigned(1) => |a, _, _, _| (a as $from as u8).into(),
                Type::Unsigned(2) => |a, _, _, _| (a as $from as u16).into(),
                Type::Unsigned(4) => |a, _, _, _| (a as $from as u32).into(),
                Type::Signed(1) => |a, _, _, _| a as $from as i8 as u64,
                Type::Signed(2) => |a, _, _, _| a as $from as i16 as u64,
                Type::Signed(4) => |a, _, _, _| a as $from as i32 as u64,
                Type::Unsigned(8) | Type::Signed(8) => |a, _, _, _| a as $from as u64,
                _ => return None,
            }
        };
    }
    Some(match from {
        Type::Unsigned(1) => from!(u8),
        Type::Unsigned(2) => from!(u16),
        Type::Unsigned(4) => from!(u32),
        Type::Unsigned(8) => from!(u64),
        Type::Signed(1) => from!(i8),
        Type::Signed(2) => from!(i16),
        Type::Signed(4) => from!(i32),
        Type::Signed(8) => from!(i64),
        _ => return None,
    })
}

/// Returns a type as a number.
fn code(kind: Type) -> Option<u64> {
    Some(match kind {
        Type::F16 => 1,
        Type::Bf16 => 2,
        Type::F32 => 3,
        Type::F64 => 4,
        Type::Unsigned(bytes @ ..=8) | Type::Bits(bytes @ ..=8) => 16 + u64::from(bytes),
        Type::Signed(bytes) => 32 + u64::from(bytes),
        _ => return None,
    })
}

/// A value that is converted.
enum Value {
    Integer(i128),
    Float(f64),
}

/// Reads a value of the type.
fn value(bits: u64, code: u64, mode: u64) -> Value {
    // Above a type's bits a register may have anything.
    let unused = 64 - 8 * (code & 15) as u32;
    match code {
        1 => Value::Float(of_half(bits as u16, mantissa(false))),
        2 => Value::Float(of_half(bits as u16, mantissa(true))),
        3 => Value::Float(flushed(f32::from_bits(bits as u32), mode).into()),
        4 => Value::Float(f64::from_bits(bits)),
        16..32 => Value::Integer((bits << unused >> unused).into()),
        _ => Value::Integer(((bits << unused) as i64 >> unused).into()),
    }
}

/// Converts by a mode.
fn any(a: u64, _: u64, _: u64, mode: u64) -> u64 {
    let (from, to) = (mode >> FROM & 0xff, mode >> TO & 0xff);
    let rounding = Rounding::of(mode);
    // The manual has `.ftz` flush a source of 32 bits; devices do not do so on the way to `.f16`.
    let of_source = if to == 1 { mode & !mode::FLUSH } else { mode };
    match (value(a, from, of_source), to < 16) {
        (Value::Integer(value), false) => limited(value, to) as u64,
        (Value::Integer(value), true) => float(of_integer(value, to, rounding), to, mode),
        (Value::Float(value), true) => {
            let value = if mode & mode::INTEGER != 0 { rounding.integer(value) } else { value };
            float(value, to, mode)
        }
        (Value::Float(value), false) if value.is_nan() => {
            // NaN becomes zero, or the number with the highest bit alone if a double or an integer of 64 bits takes
            // part ("cvt").
            let is_wide = from == 4 || to & 15 == 8;
            match (is_wide, to < 32) {
                (true, true) => 1 << (8 * (to & 15) - 1),
                (true, false) => limited(i128::MIN, to) as u64,
                _ => 0,
            }
        }
        (Value::Float(value), false) => limited(rounding.integer(value) as i128, to) as u64,
    }
}

/// Brings a value into the range of an integer's type.
fn limited(value: i128, to: u64) -> i128 {
    let bits = 8 * (to & 15) as u32;
    let (least, most) = if to < 32 {
        (0, (1_i128 << bits) - 1)
    } else {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    };
    value.clamp(least, most)
}

/// Returns a float that, rounded to the type, is what rounding the integer once gives.
fn of_integer(value: i128, to: u64, rounding: Rounding) -> f64 {
    // 64 bits of an integer are more than a double's 53.
    let nearest = value as f64;
    let missing = value - nearest as i128;
    match (to == 4, rounding) {
        (false, _) => odd(nearest, missing as f64),
        (true, Rounding::Up) if missing > 0 => nearest.next_up(),
        (true, Rounding::Down) if missing < 0 => nearest.next_down(),
        (true, Rounding::Zero) if missing != 0 && (missing < 0) == (value > 0) => {
            if value > 0 {
                nearest.next_down()
            } else {
                nearest.next_up()
            }
        }
        _ => nearest,
    }
}

/// Returns a float as bits of the type.
fn float(mut value: f64, to: u64, mode: u64) -> u64 {
    if mode & mode::SATURATE != 0 {
        value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 };
    }
    if mode & mode::RECTIFY != 0 && value <= 0.0 {
        value = 0.0;
    }
    let rounding = if mode & mode::INTEGER != 0 { Rounding::Nearest } else { Rounding::of(mode) };
    match to {
        1 | 2 => {
            let half = rounding.half(value, mantissa(to == 2));
            let infinity = 0x7fff >> mantissa(to == 2) << mantissa(to == 2);
            // `.satfinite` has the largest number instead of an infinity ("cvt").
            let is_out = mode & mode::FINITE != 0 && half & 0x7fff == infinity;
            u64::from(half - u16::from(is_out))
        }
        3 if value.is_nan() => 0x7fff_ffff,
        3 => u64::from(flushed(rounding.single(value), mode).to_bits()),
        _ => value.to_bits(),
    }
}
