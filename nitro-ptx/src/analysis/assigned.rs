//! Definite assignment: which registers have a value, whatever way led here.

use std::collections::{HashMap, HashSet};

use super::bits::Bits;
use super::flow::{Flow, Occurrence};
use crate::instructions::sites::{GUARD, Role, Slot};
use crate::text::module::{Guard, InstructionId};

/// The registers that have a value at a place.
pub(crate) struct Assignment {
    always: Bits,
    /// Those that have one where a predicate is true, or false.
    under: HashMap<(usize, bool), HashSet<usize>>,
}

/// A register that is read where it may have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndefinedRead {
    pub(crate) id: InstructionId,
    pub(crate) slot: Slot,
    pub(crate) register: usize,
}

impl Assignment {
    /// Returns true if a register has a value for an instruction with this guard.
    pub(crate) fn has(&self, register: usize, guard: Option<Guard>) -> bool {
        let under = |guard: Guard| self.under.get(&(guard.register, guard.negated));
        self.always.has(register) || guard.and_then(under).is_some_and(|under| under.contains(&register))
    }

    /// Those that have a value whatever predicates say.
    pub(crate) fn always(&self) -> impl Iterator<Item = usize> {
        self.always.iter()
    }

    fn pass(&mut self, placed: &Occurrence) {
        let definitions = placed.instruction.definitions();
        for &register in &definitions {
            self.under.remove(&(register, false));
            self.under.remove(&(register, true));
        }
        match placed.instruction.guard {
            // What is not known may have been written before.
            None => {
                for register in definitions {
                    self.always.insert(register);
                }
            }
            Some(guard) => {
                for register in definitions.into_iter().filter(|register| *register != guard.register) {
                    let other = (guard.register, !guard.negated);
                    if self.under.get(&other).is_some_and(|under| under.contains(&register)) {
                        self.always.insert(register);
                    }
                    self.under.entry((guard.register, guard.negated)).or_default().insert(register);
                }
            }
        }
    }
}

/// Goes through all instructions with what is assigned before each.
pub(crate) fn walk<'a>(flow: &Flow<'a>, mut visit: impl FnMut(usize, &Occurrence<'a>, &Assignment)) {
    let count = flow.function.registers.len();
    let before = at_blocks(flow, count);
    for (index, block) in flow.blocks.iter().enumerate() {
        let mut assigned = Assignment { always: before[index].clone(), under: HashMap::new() };
        for placed in &block.code {
            visit(index, placed, &assigned);
            assigned.pass(placed);
        }
    }
}

/// Returns the registers that have a value at the beginning of each block.
fn at_blocks(flow: &Flow, count: usize) -> Vec<Bits> {
    let written: Vec<Bits> = flow
        .blocks
        .iter()
        .map(|block| {
            let mut assigned = Assignment { always: Bits::none(count), under: HashMap::new() };
            block.code.iter().for_each(|placed| assigned.pass(placed));
            assigned.always
        })
        .collect();
    let mut after = vec![Bits::all(count); flow.blocks.len()];
    let mut before = after.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in flow.blocks.iter().enumerate() {
            let mut set = if index == 0 { Bits::none(count) } else { Bits::all(count) };
            block.predecessors.iter().for_each(|&from| set.intersect(&after[from]));
            before[index].clone_from(&set);
            set.unite(&written[index]);
            if set != after[index] {
                after[index] = set;
                changed = true;
            }
        }
    }
    before
}

/// The places of an instruction that read a register, the guard included.
pub(crate) fn reads(placed: &Occurrence) -> Vec<(Slot, usize)> {
    let sites = placed.instruction.sites().into_iter();
    let read = sites.filter(|site| site.role != Role::Definition);
    let read = read.filter_map(|site| Some((site.slot, site.register?)));
    let guard = placed.instruction.guard.map(|guard| (GUARD, guard.register));
    guard.into_iter().chain(read).collect()
}

/// Registers that are read where they may have no value, but those exempt: what the base itself leaves open.
pub(crate) fn undefined(flow: &Flow, exempt: &HashSet<(InstructionId, usize)>) -> Vec<UndefinedRead> {
    let mut found = Vec::new();
    walk(flow, |_, placed, assigned| {
        for (slot, register) in reads(placed) {
            if !assigned.has(register, placed.instruction.guard) && !exempt.contains(&(placed.id, register)) {
                found.push(UndefinedRead { id: placed.id, slot, register });
            }
        }
    });
    found
}
