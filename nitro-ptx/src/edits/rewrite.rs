//! Edits that a compiler would make as one step, at one place or all over a function. Each is one line of a patch.

use super::reword;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::base::Base;
use super::edit::{CacheMode, Operation, Reach};
use super::overlap::{overlap, touched};
use crate::edits::proposal::{Proposal, Reason};
use crate::instructions::effect::Kind;
use crate::instrument::bounds::address;
use crate::text::module::{Class, Content, Function, Guard, Instruction, InstructionId, Item, Token};
use crate::text::types::Space;

/// A branch that jumps over more is not converted: threads that do not need it would go through all of it.
const MOST_GUARDED: usize = 64;
/// The registers of a thread that are proposed. The assembler by itself keeps to 32 where it can, with which an
/// H100 has as many threads as it takes.
const REGISTERS: [u32; 5] = [32, 48, 64, 96, 128];
/// A load is put in front of no more than that.
const MOST_PASSED: usize = 1024;

/// The two ways from a branch to the place where they meet again.
struct Choice {
    /// The branch, and the jump at the end of what it jumps over where there is one.
    branches: Vec<usize>,
    /// The label of what is done instead, to which nothing else leads.
    label: Option<usize>,
    /// What it jumps over.
    over: Vec<usize>,
    /// What is done instead.
    otherwise: Vec<usize>,
}

/// A directive of a kernel's head.
pub(crate) struct Directive<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) name: &'static str,
    pub(crate) numbers: &'a [u32],
    /// The directives that it takes the place of.
    pub(crate) others: &'a [&'a str],
}

impl Operation {
    /// Returns true for what a compiler would make as one step. It is made when all others are, and is about the code
    /// as they leave it.
    #[must_use]
    pub fn is_rewriting(&self) -> bool {
        matches!(self, Self::ReadOnly(_)) || self.reach().is_some() || self.directive().is_some()
    }

    /// Returns true for what changes no result, whatever the data, as far as the assembler fuses arithmetic alike. A
    /// launch may fail.
    #[must_use]
    pub fn keeps_meaning(&self) -> bool {
        match self {
            Self::Cache { mode, .. } => *mode != CacheMode::Nc,
            Self::Predicate(_) | Self::Unroll { .. } | Self::Registers { .. } | Self::Block { .. } => true,
            _ => false,
        }
    }

    /// Returns the directive that this gives the head of a kernel, with its numbers, and those that it takes the place
    /// of.
    pub(crate) fn directive(&self) -> Option<Directive<'_>> {
        match self {
            Self::Registers { kernel, most } => Some(Directive {
                kernel,
                name: ".maxnreg",
                numbers: std::slice::from_ref(most),
                others: &[".maxnreg"],
            }),
            Self::Block { kernel, threads } => Some(Directive {
                kernel,
                name: ".reqntid",
                numbers: threads,
                others: &[".reqntid", ".maxntid"],
            }),
            _ => None,
        }
    }

    /// Returns true for what is made in many places of a function.
    pub(crate) fn is_wide(&self) -> bool {
        match self.reach() {
            Some(Reach::At(places)) => places.len() > 1,
            Some(Reach::All(_)) => true,
            None => matches!(self, Self::ReadOnly(_)),
        }
    }

    /// Of those that may be made in many places, where.
    pub(crate) fn reach(&self) -> Option<&Reach> {
        match self {
            Self::Lift { loads: reach, .. }
            | Self::Predicate(reach)
            | Self::Sink(reach)
            | Self::Ahead(reach)
            | Self::Unroll { loops: reach, .. }
            | Self::Raise(reach)
            | Self::Widen(reach)
            | Self::Unsigned(reach)
            | Self::Narrow(reach)
            | Self::Approximate(reach)
            | Self::Quick(reach)
            | Self::WarpBarrier(reach) => Some(reach),
            _ => None,
        }
    }
}

impl Reach {
    /// At this instruction.
    #[must_use]
    pub fn at(id: InstructionId) -> Self {
        Self::At(BTreeSet::from([id]))
    }

    pub(super) fn covers(&self, id: InstructionId, function: &str) -> bool {
        match self {
            Self::At(places) => places.contains(&id),
            Self::All(name) => name == function,
        }
    }
}

