//! Loads of the next round of a loop, a round ahead.
//!
//! A round that begins with a load waits for it, and one in which threads meet makes all of a block wait. If the load
//! of the next round is on its way meanwhile, nobody waits. The assembler does not do that across barriers and
//! branches.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::base::Base;
use super::edit::{Operation, Reach};
use super::proposal::{Proposal, Reason};
use super::reword;
use super::rounds::{Loop, first_value, operand};
use crate::instructions::effect::Kind;
use crate::instructions::sites::Role;
use crate::text::module::{Content, Function, Guard, Instruction, InstructionId, Item, Token};
use crate::text::types::Space;

/// The most instructions from which an address, or a condition, is computed.
const MOST_COMPUTED: usize = 24;
/// The most proposals of a function.
const MOST_PROPOSED: usize = 16;

impl Function {
    /// Makes loads of loops a round ahead: the first one in front of the loop, and each other one in the round before,
    /// if there is one more. Returns the loads.
    pub(super) fn load_ahead(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let loads: Vec<InstructionId> =
            self.loops_of_loads().into_iter().filter_map(|(_, at)| self.items[at].number()).collect();
        let mut done = Vec::new();
        for id in loads.into_iter().filter(|id| reach.covers(*id, &self.name)).collect::<Vec<_>>() {
            // What was made ahead has moved the others.
            let places = self.loops_of_loads();
            let place = places.into_iter().find(|(_, at)| self.items[*at].number() == Some(id));
            done.extend(place.and_then(|(own, at)| self.put_ahead(own, at)).map(|()| id));
        }
        done
    }

    /// Returns the loads that each round of a loop makes, with the innermost loop that they are in.
    fn loops_of_loads(&self) -> Vec<(Loop, usize)> {
        let (loops, leads) = (self.loops(), self.leads());
        let mut found = Vec::new();
        for at in 0..self.items.len() {
            let Content::Instruction(_, load) = &self.items[at].content else { continue };
            let is_plain = load.effect().kind == Kind::Load
                && matches!(load.effect().space, Space::Global | Space::Generic)
                && load.guard.is_none()
                && !reword::is_volatile(&load.opcode)
                && !load.is_unusual();
            let around = loops.iter().filter(|own| own.head < at && at < own.back);
            let Some(own) = around.min_by_key(|own| own.back - own.head).filter(|_| is_plain) else {
                continue;
            };
            // Who comes into the loop comes to the load.
            let leaves = |above: usize| match self.instruction_at(above).map(|own| own.effect().kind) {
                Some(Kind::End) => true,
                Some(Kind::Branch) => leads[above].is_none_or(|to| !(own.head..own.back).contains(&to)),
                _ => false,
            };
            if own.is_in_each_round(at, &leads) && !(own.head..at).any(leaves) {
                found.push((*own, at));
            }
        }
        found
    }

    /// Makes a load a round ahead; none where its address, or whether there is one more round, does not come of what
    /// is known then.
    fn put_ahead(&mut self, own: Loop, at: usize) -> Option<()> {
        let Content::Instruction(id, load) = self.items[at].content.clone() else { return None };
        let results = load.definitions();
        let opcodes = results.iter().map(|own| Some(first_value(self.registers[*own].class)?.0));
        let opcodes: Vec<&str> = opcodes.collect::<Option<_>>()?;
        let mut later = self.clone();
        let mut first = Versions::new(&later, own, own.head, id);
        let first_load = first.load(&load, at, 0, &mut later)?;
        let mut next = Versions::new(&later, own, at, id);
        let next_load = next.load(&load, at, 1, &mut later)?;
        let goes_on = Guard { register: next.version(own.goes_on.register, 1, &mut later)?, ..own.goes_on };
        let ahead: HashMap<usize, usize> = results
            .iter()
            .map(|&own| {
                let (name, class) =
                    (format!("{}_ahead", later.registers[own].name), later.registers[own].class);
                (own, later.new_register(&name, class))
            })
            .collect();
        let moves = results.iter().zip(&opcodes).map(|(own, opcode)| Instruction {
            guard: None,
            opcode: (*opcode).to_owned(),
            operands: vec![operand(*own), operand(ahead[own])],
        });
        let moves = moves.enumerate().map(|(number, own)| (id.ahead(number), own)).collect::<Vec<_>>();
        let next_load = Instruction { guard: Some(goes_on), ..next_load.renamed(&ahead, Role::Definition) };
        let inside = moves.into_iter().chain(next.made).chain([(id, next_load)]);
        let before =
            first.made.into_iter().chain([(id.ahead(99), first_load.renamed(&ahead, Role::Definition))]);
        *self = later;
        self.put(at..at + 1, inside);
        self.put(own.head..own.head, before);
        Some(())
    }

    /// Puts instructions in the place of items.
    fn put(
        &mut self,
        places: std::ops::Range<usize>,
        all: impl Iterator<Item = (InstructionId, Instruction)>,
    ) {
        let scope = self.items[places.start].scope;
        let items: Vec<Item> =
            all.map(|(id, own)| Item { scope, content: Content::Instruction(id, Arc::new(own)) }).collect();
        self.items.splice(places, items);
    }
}

