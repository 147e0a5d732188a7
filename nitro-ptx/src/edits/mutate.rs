//! Random edits, with the repairs that they need.

use super::reword;
use crate::instructions::table;
use std::collections::HashMap;

use nitro_stats::random::Random;

use super::apply::EditedModule;
use super::base::Base;
use super::edit::{Edit, Fix, Operation, Value};
use super::legal_edits::{LegalEdits, is_number_at};
use super::patch::MODES;
use crate::analysis::assigned::{Assignment, reads, walk};
use crate::analysis::flow::{Flow, Occurrence};
use crate::edits::proposal::Proposal;
use crate::instructions::sites::{GUARD, Role, Slot};
use crate::text::module::{Content, Function, Instruction, InstructionId, Token};

/// The most draws of an edit until one can be made.
const ATTEMPTS: usize = 60;
/// The most repairs of a proposed edit that are drawn.
const SUGGESTED_ATTEMPTS: usize = 4;

impl Base {
    /// A random edit that can be made after these, repaired; none if these cannot be made, or nothing was found.
    #[must_use]
    pub fn mutate(&self, edits: &[Edit], seed: u64) -> Option<Edit> {
        let mut random = Random::new(seed);
        let edited = self.edited(edits).ok()?;
        let bodies = Candidates::of(self, &edited);
        (0..ATTEMPTS).find_map(|_| match self.proposals().draw(&mut random) {
            Some(Proposal { operation, stands_for, .. }) => {
                self.repaired(edits, operation.clone(), stands_for.as_deref(), &mut random)
            }
            None => self.repaired(edits, bodies.draw(&mut random)?, None, &mut random),
        })
    }

    /// Returns a proposed edit by its number, repaired; none if it cannot be made. The first ones are of each kind.
    pub(crate) fn suggestion(&self, number: usize, seed: u64) -> Option<Edit> {
        let Proposal { operation, stands_for, .. } = self.proposals().in_turn(number)?;
        let mut random = Random::new(seed);
        (0..SUGGESTED_ATTEMPTS)
            .find_map(|_| self.repaired(&[], operation.clone(), stands_for.as_deref(), &mut random))
    }

    /// The edit with what it needs to be one that is accepted; `standing` has to stand for what is lost by it.
    fn repaired(
        &self,
        edits: &[Edit],
        operation: Operation,
        standing: Option<&str>,
        random: &mut Random,
    ) -> Option<Edit> {
        let mut all = edits.to_vec();
        all.push(Edit { operation, fixes: Vec::new() });
        let edited = self.edited(&all).ok()?;
        let edit = all.last_mut()?;
        for index in edited.changed() {
            let function = edited.module.bodies().nth(index)?;
            let flow = Flow::new(function)?;
            let standing = standing.map(|name| function.named(name).ok_or(()));
            let repair = Repair {
                base: self,
                index,
                function,
                random: &mut *random,
                stands_for: HashMap::new(),
                standing: standing.transpose().ok()?,
            };
            edit.fixes.extend(repair.fixes(&flow)?);
            let is_copy = matches!(edit.operation, Operation::Copy { .. });
            let copy = is_copy.then(|| flow.instruction(edit.operation.created())).flatten();
            if let Some(copy) = copy {
                edit.fixes.extend(wire(&flow, copy, random)?);
            }
        }
        let edit = edit.clone();
        self.apply(&all).ok().map(|_| edit)
    }
}

/// An instruction, and what may be done with it.
type Editable<'a> = (InstructionId, &'a Instruction, LegalEdits);

/// The instructions of a module that can be edited.
struct Candidates<'a> {
    functions: Vec<(&'a Function, Vec<Editable<'a>>)>,
    /// The number of them in all functions.
    count: usize,
}

impl<'a> Candidates<'a> {
    fn of(base: &Base, edited: &'a EditedModule) -> Self {
        let functions: Vec<_> = base
            .edited_bodies(&edited.module)
            .map(|function| {
                let all = function.items.iter().filter_map(|item| match &item.content {
                    Content::Instruction(id, instruction) => {
                        let legal = LegalEdits::of(instruction, item.scope, function.is_kernel());
                        Some((*id, &**instruction, legal))
                    }
                    _ => None,
                });
                (function, all.collect::<Vec<_>>())
            })
            .collect();
        let count = functions.iter().map(|(_, all)| all.len()).sum();
        Self { functions, count }
    }

