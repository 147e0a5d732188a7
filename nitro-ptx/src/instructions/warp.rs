//! Exchange within a warp: `shfl`, `vote`, `match`, `redux`, `elect` and `bar.warp.sync`.

use std::sync::Arc;

use super::barrier::barrier_effect;
use super::effect;
use super::entry::Entry;
use super::reading::{Reading, UNTYPED};
use crate::machine::meeting::{Collective, Exchange};
use crate::machine::source::{SINK, Source, ZERO};
use crate::machine::state::Action;
use crate::machine::warp::lanes;
use crate::text::types::Type;

const NUMBER: Type = Type::Unsigned(4);

/// The results of one thread.
type Results = fn(&Exchange, usize) -> (u64, u64);

// Forms without `.sync` are of devices before sm_70, whose threads are where the others are.
pub(super) const FAMILY: &[Entry] = &[
    Entry::action("bar.warp.sync  a", barrier_effect, |op| {
        let collective = Collective { is_barrier: true, ..collective(op, [ZERO; 3], 0, |_, _| (0, 0))? };
        Ok(Arc::new(Arc::new(collective)))
    }),
    Entry::action("shfl.sync.up/.down/.bfly/.idx.b32  d{|p}, a, b, c, e", effect::collective, shuffle),
    Entry::action("shfl.up/.down/.bfly/.idx.b32  d{|p}, a, b, c", effect::collective, shuffle),
    Entry::action("vote.sync.all/.any/.uni.pred  p, !P, a", effect::collective, vote),
    Entry::action("vote.sync.ballot.b32  d, !P, a", effect::collective, vote),
    Entry::action("vote.all/.any/.uni.pred  p, !P", effect::collective, vote),
    Entry::action("vote.ballot.b32  d, !P", effect::collective, vote),
    Entry::action("match.any.sync.b32/.b64  d, a, b", effect::collective, |op| {
        let from = [op.source(1, op.kind)?, ZERO, ZERO];
        together(
            op,
            from,
            2,
            match op.kind.bytes() {
                8 => |exchange, lane| (alike(exchange, lane, u64::MAX).into(), 0),
                _ => |exchange, lane| (alike(exchange, lane, 0xffff_ffff).into(), 0),
            },
        )
    }),
    Entry::action("match.all.sync.b32/.b64  d{|p}, a, b", effect::collective, |op| {
        let from = [op.source(1, op.kind)?, ZERO, ZERO];
        together(
            op,
            from,
            2,
            match op.kind.bytes() {
                8 => |exchange, lane| all_alike(exchange, lane, u64::MAX),
                _ => |exchange, lane| all_alike(exchange, lane, 0xffff_ffff),
            },
        )
    }),
    Entry::action(
        "redux.sync.add/.min/.max.u32/.s32  d, a, b
         redux.sync.and/.or/.xor.b32  d, a, b",
        effect::collective,
        |op| together(op, [op.source(1, op.kind)?, ZERO, ZERO], 2, reduction(op)?),
    ),
    // The elected thread is deterministic for a mask: here the first ("elect.sync").
    Entry::action("elect.sync  d|p, a", effect::collective, |op| {
        together(op, [ZERO; 3], 1, |exchange, lane| {
            let chosen = exchange.set.trailing_zeros();
            (chosen.into(), (chosen as usize == lane).into())
        })
    }),
];

/// Makes what threads do together. The operand `mask` names them, unless the opcode has no `.sync`.
fn collective(op: &Reading, from: [Source; 3], mask: usize, result: Results) -> Result<Collective, String> {
    let mask = if op.has("sync") { Some(op.source(mask, NUMBER)?) } else { None };
    // Threads may execute it at different places of the text, with the same qualifiers and mask.
    let meets = nitro_core::Artifact::of(&op.instruction.opcode).digest();
    Ok(Collective {
        from,
        is_negated: false,
        to: [SINK; 2],
        mask,
        meets,
        is_barrier: false,
        hands_on: op.name == "shfl",
        result,
    })
}

/// Decodes an instruction with one or two results, `d` or `d|p`.
fn together(op: &Reading, from: [Source; 3], mask: usize, result: Results) -> Result<Action, String> {
    let collective = collective(op, from, mask, result)?;
    Ok(Arc::new(Arc::new(Collective { to: op.targets(0)?, ..collective })))
}

