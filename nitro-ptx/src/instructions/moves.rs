//! Moves, and conversions of addresses ("Data Movement and Conversion Instructions: mov, cvta, isspacep").

use std::sync::Arc;

use super::entry::Entry;
use super::reading::{Reading, UNTYPED};
use crate::machine::compute::{Function, Moves, Pack, Unpack};
use crate::machine::source::{LOCAL, PARAMETERS, SHARED, Source, ZERO};
use crate::machine::state::Action;
use crate::text::types::{Space, Type};

pub(super) const FAMILY: &[Entry] = &[
    Entry::pure("mov.pred  p, !P", |op| {
        let (a, is_negated) = op.predicate(1)?;
        let from = [a, Source::Constant(is_negated.into()), ZERO, ZERO];
        op.computed(|a, negated, _, _| (a ^ negated) & 1, from, 1)
    })
    .with_numbers(),
    Entry::pure("mov.WIDE  d, a", |op| {
        let [a] = op.sources(1, 1, op.kind)?;
        op.computed(|a, _, _, _| a, [a, ZERO, ZERO, ZERO], 1)
    }),
    // Values are packed from the lowest bits on ("mov").
    Entry::pure("mov.b32/.b64  d, <a>", |op| {
        let count = parts(op, 1)?;
        let part = Type::Bits(op.kind.bytes() / count as u8);
        let (from, to) = (op.list(1, part, count)?.into(), op.target(0)?);
        Ok(Arc::new(Pack { from, to, bits: u32::from(part.bytes()) * 8 }))
    }),
    Entry::pure("mov.b32/.b64  <d>, a", |op| {
        let count = parts(op, 0)?;
        let (from, to) = (op.source(1, op.kind)?, op.registers(0, count)?);
        Ok(Arc::new(Unpack { from, to, bits: u32::from(op.kind.bytes()) * 8 / count as u32 }))
    }),
    Entry::pure(
        "mov.v2/.v4.b8/.b16/.b32/.u8/.u16/.u32/.s8/.s16/.s32/.f32  D, A
         mov.v2.b64/.u64/.s64/.f64  D, A",
        |op| {
            let from = op.list(1, op.kind, op.lanes())?;
            Ok(Arc::new(Moves(from.into_iter().zip(op.registers(0, op.lanes())?).collect())))
        },
    ),
    Entry::pure("cvta{.to}.const/.WINDOW.u64  d, a", |op| {
        // A generic address is an offset in the window of its space ("Generic Addressing").
        let window = window(op.space());
        let by = if op.has("to") { window.wrapping_neg() } else { window };
        let [a] = op.sources(1, 1, Type::Unsigned(8))?;
        op.computed(|a, b, _, _| a.wrapping_add(b), [a, Source::Constant(by), ZERO, ZERO], 1)
    }),
    Entry::pure("isspacep.WINDOW  p, a", is_in_space),
];

/// Returns the number of registers that a value is made of: none has 8 bits.
fn parts(op: &Reading, at: usize) -> Result<usize, String> {
    let count = op.values(at)?;
    let is_whole = matches!(count, 2 | 4) && usize::from(op.kind.bytes()) / count >= 2;
    if is_whole { Ok(count) } else { Err(UNTYPED.to_owned()) }
}

/// Returns the beginning of a window of generic addresses.
fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED,
        Space::Local => LOCAL,
        Space::Parameter => PARAMETERS,
        _ => 0,
    }
}

fn is_in_space(op: &Reading) -> Result<Action, String> {
    let [a] = op.sources(1, 1, Type::Unsigned(8))?;
    let function: Function = match op.space() {
        // Whatever is in no window is global ("isspacep").
        Space::Global => |a, _, _, _| u64::from(a < SHARED),
        _ => |a, b, _, _| u64::from(a >> 60 == b >> 60),
    };
    op.computed(function, [a, Source::Constant(window(op.space())), ZERO, ZERO], 1)
}