impl Base {
    /// Returns the edits of this kind that the text allows, each at one place or all over a function.
    ///
    /// These are branches that may be converted, stores that the next round of a loop overwrites, loads that stores,
    /// branches, barriers or loops stand before, loads of neighbours, rounds of loops that may be one, quotients of
    /// integers, arithmetic that can be approximate, and registers that the assembler may use.
    ///
    /// ```
    /// use nitro_ptx::{Base, Module};
    ///
    /// let text = ".version 9.0\n.visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, 0;\n\
    ///             setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r1, 7;\nL: ret; }";
    /// let base = Base::new(Module::parse(text)?);
    /// let found: Vec<String> = base.rewrites().iter().map(|proposal| proposal.operation.to_string()).collect();
    /// assert_eq!(found[..2], ["predicate b2", "registers k = 32"]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn rewrites(&self) -> Vec<Proposal> {
        type Make = fn(Reach) -> Operation;
        const KINDS: [(Reason, Make); 8] = [
            (Reason::Branch, Operation::Predicate),
            (Reason::Round, Operation::Sink),
            (Reason::Order, Operation::Raise),
            (Reason::Neighbours, Operation::Widen),
            (Reason::Sign, Operation::Unsigned),
            (Reason::Precision, Operation::Narrow),
            (Reason::Precision, Operation::Approximate),
            (Reason::Special, Operation::Quick),
        ];
        let mut found = Vec::new();
        for function in self.edited_bodies(self.module()) {
            for (reason, operation) in KINDS {
                let all = operation(Reach::All(function.name.clone()));
                let places = function.clone().rewrite(&all);
                let several = (places.len() > 1).then_some(all);
                let operations = places.into_iter().map(|id| operation(Reach::at(id))).chain(several);
                found.extend(operations.map(|operation| Proposal::new(reason, operation)));
            }
            found.extend(self.lifts(function));
            found.extend(self.lifts_from_loops(function));
            found.extend(self.loads_ahead(function));
            found.extend(function.unrollings());
            let numbers = if function.is_kernel() { &REGISTERS[..] } else { &[] };
            found.extend(numbers.iter().map(|&most| {
                let kernel = function.name.clone();
                Proposal::new(Reason::Registers, Operation::Registers { kernel, most })
            }));
        }
        found
    }
}

impl Function {
    /// Makes such an edit as far as it reaches here; the instructions that it is about, as they were called.
    pub(crate) fn rewrite(&mut self, operation: &Operation) -> Vec<InstructionId> {
        match operation {
            Operation::Lift { loads, before } => self.lift(loads, *before),
            Operation::Predicate(reach) => self.predicate(reach),
            Operation::Sink(reach) => self.sink(reach),
            Operation::Ahead(reach) => self.load_ahead(reach),
            Operation::Unroll { loops, rounds } => self.unroll(loops, *rounds),
            Operation::Raise(reach) => self.raise(reach),
            Operation::Widen(reach) => self.widen(reach),
            Operation::ReadOnly(pointer) => self.read_only(pointer),
            Operation::Unsigned(reach) => self.without_signs(reach),
            Operation::Narrow(reach) => self.narrow(reach),
            Operation::Approximate(reach) => self.approximate(reach),
            Operation::Quick(reach) => self.quicken(reach),
            Operation::WarpBarrier(reach) => self.wait_in_warps(reach),
            _ => Vec::new(),
        }
    }

    pub(super) fn predicate(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let mut done = Vec::new();
        for at in 0..self.items.len() {
            let Content::Instruction(id, branch) = &self.items[at].content else { continue };
            let (id, guard) = (*id, branch.guard);
            let (Some(guard), true) = (guard, reach.covers(id, &self.name)) else { continue };
            let Some(Choice { branches, label, over, otherwise }) = self.choice(at, guard) else { continue };
            let opposite = Guard { negated: !guard.negated, ..guard };
            for (inside, guard) in [(over, opposite), (otherwise, guard)] {
                for inside in inside {
                    if let Content::Instruction(_, instruction) = &mut self.items[inside].content {
                        Arc::make_mut(instruction).guard = Some(guard);
                    }
                }
            }
            for branch in branches {
                if let Content::Instruction(id, _) = self.items[branch].content {
                    self.items[branch].content = Content::Tombstone(id);
                }
            }
            if let Some(label) = label {
                self.items[label].content = Content::Text(String::new());
            }
            done.push(id);
        }
        done
    }

