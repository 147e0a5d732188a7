//! Loops that go several rounds in one.
//!
//! The assembler puts loads of several rounds together where it sees how many rounds there are, and nothing branches.
//! Here the rounds that follow are done under the condition of one more round, or behind a branch that tests it. Either
//! does the same whatever the data.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::edit::{Operation, Reach};
use super::overlap::touched;
use super::proposal::{Proposal, Reason};
use super::rounds::{Loop, first_value, operand};
use crate::instructions::effect::Kind;
use crate::text::module::{Class, Content, Function, Guard, Instruction, InstructionId, Item, Token};

/// The most instructions of a loop, with all its rounds in one.
const MOST_COPIED: usize = 512;
/// The numbers of rounds that are proposed to become one.
const ROUNDS: [u32; 2] = [2, 4];
/// The loops of a function for which that is proposed.
const MOST_LOOPS: usize = 12;

impl Function {
    /// Lets innermost loops go so many rounds in one. Returns their branches.
    pub(super) fn unroll(&mut self, reach: &Reach, rounds: u32) -> Vec<InstructionId> {
        let mut done = Vec::new();
        for own in self.innermost_loops().into_iter().rev() {
            if !reach.covers(own.id, &self.name) || !self.may_be_copied(own, rounds) {
                continue;
            }
            let mut straight = self.clone();
            straight.predicate(&Reach::At(self.branches_in(own)));
            if straight.is_straight(own) {
                *self = straight;
                self.repeat_guarded(own, rounds);
            } else {
                self.repeat_tested(own, rounds);
            }
            done.push(own.id);
        }
        done.reverse();
        done
    }

    /// Returns true if all that a loop does may be there several times, and is little enough.
    fn may_be_copied(&self, own: Loop, rounds: u32) -> bool {
        let body = &self.items[own.head + 1..own.back];
        let may_be = |item: &Item| match &item.content {
            Content::Instruction(_, instruction) => {
                let kind = instruction.effect().kind;
                !matches!(kind, Kind::Unknown | Kind::Frozen) && !instruction.is_unusual()
            }
            Content::Text(text) => text.is_empty() || text.starts_with(".loc") || text.starts_with('/'),
            Content::Label(_) | Content::Tombstone(_) => true,
            Content::Open | Content::Close | Content::Targets { .. } => false,
        };
        let branches = (own.head + 1..own.back).filter(|&at| self.is_branch(at));
        let is_known = branches.clone().all(|at| self.target(at).is_some());
        let instructions = self.instructions_in(own).count();
        is_known && instructions * rounds as usize <= MOST_COPIED && body.iter().all(may_be)
    }

    fn is_branch(&self, at: usize) -> bool {
        self.instruction_at(at).is_some_and(|own| own.effect().kind == Kind::Branch)
    }

    /// Returns the branches of a round.
    fn branches_in(&self, own: Loop) -> BTreeSet<InstructionId> {
        self.instructions_in(own)
            .filter(|(_, own)| own.effect().kind == Kind::Branch)
            .map(|(id, _)| id)
            .collect()
    }

    fn instructions_in(&self, own: Loop) -> impl Iterator<Item = (InstructionId, &Arc<Instruction>)> {
        self.items[own.head + 1..own.back].iter().filter_map(|item| match &item.content {
            Content::Instruction(id, instruction) => Some((*id, instruction)),
            _ => None,
        })
    }

    /// Returns true if all that a loop does may have a guard.
    fn is_straight(&self, own: Loop) -> bool {
        let joined = self.joined();
        let is_joined = |item: &Item| matches!(&item.content, Content::Label(name) if joined.contains(name));
        let has_label = self.items[own.head + 1..own.back].iter().any(is_joined);
        let mut kinds = self.instructions_in(own).map(|(_, own)| own.effect().kind);
        !has_label
            && kinds
                .all(|kind| matches!(kind, Kind::Pure | Kind::Load | Kind::Store | Kind::Hint | Kind::Atomic))
    }

    /// Repeats what a loop does in front of its branch, each time behind a branch that leaves it.
    fn repeat_tested(&mut self, own: Loop, rounds: u32) {
        let body = self.items[own.head + 1..own.back].to_vec();
        let Some(branch) = self.instruction_at(own.back).cloned() else { return };
        let end = self.new_label(&format!("$behind_{}", own.id));
        let mut made = Vec::new();
        for round in 1..rounds {
            let names: HashMap<&str, String> = body
                .iter()
                .filter_map(|item| match &item.content {
                    Content::Label(name) => Some((&**name, self.new_label(&format!("{name}_round_{round}")))),
                    _ => None,
                })
                .collect();
            made.push(Content::Instruction(
                own.id.in_round(round),
                Arc::new(Instruction {
                    guard: Some(Guard { negated: !own.goes_on.negated, ..own.goes_on }),
                    operands: vec![vec![Token::Word(end.clone())]],
                    ..branch.clone()
                }),
            ));
            made.extend(body.iter().filter_map(|item| match &item.content {
                Content::Label(name) => Some(Content::Label(names[&**name].clone())),
                Content::Instruction(id, instruction) => {
                    let copy = instruction.with_labels(&names);
                    Some(Content::Instruction(id.in_round(round), Arc::new(copy)))
                }
                _ => None,
            }));
        }
        let scope = self.items[own.back].scope;
        self.items.insert(own.back + 1, Item { scope, content: Content::Label(end) });
        self.items.splice(own.back..own.back, made.into_iter().map(|content| Item { scope, content }));
    }

