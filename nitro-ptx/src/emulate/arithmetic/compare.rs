//! Comparisons, and choices by them.

use std::cmp::Ordering;

use super::float::flushed;
use super::half::{self, mantissa};
use super::round::{mode, of_half};
use super::{Function, Twofold};
use crate::emulate::types::Type;

/// Where in a mode the comparison is, and what joins it with a predicate.
const COMPARISON: u32 = 16;
const JOINED_BY: u32 = 24;
/// Whether the predicate that it is joined with is negated.
pub(in crate::emulate) const JOINED_NEGATED: u64 = 1 << 28;

/// What is true of two values whatever else: of those that are not ordered too.
const UNORDERED: u64 = 8;

/// What a comparison's name says, as part of a mode.
fn comparison(name: &str, kind: Type) -> Option<u64> {
    let is_float = kind.is_float() || matches!(kind, Type::F16x2 | Type::Bf16x2);
    let code = match name {
        "eq" => 0,
        "ne" => 1,
        "lt" => 2,
        "le" => 3,
        "gt" => 4,
        "ge" => 5,
        "lo" if !is_float => 2,
        "ls" if !is_float => 3,
        "hi" if !is_float => 4,
        "hs" if !is_float => 5,
        "num" if is_float => 6,
        "nan" if is_float => UNORDERED | 7,
        _ if is_float => comparison(name.strip_suffix('u')?, kind)? >> COMPARISON | UNORDERED,
        _ => return None,
    };
    Some(code << COMPARISON)
}

fn holds(order: Option<Ordering>, mode: u64) -> bool {
    let code = mode >> COMPARISON & 15;
    let Some(order) = order else { return code & UNORDERED != 0 };
    match code & 7 {
        0 => order == Ordering::Equal,
        1 => order != Ordering::Equal,
        2 => order == Ordering::Less,
        3 => order != Ordering::Greater,
        4 => order == Ordering::Greater,
        5 => order != Ordering::Less,
        6 => true,
        _ => false,
    }
}

/// The comparison and the predicate that it is joined with.
fn joined(holds: bool, with: u64, mode: u64) -> u64 {
    let holds = u64::from(holds);
    let with = if mode & JOINED_NEGATED != 0 { !with } else { with };
    match mode >> JOINED_BY & 3 {
        0 => holds,
        1 => holds & with & 1,
        2 => (holds | with) & 1,
        _ => (holds ^ with) & 1,
    }
}

/// What the parts of `setp`, or of `set` with a further type, say as a mode; whether there is a third source.
pub(in crate::emulate) fn mode_of(parts: &[&str], kind: Type) -> Option<(u64, bool)> {
    let mut mode = comparison(parts.first()?, kind)?;
    let by = match parts.get(1) {
        Some(&"and") => 1,
        Some(&"or") => 2,
        Some(&"xor") => 3,
        _ => 0,
    };
    mode |= by << JOINED_BY;
    if parts.contains(&"ftz") {
        mode |= mode::FLUSH;
    }
    Some((mode, by != 0))
}

/// Two halves, where there are two.
fn half(bits: u64, at: u32, mode: u64) -> f64 {
    half::flushed(of_half((bits >> at) as u16, mantissa(mode & mode::BF16 != 0)), mode)
}

fn single(bits: u64, mode: u64) -> f32 {
    flushed(f32::from_bits(bits as u32), mode)
}

macro_rules! comparing {
    (|$a:ident, $b:ident, $mode:ident| $order:expr) => {
        Some(|$a: u64, $b: u64, c: u64, $mode: u64| {
            let holds = holds($order, $mode);
            (joined(holds, c, $mode), joined(!holds, c, $mode))
        })
    };
}

