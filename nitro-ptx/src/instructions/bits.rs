//! Logic, shifts, bit fields and counts ("Logic and Shift Instructions", "Integer Arithmetic Instructions: bfe ..").

use std::sync::Arc;

use super::arithmetic::integers::integers;
use super::entry::Entry;
use super::reading::{Reading, UNTYPED};
use crate::machine::clock::WARP;
use crate::machine::compute::Function;
use crate::machine::error::Fault;
use crate::machine::source::{Source, ZERO};
use crate::machine::state::{Action, After, Execute, Here, Machine};
use crate::machine::warp::lanes;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::special("popc.b32/.b64  d, a", |op| {
        Some(match op.kind.bytes() {
            8 => |a, _, _, _| a.count_ones().into(),
            _ => |a, _, _, _| (a as u32).count_ones().into(),
        })
    }),
    Entry::special("clz.b32/.b64  d, a", |op| {
        Some(match op.kind.bytes() {
            8 => |a, _, _, _| a.leading_zeros().into(),
            _ => |a, _, _, _| (a as u32).leading_zeros().into(),
        })
    }),
    Entry::special("brev.b32/.b64  d, a", |op| {
        Some(match op.kind.bytes() {
            8 => |a, _, _, _| a.reverse_bits(),
            _ => |a, _, _, _| (a as u32).reverse_bits().into(),
        })
    }),
    // With `.shiftamt` the result is a shift that brings the bit to the top; without any bit it is all ones
    // ("bfind").
    Entry::special("bfind{.shiftamt}.u32/.u64/.s32/.s64  d, a", |op| find(op.kind, op.has("shiftamt"))),
    Entry::value("bfe.u32/.u64/.s32/.s64  d, a, b, c", |op| extract(op.kind)),
    Entry::value("bfi.b32/.b64  d, a, b, c, e", |op| {
        Some(match op.kind.bytes() {
            8 => |a, b, c, d| insert(a, b, c, d, 64),
            _ => |a, b, c, d| insert(a, b, c, d, 32),
        })
    }),
    // `.clamp` takes amounts beyond 31 as 32, `.wrap` takes them modulo 32 ("szext", "bmsk").
    Entry::value("szext.clamp/.wrap.u32/.s32  d, a, b", |op| extend(op.has("clamp"), op.kind)),
    Entry::value("bmsk.clamp/.wrap.b32  d, a, b", |op| {
        Some(if op.has("clamp") { mask_clamp } else { mask_wrap })
    }),
    // Predicates have logic of their own, whose sources may be negated ("and", "or", "xor", "not").
    Entry::pure("and.pred  p, !P, !P", |op| {
        logic_of_predicates(op, |a, b, negated, _| (a ^ negated) & (b ^ negated >> 1) & 1)
    }),
    Entry::pure("or.pred  p, !P, !P", |op| {
        logic_of_predicates(op, |a, b, negated, _| ((a ^ negated) | (b ^ negated >> 1)) & 1)
    }),
    Entry::pure("xor.pred  p, !P, !P", |op| {
        logic_of_predicates(op, |a, b, negated, _| (a ^ b ^ negated ^ negated >> 1) & 1)
    }),
    Entry::pure("not.pred  p, !P", |op| logic_of_predicates(op, |a, _, negated, _| !(a ^ negated) & 1)),
    Entry::value("and.b16/.b32/.b64  d, a, b", |op| integers!(op.kind, T, |a, b, c| a & b)).with_numbers(),
    Entry::value("or.b16/.b32/.b64  d, a, b", |op| integers!(op.kind, T, |a, b, c| a | b)).with_numbers(),
    Entry::value("xor.b16/.b32/.b64  d, a, b", |op| integers!(op.kind, T, |a, b, c| a ^ b)).with_numbers(),
    Entry::value("not.b16/.b32/.b64  d, a", |op| integers!(op.kind, T, |a, b, c| !a)).with_numbers(),
    Entry::value("cnot.b16/.b32/.b64  d, a", |op| integers!(op.kind, T, |a, b, c| T::from(a == 0))),
    // The table has a bit for each of eight combinations of three bits ("lop3").
    Entry::value("lop3.b32  d, a, b, c, n", |_| Some(lop3)),
    Entry::pure("lop3.and/.or.b32  d|p, a, b, c, n, !P", logic_and_predicate),
    Entry::value("shf.l/.r.clamp/.wrap.b32  d, a, b, c", |op| {
        Some(match (op.has("l"), op.has("clamp")) {
            (true, true) => funnel_left_clamp,
            (true, false) => funnel_left,
            (false, true) => funnel_right_clamp,
            (false, false) => funnel_right,
        })
    }),
    Entry::value("shl.b16/.b32/.b64  d, a, b", |op| Some(shift_left(op.kind))).with_numbers(),
    Entry::value("shr.b16/.b32/.b64/.INT  d, a, b", |op| Some(shift_right(op.kind))).with_numbers(),
    Entry::value("prmt.b32{.f4e/.b4e/.rc8/.ecl/.ecr/.rc16}  d, a, b, c", |op| Some(permute(&op.parts))),
];

