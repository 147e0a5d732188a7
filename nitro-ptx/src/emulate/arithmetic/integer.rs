//! Integers: sums, products, quotients.

use super::{Function, integers};
use crate::emulate::types::Type;

/// The function of an opcode of integers, and how many sources it takes.
pub(in crate::emulate) fn integer(name: &str, parts: &[&str], kind: Type) -> Option<(Function, usize)> {
    let has = |part: &str| parts.contains(&part);
    let saturates = has("sat");
    let of = |function: Option<Function>, sources| function.map(|function| (function, sources));
    if let Type::Integer16x2(is_signed) = kind {
        return of(pairs(name, is_signed, has("relu")), 2);
    }
    match name {
        "mad" if saturates => of(Some(|a, b, c, _| saturated_sum(upper(Type::Signed(4), a, b), c)), 3),
        "mad24" if saturates => {
            of(Some(|a, b, c, _| saturated_sum((short_signed(a, b) >> 16) & 0xffff_ffff, c)), 3)
        }
        "min" if has("relu") => of(Some(|a, b, _, _| low((a as i32).min(b as i32).max(0))), 2),
        "max" if has("relu") => of(Some(|a, b, _, _| low((a as i32).max(b as i32).max(0))), 2),
        "add" if saturates => of(Some(|a, b, _, _| low((a as i32).saturating_add(b as i32))), 2),
        "sub" if saturates => of(Some(|a, b, _, _| low((a as i32).saturating_sub(b as i32))), 2),
        "add" => of(integers!(kind, T, |a, b, c| a.wrapping_add(b)), 2),
        "sub" => of(integers!(kind, T, |a, b, c| a.wrapping_sub(b)), 2),
        "mul" if has("wide") => of(wide_product(kind), 2),
        "mul" if has("hi") => of(high(kind), 2),
        "mul" if has("lo") => of(integers!(kind, T, |a, b, c| a.wrapping_mul(b)), 2),
        "mad" if has("wide") => of(wide_sum(kind), 3),
        "mad" if has("hi") => of(high_sum(kind), 3),
        "mad" if has("lo") => of(integers!(kind, T, |a, b, c| a.wrapping_mul(b).wrapping_add(c)), 3),
        "mul24" | "mad24" => short(name, has("hi"), kind),
        "sad" => of(integers!(kind, T, |a, b, c| c.wrapping_add(a.abs_diff(b) as T)), 3),
        // By zero a GPU gives all ones, and the remainder is what was divided; PTX leaves it open.
        "div" => of(integers!(kind, T, |a, b, c| if b == 0 { !0 } else { a.wrapping_div(b) }), 2),
        "rem" => of(integers!(kind, T, |a, b, c| if b == 0 { a } else { a.wrapping_rem(b) }), 2),
        "abs" => of(
            integers!(kind, T, |a, b, c| if a.leading_zeros() == 0 && T::MIN != 0 {
                (0 as T).wrapping_sub(a)
            } else {
                a
            }),
            1,
        ),
        "neg" => of(integers!(kind, T, |a, b, c| (0 as T).wrapping_sub(a)), 1),
        "min" => of(integers!(kind, T, |a, b, c| a.min(b)), 2),
        "max" => of(integers!(kind, T, |a, b, c| a.max(b)), 2),
        _ => None,
    }
}

fn low(value: i32) -> u64 {
    u64::from(value as u32)
}

fn saturated_sum(a: u64, b: u64) -> u64 {
    low((a as i32).saturating_add(b as i32))
}

/// The function of two halves of a word each.
fn pairs(name: &str, is_signed: bool, rectifies: bool) -> Option<Function> {
    fn each(a: u64, b: u64, function: impl Fn(u16, u16) -> u16) -> u64 {
        let half = |at: u32| u64::from(function((a >> at) as u16, (b >> at) as u16)) << at;
        half(0) | half(16)
    }
    Some(match (name, is_signed, rectifies) {
        ("add", ..) => |a, b, _, _| each(a, b, u16::wrapping_add),
        ("min", false, _) => |a, b, _, _| each(a, b, u16::min),
        ("max", false, _) => |a, b, _, _| each(a, b, u16::max),
        ("min", _, false) => |a, b, _, _| each(a, b, |a, b| (a as i16).min(b as i16) as u16),
        ("max", _, false) => |a, b, _, _| each(a, b, |a, b| (a as i16).max(b as i16) as u16),
        ("min", ..) => |a, b, _, _| each(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16),
        ("max", ..) => |a, b, _, _| each(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16),
        _ => return None,
    })
}