    /// Returns a label of this name, or of a longer one where there is one.
    fn new_label(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.items.iter().any(|item| matches!(&item.content, Content::Label(own) if *own == name)) {
            name.push('_');
        }
        name
    }

    /// Repeats what a loop does in front of its branch, each time under the condition of one more round.
    fn repeat_guarded(&mut self, own: Loop, rounds: u32) {
        let body: Vec<(InstructionId, Arc<Instruction>)> =
            self.instructions_in(own).map(|(id, instruction)| (id, Arc::clone(instruction))).collect();
        let of_round = self.of_round(own);
        let mut made = Vec::new();
        for round in 1..rounds {
            let goes_on = self.new_register(&format!("%goes_on_{}_{round}", own.id), Class::Predicate);
            let mut copies = Copies::new(round, goes_on, made);
            copies.push_own(own.id, 0, None, predicate(own.goes_on.negated, goes_on, own.goes_on.register));
            for &register in &of_round {
                let (name, class) = (
                    format!("{}_round_{round}", self.registers[register].name),
                    self.registers[register].class,
                );
                copies.names.insert(register, self.new_register(&name, class));
            }
            copies.give_values(&body, self);
            for (id, instruction) in &body {
                copies.copy(*id, instruction, self);
            }
            made = copies.made;
        }
        let scope = self.items[own.back].scope;
        self.items.splice(own.back..own.back, made.into_iter().map(|content| Item { scope, content }));
    }

    /// Returns the registers that each round gives another value before it reads them, and nobody else has.
    fn of_round(&self, own: Loop) -> BTreeSet<usize> {
        let outside = self.items[..=own.head].iter().chain(&self.items[own.back..]);
        let others: HashSet<usize> = outside
            .filter_map(|item| match &item.content {
                Content::Instruction(_, instruction) => Some(touched(instruction)),
                _ => None,
            })
            .flatten()
            .collect();
        let body: Vec<&Instruction> = self.instructions_in(own).map(|(_, own)| &**own).collect();
        let written = body.iter().flat_map(|own| own.definitions()).filter(|own| !others.contains(own));
        let written: BTreeSet<usize> = written.collect();
        let has_first_value = |register: &usize| first_value(self.registers[*register].class).is_some();
        written.into_iter().filter(|own| has_first_value(own) && is_written_first(*own, &body)).collect()
    }
}

/// Returns true if a round writes a register before it reads it: whatever guards say, or all of it under one guard.
fn is_written_first(register: usize, body: &[&Instruction]) -> bool {
    let accesses: Vec<(usize, &&Instruction)> =
        body.iter().enumerate().filter(|(_, own)| touched(own).contains(&register)).collect();
    let Some((at, first)) = accesses.first() else { return false };
    let is_alone = touched(first).iter().filter(|own| **own == register).count() == 1;
    let is_under_one = |guard: Guard| {
        accesses.iter().all(|(_, own)| own.guard == Some(guard))
            && !body[*at..].iter().any(|own| own.definitions().contains(&guard.register))
    };
    is_alone && first.definitions().contains(&register) && first.guard.is_none_or(is_under_one)
}

impl Function {
    /// Returns the edits that let the loops of a function that access memory go several rounds in one.
    pub(super) fn unrollings(&self) -> Vec<Proposal> {
        let accesses = |own: &Instruction| matches!(own.effect().kind, Kind::Load | Kind::Atomic);
        let mut loops = self.innermost_loops();
        loops.retain(|own| self.instructions_in(*own).any(|(_, own)| accesses(own)));
        loops.truncate(MOST_LOOPS);
        let mut found = Vec::new();
        for rounds in ROUNDS {
            let may_be = loops.iter().filter(|own| self.may_be_copied(**own, rounds));
            let places: Vec<Reach> = may_be.map(|own| Reach::at(own.id)).collect();
            let all = (places.len() > 1).then(|| Reach::All(self.name.clone()));
            found.extend(places.into_iter().chain(all).map(|loops| Operation::Unroll { loops, rounds }));
        }
        found.into_iter().map(|operation| Proposal::new(Reason::Rounds, operation)).collect()
    }
}

/// What a round does once more, under the condition of that.
struct Copies {
    round: u32,
    goes_on: usize,
    /// For each register of the round the one that stands for it.
    names: HashMap<usize, usize>,
    /// Registers of the round that have no value where the condition does not hold.
    guarded: HashSet<usize>,
    /// For the guards of the round, as they are called there, the conditions that stand for them.
    conditions: HashMap<(usize, bool), usize>,
    made: Vec<Content>,
}

