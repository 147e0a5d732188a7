//! Comparisons, and choices by them ("Comparison and Selection Instructions").

use std::cmp::Ordering;
use std::sync::Arc;

use super::arithmetic::round::{mantissa, mode, of_half};
use super::entry::Entry;
use super::float::flushed;
use super::half::flushed as flushed_half;
use super::reading::{Reading, UNTYPED};
use crate::machine::compute::{ComputeTwo, Function, Twofold};
use crate::machine::source::{Source, ZERO};
use crate::machine::state::Action;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::pure(
        "setp.eq/.ne.b16/.b32/.b64                       p{|q}, a, b
         setp.eq/.ne.BOOL.b16/.b32/.b64                  p{|q}, a, b, !P
         setp.ORDER.s16/.s32/.s64                        p{|q}, a, b
         setp.ORDER.BOOL.s16/.s32/.s64                   p{|q}, a, b, !P
         setp.ORDER/.lo/.ls/.hi/.hs.u16/.u32/.u64        p{|q}, a, b
         setp.ORDER/.lo/.ls/.hi/.hs.BOOL.u16/.u32/.u64   p{|q}, a, b, !P
         setp.FLOAT{.ftz}.f32                            p{|q}, a, b
         setp.FLOAT.BOOL{.ftz}.f32                       p{|q}, a, b, !P
         setp.FLOAT.f64                                  p{|q}, a, b
         setp.FLOAT.BOOL.f64                             p{|q}, a, b, !P
         setp.FLOAT{.ftz}.f16                            p, a, b
         setp.FLOAT.BOOL{.ftz}.f16                       p, a, b, !P
         setp.FLOAT.bf16                                 p, a, b
         setp.FLOAT.BOOL.bf16                            p, a, b, !P
         setp.FLOAT{.ftz}.f16x2                          p|q, a, b
         setp.FLOAT.BOOL{.ftz}.f16x2                     p|q, a, b, !P
         setp.FLOAT.bf16x2                               p|q, a, b
         setp.FLOAT.BOOL.bf16x2                          p|q, a, b, !P",
        |op| {
            let function = set_predicate(op.kind).ok_or(UNTYPED)?;
            Ok(Arc::new(ComputeTwo { function, to: op.targets(0)?, from: compared(op)? }))
        },
    )
    .with_numbers(),
    Entry::pure(
        "set.eq/.ne.SET.b16/.b32/.b64                    d, a, b
         set.eq/.ne.BOOL.SET.b16/.b32/.b64               d, a, b, !P
         set.ORDER.SET.s16/.s32/.s64                     d, a, b
         set.ORDER.BOOL.SET.s16/.s32/.s64                d, a, b, !P
         set.ORDER/.lo/.ls/.hi/.hs.SET.u16/.u32/.u64     d, a, b
         set.ORDER/.lo/.ls/.hi/.hs.BOOL.SET.u16/.u32/.u64  d, a, b, !P
         set.FLOAT{.ftz}.u32/.s32/.f32/.f16.f32          d, a, b
         set.FLOAT.BOOL{.ftz}.u32/.s32/.f32/.f16.f32     d, a, b, !P
         set.FLOAT.bf16.f32                              d, a, b
         set.FLOAT.BOOL.bf16.f32                         d, a, b, !P
         set.FLOAT.SET.f64                               d, a, b
         set.FLOAT.BOOL.SET.f64                          d, a, b, !P
         set.FLOAT{.ftz}.u16/.s16/.u32/.s32/.f16.f16     d, a, b
         set.FLOAT.BOOL{.ftz}.u16/.s16/.u32/.s32/.f16.f16  d, a, b, !P
         set.FLOAT.u16/.s16/.u32/.s32/.bf16.bf16         d, a, b
         set.FLOAT.BOOL.u16/.s16/.u32/.s32/.bf16.bf16    d, a, b, !P
         set.FLOAT{.ftz}.f16x2.f16x2                     d, a, b
         set.FLOAT.BOOL{.ftz}.f16x2.f16x2                d, a, b, !P
         set.FLOAT.bf16x2.bf16x2                         d, a, b
         set.FLOAT.BOOL.bf16x2.bf16x2                    d, a, b, !P",
        |op| op.computed(set(op.first_kind(), op.kind).ok_or(UNTYPED)?, compared(op)?, 1),
    ),
    // A negated predicate exchanges the values ("selp").
    Entry::pure("selp.WIDE  d, a, b, !P", |op| {
        let [a, b] = op.sources(1, 2, op.kind)?;
        let (predicate, is_negated) = op.predicate(3)?;
        let (a, b) = if is_negated { (b, a) } else { (a, b) };
        op.computed(|a, b, predicate, _| if predicate & 1 != 0 { a } else { b }, [a, b, predicate, ZERO], 1)
    })
    .with_numbers(),
    Entry::pure("slct.WIDE.s32  d, a, b, c", |op| choose(op, |a, b, c, _| if c as i32 >= 0 { a } else { b })),
    Entry::pure("slct{.ftz}.WIDE.f32  d, a, b, c", |op| {
        choose(op, |a, b, c, mode| if single(c, mode) >= 0.0 { a } else { b })
    }),
];