    /// An edit of any kind, each as likely; none when nothing of the kind is there.
    fn draw(&self, random: &mut Random) -> Option<Operation> {
        let mut at = random.below(self.count.max(1));
        let (function, all) = self.functions.iter().find(|(_, all)| {
            let is_here = at < all.len();
            at = at.wrapping_sub(if is_here { 0 } else { all.len() });
            is_here
        })?;
        let draw = Draw { function, all };
        (0..ATTEMPTS).find_map(|_| draw.operation(random))
    }
}

/// Draws edits of one function.
struct Draw<'a> {
    function: &'a Function,
    all: &'a [Editable<'a>],
}

impl Draw<'_> {
    fn operation(&self, random: &mut Random) -> Option<Operation> {
        let (at, instruction, legal) = self.all[random.below(self.all.len())];
        match random.below(7) {
            0 if legal.delete || legal.leave => Some(Operation::Delete(at)),
            1 if legal.copy => Some(Operation::Copy { source: at, before: self.any(random) }),
            2 if legal.move_ => Some(Operation::Move { source: at, before: self.any(random) }),
            3 if legal.delete => {
                let source = self.alike(at, instruction, |legal| legal.copy, random)?;
                Some(Operation::Replace { at, source })
            }
            4 if legal.move_ => {
                let other = self.alike(at, instruction, |legal| legal.move_, random)?;
                Some(Operation::Swap(at.min(other), at.max(other)))
            }
            5 if legal.operand => self.operand(at, instruction, random),
            6 => self.cache(at, instruction, random),
            _ => None,
        }
    }

    fn any(&self, random: &mut Random) -> InstructionId {
        self.all[random.below(self.all.len())].0
    }

    /// Another instruction with results of the same classes.
    fn alike(
        &self,
        at: InstructionId,
        instruction: &Instruction,
        may: impl Fn(LegalEdits) -> bool,
        random: &mut Random,
    ) -> Option<InstructionId> {
        let registers = &self.function.registers;
        let result = instruction.result(registers);
        let is_alike =
            |(id, other, legal): &&Editable| *id != at && may(*legal) && other.result(registers) == result;
        let alike: Vec<InstructionId> = self.all.iter().filter(is_alike).map(|(id, ..)| *id).collect();
        (!alike.is_empty()).then(|| alike[random.below(alike.len())])
    }

    fn operand(
        &self,
        at: InstructionId,
        instruction: &Instruction,
        random: &mut Random,
    ) -> Option<Operation> {
        let registers = &self.function.registers;
        let mut slots: Vec<(Slot, Option<usize>)> = Vec::new();
        slots.extend(instruction.guard.map(|guard| (GUARD, Some(guard.register))));
        let sites =
            instruction.sites().into_iter().filter(|site| matches!(site.role, Role::Use | Role::Address));
        slots.extend(sites.map(|site| (site.slot, site.register)));
        if slots.is_empty() {
            return None;
        }
        let (slot, register) = slots[random.below(slots.len())];
        let values: Vec<Value> = match register {
            Some(register) => {
                let class = registers[register].class;
                let others = (0..registers.len())
                    .filter(|&other| other != register && registers[other].class == class);
                others.map(|other| Value::Register(registers[other].name.clone())).collect()
            }
            None => self.numbers(instruction),
        };
        (!values.is_empty()).then(|| Operation::Operand {
            at,
            slot,
            to: values[random.below(values.len())].clone(),
        })
    }

    /// The numbers that instructions of the same type have in this function.
    fn numbers(&self, like: &Instruction) -> Vec<Value> {
        let kind = |instruction: &Instruction| instruction.opcode.rsplit('.').next().map(str::to_owned);
        let one = table::one(&like.opcode);
        let alike = self.all.iter().filter(|(_, other, _)| {
            one.is_some() && table::one(&other.opcode) == one && kind(other) == kind(like)
        });
        let mut numbers: Vec<Value> = alike
            .flat_map(|(_, other, _)| {
                other.sites().into_iter().filter(|site| site.register.is_none()).filter_map(|site| {
                    match &other.operands[site.operand][..] {
                        [Token::Word(word)] if word.len() <= 10 => Some(Value::Number(word.clone())),
                        _ => None,
                    }
                })
            })
            .chain(one.map(|one| Value::Number(one.to_owned())))
            .collect();
        numbers.sort();
        numbers.dedup();
        numbers
    }

    fn cache(&self, at: InstructionId, instruction: &Instruction, random: &mut Random) -> Option<Operation> {
        let (mode, _) = MODES[random.below(MODES.len())];
        let changed = reword::with_cache(&instruction.opcode, mode)?;
        (changed != instruction.opcode).then_some(Operation::Cache { at, mode })
    }
}