impl Copies {
    fn new(round: u32, goes_on: usize, made: Vec<Content>) -> Self {
        let (names, guarded, conditions) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self { round, goes_on, names, guarded, conditions, made }
    }

    /// Gives a value to what is read under guards, if it is written under the condition of the round alone.
    fn give_values(&mut self, body: &[(InstructionId, Arc<Instruction>)], function: &Function) {
        let (is_guarded, others): (Vec<&Instruction>, Vec<&Instruction>) =
            body.iter().map(|(_, own)| &**own).partition(|own| own.guard.is_some());
        let written: HashSet<usize> = others.iter().flat_map(|own| own.definitions()).collect();
        let read = is_guarded.iter().flat_map(|own| own.sites()).filter_map(|site| site.register);
        let read: BTreeSet<usize> = read.collect();
        let read: Vec<usize> = read.into_iter().filter(|own| written.contains(own)).collect();
        for (number, register) in read.into_iter().enumerate() {
            let value = first_value(function.registers[register].class);
            if let (Some(&name), Some((opcode, value))) = (self.names.get(&register), value)
                && let Some((id, _)) = body.first()
            {
                let operands = vec![operand(name), vec![Token::Word(value.to_owned())]];
                let set = Instruction { guard: None, opcode: opcode.to_owned(), operands };
                self.push_own(*id, 1 + number as u32, None, set);
            }
        }
    }

    /// Adds an instruction once more.
    fn copy(&mut self, id: InstructionId, instruction: &Instruction, function: &mut Function) {
        let mut copy = instruction.clone();
        copy.operands.iter_mut().flatten().for_each(|token| {
            if let Token::Register(register, _) = token {
                *register = self.named(*register);
            }
        });
        let definitions = copy.definitions();
        let makes_own = definitions.iter().all(|register| self.names.values().any(|own| own == register));
        let reads_guarded = touched(&copy).iter().any(|register| self.guarded.contains(register));
        let is_free = copy.effect().kind == Kind::Pure && makes_own && !reads_guarded;
        copy.guard = match instruction.guard {
            None if is_free => None,
            None => {
                self.guarded.extend(&definitions);
                Some(Guard { register: self.goes_on, negated: false })
            }
            Some(guard) => Some(Guard { register: self.condition(id, guard, function), negated: false }),
        };
        self.conditions.retain(|(register, _), _| !definitions.contains(register));
        self.made.push(Content::Instruction(id.in_round(self.round), Arc::new(copy)));
    }

    /// Returns the register that stands for one in this round.
    fn named(&self, register: usize) -> usize {
        self.names.get(&register).copied().unwrap_or(register)
    }

    /// Returns the condition that a guard holds in this round, and that there is this round.
    fn condition(&mut self, id: InstructionId, guard: Guard, function: &mut Function) -> usize {
        let register = self.named(guard.register);
        if let Some(&known) = self.conditions.get(&(register, guard.negated)) {
            return known;
        }
        let both = function.new_register(&format!("%{id}_goes_on_{}", self.round), Class::Predicate);
        let operands = vec![operand(both), vec![Token::Word("0".to_owned())]];
        self.push_own(id, 100, None, Instruction { guard: None, opcode: "mov.pred".to_owned(), operands });
        let goes_on = Guard { register: self.goes_on, negated: false };
        self.push_own(id, 101, Some(goes_on), predicate(guard.negated, both, register));
        self.conditions.insert((register, guard.negated), both);
        both
    }

    /// Adds an instruction that no round had.
    fn push_own(&mut self, by: InstructionId, number: u32, guard: Option<Guard>, own: Instruction) {
        let id = by.in_round(self.round).in_round(number);
        self.made.push(Content::Instruction(id, Arc::new(Instruction { guard, ..own })));
    }
}

impl InstructionId {
    /// Returns the number of what stands for an instruction in one of the rounds that follow.
    fn in_round(self, round: u32) -> Self {
        Self::Created(nitro_core::Artifact::of(&format!("round {round} of {self}")).digest())
    }
}

impl Instruction {
    /// Returns the same with other labels.
    fn with_labels(&self, names: &HashMap<&str, String>) -> Self {
        let mut copy = self.clone();
        for token in copy.operands.iter_mut().flatten() {
            if let Token::Word(word) = token
                && let Some(name) = names.get(word.as_str())
            {
                *word = name.clone();
            }
        }
        copy
    }
}

/// Returns an instruction that makes a predicate of another one, or of its opposite.
fn predicate(negated: bool, to: usize, from: usize) -> Instruction {
    let opcode = if negated { "not.pred" } else { "mov.pred" };
    Instruction { guard: None, opcode: opcode.to_owned(), operands: vec![operand(to), operand(from)] }
}
