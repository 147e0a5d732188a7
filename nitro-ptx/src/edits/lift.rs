//! Loads that come before branches, barriers and loops, with what their addresses are computed from.
//!
//! The assembler puts no load in front of a branch, which may be there to keep it from straying, and none in front of a
//! barrier. So a kernel waits for one load after the other, where it could wait for all of them at once. Nor does it
//! load once, in front of a loop, what is the same in each round, where a store of the loop might be to that place.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::base::Base;
use super::edit::{Operation, Reach};
use super::overlap::{overlap, touched};
use super::proposal::{Proposal, Reason};
use super::reword;
use crate::instructions::effect::Kind;
use crate::text::module::{Content, Function, Instruction, InstructionId, Item, Token};
use crate::text::types::Space;

/// The most places of a function in front of which loads are proposed, and the most proposals of a function.
const MOST_PLACES: usize = 16;
const MOST_PROPOSED: usize = 48;
/// The most proposals of a function that put loads in front of a loop.
const MOST_OF_LOOPS: usize = 16;

impl Function {
    /// Puts loads in front of an instruction above them, with all that they need from below it. Registers of which one
    /// instruction alone writes are the same there, and others that nothing on the way writes. Returns the loads.
    pub(super) fn lift(&mut self, reach: &Reach, before: InstructionId) -> Vec<InstructionId> {
        let place = self.items.iter().position(|item| match item.content {
            Content::Instruction(id, _) | Content::Tombstone(id) => id == before,
            _ => false,
        });
        let Some(mut to) = place else { return Vec::new() };
        let once = self.written_once();
        let heads: HashSet<String> = self.loop_heads().into_iter().map(str::to_owned).collect();
        let mut done = Vec::new();
        for at in to + 1..self.items.len() {
            let Content::Instruction(id, _) = self.items[at].content else { continue };
            if !reach.covers(id, &self.name) {
                continue;
            }
            let Some(needed) = self.needed(at, to, &once, &heads) else { continue };
            for from in needed {
                let mut item = self.items.remove(from);
                if let Content::Instruction(_, instruction) = &mut item.content {
                    Arc::make_mut(instruction).guard = None;
                }
                self.items.insert(to, item);
                to += 1;
            }
            done.push(id);
        }
        done
    }

    /// Returns the registers that one instruction alone writes.
    fn written_once(&self) -> HashSet<usize> {
        let (mut once, mut more) = (HashSet::new(), HashSet::new());
        for register in self.instructions().flat_map(|(_, instruction)| instruction.definitions()) {
            if !once.insert(register) {
                more.insert(register);
            }
        }
        &once - &more
    }

    /// Returns the positions of a load and of what it needs from a position on, in their order; none where it cannot
    /// come there, or nothing but arithmetic stands between.
    fn needed(
        &self,
        at: usize,
        to: usize,
        once: &HashSet<usize>,
        heads: &HashSet<String>,
    ) -> Option<Vec<usize>> {
        let Content::Instruction(_, load) = &self.items[at].content else { return None };
        let is_shared = load.effect().space == Space::Shared;
        let is_of_memory = is_shared || matches!(load.effect().space, Space::Global | Space::Generic);
        if load.effect().kind != Kind::Load || !is_of_memory || !may_be_lifted(load, once) {
            return None;
        }
        let mut registers: HashSet<usize> = touched(load).into_iter().collect();
        let (mut needed, mut loads, mut is_held_up) = (vec![at], vec![load], load.guard.is_some());
        for position in (to..at).rev() {
            let above = match &self.items[position].content {
                Content::Instruction(_, above) => above,
                Content::Label(name) => {
                    is_held_up |= heads.contains(name);
                    continue;
                }
                _ => continue,
            };
            let kind = above.effect().kind;
            if above.definitions().iter().any(|register| registers.contains(register)) {
                if !matches!(kind, Kind::Pure | Kind::Load) || !may_be_lifted(above, once) {
                    return None;
                }
                registers.extend(touched(above));
                needed.push(position);
                loads.extend((kind == Kind::Load).then_some(above));
            } else if kind == Kind::Store && loads.iter().any(|load| overlap(load, above)) {
                return None;
            }
            // Others write there until then.
            if is_shared && kind == Kind::Barrier {
                return None;
            }
            is_held_up |= matches!(kind, Kind::Branch | Kind::End | Kind::Barrier);
        }
        let is_same = |position: &usize| self.items[*position].scope == self.items[to].scope;
        needed.reverse();
        let mut others = registers.difference(once).peekable();
        let is_known = others.peek().is_none()
            || self.is_passed(to, at) && others.all(|register| !self.is_written(*register, to..at));
        (is_held_up && is_known && needed.iter().all(is_same)).then_some(needed)
    }

    /// Returns true if a thread at the second position has come there from the first, by what stands between: no
    /// branch from elsewhere leads in between.
    fn is_passed(&self, from: usize, to: usize) -> bool {
        let inside = self.items[from + 1..to].iter().filter_map(|item| match &item.content {
            Content::Label(name) => Some(name.as_str()),
            _ => None,
        });
        let between: HashSet<&str> = inside.collect();
        self.items.iter().enumerate().all(|(at, item)| match &item.content {
            Content::Targets { labels, .. } => !labels.iter().any(|label| between.contains(label.as_str())),
            Content::Instruction(_, other) if other.effect().kind == Kind::Branch => {
                (from..to).contains(&at) || !other.names_label(&between)
            }
            _ => true,
        })
    }