fn shuffle(op: &Reading) -> Result<Action, String> {
    let from = [op.source(1, Type::Bits(4))?, op.source(2, NUMBER)?, op.source(3, NUMBER)?];
    let result: Results = match () {
        () if op.has("up") => |exchange, lane| {
            let Range { own, by, last, .. } = Range::of(exchange, lane);
            given(exchange, lane, own - by, own - by >= last)
        },
        () if op.has("down") => |exchange, lane| {
            let Range { own, by, last, .. } = Range::of(exchange, lane);
            given(exchange, lane, own + by, own + by <= last)
        },
        () if op.has("bfly") => |exchange, lane| {
            let Range { own, by, last, .. } = Range::of(exchange, lane);
            given(exchange, lane, own ^ by, own ^ by <= last)
        },
        () => |exchange, lane| {
            let Range { own, by, last, segment } = Range::of(exchange, lane);
            let from = (own & segment) | (by & !segment);
            given(exchange, lane, from, from <= last)
        },
    };
    together(op, from, 4, result)
}

/// The lanes that one may read ("shfl.sync").
struct Range {
    own: i64,
    by: i64,
    /// The bits of a lane that say its segment.
    segment: i64,
    /// The last lane to read, or the first for `.up`.
    last: i64,
}

impl Range {
    fn of(exchange: &Exchange, lane: usize) -> Self {
        let [_, by, limits] = &exchange.given;
        let (own, limit) = (lane as i64, limits[lane]);
        // Bits 8 to 12 of the third operand are the segment mask, bits 0 to 4 the clamp value ("shfl.sync").
        let segment = (limit >> 8 & 31) as i64;
        let last = (own & segment) | (limit as i64 & 31 & !segment);
        Self { own, by: by[lane] as i64 & 31, segment, last }
    }
}

/// Returns what a thread gets of another, or its own value where that one is not in range. From one that does not
/// take part it may be anything.
fn given(exchange: &Exchange, lane: usize, from: i64, is_in: bool) -> (u64, u64) {
    let from = if is_in { from as usize } else { lane };
    let value = exchange.given[0][from] & 0xffff_ffff;
    (if exchange.set >> from & 1 != 0 { value } else { exchange.noise }, is_in.into())
}

fn vote(op: &Reading) -> Result<Action, String> {
    let (predicate, is_negated) = op.predicate(1)?;
    let result: Results = match () {
        () if op.has("all") => |exchange, _| (u64::from(ballot(exchange) == exchange.set), 0),
        () if op.has("any") => |exchange, _| (u64::from(ballot(exchange) != 0), 0),
        () if op.has("uni") => |exchange, _| {
            let holds = ballot(exchange);
            (u64::from(holds == exchange.set || holds == 0), 0)
        },
        () => |exchange, _| (ballot(exchange).into(), 0),
    };
    let collective = collective(op, [predicate, ZERO, ZERO], 2, result)?;
    Ok(Arc::new(Arc::new(Collective { is_negated, to: [op.target(0)?, SINK], ..collective })))
}

/// Returns the lanes whose predicate holds.
fn ballot(exchange: &Exchange) -> u32 {
    lanes_where(exchange, |lane| exchange.given[0][lane] & 1 != 0)
}

/// Returns the lanes that have the value of this one.
fn alike(exchange: &Exchange, lane: usize, mask: u64) -> u32 {
    let values = &exchange.given[0];
    lanes_where(exchange, |other| (values[other] ^ values[lane]) & mask == 0)
}

fn all_alike(exchange: &Exchange, lane: usize, mask: u64) -> (u64, u64) {
    let is_alike = alike(exchange, lane, mask) == exchange.set;
    (if is_alike { exchange.mask.into() } else { 0 }, is_alike.into())
}

fn lanes_where(exchange: &Exchange, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(exchange.set).filter(|&lane| holds(lane)).fold(0, |set, lane| set | 1 << lane)
}

fn reduction(op: &Reading) -> Result<Results, String> {
    Ok(match (op.parts.iter().find(|part| **part != "sync"), op.kind) {
        (Some(&"add"), _) => |exchange, _| reduced(exchange, u32::wrapping_add),
        (Some(&"and"), _) => |exchange, _| reduced(exchange, |a, b| a & b),
        (Some(&"or"), _) => |exchange, _| reduced(exchange, |a, b| a | b),
        (Some(&"xor"), _) => |exchange, _| reduced(exchange, |a, b| a ^ b),
        (Some(&"min"), Type::Signed(4)) => {
            |exchange, _| reduced(exchange, |a, b| (a as i32).min(b as i32) as u32)
        }
        (Some(&"max"), Type::Signed(4)) => {
            |exchange, _| reduced(exchange, |a, b| (a as i32).max(b as i32) as u32)
        }
        (Some(&"min"), _) => |exchange, _| reduced(exchange, u32::min),
        (Some(&"max"), _) => |exchange, _| reduced(exchange, u32::max),
        _ => return Err(UNTYPED.to_owned()),
    })
}

fn reduced(exchange: &Exchange, function: fn(u32, u32) -> u32) -> (u64, u64) {
    let values = lanes(exchange.set).map(|lane| exchange.given[0][lane] as u32);
    (values.reduce(function).unwrap_or(0).into(), 0)
}
