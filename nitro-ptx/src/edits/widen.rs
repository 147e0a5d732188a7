//! Loads or stores of neighbours as one of a vector.
//!
//! The assembler makes one access of several only where it sees that the address is a multiple of their size. That of a
//! row of a tile is one, and so is that of a structure, but nothing in the text says so.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::edit::Reach;
use super::overlap::{accessed, may_share_space, touched};
use super::rewrite::may_pass;
use crate::instructions::effect::Kind;
use crate::text::module::{Content, Function, Instruction, InstructionId, Item, Token};
use crate::text::types::Space;

/// The most bytes that one instruction loads or stores.
const MOST_BYTES: i64 = 16;
/// The instructions below a load, or above a store, among which its neighbours are looked for.
const MOST_PASSED: usize = 256;

impl Function {
    /// Makes loads and those of their neighbours, which stand below them, one load of a vector each, and stores with
    /// those above them. Returns the first of each loaded vector, and the last of each that is stored.
    pub(super) fn widen(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let joined = self.joined();
        let (mut done, mut is_shared) = (Vec::new(), false);
        for at in 0..self.items.len() {
            let Content::Instruction(id, load) = &self.items[at].content else { continue };
            let (id, space) = (*id, load.effect().space);
            let lanes = if reach.covers(id, &self.name) { self.lanes(at, &joined) } else { None };
            if let Some(lanes) = lanes {
                self.join(at, &lanes, 0);
                done.push(id);
                is_shared |= space != Space::Global;
            }
        }
        for at in (0..self.items.len()).rev() {
            let Content::Instruction(id, store) = &self.items[at].content else { continue };
            let (id, space) = (*id, store.effect().space);
            let lanes = if reach.covers(id, &self.name) { self.stored_lanes(at, &joined) } else { None };
            if let Some(lanes) = lanes {
                self.join(at, &lanes, 1);
                done.push(id);
                is_shared |= space != Space::Global;
            }
        }
        if is_shared {
            self.items.iter_mut().for_each(align);
        }
        done
    }

    /// Returns the positions of a load and its neighbours in the order of their addresses, as many as there are of four
    /// or two; all of them may stand where it stands.
    fn lanes(&self, at: usize, joined: &HashSet<String>) -> Option<Vec<usize>> {
        let Content::Instruction(_, load) = &self.items[at].content else { return None };
        let (register, own) = accessed(load).filter(|_| is_scalar(load, Kind::Load))?;
        let mut below = vec![(own.start, at)];
        for index in at + 1..self.items.len().min(at + MOST_PASSED) {
            let Content::Instruction(_, other) = &self.items[index].content else {
                if !may_pass(load, &self.items[index], joined) {
                    break;
                }
                continue;
            };
            let may_come = |position: usize| may_pass(other, &self.items[position], joined);
            if other.opcode == load.opcode
                && other.guard.is_none()
                && self.items[index].scope == self.items[at].scope
                && let Some((_, place)) = accessed(other).filter(|(base, _)| *base == register)
                && below.iter().all(|(start, _)| *start != place.start)
                && (at..index).all(may_come)
            {
                below.push((place.start, index));
            }
            if !is_passed(load, other) {
                break;
            }
        }
        vector(&below, &own)
    }

    /// Returns the positions of a store and its neighbours in the order of their addresses, as many as there are of
    /// four or two; all of them may stand where it stands.
    fn stored_lanes(&self, at: usize, joined: &HashSet<String>) -> Option<Vec<usize>> {
        let Content::Instruction(_, store) = &self.items[at].content else { return None };
        let (register, own) = accessed(store).filter(|_| is_scalar(store, Kind::Store))?;
        let mut above = vec![(own.start, at)];
        for index in (at.saturating_sub(MOST_PASSED)..at).rev() {
            let other = match &self.items[index].content {
                Content::Instruction(_, other) if is_in_block(other) => other,
                Content::Label(name) if !joined.contains(name) => continue,
                Content::Text(_) | Content::Tombstone(_) => continue,
                _ => break,
            };
            let may_go = |position: usize| match &self.items[position].content {
                Content::Instruction(_, passed) => may_go_behind(other, passed),
                _ => true,
            };
            if other.opcode == store.opcode
                && other.guard.is_none()
                && self.items[index].scope == self.items[at].scope
                && let Some((_, place)) = accessed(other).filter(|(base, _)| *base == register)
                && is_scalar(other, Kind::Store)
                && above.iter().all(|(start, _)| *start != place.start)
                && (index + 1..=at).all(may_go)
            {
                above.push((place.start, index));
            }
        }
        vector(&above, &own)
    }