fn wide_product(kind: Type) -> Option<Function> {
    Some(match kind {
        Type::Unsigned(2) => |a, b, _, _| u64::from(a as u16) * u64::from(b as u16),
        Type::Signed(2) => |a, b, _, _| low(i32::from(a as i16) * i32::from(b as i16)),
        Type::Unsigned(4) => |a, b, _, _| u64::from(a as u32) * u64::from(b as u32),
        Type::Signed(4) => |a, b, _, _| (i64::from(a as i32) * i64::from(b as i32)) as u64,
        _ => return None,
    })
}

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

/// The upper half of a product.
pub(super) fn upper(kind: Type, a: u64, b: u64) -> u64 {
    match kind {
        Type::Unsigned(2) => u64::from(((a as u16 as u32 * b as u16 as u32) >> 16) as u16),
        Type::Signed(2) => u64::from(((a as i16 as i32 * b as i16 as i32) >> 16) as u16),
        Type::Unsigned(4) => (u64::from(a as u32) * u64::from(b as u32)) >> 32,
        Type::Signed(4) => u64::from(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        Type::Unsigned(8) => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        _ => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
    }
}

fn high(kind: Type) -> Option<Function> {
    Some(match kind {
        Type::Unsigned(2) => |a, b, _, _| upper(Type::Unsigned(2), a, b),
        Type::Signed(2) => |a, b, _, _| upper(Type::Signed(2), a, b),
        Type::Unsigned(4) => |a, b, _, _| upper(Type::Unsigned(4), a, b),
        Type::Signed(4) => |a, b, _, _| upper(Type::Signed(4), a, b),
        Type::Unsigned(8) => |a, b, _, _| upper(Type::Unsigned(8), a, b),
        Type::Signed(8) => |a, b, _, _| upper(Type::Signed(8), a, b),
        _ => return None,
    })
}

fn high_sum(kind: Type) -> Option<Function> {
    Some(match kind {
        Type::Unsigned(2) => |a, b, c, _| u64::from(upper(Type::Unsigned(2), a, b).wrapping_add(c) as u16),
        Type::Signed(2) => |a, b, c, _| u64::from(upper(Type::Signed(2), a, b).wrapping_add(c) as u16),
        Type::Unsigned(4) => |a, b, c, _| u64::from(upper(Type::Unsigned(4), a, b).wrapping_add(c) as u32),
        Type::Signed(4) => |a, b, c, _| u64::from(upper(Type::Signed(4), a, b).wrapping_add(c) as u32),
        Type::Unsigned(8) => |a, b, c, _| upper(Type::Unsigned(8), a, b).wrapping_add(c),
        Type::Signed(8) => |a, b, c, _| upper(Type::Signed(8), a, b).wrapping_add(c),
        _ => return None,
    })
}

/// A product of the lower 24 bits of each, which are signed.
fn short_signed(a: u64, b: u64) -> u64 {
    let extend = |value: u64| i64::from((value as i32) << 8 >> 8);
    (extend(a) * extend(b)) as u64
}

/// Products of 24 bits: their lower 32 bits, or those from bit 16 on.
fn short(name: &str, is_high: bool, kind: Type) -> Option<(Function, usize)> {
    fn unsigned(a: u64, b: u64) -> u64 {
        (a & 0xff_ffff) * (b & 0xff_ffff)
    }
    let function: Function = match (kind, is_high) {
        (Type::Unsigned(4), false) => |a, b, c, _| u64::from((unsigned(a, b) as u32).wrapping_add(c as u32)),
        (Type::Signed(4), false) => {
            |a, b, c, _| u64::from((short_signed(a, b) as u32).wrapping_add(c as u32))
        }
        (Type::Unsigned(4), true) => {
            |a, b, c, _| u64::from(((unsigned(a, b) >> 16) as u32).wrapping_add(c as u32))
        }
        (Type::Signed(4), true) => {
            |a, b, c, _| u64::from(((short_signed(a, b) >> 16) as u32).wrapping_add(c as u32))
        }
        _ => return None,
    };
    Some((function, if name == "mad24" { 3 } else { 2 }))
}