    /// Returns what a branch to a label below it chooses between, if all of that could have its guard.
    fn choice(&self, at: usize, guard: Guard) -> Option<Choice> {
        let target = self.target(at)?;
        let (over, end) = self.guardable(at + 1, guard)?;
        if let Content::Label(name) = &self.items[end].content {
            let is_it = name == target && !over.is_empty();
            return is_it.then(|| Choice { branches: vec![at], label: None, over, otherwise: Vec::new() });
        }
        // What is jumped over ends with a jump over what is done otherwise, to which nothing else leads.
        let join = self.target(end)?;
        let (between, label) = self.guardable(end + 1, guard)?;
        let is_label = matches!(&self.items[label].content, Content::Label(name) if name == target);
        if !is_label || !between.is_empty() || self.branches_to(target) != 1 {
            return None;
        }
        let (otherwise, end_of_other) = self.guardable(label + 1, guard)?;
        let is_join = matches!(&self.items[end_of_other].content, Content::Label(name) if name == join);
        let is_short = over.len() + otherwise.len() <= MOST_GUARDED;
        (is_join && is_short).then(|| Choice { branches: vec![at, end], label: Some(label), over, otherwise })
    }

    /// Returns the label that a branch leads to.
    pub(super) fn target(&self, at: usize) -> Option<&str> {
        let Content::Instruction(_, branch) = &self.items[at].content else { return None };
        match (branch.effect().kind, &branch.operands[..]) {
            (Kind::Branch, [operand]) => match &operand[..] {
                [Token::Word(target)] => Some(target),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the number of branches to a label, and of lists of labels with it.
    fn branches_to(&self, label: &str) -> usize {
        let leads_there = |at: usize| match &self.items[at].content {
            Content::Targets { labels, .. } => labels.iter().any(|name| name == label),
            _ => self.target(at) == Some(label),
        };
        (0..self.items.len()).filter(|&at| leads_there(at)).count()
    }

    /// Returns the instructions from a position to the next label or branch without a guard, with the position of that;
    /// none if some could not have this guard.
    fn guardable(&self, from: usize, guard: Guard) -> Option<(Vec<usize>, usize)> {
        let mut inside = Vec::new();
        for (index, item) in self.items.iter().enumerate().skip(from) {
            match &item.content {
                Content::Label(_) => return Some((inside, index)),
                Content::Open | Content::Close | Content::Targets { .. } => return None,
                Content::Text(_) | Content::Tombstone(_) => {}
                Content::Instruction(_, instruction) => {
                    let kind = instruction.effect().kind;
                    if instruction.guard.is_none() && kind == Kind::Branch {
                        return Some((inside, index));
                    }
                    let may = instruction.guard.is_none()
                        && matches!(kind, Kind::Pure | Kind::Load | Kind::Store | Kind::Hint)
                        && !instruction.definitions().contains(&guard.register);
                    if !may || inside.len() == MOST_GUARDED {
                        return None;
                    }
                    inside.push(index);
                }
            }
        }
        None
    }

    fn raise(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let joined = self.joined();
        let mut done = Vec::new();
        for at in 0..self.items.len() {
            let Content::Instruction(id, _) = self.items[at].content else { continue };
            if !reach.covers(id, &self.name) {
                continue;
            }
            if let Some(before) = self.first_store(at, &joined) {
                let load = self.items.remove(at);
                self.items.insert(before, load);
                done.push(id);
            }
        }
        done
    }

    /// The labels that something leads to.
    pub(super) fn joined(&self) -> HashSet<String> {
        let mut joined = HashSet::new();
        for item in &self.items {
            match &item.content {
                Content::Targets { labels, .. } => joined.extend(labels.iter().cloned()),
                Content::Instruction(_, instruction) if instruction.effect().kind == Kind::Branch => {
                    joined.extend(instruction.operands.iter().flatten().filter_map(|token| match token {
                        Token::Word(word) => Some(word.clone()),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        joined
    }

    /// The first of the stores above a load that it may be put in front of.
    fn first_store(&self, at: usize, joined: &HashSet<String>) -> Option<usize> {
        let Content::Instruction(_, load) = &self.items[at].content else { return None };
        let effect = load.effect();
        let is_free = matches!(effect.space, Space::Global | Space::Shared | Space::Generic);
        if effect.kind != Kind::Load || !is_free || reword::is_volatile(&load.opcode) || load.is_unusual() {
            return None;
        }
        let above = self.items[..at].iter().enumerate().rev().take(MOST_PASSED);
        let passed = above.take_while(|(_, item)| may_pass(load, item, joined));
        let stores = passed.filter(|(_, item)| match &item.content {
            Content::Instruction(_, passed) => passed.effect().kind == Kind::Store,
            _ => false,
        });
        stores.last().map(|(index, _)| index)
    }

    fn read_only(&mut self, pointer: &str) -> Vec<InstructionId> {
        let through = self.come_of(pointer);
        self.reword(|_, instruction| {
            let (register, _) = instruction.operands.iter().find_map(|operand| address(operand))?;
            let is_load = instruction.effect().kind == Kind::Load && through.contains(&register);
            reword::with_cache(&instruction.opcode, CacheMode::Nc).filter(|_| is_load)
        })
    }

    /// Returns the registers with the address that a parameter is, or with one that comes of it.
    fn come_of(&self, pointer: &str) -> HashSet<usize> {
        self.derived(
            |instruction| instruction.effect().loads_parameter() && instruction.names(pointer),
            |register| matches!(self.registers[register].class, Class::Bits(64) | Class::Integer(64)),
        )
    }

    fn approximate(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let name = self.name.clone();
        self.reword(|id, instruction| {
            reword::approximate(&instruction.opcode).filter(|_| reach.covers(id, &name))
        })
    }

    fn without_signs(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let name = self.name.clone();
        self.reword(|id, instruction| {
            reword::without_sign(&instruction.opcode).filter(|_| reach.covers(id, &name))
        })
    }

    /// Of barriers that say how many threads come nobody knows whether those are of one warp.
    fn wait_in_warps(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let name = self.name.clone();
        self.exchange(|id, instruction| {
            let is_of_all = instruction.effect().kind == Kind::Barrier && instruction.operands.len() == 1;
            let all_lanes = vec![vec![Token::Word("0xffffffff".to_owned())]];
            (is_of_all && reach.covers(id, &name)).then(|| Instruction {
                opcode: "bar.warp.sync".to_owned(),
                operands: all_lanes,
                ..instruction.clone()
            })
        })
    }

    /// Gives instructions another opcode; those that have one now.
    fn reword(&mut self, new: impl Fn(InstructionId, &Instruction) -> Option<String>) -> Vec<InstructionId> {
        self.exchange(|id, instruction| {
            let opcode = new(id, instruction).filter(|opcode| *opcode != instruction.opcode)?;
            Some(Instruction { opcode, ..instruction.clone() })
        })
    }

    /// Puts other instructions in the place of some; those.
    fn exchange(
        &mut self,
        new: impl Fn(InstructionId, &Instruction) -> Option<Instruction>,
    ) -> Vec<InstructionId> {
        let mut done = Vec::new();
        for item in &mut self.items {
            let Content::Instruction(id, instruction) = &mut item.content else { continue };
            if let Some(other) = new(*id, instruction) {
                *instruction = Arc::new(other);
                done.push(*id);
            }
        }
        done
    }
}

impl Instruction {
    fn names(&self, name: &str) -> bool {
        self.operands.iter().flatten().any(|token| matches!(token, Token::Word(word) if word == name))
    }
}

/// Returns true if a load may come before what stands above it: nothing says that it needs it. Where addresses are in
/// different registers nobody knows, until it is run.
pub(super) fn may_pass(load: &Instruction, item: &Item, joined: &HashSet<String>) -> bool {
    let above = match &item.content {
        Content::Tombstone(_) => return true,
        Content::Text(text) => return text.starts_with(".loc") || text.starts_with('/'),
        Content::Label(name) => return !joined.contains(name),
        Content::Open | Content::Close | Content::Targets { .. } => return false,
        Content::Instruction(_, above) => above,
    };
    let (made, makes) = (above.definitions(), load.definitions());
    let is_needed = touched(load).iter().any(|register| made.contains(register))
        || touched(above).iter().any(|register| makes.contains(register));
    !is_needed
        && match above.effect().kind {
            Kind::Pure | Kind::Load | Kind::Hint => true,
            Kind::Store => !reword::is_volatile(&above.opcode) && !overlap(load, above),
            _ => false,
        }
}