    /// Puts one access of these in the place of this one. Of each this operand is what it loads or stores.
    fn join(&mut self, at: usize, lanes: &[usize], operand: usize) {
        let load = |position: usize| match &self.items[position].content {
            Content::Instruction(id, load) => Some((*id, Arc::clone(load))),
            _ => None,
        };
        let loads: Vec<(InstructionId, Arc<Instruction>)> = lanes.iter().copied().filter_map(load).collect();
        let Some((_, least)) = loads.first() else { return };
        let mut vector = Instruction::clone(least);
        let count = lanes.len();
        if let Some((head, kind)) = least.opcode.rsplit_once('.') {
            vector.opcode = format!("{head}.v{count}.{kind}");
        }
        let mut results = vec![Token::Mark('{')];
        for (lane, (_, load)) in loads.iter().enumerate() {
            results.extend((lane > 0).then_some(Token::Mark(',')));
            results.extend(load.operands[operand].iter().cloned());
        }
        results.push(Token::Mark('}'));
        vector.operands[operand] = results;
        for (&position, (id, _)) in lanes.iter().zip(&loads) {
            self.items[position].content = match position == at {
                true => Content::Instruction(*id, Arc::new(vector.clone())),
                false => Content::Tombstone(*id),
            };
        }
    }
}

/// Returns the positions of four accesses, or two, whose offsets begin at a multiple of their size and follow each
/// other; one of them is this.
fn vector(all: &[(i64, usize)], own: &Range<i64>) -> Option<Vec<usize>> {
    let bytes = own.end - own.start;
    let mut counts = [MOST_BYTES / bytes, MOST_BYTES / bytes / 2].into_iter().filter(|count| *count > 1);
    counts.find_map(|count| {
        let first = own.start - own.start.rem_euclid(count * bytes);
        let position = |lane: i64| {
            let found = all.iter().find(|(start, _)| *start == first + lane * bytes);
            found.map(|(_, position)| *position)
        };
        (0..count).map(position).collect()
    })
}

/// Tells whether nothing branches or waits here.
fn is_in_block(instruction: &Instruction) -> bool {
    matches!(instruction.effect().kind, Kind::Pure | Kind::Load | Kind::Store | Kind::Hint)
}

/// Tells whether a store may be made behind this instead of before it: neither reads or writes what the other writes.
fn may_go_behind(store: &Instruction, passed: &Instruction) -> bool {
    let made = passed.definitions();
    let is_apart = match (accessed(store), accessed(passed)) {
        (Some((base, own)), Some((other, place))) => {
            base == other && (own.end <= place.start || place.end <= own.start)
        }
        _ => false,
    };
    let is_access = matches!(passed.effect().kind, Kind::Load | Kind::Store);
    is_in_block(passed)
        && !touched(store).iter().any(|register| made.contains(register))
        && (!is_access || is_apart || !may_share_space(store, passed))
}

/// Tells whether this loads or stores one value of 32 or 64 bits in the plain way.
fn is_scalar(access: &Instruction, kind: Kind) -> bool {
    let value = usize::from(kind == Kind::Store);
    let mut parts = access.opcode.split('.');
    let is_known = |part: &str| match part {
        "ld" | "st" | "weak" | "global" | "shared" | "nc" | "ca" | "cg" | "cs" => true,
        kind => matches!(kind.split_at_checked(1), Some(("b" | "u" | "s" | "f", "32" | "64"))),
    };
    access.effect().kind == kind
        && access.guard.is_none()
        && parts.all(is_known)
        && matches!(access.operands.get(value).map(Vec::as_slice), Some([Token::Register(..)]))
}

/// Tells whether a load may come before this, whatever its address: no store that might be to the same place.
fn is_passed(load: &Instruction, above: &Instruction) -> bool {
    match above.effect().kind {
        Kind::Pure | Kind::Load | Kind::Hint => true,
        Kind::Store => !may_share_space(load, above),
        _ => false,
    }
}

/// Lets a variable of a block's memory begin at a multiple of a vector's bytes.
fn align(item: &mut Item) {
    let Content::Text(text) = &mut item.content else { return };
    let Some(rest) = text.trim_start().strip_prefix(".shared") else { return };
    let own = rest.trim_start().strip_prefix(".align").map(str::trim_start);
    let digits = own.map_or(0, |own| own.chars().take_while(char::is_ascii_digit).count());
    let bytes = own.and_then(|own| own[..digits].parse::<i64>().ok());
    if bytes.is_none_or(|bytes| bytes < MOST_BYTES) {
        let declared = own.map_or(rest, |own| &own[digits..]);
        *text = format!(".shared .align {MOST_BYTES}{declared}");
    }
}