/// The values that registers have in this round of a loop and the next one, as they are known at a place.
///
/// A register that each round writes once has version 0 when this round begins, version 1 from that on to where the
/// next round writes it, and then version 2.
struct Versions {
    own: Loop,
    /// The place where versions are computed.
    at: usize,
    by: InstructionId,
    /// For each register that the loop writes where it does, if that is one place in each round.
    written: HashMap<usize, Option<(usize, Arc<Instruction>)>>,
    known: HashMap<(usize, u32), usize>,
    made: Vec<(InstructionId, Instruction)>,
}

impl Versions {
    fn new(function: &Function, own: Loop, at: usize, by: InstructionId) -> Self {
        let leads = function.leads();
        let mut written: HashMap<usize, Option<(usize, Arc<Instruction>)>> = HashMap::new();
        for place in own.head + 1..own.back {
            let Content::Instruction(_, instruction) = &function.items[place].content else { continue };
            let is_free = instruction.effect().kind == Kind::Pure
                && instruction.guard.is_none()
                && !instruction.is_unusual()
                && own.is_in_each_round(place, &leads);
            for register in instruction.definitions() {
                let only =
                    (is_free && !written.contains_key(&register)).then(|| (place, Arc::clone(instruction)));
                written.insert(register, only);
            }
        }
        Self { own, at, by, written, known: HashMap::new(), made: Vec::new() }
    }

    /// Returns a load as it is made in this round, 0, or the next one, 1.
    fn load(
        &mut self,
        load: &Instruction,
        at: usize,
        round: u32,
        function: &mut Function,
    ) -> Option<Instruction> {
        let addresses = load.sites().into_iter().filter(|site| site.role != Role::Definition);
        let mut names = HashMap::new();
        for register in addresses.filter_map(|site| site.register) {
            names.insert(register, self.in_round(register, at, round, function)?);
        }
        Some(load.renamed(&names, Role::Address))
    }

    /// Returns a register with the value that one has at a place of a round.
    fn in_round(
        &mut self,
        register: usize,
        place: usize,
        round: u32,
        function: &mut Function,
    ) -> Option<usize> {
        let is_written = match self.written.get(&register) {
            None => return Some(register),
            Some(None) => return None,
            Some(Some((at, _))) => *at < place,
        };
        self.version(register, round + u32::from(is_written), function)
    }

    fn version(&mut self, register: usize, version: u32, function: &mut Function) -> Option<usize> {
        let (place, instruction) = match self.written.get(&register) {
            None => return Some(register),
            Some(only) => only.clone()?,
        };
        let now = u32::from(place < self.at && self.at > self.own.head);
        if version <= now {
            return (version == now).then_some(register);
        }
        if let Some(&known) = self.known.get(&(register, version)) {
            return Some(known);
        }
        if self.made.len() == MOST_COMPUTED {
            return None;
        }
        let reads = instruction.sites().into_iter().filter(|site| site.role != Role::Definition);
        let mut names = HashMap::new();
        for read in reads.filter_map(|site| site.register) {
            names.insert(read, self.in_round(read, place, version - 1, function)?);
        }
        let results: HashMap<usize, usize> = instruction
            .definitions()
            .into_iter()
            .map(|own| {
                let name = format!("{}_of_{}_{version}", function.registers[own].name, self.by);
                (own, function.new_register(&name, function.registers[own].class))
            })
            .collect();
        self.known.extend(results.iter().map(|(own, new)| ((*own, version), *new)));
        let copy = instruction.renamed(&names, Role::Use).renamed(&results, Role::Definition);
        let at = usize::from(self.at > self.own.head) * 1000 + self.made.len() + 100;
        self.made.push((self.by.ahead(at), copy));
        results.get(&register).copied()
    }
}

impl InstructionId {
    /// Returns the number of an instruction that a load needs to be made ahead.
    fn ahead(self, number: usize) -> Self {
        Self::Created(nitro_core::Artifact::of(&format!("{number} ahead of {self}")).digest())
    }
}

impl Instruction {
    /// Returns the same with other registers where it writes, or else where it reads.
    fn renamed(&self, names: &HashMap<usize, usize>, role: Role) -> Self {
        let mut copy = self.clone();
        for site in self.sites() {
            if (site.role == Role::Definition) == (role == Role::Definition)
                && let Some(name) = site.register.and_then(|register| names.get(&register))
                && let Token::Register(register, _) = &mut copy.operands[site.operand][site.token]
            {
                *register = *name;
            }
        }
        copy
    }
}

impl Base {
    /// Returns the edits that make loads of a function a round ahead: those of each loop together, and each by itself.
    pub(super) fn loads_ahead(&self, function: &Function) -> Vec<Proposal> {
        let all = function.clone().load_ahead(&Reach::All(function.name.clone()));
        let mut of_loops: HashMap<InstructionId, BTreeSet<InstructionId>> = HashMap::new();
        for (own, at) in function.loops_of_loads() {
            if let Content::Instruction(id, _) = function.items[at].content
                && all.contains(&id)
            {
                of_loops.entry(own.id).or_default().insert(id);
            }
        }
        let mut several: Vec<Reach> =
            of_loops.into_values().filter(|loads| loads.len() > 1).map(Reach::At).collect();
        several.sort();
        let found = several.into_iter().chain(all.into_iter().map(Reach::at)).map(Operation::Ahead);
        self.that_may_be_made(found, MOST_PROPOSED, Reason::Ahead)
    }
}