/// Finds values for places that have lost theirs.
struct Repair<'a> {
    base: &'a Base,
    index: usize,
    function: &'a Function,
    random: &'a mut Random,
    /// One register stands for a lost one wherever it can.
    stands_for: HashMap<usize, usize>,
    /// The only one that may.
    standing: Option<usize>,
}

impl Repair<'_> {
    /// None if something cannot be repaired.
    fn fixes(mut self, flow: &Flow) -> Option<Vec<Fix>> {
        let mut fixes = Some(Vec::new());
        let exempt = self.base.exempt(self.index);
        walk(flow, |_, placed, assigned| {
            for (slot, register) in reads(placed) {
                let has_value = assigned.has(register, placed.instruction.guard)
                    || exempt.contains(&(placed.id, register));
                if has_value || fixes.is_none() {
                    continue;
                }
                match self.value(placed, slot, register, assigned) {
                    Some(to) => fixes
                        .iter_mut()
                        .for_each(|fixes| fixes.push(Fix { at: placed.id, slot, to: to.clone() })),
                    None => fixes = None,
                }
            }
        });
        fixes
    }

    /// A random register of the same class that has a value there, or the number 1.
    fn value(
        &mut self,
        placed: &Occurrence,
        slot: Slot,
        lost: usize,
        assigned: &Assignment,
    ) -> Option<Value> {
        let registers = &self.function.registers;
        let class = registers[lost].class;
        if let Some(standing) = self.standing {
            let fits = registers[standing].class == class && assigned.has(standing, placed.instruction.guard);
            return fits.then(|| Value::Register(registers[standing].name.clone()));
        }
        let known = self
            .stands_for
            .get(&lost)
            .copied()
            .filter(|&other| assigned.has(other, placed.instruction.guard));
        let drawn = known.or_else(|| {
            let others: Vec<usize> =
                assigned.always().filter(|&other| registers[other].class == class).collect();
            (!others.is_empty()).then(|| others[self.random.below(others.len())])
        });
        if let Some(register) = drawn {
            self.stands_for.insert(lost, register);
            return Some(Value::Register(registers[register].name.clone()));
        }
        let site = *placed.instruction.sites().get(usize::from(slot))?;
        let one = table::one(&placed.instruction.opcode)?;
        is_number_at(placed.instruction, &site, class).then(|| Value::Number(one.to_owned()))
    }
}

/// Lets some instruction read the result of a copy; none if nowhere behind it a register of its class is read.
fn wire(flow: &Flow, copy: &Occurrence, random: &mut Random) -> Option<Option<Fix>> {
    let registers = &flow.function.registers;
    let made = copy.instruction.definitions();
    if made.is_empty() {
        return Some(None);
    }
    let mut places = Vec::new();
    walk(flow, |_, placed, assigned| {
        let legal = LegalEdits::of(placed.instruction, placed.scope, flow.function.is_kernel());
        if !legal.operand || placed.id == copy.id {
            return;
        }
        for (slot, register) in reads(placed) {
            for &result in &made {
                let fits = result != register && registers[result].class == registers[register].class;
                if fits && assigned.has(result, placed.instruction.guard) {
                    places.push((placed.id, slot, result));
                }
            }
        }
    });
    if places.is_empty() {
        return None;
    }
    let (at, slot, result) = places[random.below(places.len())];
    Some(Some(Fix { at, slot, to: Value::Register(registers[result].name.clone()) }))
}