    /// Returns true if an instruction at these positions writes a register.
    pub(super) fn is_written(&self, register: usize, positions: Range<usize>) -> bool {
        self.items[positions].iter().any(|item| match &item.content {
            Content::Instruction(_, other) => other.definitions().contains(&register),
            _ => false,
        })
    }

    /// Returns the places in front of which loads may wait together: behind each branch that not all threads take, in
    /// front of each barrier, at the head of each loop, and at the beginning.
    fn places_of_loads(&self) -> Vec<InstructionId> {
        let heads = self.loop_heads();
        let mut places = Vec::new();
        let mut is_behind = true;
        for item in &self.items {
            let (id, instruction) = match &item.content {
                Content::Instruction(id, instruction) => (*id, instruction),
                Content::Label(name) => {
                    is_behind |= heads.contains(name.as_str());
                    continue;
                }
                _ => continue,
            };
            let kind = instruction.effect().kind;
            if is_behind || kind == Kind::Barrier {
                places.push(id);
            }
            is_behind = matches!(kind, Kind::Branch | Kind::End) && instruction.guard.is_some();
        }
        places.truncate(MOST_PLACES);
        places
    }

    /// Returns the last instruction above each loop, with those of its rounds; outer loops stand above inner ones.
    fn loops_with_places(&self) -> Vec<(InstructionId, HashSet<InstructionId>)> {
        let heads = self.loop_heads();
        let mut found = Vec::new();
        for (head, item) in self.items.iter().enumerate() {
            let Content::Label(name) = &item.content else { continue };
            let before =
                self.items[..head].iter().rev().find_map(Item::number).filter(|_| heads.contains(&**name));
            let back = (head..self.items.len()).rev().find(|&at| self.target(at) == Some(name));
            if let (Some(before), Some(back)) = (before, back) {
                found.push((before, self.items[head..back].iter().filter_map(Item::number).collect()));
            }
        }
        found
    }

    /// Returns the labels to which a branch below them leads.
    fn loop_heads(&self) -> HashSet<&str> {
        let (mut above, mut heads) = (HashSet::new(), HashSet::new());
        for item in &self.items {
            match &item.content {
                Content::Label(name) => {
                    above.insert(name.as_str());
                }
                Content::Instruction(_, branch) if branch.effect().kind == Kind::Branch => {
                    heads.extend(branch.operands.iter().flatten().filter_map(|token| match token {
                        Token::Word(word) => above.get(word.as_str()).copied(),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        heads
    }
}

impl Instruction {
    /// Returns true if one of its operands is one of these labels.
    fn names_label(&self, labels: &HashSet<&str>) -> bool {
        self.operands
            .iter()
            .flatten()
            .any(|token| matches!(token, Token::Word(word) if labels.contains(word.as_str())))
    }
}

/// Returns true if an instruction gives the same wherever it is, as far as memory is the same.
fn may_be_lifted(instruction: &Instruction, once: &HashSet<usize>) -> bool {
    let is_known = instruction.definitions().iter().all(|register| once.contains(register));
    is_known && !reword::is_volatile(&instruction.opcode) && !instruction.is_unusual()
}

impl Base {
    /// Returns the edits that put loads of a function in front of branches and barriers: all that can come to a place,
    /// and each by itself.
    pub(super) fn lifts(&self, function: &Function) -> Vec<Proposal> {
        let (mut all, mut single) = (Vec::new(), Vec::new());
        for before in function.places_of_loads().into_iter().rev() {
            let operation = |loads| Operation::Lift { loads, before };
            let whole = operation(Reach::All(function.name.clone()));
            let loads = function.clone().rewrite(&whole);
            single.extend(loads.iter().map(|load| operation(Reach::at(*load))));
            all.extend((loads.len() > 1).then_some(whole));
        }
        self.that_may_be_made(all.into_iter().chain(single), MOST_PROPOSED, Reason::Latency)
    }

    /// Returns the edits that put loads of a loop in front of it: all that can come there, and each by itself.
    pub(super) fn lifts_from_loops(&self, function: &Function) -> Vec<Proposal> {
        let (mut all, mut single) = (Vec::new(), Vec::new());
        for (before, inside) in function.loops_with_places() {
            let operation = |loads| Operation::Lift { loads, before };
            let loads = function.clone().rewrite(&operation(Reach::All(function.name.clone())));
            let loads: BTreeSet<InstructionId> =
                loads.into_iter().filter(|own| inside.contains(own)).collect();
            single.extend(loads.iter().map(|load| operation(Reach::at(*load))));
            all.extend((loads.len() > 1).then(|| operation(Reach::At(loads))));
        }
        self.that_may_be_made(all.into_iter().chain(single), MOST_OF_LOOPS, Reason::Invariant)
    }
}