/// Decodes logic of predicates, of which each source may be negated: the third value has a bit for each.
fn logic_of_predicates(op: &Reading, function: Function) -> Result<Action, String> {
    let (a, negates_a) = op.predicate(1)?;
    let (b, negates_b) = if op.instruction.operands.len() > 2 { op.predicate(2)? } else { (ZERO, false) };
    let negated = u64::from(negates_a) | u64::from(negates_b) << 1;
    op.computed(function, [a, b, Source::Constant(negated), ZERO], 1)
}

/// Bitwise logic of three words, and a predicate that says whether anything comes of it, joined with another.
#[derive(Clone, Copy, Debug)]
struct LogicAndPredicate {
    from: [Source; 3],
    /// The result for each combination of three bits.
    table: u64,
    with: Source,
    is_negated: bool,
    is_and: bool,
    to: [u32; 2],
}

fn logic_and_predicate(op: &Reading) -> Result<Action, String> {
    let from = op.sources(1, 3, Type::Bits(4))?;
    let Source::Constant(table) = op.source(4, Type::Unsigned(4))? else { return Err(UNTYPED.to_owned()) };
    let (with, is_negated) = op.predicate(5)?;
    let (is_and, to) = (op.has("and"), op.targets(0)?);
    Ok(Arc::new(LogicAndPredicate { from, table: table & 0xff, with, is_negated, is_and, to }))
}

impl Execute for LogicAndPredicate {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let [a, b, c] = self.from.map(|source| here.values(machine, source));
        let with = here.values(machine, self.with);
        let (mut words, mut holds) = ([0; WARP], [0; WARP]);
        for lane in lanes(here.active) {
            words[lane] = lop3(a[lane], b[lane], c[lane], self.table);
            let with = with[lane] & 1 != u64::from(self.is_negated);
            let is_any = words[lane] != 0;
            holds[lane] = u64::from(if self.is_and { is_any && with } else { is_any || with });
        }
        here.write(self.to[0], &words);
        here.write(self.to[1], &holds);
        Ok(After::Next)
    }
}

/// Returns for each bit what the table has for the three bits there ("lop3").
fn lop3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    let mut result = 0;
    for row in 0..8 {
        if table >> row & 1 != 0 {
            let [a, b, c] =
                [(a, 2), (b, 1), (c, 0)].map(|(value, bit)| if row >> bit & 1 != 0 { value } else { !value });
            result |= a & b & c;
        }
    }
    result & 0xffff_ffff
}

/// Returns the function of `shl`. Amounts have 32 bits, and those beyond the width are as the width ("shl").
fn shift_left(kind: Type) -> Function {
    match kind.bytes() {
        2 => |a, b, _, _| (a << (b as u32).min(63)) & 0xffff,
        4 => |a, b, _, _| (a << (b as u32).min(63)) & 0xffff_ffff,
        _ => |a, b, _, _| a.checked_shl(b as u32).unwrap_or(0),
    }
}

/// Returns the function of `shr`, which fills with the sign of what is signed.
fn shift_right(kind: Type) -> Function {
    match kind {
        Type::Signed(2) => |a, b, _, _| u64::from((a as i16 >> (b as u32).min(15)) as u16),
        Type::Signed(4) => |a, b, _, _| u64::from((a as i32 >> (b as u32).min(31)) as u32),
        Type::Signed(8) => |a, b, _, _| (a as i64 >> (b as u32).min(63)) as u64,
        Type::Unsigned(2) | Type::Bits(2) => |a, b, _, _| (a & 0xffff) >> (b as u32).min(63),
        Type::Unsigned(4) | Type::Bits(4) => |a, b, _, _| (a & 0xffff_ffff) >> (b as u32).min(63),
        _ => |a, b, _, _| a.checked_shr(b as u32).unwrap_or(0),
    }
}

/// Returns two words as one value, the first the lower one ("shf", "prmt").
fn joined(a: u64, b: u64) -> u64 {
    a & 0xffff_ffff | b << 32
}

/// Returns the upper word, shifted to the left.
fn funnel_left(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) << (c & 31) >> 32
}

fn funnel_left_clamp(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) << (c as u32).min(32) >> 32
}

