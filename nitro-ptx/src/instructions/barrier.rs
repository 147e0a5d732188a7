//! Barriers of a block ("Parallel Synchronization and Communication Instructions: bar, barrier").

use std::sync::Arc;

use super::effect::Kind;
use super::entry::Entry;
use super::reading::Reading;
use crate::machine::barrier::{Barrier, BarrierVote};
use crate::machine::block::Vote;
use crate::machine::source::{Source, ZERO};
use crate::machine::state::Action;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::action("bar{.cta}.sync  a{, b}\n barrier{.cta}.sync{.aligned}  a{, b}", barrier_effect, |op| {
        barrier(op, 0, true, None)
    }),
    Entry::action("bar{.cta}.arrive  a, b\n barrier{.cta}.arrive{.aligned}  a, b", barrier_effect, |op| {
        barrier(op, 0, false, None)
    }),
    Entry::action(
        "bar{.cta}.red.popc.u32                          d, a{, b}, !P
         bar{.cta}.red.and/.or.pred                      p, a{, b}, !P
         barrier{.cta}.red.popc{.aligned}.u32            d, a{, b}, !P
         barrier{.cta}.red.and/.or{.aligned}.pred        p, a{, b}, !P",
        barrier_effect,
        |op| {
            let vote = match (op.has("popc"), op.has("and")) {
                (true, _) => Vote::Count,
                (_, true) => Vote::All,
                _ => Vote::Any,
            };
            let (predicate, is_negated) = op.predicate(op.instruction.operands.len() - 1)?;
            barrier(op, 1, true, Some(BarrierVote { vote, predicate, is_negated, to: op.target(0)? }))
        },
    ),
];

/// Returns the effect of all that begins with `bar` or `barrier`, those of warps and clusters too.
pub(super) fn barrier_effect(parts: &[&str]) -> (Kind, usize) {
    const EFFECTS: [(&str, (Kind, usize)); 4] = [
        ("warp", (Kind::Collective, 0)),
        ("cluster", (Kind::Frozen, 0)),
        ("red", (Kind::Frozen, 1)),
        ("arrive", (Kind::Frozen, 0)),
    ];
    let special = EFFECTS.iter().find(|(part, _)| parts.contains(part));
    special.map_or((Kind::Barrier, 0), |(_, effect)| *effect)
}

/// Decodes a barrier, whose number is the operand `first`, and whose count of threads may come after it.
fn barrier(op: &Reading, first: usize, waits: bool, vote: Option<BarrierVote>) -> Result<Action, String> {
    // `bar` is `barrier` with `.aligned` ("bar, barrier").
    let is_aligned = op.name == "bar" || op.has("aligned");
    // The predicate of a vote comes last, behind an optional count.
    let given = op.instruction.operands.len() - usize::from(vote.is_some());
    let number: Source = if first < given { op.source(first, Type::Unsigned(4))? } else { ZERO };
    let count = if first + 1 < given { Some(op.source(first + 1, Type::Unsigned(4))?) } else { None };
    Ok(Arc::new(Barrier { number, count, waits, is_aligned, vote }))
}