/// The function of `setp`: the comparison, and its opposite, each joined with a predicate.
pub(in crate::emulate) fn set_predicate(kind: Type) -> Option<Twofold> {
    match kind {
        Type::Unsigned(2) | Type::Bits(2) => comparing!(|a, b, mode| Some((a as u16).cmp(&(b as u16)))),
        Type::Unsigned(4) | Type::Bits(4) => comparing!(|a, b, mode| Some((a as u32).cmp(&(b as u32)))),
        Type::Unsigned(8) | Type::Bits(8) => comparing!(|a, b, mode| Some(a.cmp(&b))),
        Type::Signed(2) => comparing!(|a, b, mode| Some((a as i16).cmp(&(b as i16)))),
        Type::Signed(4) => comparing!(|a, b, mode| Some((a as i32).cmp(&(b as i32)))),
        Type::Signed(8) => comparing!(|a, b, mode| Some((a as i64).cmp(&(b as i64)))),
        Type::F32 => comparing!(|a, b, mode| single(a, mode).partial_cmp(&single(b, mode))),
        Type::F64 => comparing!(|a, b, mode| f64::from_bits(a).partial_cmp(&f64::from_bits(b))),
        Type::F16 | Type::Bf16 => comparing!(|a, b, mode| half(a, 0, mode).partial_cmp(&half(b, 0, mode))),
        Type::F16x2 | Type::Bf16x2 => Some(|a, b, c, mode| {
            let of = |at| holds(half(a, at, mode).partial_cmp(&half(b, at, mode)), mode);
            (joined(of(0), c, mode), joined(of(16), c, mode))
        }),
        _ => None,
    }
}

/// The function of `set`, whose result is all ones or 1.0 where the comparison holds.
pub(in crate::emulate) fn set(result: Type, kind: Type) -> Option<Function> {
    macro_rules! set {
        ($kind:expr) => {{
            fn predicate(a: u64, b: u64, c: u64, mode: u64) -> (u64, u64) {
                set_predicate($kind).map_or((0, 0), |function| function(a, b, c, mode))
            }
            match result {
                Type::Unsigned(4) | Type::Signed(4) => {
                    |a, b, c, mode| predicate(a, b, c, mode).0 * 0xffff_ffff
                }
                Type::F32 => |a, b, c, mode| predicate(a, b, c, mode).0 * 0x3f80_0000,
                Type::F16 => |a, b, c, mode| predicate(a, b, c, mode).0 * 0x3c00,
                Type::Bf16 => |a, b, c, mode| predicate(a, b, c, mode).0 * 0x3f80,
                Type::Unsigned(2) | Type::Signed(2) => |a, b, c, mode| predicate(a, b, c, mode).0 * 0xffff,
                Type::F16x2 => |a, b, c, mode| {
                    let (low, high) = predicate(a, b, c, mode);
                    low * 0x3c00 | high * 0x3c00_0000
                },
                Type::Bf16x2 => |a, b, c, mode| {
                    let (low, high) = predicate(a, b, c, mode);
                    low * 0x3f80 | high * 0x3f80_0000
                },
                _ => return None,
            }
        }};
    }
    let is_pair = |kind| matches!(kind, Type::F16x2 | Type::Bf16x2);
    if is_pair(result) != is_pair(kind) {
        return None;
    }
    Some(match kind {
        Type::Unsigned(2) | Type::Bits(2) => set!(Type::Unsigned(2)),
        Type::Unsigned(4) | Type::Bits(4) => set!(Type::Unsigned(4)),
        Type::Unsigned(8) | Type::Bits(8) => set!(Type::Unsigned(8)),
        Type::Signed(2) => set!(Type::Signed(2)),
        Type::Signed(4) => set!(Type::Signed(4)),
        Type::Signed(8) => set!(Type::Signed(8)),
        Type::F32 => set!(Type::F32),
        Type::F64 => set!(Type::F64),
        Type::F16 | Type::Bf16 => set!(Type::F16),
        Type::F16x2 | Type::Bf16x2 => set!(Type::F16x2),
        _ => return None,
    })
}

/// The function of `selp`.
pub(in crate::emulate) fn select(a: u64, b: u64, predicate: u64, _: u64) -> u64 {
    if predicate & 1 != 0 { a } else { b }
}

/// The function of `slct`: the first where the third is not negative.
pub(in crate::emulate) fn choose(kind: Type) -> Option<Function> {
    match kind {
        Type::Signed(4) => Some(|a, b, c, _| if c as i32 >= 0 { a } else { b }),
        Type::F32 => Some(|a, b, c, mode| if single(c, mode) >= 0.0 { a } else { b }),
        _ => None,
    }
}