/// Returns the sources of a comparison: two values, the predicate that joins it, and the mode.
fn compared(op: &Reading) -> Result<[Source; 4], String> {
    let (mode, is_joined) = mode_of(&op.parts, op.kind).ok_or(UNTYPED)?;
    let [a, b] = op.sources(1, 2, op.kind)?;
    let (third, is_negated) = if is_joined { op.predicate(3)? } else { (ZERO, false) };
    let negated = if is_negated { JOINED_NEGATED } else { 0 };
    Ok([a, b, third, Source::Constant(mode | negated | mode::of_halves(op.kind))])
}

/// Decodes `slct`: the first value where the third is not negative.
fn choose(op: &Reading, function: Function) -> Result<Action, String> {
    let [a, b] = op.sources(1, 2, op.first_kind())?;
    let mode = Source::Constant(mode::of(&op.parts, op.kind));
    op.computed(function, [a, b, op.source(3, op.kind)?, mode], 1)
}

fn is_pair(kind: Type) -> bool {
    matches!(kind, Type::F16x2 | Type::Bf16x2)
}

/// The bits of a mode where the comparison is, and the operator that joins it with a predicate.
const COMPARISON: u32 = 16;
const JOINED_BY: u32 = 24;
/// Set where the predicate that it is joined with is negated.
const JOINED_NEGATED: u64 = 1 << 28;

/// Set for comparisons that hold where one of the values is no number.
const UNORDERED: u64 = 8;

/// Returns a comparison's name as part of a mode ("Comparison and Selection Instructions: setp").
fn comparison(name: &str, kind: Type) -> Option<u64> {
    let is_float = kind.is_float() || is_pair(kind);
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
        // `ltu` and so on: as `lt`, or not ordered.
        _ if is_float => comparison(name.strip_suffix('u')?, kind)? >> COMPARISON | UNORDERED,
        _ => return None,
    };
    Some(code << COMPARISON)
}

/// Returns true if the comparison of a mode holds; an order is none where one of the values is no number.
fn holds(order: Option<Ordering>, mode: u64) -> bool {
    // Where one is NaN no comparison holds but those that end in `u`, and `nan` ("Floating Point Comparisons").
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

/// Joins a comparison with a predicate.
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

/// Returns the mode of `setp`, or of `set`, and true if there is a predicate to join the comparison with.
fn mode_of(parts: &[&str], kind: Type) -> Option<(u64, bool)> {
    // The comparison comes first in the opcode, and the Boolean operator second.
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

/// Returns the half from this bit on.
fn half(bits: u64, at: u32, mode: u64) -> f64 {
    flushed_half(of_half((bits >> at) as u16, mantissa(mode & mode::BF16 != 0)), mode)
}

fn single(bits: u64, mode: u64) -> f32 {
    flushed(f32::from_bits(bits as u32), mode)
}

/// Makes the function of a comparison from the order of two values.
macro_rules! comparing {
    (|$a:ident, $b:ident, $mode:ident| $order:expr) => {
        Some(|$a: u64, $b: u64, c: u64, $mode: u64| {
            // The second predicate is the opposite comparison, joined with the same predicate ("setp").
            let holds = holds($order, $mode);
            (joined(holds, c, $mode), joined(!holds, c, $mode))
        })
    };
}

/// Returns the function of `setp`: the comparison, and its opposite, each joined with a predicate.
fn set_predicate(kind: Type) -> Option<Twofold> {
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
            let [low, high] =
                [0, 16].map(|at| holds(half(a, at, mode).partial_cmp(&half(b, at, mode)), mode));
            (joined(low, c, mode), joined(high, c, mode))
        }),
        _ => None,
    }
}

/// Returns the function of `set`, whose result is all ones or 1.0 where the comparison holds.
fn set(result: Type, kind: Type) -> Option<Function> {
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
