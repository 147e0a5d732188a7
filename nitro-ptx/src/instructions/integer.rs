//! Sums, products and quotients of integers ("Integer Arithmetic Instructions").

use super::arithmetic::integers::integers;
use super::entry::Entry;
use super::reading::{Reading, UNTYPED};
use crate::machine::compute::Function;
use crate::machine::state::Action;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    // Sums wrap around, unless `.sat` says otherwise ("add", "sub").
    Entry::value("add.INT  d, a, b", |op| integers!(op.kind, T, |a, b, c| a.wrapping_add(b))).with_numbers(),
    Entry::value("sub.INT  d, a, b", |op| integers!(op.kind, T, |a, b, c| a.wrapping_sub(b))).with_numbers(),
    // `.sat` is for 32 bits alone, and stays within the most negative and the most positive number.
    Entry::value("add.sat.s32  d, a, b", |_| Some(|a, b, _, _| low((a as i32).saturating_add(b as i32)))),
    Entry::value("sub.sat.s32  d, a, b", |_| Some(|a, b, _, _| low((a as i32).saturating_sub(b as i32)))),
    // Two halves at once, with no carry from one to the other ("add").
    Entry::value("add.u16x2/.s16x2  d, a, b", |_| Some(|a, b, _, _| pair(a, b, u16::wrapping_add))),
    // A product is a sum with nothing: its third source is zero.
    Entry::value("mul.lo.INT  d, a, b\n mad.lo.INT  d, a, b, c", |op| {
        integers!(op.kind, T, |a, b, c| a.wrapping_mul(b).wrapping_add(c))
    })
    .with_numbers(),
    Entry::value("mul.hi.INT  d, a, b\n mad.hi.INT  d, a, b, c", |op| {
        integers!(op.kind, T, |a, b, c| {
            // 128 bits hold each product modulo 2^128, of which `.hi` takes the upper half ("mul").
            let product = (a as i128).wrapping_mul(b as i128);
            ((product >> T::BITS) as T).wrapping_add(c)
        })
    }),
    Entry::value("mul.wide.u16/.s16/.u32/.s32  d, a, b\n mad.wide.u16/.s16/.u32/.s32  d, a, b, c", |op| {
        wide_sum(op.kind)
    }),
    // Here the sum saturates, not the product ("mad").
    Entry::value("mad.hi.sat.s32  d, a, b, c", |_| {
        Some(|a, b, c, _| saturated_sum(upper(Type::Signed(4), a, b), c))
    }),
    Entry::value("mul24.lo/.hi.u32/.s32  d, a, b\n mad24.lo/.hi.u32/.s32  d, a, b, c", |op| {
        short_sum(op.kind, op.has("hi"))
    }),
    // Bits 16 to 47 of the product, and the sum saturates ("mad24").
    Entry::value("mad24.hi.sat.s32  d, a, b, c", |_| {
        Some(|a, b, c, _| saturated_sum((short_signed(a, b) >> 16) & 0xffff_ffff, c))
    }),
    Entry::value("sad.INT  d, a, b, c", |op| {
        integers!(op.kind, T, |a, b, c| c.wrapping_add(a.abs_diff(b) as T))
    }),
    // The manual leaves a division by zero open; devices give all ones, and the dividend as the remainder.
    Entry::sequence("div.INT  d, a, b", |op| {
        integers!(op.kind, T, |a, b, c| if b == 0 { !0 } else { a.wrapping_div(b) })
    })
    .with_numbers(),
    Entry::sequence("rem.INT  d, a, b", |op| {
        integers!(op.kind, T, |a, b, c| if b == 0 { a } else { a.wrapping_rem(b) })
    })
    .with_numbers(),
    // The most negative number has no opposite, and stays as it is ("abs", "neg").
    Entry::value("abs.s16/.s32/.s64  d, a", |op| {
        integers!(op.kind, T, |a, b, c| if a.leading_zeros() == 0 { (0 as T).wrapping_sub(a) } else { a })
    })
    .with_numbers(),
    Entry::value("neg.s16/.s32/.s64  d, a", |op| integers!(op.kind, T, |a, b, c| (0 as T).wrapping_sub(a)))
        .with_numbers(),
    Entry::value("min.INT  d, a, b", |op| integers!(op.kind, T, |a, b, c| a.min(b))).with_numbers(),
    Entry::value("max.INT  d, a, b", |op| integers!(op.kind, T, |a, b, c| a.max(b))).with_numbers(),
    Entry::value("min.u16x2  d, a, b", |_| Some(|a, b, _, _| pair(a, b, u16::min))),
    Entry::value("max.u16x2  d, a, b", |_| Some(|a, b, _, _| pair(a, b, u16::max))),
    Entry::value("min.s16x2  d, a, b", |_| {
        Some(|a, b, _, _| pair(a, b, |a, b| (a as i16).min(b as i16) as u16))
    }),
    Entry::value("max.s16x2  d, a, b", |_| {
        Some(|a, b, _, _| pair(a, b, |a, b| (a as i16).max(b as i16) as u16))
    }),
    Entry::value("min.relu.s16x2  d, a, b", |_| {
        Some(|a, b, _, _| pair(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16))
    }),
    Entry::value("max.relu.s16x2  d, a, b", |_| {
        Some(|a, b, _, _| pair(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16))
    }),
    // `.relu` makes negative results zero ("min", "max").
    Entry::value("min.relu.s32  d, a, b", |_| Some(|a, b, _, _| low((a as i32).min(b as i32).max(0)))),
    Entry::value("max.relu.s32  d, a, b", |_| Some(|a, b, _, _| low((a as i32).max(b as i32).max(0)))),
    Entry::pure("dp4a.u32/.s32.u32/.s32  d, a, b, c", |op| dot(op, dot_of_four)),
    Entry::pure("dp2a.lo/.hi.u32/.s32.u32/.s32  d, a, b, c", |op| dot(op, dot_of_two)),
];

