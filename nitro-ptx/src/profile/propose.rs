//! From what was seen to edits.

use crate::edits::reword;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::observe::{Constancy, InstructionProfile, Observer};
use crate::analysis::assigned::walk;
use crate::analysis::flow::{Flow, Occurrence};
use crate::edits::base::Base;
use crate::edits::edit::{CacheMode, Operation, Value};
use crate::edits::legal_edits::{LegalEdits, is_number_at, names_symbol};
use crate::edits::proposal::{Proposal, Reason};
use crate::instructions::effect::Kind;
use crate::instructions::sites::GUARD;
use crate::text::module::{Class, Function, Instruction, InstructionId, Token};

/// Registers that are proposed to stand for one result.
const MOST_STANDING: usize = 4;

/// All proposals for the functions that can be edited.
pub(super) fn all(base: &Base, observer: &Observer) -> Vec<Proposal> {
    let watched: HashMap<InstructionId, &InstructionProfile> =
        observer.watched().map(|watched| (watched.id, watched)).collect();
    let mut found = Vec::new();
    for function in base.edited_bodies(base.module()) {
        let Some(flow) = Flow::new(function) else { continue };
        found.extend(pointers(function, &watched));
        let (addresses, numbers) = (of_addresses(function), of_numbers(function));
        walk(&flow, |_, placed, assigned| {
            let Some(watched) = watched.get(&placed.id) else { return };
            let observation = Observation { function, placed, watched };
            observation.known(
                &addresses,
                |register| assigned.has(register, placed.instruction.guard),
                &mut found,
            );
            observation.constants(
                |register| addresses.contains(&register) || numbers.contains(&register),
                &mut found,
            );
            observation.one_way(&mut found);
            observation.memory(&mut found);
        });
    }
    found
}

/// Parameters through which something is loaded, and nothing that was written in the same launch.
fn pointers(function: &Function, watched: &HashMap<InstructionId, &InstructionProfile>) -> Vec<Proposal> {
    let is_pointer = |instruction: &&Instruction| {
        instruction.effect().loads_parameter() && instruction.opcode.ends_with("64")
    };
    let loads = function.instructions().map(|(_, instruction)| instruction).filter(is_pointer);
    let names = loads.flat_map(|load| load.operands.iter().flatten()).filter_map(|token| match token {
        Token::Word(name) => Some(name.clone()),
        _ => None,
    });
    let names: BTreeSet<String> = names.collect();
    let operations = names.into_iter().map(Operation::ReadOnly).filter(|operation| {
        let through = function.clone().rewrite(operation);
        let seen: Vec<&&InstructionProfile> = through.iter().filter_map(|id| watched.get(id)).collect();
        !seen.is_empty() && seen.iter().all(|load| !load.reads_written)
    });
    operations.map(|operation| Proposal::new(Reason::Pointer, operation)).collect()
}

/// Returns the registers whose values are addresses of variables, which are elsewhere on a device, or come of such.
fn of_addresses(function: &Function) -> HashSet<usize> {
    function
        .derived(|instruction| instruction.effect().kind == Kind::Pure && names_symbol(instruction), |_| true)
}

/// Returns the registers that are given numbers alone, which the assembler puts where they are read.
fn of_numbers(function: &Function) -> HashSet<usize> {
    let (mut numbers, mut others) = (HashSet::new(), HashSet::new());
    for (_, instruction) in function.instructions() {
        let is_number = instruction.opcode.starts_with("mov")
            && instruction.sites().iter().any(|site| site.register.is_none());
        if is_number { &mut numbers } else { &mut others }.extend(instruction.definitions());
    }
    &numbers - &others
}

/// An instruction, and what was seen of it.
struct Observation<'a> {
    function: &'a Function,
    placed: &'a Occurrence<'a>,
    watched: &'a InstructionProfile,
}

