//! Bits: logic, shifts, fields, counts.

use super::{Function, integers};
use crate::emulate::types::Type;

/// The function of an opcode of bits, and how many sources it takes.
pub(in crate::emulate) fn bits(name: &str, parts: &[&str], kind: Type) -> Option<(Function, usize)> {
    let has = |part: &str| parts.contains(&part);
    let of = |function: Option<Function>, sources| function.map(|function| (function, sources));
    let is_64 = kind.bytes() == 8;
    match name {
        "and" => of(integers!(kind, T, |a, b, c| a & b), 2),
        "or" => of(integers!(kind, T, |a, b, c| a | b), 2),
        "xor" => of(integers!(kind, T, |a, b, c| a ^ b), 2),
        "not" => of(integers!(kind, T, |a, b, c| !a), 1),
        "cnot" => of(integers!(kind, T, |a, b, c| T::from(a == 0)), 1),
        "lop3" if kind == Type::Bits(4) => of(Some(lop3), 4),
        "shl" | "shr" => of(shift(name, kind), 2),
        "shf" if has("l") => of(Some(if has("clamp") { funnel_left_clamp } else { funnel_left }), 3),
        "shf" if has("r") => of(Some(if has("clamp") { funnel_right_clamp } else { funnel_right }), 3),
        "popc" => of(
            Some(if is_64 {
                |a, _, _, _| a.count_ones().into()
            } else {
                |a, _, _, _| (a as u32).count_ones().into()
            }),
            1,
        ),
        "clz" => of(
            Some(if is_64 {
                |a, _, _, _| a.leading_zeros().into()
            } else {
                |a, _, _, _| (a as u32).leading_zeros().into()
            }),
            1,
        ),
        "brev" => of(
            Some(if is_64 {
                |a, _, _, _| a.reverse_bits()
            } else {
                |a, _, _, _| (a as u32).reverse_bits().into()
            }),
            1,
        ),
        "bfind" => of(find(kind, has("shiftamt")), 1),
        "bfe" => of(extract(kind), 3),
        "bfi" => of(
            Some(if is_64 {
                |a, b, c, d| insert(a, b, c, d, 64)
            } else {
                |a, b, c, d| insert(a, b, c, d, 32)
            }),
            4,
        ),
        "prmt" => of(permute(parts), 3),
        "bmsk" => of(Some(if has("clamp") { mask_clamp } else { mask_wrap }), 2),
        "szext" => extend(has("clamp"), kind),
        "dp4a" | "dp2a" => dot(name, parts),
        _ => None,
    }
}

/// The function of logic of predicates, whose third source has a bit for each of the first two that is negated.
pub(in crate::emulate) fn logic_of_predicates(name: &str) -> Option<Function> {
    Some(match name {
        "and" => |a, b, negated, _| (a ^ negated) & (b ^ negated >> 1) & 1,
        "or" => |a, b, negated, _| ((a ^ negated) | (b ^ negated >> 1)) & 1,
        "xor" => |a, b, negated, _| (a ^ b ^ negated ^ negated >> 1) & 1,
        "not" => |a, _, negated, _| !(a ^ negated) & 1,
        _ => return None,
    })
}

pub(in crate::emulate) fn lop3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    let mut result = 0;
    for row in 0..8 {
        if table >> row & 1 != 0 {
            let of = |value: u64, bit: u32| if row >> bit & 1 != 0 { value } else { !value };
            result |= of(a, 2) & of(b, 1) & of(c, 0);
        }
    }
    result & 0xffff_ffff
}

/// Amounts have 32 bits, and all beyond the width are as the width.
fn shift(name: &str, kind: Type) -> Option<Function> {
    Some(match (name, kind) {
        ("shl", _) => match kind.bytes() {
            2 => |a, b, _, _| (a << (b as u32).min(63)) & 0xffff,
            4 => |a, b, _, _| (a << (b as u32).min(63)) & 0xffff_ffff,
            _ => |a, b, _, _| a.checked_shl(b as u32).unwrap_or(0),
        },
        (_, Type::Signed(2)) => |a, b, _, _| u64::from((a as i16 >> (b as u32).min(15)) as u16),
        (_, Type::Signed(4)) => |a, b, _, _| u64::from((a as i32 >> (b as u32).min(31)) as u32),
        (_, Type::Signed(8)) => |a, b, _, _| (a as i64 >> (b as u32).min(63)) as u64,
        _ => match kind.bytes() {
            2 => |a, b, _, _| (a & 0xffff) >> (b as u32).min(63),
            4 => |a, b, _, _| (a & 0xffff_ffff) >> (b as u32).min(63),
            _ => |a, b, _, _| a.checked_shr(b as u32).unwrap_or(0),
        },
    })
}