fn low(value: i32) -> u64 {
    u64::from(value as u32)
}

fn saturated_sum(a: u64, b: u64) -> u64 {
    low((a as i32).saturating_add(b as i32))
}

/// Applies a function to both halves of words.
fn pair(a: u64, b: u64, function: impl Fn(u16, u16) -> u16) -> u64 {
    let [low, high] = [0, 16].map(|at| u64::from(function((a >> at) as u16, (b >> at) as u16)) << at);
    low | high
}

/// Returns the sum of a product, of twice the bits of its factors, and a value of as many.
fn wide_sum(kind: Type) -> Option<Function> {
    Some(match kind {
        Type::Unsigned(2) => {
            |a, b, c, _| u64::from((u32::from(a as u16) * u32::from(b as u16)).wrapping_add(c as u32))
        }
        Type::Signed(2) => {
            |a, b, c, _| low((i32::from(a as i16) * i32::from(b as i16)).wrapping_add(c as i32))
        }
        Type::Unsigned(4) => |a, b, c, _| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c),
        Type::Signed(4) => {
            |a, b, c, _| (i64::from(a as i32) * i64::from(b as i32)).wrapping_add(c as i64) as u64
        }
        _ => return None,
    })
}

/// Returns the upper half of a product of 32 or 64 bits.
pub(super) fn upper(kind: Type, a: u64, b: u64) -> u64 {
    match kind {
        Type::Unsigned(4) => (u64::from(a as u32) * u64::from(b as u32)) >> 32,
        Type::Signed(4) => u64::from(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        Type::Unsigned(8) => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        _ => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
    }
}

/// Returns the product of the lower 24 bits of each, which are signed.
fn short_signed(a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|value| i64::from((value as i32) << 8 >> 8));
    (a * b) as u64
}

fn short_unsigned(a: u64, b: u64) -> u64 {
    (a & 0xff_ffff) * (b & 0xff_ffff)
}

/// Returns the sum of a product of 24 bits, of which it takes the lower 32 bits or those from bit 16 on.
fn short_sum(kind: Type, is_high: bool) -> Option<Function> {
    Some(match (kind, is_high) {
        (Type::Unsigned(4), false) => {
            |a, b, c, _| u64::from((short_unsigned(a, b) as u32).wrapping_add(c as u32))
        }
        (Type::Signed(4), false) => {
            |a, b, c, _| u64::from((short_signed(a, b) as u32).wrapping_add(c as u32))
        }
        (Type::Unsigned(4), true) => {
            |a, b, c, _| u64::from(((short_unsigned(a, b) >> 16) as u32).wrapping_add(c as u32))
        }
        (Type::Signed(4), true) => {
            |a, b, c, _| u64::from(((short_signed(a, b) >> 16) as u32).wrapping_add(c as u32))
        }
        _ => return None,
    })
}

/// Decodes a dot product, whose last value has a bit for each signed source, and one for the upper bytes.
fn dot(op: &Reading, function: Function) -> Result<Action, String> {
    let [.., of_a, of_b] = op.parts[..] else { return Err(UNTYPED.to_owned()) };
    // The types of both sources come one after the other at the end ("dp4a", "dp2a").
    let signs = u64::from(of_a == "s32") | u64::from(of_b == "s32") << 1;
    op.compute_with(function, signs | u64::from(op.has("hi")) << 2, 1)
}

/// Adds four products of bytes.
fn dot_of_four(a: u64, b: u64, c: u64, mode: u64) -> u64 {
    let sum: i64 = (0..4).map(|at| field(a, 8, at, mode & 1 != 0) * field(b, 8, at, mode & 2 != 0)).sum();
    u64::from((c as u32).wrapping_add(sum as u32))
}

/// Adds two products of halves with bytes, the lower or the upper ones.
fn dot_of_two(a: u64, b: u64, c: u64, mode: u64) -> u64 {
    // `.hi` takes the upper two bytes of the second source ("dp2a").
    let first = if mode & 4 != 0 { 2 } else { 0 };
    let sum: i64 =
        (0..2).map(|at| field(a, 16, at, mode & 1 != 0) * field(b, 8, first + at, mode & 2 != 0)).sum();
    u64::from((c as u32).wrapping_add(sum as u32))
}

/// Returns one of the fields of so many bits that a word consists of.
fn field(word: u64, bits: u32, index: u32, is_signed: bool) -> i64 {
    let field = (word >> (index * bits)) << (64 - bits);
    if is_signed { field as i64 >> (64 - bits) } else { (field >> (64 - bits)) as i64 }
}