impl Observation<'_> {
    fn legal_edits(&self) -> LegalEdits {
        LegalEdits::of(self.placed.instruction, self.placed.scope, self.function.is_kernel())
    }

    /// Results that are there already, but for what only moves values, which the assembler sees through.
    fn known(
        &self,
        addresses: &HashSet<usize>,
        has_value: impl Fn(usize) -> bool,
        found: &mut Vec<Proposal>,
    ) {
        let instruction = self.placed.instruction;
        let only_moves = ["mov", "cvta"].contains(&instruction.opcode.split('.').next().unwrap_or_default());
        let (Some(equal), [result]) = (&self.watched.equal, &instruction.definitions()[..]) else { return };
        if only_moves || !self.legal_edits().delete {
            return;
        }
        let is_address = |register: usize| addresses.contains(&register);
        let delete = || Proposal::new(Reason::Known, Operation::Delete(self.placed.id));
        if self.watched.keeps && has_value(*result) && !is_address(*result) {
            found.push(delete());
        }
        // What is equal by where a variable is on the emulator is so by chance.
        let others = equal.iter().map(|place| place.register);
        let others = others.filter(|other| has_value(*other) && is_address(*other) == is_address(*result));
        for register in others.take(MOST_STANDING) {
            let stands_for = Some(self.function.registers[register].name.clone());
            found.push(Proposal { stands_for, ..delete() });
        }
    }

    fn constants(&self, is_left_out: impl Fn(usize) -> bool, found: &mut Vec<Proposal>) {
        let (instruction, registers) = (self.placed.instruction, &self.function.registers);
        let is_move = instruction.opcode.starts_with("mov");
        if !self.legal_edits().operand || is_move {
            return;
        }
        let sites = instruction.sites();
        for &(slot, register, seen) in &self.watched.reads {
            let (Constancy::Always(value), false) = (seen, is_left_out(register)) else { continue };
            let class = registers[register].class;
            let is_free =
                sites.iter().any(|site| site.slot == slot && is_number_at(instruction, site, class));
            if let Some(number) = written(&instruction.opcode, class, value).filter(|_| is_free) {
                let (at, to) = (self.placed.id, Value::Number(number));
                found.push(Proposal::new(Reason::Constant, Operation::Operand { at, slot, to }));
            }
        }
    }

    fn one_way(&self, found: &mut Vec<Proposal>) {
        let (at, legal) = (self.placed.id, self.legal_edits());
        if self.placed.instruction.guard.is_none() {
            return;
        }
        match (self.watched.holds, self.watched.fails) {
            (false, true) if legal.delete || legal.leave => {
                found.push(Proposal::new(Reason::OneWay, Operation::Delete(at)));
            }
            (true, false) if legal.unguard => {
                let to = Value::Number(reword::ALWAYS.to_owned());
                found.push(Proposal::new(Reason::OneWay, Operation::Operand { at, slot: GUARD, to }));
            }
            _ => {}
        }
    }

    fn memory(&self, found: &mut Vec<Proposal>) {
        let (at, instruction) = (self.placed.id, self.placed.instruction);
        let is_free = self.legal_edits().delete;
        match instruction.effect().kind {
            Kind::Store
                if is_free && self.watched.holds && !(self.watched.changes && self.watched.is_read) =>
            {
                found.push(Proposal::new(Reason::Store, Operation::Delete(at)));
            }
            Kind::Load if is_free && !self.watched.reads_written => {
                let mode = CacheMode::Nc;
                let changed = reword::with_cache(&instruction.opcode, mode);
                if changed.is_some_and(|changed| changed != instruction.opcode) {
                    found.push(Proposal::new(Reason::ReadOnly, Operation::Cache { at, mode }));
                }
            }
            _ => {}
        }
    }
}

/// A value as PTX writes it where the opcode takes numbers; none for what may be an address.
fn written(opcode: &str, class: Class, value: u64) -> Option<String> {
    match (class, opcode.rsplit('.').next()?) {
        (_, "f32") => Some(format!("0f{:08X}", value as u32)),
        (_, "f64") => Some(format!("0d{value:016X}")),
        (Class::Bits(16) | Class::Integer(16), _) => Some((value as u16 as i16).to_string()),
        (Class::Bits(32) | Class::Integer(32), _) => Some((value as u32 as i32).to_string()),
        (Class::Bits(64) | Class::Integer(64), _) => {
            i32::try_from(value as i64).ok().map(|value| value.to_string())
        }
        _ => None,
    }
}