fn joined(a: u64, b: u64) -> u64 {
    a & 0xffff_ffff | b << 32
}

fn funnel_left(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) << (c & 31) >> 32
}

fn funnel_left_clamp(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) << (c as u32).min(32) >> 32
}

fn funnel_right(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) >> (c & 31) & 0xffff_ffff
}

fn funnel_right_clamp(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) >> (c as u32).min(32) & 0xffff_ffff
}

/// The highest bit that is not the sign's.
fn find(kind: Type, is_amount: bool) -> Option<Function> {
    fn highest(a: u64, width: u32, is_amount: bool) -> u64 {
        match a.checked_ilog2() {
            None => 0xffff_ffff,
            Some(bit) => u64::from(if is_amount { width - 1 - bit } else { bit }),
        }
    }
    fn positive(a: i64) -> u64 {
        (if a < 0 { !a } else { a }) as u64
    }
    Some(match (kind, is_amount) {
        (Type::Unsigned(4), false) => |a, _, _, _| highest(u64::from(a as u32), 32, false),
        (Type::Unsigned(4), true) => |a, _, _, _| highest(u64::from(a as u32), 32, true),
        (Type::Signed(4), false) => |a, _, _, _| highest(positive(i64::from(a as i32)), 32, false),
        (Type::Signed(4), true) => |a, _, _, _| highest(positive(i64::from(a as i32)), 32, true),
        (Type::Unsigned(8), false) => |a, _, _, _| highest(a, 64, false),
        (Type::Unsigned(8), true) => |a, _, _, _| highest(a, 64, true),
        (Type::Signed(8), false) => |a, _, _, _| highest(positive(a as i64), 64, false),
        (Type::Signed(8), true) => |a, _, _, _| highest(positive(a as i64), 64, true),
        _ => return None,
    })
}

/// Returns where a field begins, or its length, as devices read it.
///
/// The manual restricts both to 0 to 255. Beyond that a device takes the lowest byte for words of 32 bits, and
/// shifts by the whole value for words of 64 bits, so that all from 64 on are the same.
fn field_bound(value: u64, width: u32) -> u32 {
    if width == 32 { value as u32 & 0xff } else { (value as u32).min(255) }
}

fn extract(kind: Type) -> Option<Function> {
    /// The field of `length` bits from `from` on; bits beyond it are the sign.
    fn field(a: u64, from: u64, length: u64, width: u32, is_signed: bool) -> u64 {
        let [from, length] = [from, length].map(|value| field_bound(value, width));
        let all = u64::MAX >> (64 - width);
        let sign_at = (from + length).saturating_sub(1).min(width - 1);
        let is_negative = is_signed && length > 0 && a >> sign_at & 1 != 0;
        let kept = length.min(width.saturating_sub(from));
        let ones = u64::MAX.checked_shr(64 - kept).unwrap_or(0);
        let value = (a & all).checked_shr(from).unwrap_or(0) & ones;
        if is_negative { (value | !ones) & all } else { value }
    }
    Some(match kind {
        Type::Unsigned(4) => |a, b, c, _| field(a, b, c, 32, false),
        Type::Signed(4) => |a, b, c, _| field(a, b, c, 32, true),
        Type::Unsigned(8) => |a, b, c, _| field(a, b, c, 64, false),
        Type::Signed(8) => |a, b, c, _| field(a, b, c, 64, true),
        _ => return None,
    })
}

/// `a` in the place of `length` bits of `b` from `from` on.
fn insert(a: u64, b: u64, from: u64, length: u64, width: u32) -> u64 {
    let [from, length] = [from, length].map(|value| field_bound(value, width));
    let ones = u64::MAX.checked_shr(64 - length.min(64)).unwrap_or(0).checked_shl(from).unwrap_or(0);
    let all = u64::MAX >> (64 - width);
    (b & !ones | a.checked_shl(from).unwrap_or(0) & ones) & all
}

