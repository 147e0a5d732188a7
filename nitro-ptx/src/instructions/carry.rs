//! Sums of several words ("Extended-Precision Integer Arithmetic Instructions").

use std::sync::Arc;

use super::effect;
use super::entry::Entry;
use super::integer::upper;
use super::reading::{Reading, UNTYPED};
use crate::machine::compute::{ComputeTwo, Twofold};
use crate::machine::source::{CARRY, SINK, Source, ZERO};
use crate::machine::state::Action;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::pure("add.cc.CARRY  d, a, b", |op| carrying(op, sum_of_two(op), ZERO)),
    // Nothing has been borrowed before.
    Entry::pure("sub.cc.CARRY  d, a, b", |op| carrying(op, difference_of_two(op), Source::Constant(1))),
    Entry::pure("mad.lo/.hi.cc.CARRY  d, a, b, c", |op| carrying(op, sum_of_product(op), ZERO)),
    // These read the carry, and write it with `.cc` alone ("addc", "subc", "madc").
    Entry::action("addc{.cc}.CARRY  d, a, b", effect::frozen_value, |op| {
        carrying(op, sum_of_two(op), Source::Register(CARRY))
    }),
    Entry::action("subc{.cc}.CARRY  d, a, b", effect::frozen_value, |op| {
        carrying(op, difference_of_two(op), Source::Register(CARRY))
    }),
    Entry::action("madc.lo/.hi{.cc}.CARRY  d, a, b, c", effect::frozen_value, |op| {
        carrying(op, sum_of_product(op), Source::Register(CARRY))
    }),
];

/// Decodes a function whose last source is the carry, and whose second result is it with `.cc`.
fn carrying(op: &Reading, function: Option<Twofold>, carry: Source) -> Result<Action, String> {
    let function = function.ok_or(UNTYPED)?;
    let mut from = op.sources(1, op.instruction.operands.len() - 1, op.kind)?;
    from[3] = carry;
    let to = [op.target(0)?, if op.has("cc") { CARRY } else { SINK }];
    Ok(Arc::new(ComputeTwo { function, to, from }))
}

fn sum_of_two(op: &Reading) -> Option<Twofold> {
    Some(match op.kind.bytes() {
        4 => |a, b, _, carry| sum(a, b, carry, 32),
        8 => |a, b, _, carry| sum(a, b, carry, 64),
        _ => return None,
    })
}

fn difference_of_two(op: &Reading) -> Option<Twofold> {
    // The carry is set where nothing was borrowed, and clear where something is to be: as of `a + !b + carry`.
    Some(match op.kind.bytes() {
        4 => |a, b, _, carry| sum(a, !b, carry, 32),
        8 => |a, b, _, carry| sum(a, !b, carry, 64),
        _ => return None,
    })
}

fn sum_of_product(op: &Reading) -> Option<Twofold> {
    Some(match (op.kind, op.has("hi")) {
        (Type::Unsigned(4) | Type::Signed(4), false) => {
            |a, b, c, carry| sum(u64::from((a as u32).wrapping_mul(b as u32)), c, carry, 32)
        }
        (Type::Unsigned(8) | Type::Signed(8), false) => |a, b, c, carry| sum(a.wrapping_mul(b), c, carry, 64),
        (Type::Signed(4), true) => |a, b, c, carry| sum(upper(Type::Signed(4), a, b), c, carry, 32),
        (Type::Signed(8), true) => |a, b, c, carry| sum(upper(Type::Signed(8), a, b), c, carry, 64),
        (Type::Unsigned(4), true) => |a, b, c, carry| sum(upper(Type::Unsigned(4), a, b), c, carry, 32),
        (Type::Unsigned(8), true) => |a, b, c, carry| sum(upper(Type::Unsigned(8), a, b), c, carry, 64),
        _ => return None,
    })
}

/// Returns a sum with a carry, and what it carries.
fn sum(a: u64, b: u64, carry: u64, width: u32) -> (u64, u64) {
    // 128 bits hold the sum of two words of 64 bits and a carry.
    let all = u64::MAX >> (64 - width);
    let sum = u128::from(a & all) + u128::from(b & all) + u128::from(carry & 1);
    (sum as u64 & all, (sum >> width) as u64 & 1)
}