/// Returns the lower word, shifted to the right.
fn funnel_right(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) >> (c & 31) & 0xffff_ffff
}

fn funnel_right_clamp(a: u64, b: u64, c: u64, _: u64) -> u64 {
    joined(a, b) >> (c as u32).min(32) & 0xffff_ffff
}

/// Returns the function of `bfind`: the highest bit that is not the sign's.
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

/// Returns the function of `bfe`.
fn extract(kind: Type) -> Option<Function> {
    /// Returns the field of `length` bits from `from` on; bits beyond it are the sign.
    fn field(a: u64, from: u64, length: u64, width: u32, is_signed: bool) -> u64 {
        let [from, length] = [from, length].map(|value| field_bound(value, width));
        let all = u64::MAX >> (64 - width);
        // The sign is that of the field's last bit, or of the word's where the field goes beyond it ("bfe").
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

/// Returns `b` with `a` in the place of `length` bits from `from` on ("bfi").
fn insert(a: u64, b: u64, from: u64, length: u64, width: u32) -> u64 {
    let [from, length] = [from, length].map(|value| field_bound(value, width));
    // A field beyond the word is cut off, and one of no bits changes nothing ("bfi").
    let ones = u64::MAX.checked_shr(64 - length.min(64)).unwrap_or(0).checked_shl(from).unwrap_or(0);
    let all = u64::MAX >> (64 - width);
    (b & !ones | a.checked_shl(from).unwrap_or(0) & ones) & all
}

/// Returns the function of `prmt`: four bytes of eight, by selectors or in a mode.
fn permute(parts: &[&str]) -> Function {
    fn byte(a: u64, b: u64, selector: u64) -> u64 {
        // The fourth bit of a selector spreads the byte's sign over the byte ("prmt").
        let byte = joined(a, b) >> ((selector & 7) * 8) & 0xff;
        if selector & 8 == 0 { byte } else { (byte >> 7) * 0xff }
    }
    fn word(selectors: [u64; 4], a: u64, b: u64) -> u64 {
        (0..4).map(|at| byte(a, b, selectors[at]) << (at * 8)).sum()
    }
    match parts[..] {
        // A selector of four bits: three choose a byte, and the fourth spreads its sign.
        ["b32"] => |a, b, c, _| word([c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15], a, b),
        [.., "f4e"] => |a, b, c, _| word([c & 3, (c & 3) + 1, (c & 3) + 2, (c & 3) + 3], a, b),
        [.., "b4e"] => |a, b, c, _| {
            let back = |by: u64| (8 + (c & 3) - by) & 7;
            word([back(0), back(1), back(2), back(3)], a, b)
        },
        [.., "rc8"] => |a, b, c, _| word([c & 3; 4], a, b),
        [.., "ecl"] => |a, b, c, _| word([c & 3, (c & 3).max(1), (c & 3).max(2), 3], a, b),
        [.., "ecr"] => |a, b, c, _| word([0, (c & 3).min(1), (c & 3).min(2), c & 3], a, b),
        _ => |a, b, c, _| word([(c & 1) * 2, (c & 1) * 2 + 1, (c & 1) * 2, (c & 1) * 2 + 1], a, b),
    }
}

/// Returns `b` ones from bit `a` on ("bmsk").
fn mask_clamp(a: u64, b: u64, _: u64, _: u64) -> u64 {
    let ones = u64::MAX.checked_shr(64 - (b as u32).min(32)).unwrap_or(0);
    ones.checked_shl(a as u32).unwrap_or(0) & 0xffff_ffff
}

fn mask_wrap(a: u64, b: u64, _: u64, _: u64) -> u64 {
    ((1_u64 << (b & 31)) - 1) << (a & 31) & 0xffff_ffff
}

/// Returns the function of `szext`: it keeps so many bits, with their sign.
fn extend(clamps: bool, kind: Type) -> Option<Function> {
    fn kept(a: u64, bits: u64, is_signed: bool) -> u64 {
        match bits {
            0 => 0,
            1..32 if is_signed => u64::from(((a as i32) << (32 - bits) >> (32 - bits)) as u32),
            1..32 => a & ((1 << bits) - 1),
            _ => a & 0xffff_ffff,
        }
    }
    Some(match (kind, clamps) {
        (Type::Unsigned(4), true) => |a, b, _, _| kept(a, u64::from(b as u32), false),
        (Type::Signed(4), true) => |a, b, _, _| kept(a, u64::from(b as u32), true),
        (Type::Unsigned(4), false) => |a, b, _, _| kept(a, b & 31, false),
        (Type::Signed(4), false) => |a, b, _, _| kept(a, b & 31, true),
        _ => return None,
    })
}