fn permute(parts: &[&str]) -> Option<Function> {
    fn byte(a: u64, b: u64, selector: u64) -> u64 {
        let byte = joined(a, b) >> ((selector & 7) * 8) & 0xff;
        if selector & 8 == 0 { byte } else { (byte >> 7) * 0xff }
    }
    fn word(selectors: [u64; 4], a: u64, b: u64) -> u64 {
        (0..4).map(|at| byte(a, b, selectors[at]) << (at * 8)).sum()
    }
    Some(match parts.iter().find(|part| matches!(**part, "f4e" | "b4e" | "rc8" | "ecl" | "ecr" | "rc16")) {
        None => |a, b, c, _| word([c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15], a, b),
        Some(&"f4e") => |a, b, c, _| word([c & 3, (c & 3) + 1, (c & 3) + 2, (c & 3) + 3], a, b),
        Some(&"b4e") => |a, b, c, _| {
            let back = |by: u64| (8 + (c & 3) - by) & 7;
            word([back(0), back(1), back(2), back(3)], a, b)
        },
        Some(&"rc8") => |a, b, c, _| word([c & 3; 4], a, b),
        Some(&"ecl") => |a, b, c, _| word([c & 3, (c & 3).max(1), (c & 3).max(2), 3], a, b),
        Some(&"ecr") => |a, b, c, _| word([0, (c & 3).min(1), (c & 3).min(2), c & 3], a, b),
        _ => |a, b, c, _| word([(c & 1) * 2, (c & 1) * 2 + 1, (c & 1) * 2, (c & 1) * 2 + 1], a, b),
    })
}

fn mask_clamp(a: u64, b: u64, _: u64, _: u64) -> u64 {
    let ones = u64::MAX.checked_shr(64 - (b as u32).min(32)).unwrap_or(0);
    ones.checked_shl(a as u32).unwrap_or(0) & 0xffff_ffff
}

fn mask_wrap(a: u64, b: u64, _: u64, _: u64) -> u64 {
    ((1_u64 << (b & 31)) - 1) << (a & 31) & 0xffff_ffff
}

/// Keeps so many bits, with their sign.
fn extend(clamps: bool, kind: Type) -> Option<(Function, usize)> {
    fn kept(a: u64, bits: u64, is_signed: bool) -> u64 {
        match bits {
            0 => 0,
            1..32 if is_signed => u64::from(((a as i32) << (32 - bits) >> (32 - bits)) as u32),
            1..32 => a & ((1 << bits) - 1),
            _ => a & 0xffff_ffff,
        }
    }
    let function: Function = match (kind, clamps) {
        (Type::Unsigned(4), true) => |a, b, _, _| kept(a, u64::from(b as u32), false),
        (Type::Signed(4), true) => |a, b, _, _| kept(a, u64::from(b as u32), true),
        (Type::Unsigned(4), false) => |a, b, _, _| kept(a, b & 31, false),
        (Type::Signed(4), false) => |a, b, _, _| kept(a, b & 31, true),
        _ => return None,
    };
    Some((function, 2))
}

/// Sums of products of four bytes each, or of two halves with two bytes.
fn dot(name: &str, parts: &[&str]) -> Option<(Function, usize)> {
    fn at(value: u64, bits: u32, index: u32, is_signed: bool) -> i64 {
        let field = (value >> (index * bits)) << (64 - bits);
        if is_signed { field as i64 >> (64 - bits) } else { (field >> (64 - bits)) as i64 }
    }
    /// What is signed are two bits of the last value; the third is whether the upper bytes are meant.
    fn four(a: u64, b: u64, c: u64, mode: u64) -> u64 {
        let sum: i64 = (0..4).map(|k| at(a, 8, k, mode & 1 != 0) * at(b, 8, k, mode & 2 != 0)).sum();
        u64::from((c as u32).wrapping_add(sum as u32))
    }
    fn two(a: u64, b: u64, c: u64, mode: u64) -> u64 {
        let first = if mode & 4 != 0 { 2 } else { 0 };
        let sum: i64 = (0..2).map(|k| at(a, 16, k, mode & 1 != 0) * at(b, 8, first + k, mode & 2 != 0)).sum();
        u64::from((c as u32).wrapping_add(sum as u32))
    }
    let kinds = parts.len().checked_sub(2).map(|at| (parts[at], parts[at + 1]))?;
    let is_known = |kind: &str| matches!(kind, "u32" | "s32");
    (is_known(kinds.0) && is_known(kinds.1)).then_some((if name == "dp4a" { four } else { two }, 3))
}
