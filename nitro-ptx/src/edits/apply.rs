//! Edits on a module, in an order that does not depend on theirs.

use super::reword;
use crate::instructions::table;
use std::collections::HashMap;
use std::sync::Arc;

use super::edit::{Edit, Operation, PatchError, Reach, Value};
use super::legal_edits::{LegalEdits, is_number_at};
use super::rewrite::Directive;
use crate::instructions::sites::{GUARD, Role, Slot};
use crate::text::head;
use crate::text::module::{
    Class, Content, Function, Guard, Instruction, InstructionId, Item, Module, Piece, Register, Token,
};

/// A base with edits; nobody has said yet whether it makes sense.
pub(crate) struct EditedModule {
    pub(crate) module: Module,
    /// Of created instructions, which one of the base they were.
    pub(crate) origins: HashMap<InstructionId, InstructionId>,
    /// For each body whether it was changed.
    changed: Vec<bool>,
    /// The directives that edits gave to kernels.
    directed: Vec<(usize, &'static str)>,
}

/// Applies edits: always the first one, in the order of operations, whose instructions are there; then all fixes.
/// So operands are changed before what has them is copied or moved, and deletions come after that. What is made all
/// over a function comes last.
pub(crate) fn apply(base: &Module, edits: &[Edit]) -> Result<EditedModule, PatchError> {
    let changed = vec![false; base.bodies().count()];
    let mut edited =
        EditedModule { module: base.clone(), origins: HashMap::new(), changed, directed: Vec::new() };
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    ordered.sort_unstable();
    let (last, first): (Vec<&Edit>, Vec<&Edit>) =
        ordered.into_iter().partition(|edit| edit.operation.is_rewriting());
    edited.make(&first)?;
    edited.make(&last)?;
    Ok(edited)
}

/// A body and an item of it.
type Place = (usize, usize);

/// The reason for which an operation cannot be done.
enum Problem {
    /// An instruction is not there, or not yet.
    Missing(InstructionId),
    Refused(&'static str),
}

impl From<&'static str> for Problem {
    fn from(why: &'static str) -> Self {
        Self::Refused(why)
    }
}

const MADE: &str = "it has been made already";

fn require(condition: bool, why: &'static str) -> Result<(), &'static str> {
    condition.then_some(()).ok_or(why)
}

impl EditedModule {
    /// The bodies that were changed.
    pub(crate) fn changed(&self) -> Vec<usize> {
        (0..self.changed.len()).filter(|&index| self.changed[index]).collect()
    }

    /// Applies some, and then their fixes.
    fn make(&mut self, edits: &[&Edit]) -> Result<(), PatchError> {
        let mut left = edits.to_vec();
        while let Some(next) = self.next(&left)? {
            left.remove(next);
        }
        for edit in edits {
            for fix in &edit.fixes {
                self.fix(&edit.operation, fix.at, fix.slot, &fix.to)?;
            }
        }
        Ok(())
    }

    /// Applies the first of the edits that can be applied now; none when there is none left.
    fn next(&mut self, left: &[&Edit]) -> Result<Option<usize>, PatchError> {
        let mut missing = None;
        for (at, edit) in left.iter().enumerate() {
            match self.apply(&edit.operation) {
                Ok(()) => return Ok(Some(at)),
                Err(error @ PatchError::Missing { .. }) => missing = missing.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        missing.map_or(Ok(None), Err)
    }

    fn apply(&mut self, operation: &Operation) -> Result<(), PatchError> {
        let body = self.operate(operation).map_err(|problem| {
            let edit = operation.to_string();
            match problem {
                Problem::Missing(id) => PatchError::Missing { edit, id },
                Problem::Refused(why) => PatchError::Refused { edit, why: why.to_owned() },
            }
        })?;
        self.changed[body] = true;
        Ok(())
    }

    /// Does it; in which body that was.
    fn operate(&mut self, operation: &Operation) -> Result<usize, Problem> {
        if let Some(reach) = operation.reach() {
            if let Reach::At(places) = reach {
                places.iter().try_for_each(|at| self.found(*at).map(drop))?;
            }
            return self.rewrite(operation);
        }
        let (first, second) = (operation.created(), operation.second());
        let place = match operation {
            Operation::Delete(at) => {
                let place = self.found(*at)?;
                let legal = self.legal_edits(place);
                require(legal.delete || legal.leave, "it may not be taken away")?;
                self.body(place.0).items[place.1].content = Content::Tombstone(*at);
                place
            }
            Operation::Copy { source, before } => self.put(*source, *before, first, true)?,
            Operation::Move { source, before } => self.put(*source, *before, first, false)?,
            Operation::Replace { at, source } => {
                let (to, from) = (self.found(*at)?, self.found(*source)?);
                self.replace(to, from, first)?;
                to
            }
            Operation::Swap(one, other) => {
                let places = (self.found(*one)?, self.found(*other)?);
                self.swap(places, [first, second])?;
                places.0
            }
            Operation::Operand { at, slot: GUARD, to: Value::Number(number) } => {
                let place = self.found(*at)?;
                require(self.legal_edits(place).unguard, "it has no guard that may be taken away")?;
                require(number == reword::ALWAYS, "a guard is a predicate, or 1 where it is taken away")?;
                self.instruction_mut(place).guard = None;
                place
            }
            Operation::Operand { at, slot, to } => {
                let place = self.found(*at)?;
                require(self.legal_edits(place).operand, "its operands may not be changed")?;
                self.set(place, *slot, to)?;
                place
            }
            Operation::Cache { at, mode } => {
                let place = self.found(*at)?;
                let opcode = reword::with_cache(&self.instruction(place).opcode, *mode);
                self.instruction_mut(place).opcode = opcode.ok_or("it cannot go that way")?;
                place
            }
            Operation::Registers { .. } | Operation::Block { .. } => return self.direct(operation),
            _ => return self.rewrite(operation),
        };
        Ok(place.0)
    }

    /// Gives the head of a kernel a directive.
    fn direct(&mut self, operation: &Operation) -> Result<usize, Problem> {
        let directive = operation.directive().ok_or("it is about no kernel")?;
        let is_it = |function: &Function| function.is_kernel() && function.name == directive.kernel;
        let body = self.module.bodies().position(is_it).ok_or("there is no such kernel")?;
        let Directive { name, numbers, others, .. } = directive;
        // Of two, one would be there for nothing.
        require(!self.directed.contains(&(body, name)), "another edit says something else of the kernel")?;
        self.directed.push((body, name));
        let function = self.body(body);
        function.head = head::with_directive(&function.head, name, numbers, others);
        Ok(body)
    }

    fn rewrite(&mut self, operation: &Operation) -> Result<usize, Problem> {
        let mut made = (0..self.changed.len()).map(|body| (body, self.body(body).rewrite(operation)));
        let some = made.find(|(_, made)| !made.is_empty());
        let (body, made) = some.ok_or("there is nothing that it could change")?;
        let is_whole = match operation.reach() {
            Some(Reach::At(places)) => places.iter().all(|at| made.contains(at)),
            _ => true,
        };
        require(is_whole, "not all of them can be changed, in one function")?;
        Ok(body)
    }

    /// A fix of an instruction that another edit takes away has nothing to repair.
    fn fix(
        &mut self,
        operation: &Operation,
        at: InstructionId,
        slot: Slot,
        to: &Value,
    ) -> Result<(), PatchError> {
        let edit = || format!("fix {at} of {operation}");
        let place = self.place(at).ok_or_else(|| PatchError::Missing { edit: edit(), id: at })?;
        if self.live(at).is_none() {
            return Ok(());
        }
        self.changed[place.0] = true;
        self.set(place, slot, to).map_err(|why| PatchError::Refused { edit: edit(), why: why.to_owned() })
    }

    pub(crate) fn body(&mut self, index: usize) -> &mut Function {
        let functions = self.module.pieces.iter_mut().filter_map(|piece| match piece {
            Piece::Function(function) => Some(function),
            Piece::Text(_) => None,
        });
        functions.into_iter().nth(index).expect("the index came from a place in this module")
    }

    fn find(&self, is_it: impl Fn(&Content) -> bool) -> Option<Place> {
        let mut bodies = self.module.bodies().enumerate();
        bodies.find_map(|(body, function)| {
            Some((body, function.items.iter().position(|item| is_it(&item.content))?))
        })
    }

    fn live(&self, id: InstructionId) -> Option<Place> {
        self.find(|what| matches!(what, Content::Instruction(own, _) if *own == id))
    }

    fn found(&self, id: InstructionId) -> Result<Place, Problem> {
        self.live(id).ok_or(Problem::Missing(id))
    }

    /// Returns the place where an instruction is, or was.
    fn place(&self, id: InstructionId) -> Option<Place> {
        self.find(|what| matches!(what, Content::Instruction(own, _) | Content::Tombstone(own) if *own == id))
    }

    fn function(&self, (body, _): Place) -> &Function {
        self.module.bodies().nth(body).expect("the place came from this module")
    }

    fn item(&self, place: Place) -> &Item {
        &self.function(place).items[place.1]
    }

    fn legal_edits(&self, place: Place) -> LegalEdits {
        let function = self.function(place);
        LegalEdits::of(self.instruction(place), self.item(place).scope, function.is_kernel())
    }

    fn instruction(&self, place: Place) -> &Instruction {
        match &self.item(place).content {
            Content::Instruction(_, instruction) => instruction,
            _ => unreachable!("the place is that of an instruction"),
        }
    }

    fn instruction_mut(&mut self, (body, item): Place) -> &mut Instruction {
        match &mut self.body(body).items[item].content {
            Content::Instruction(_, instruction) => Arc::make_mut(instruction),
            _ => unreachable!("the place is that of an instruction"),
        }
    }

    fn id(&self, place: Place) -> InstructionId {
        match self.item(place).content {
            Content::Instruction(id, _) | Content::Tombstone(id) => id,
            _ => unreachable!("the place is that of an instruction"),
        }
    }

    fn origin(&self, id: InstructionId) -> InstructionId {
        self.origins.get(&id).copied().unwrap_or(id)
    }

    /// Puts an instruction, or a copy of it, in front of a place.
    fn put(
        &mut self,
        source: InstructionId,
        before: InstructionId,
        id: InstructionId,
        is_copy: bool,
    ) -> Result<Place, Problem> {
        let from = self.found(source)?;
        let to = self.place(before).ok_or(Problem::Missing(before))?;
        let legal = self.legal_edits(from);
        let has_name = !self.instruction(from).result(&self.function(from).registers).contains(&Class::Other);
        let may = if is_copy { legal.copy && has_name } else { legal.move_ };
        require(may, "it may not be put elsewhere")?;
        require(from.0 == to.0, "an instruction stays in its function")?;
        require(self.place(id).is_none(), MADE)?;
        let mut instruction = self.instruction(from).clone();
        let scope = self.item(to).scope;
        self.origins.insert(id, self.origin(source));
        let function = self.body(from.0);
        if is_copy {
            let fresh: Vec<usize> = instruction.definitions();
            let fresh: HashMap<usize, usize> = fresh
                .into_iter()
                .enumerate()
                .map(|(number, old)| (old, function.fresh(old, id, number)))
                .collect();
            instruction.rename_definitions(|register| fresh[&register]);
        } else {
            function.items[from.1].content = Content::Tombstone(source);
        }
        function.items.insert(to.1, Item { scope, content: Content::Instruction(id, Arc::new(instruction)) });
        Ok(from)
    }

    fn replace(&mut self, to: Place, from: Place, id: InstructionId) -> Result<(), &'static str> {
        require(self.place(id).is_none(), MADE)?;
        let function = self.function(to);
        let (old, new) = (self.instruction(to), self.instruction(from));
        let may = self.legal_edits(to).delete && self.legal_edits(from).copy && from != to;
        if !may || to.0 != from.0 || old.result(&function.registers) != new.result(&function.registers) {
            return Err("one may not stand for the other");
        }
        let results: HashMap<usize, usize> = new.definitions().into_iter().zip(old.definitions()).collect();
        let mut new = new.clone();
        new.guard = old.guard;
        new.rename_definitions(|register| results[&register]);
        let (replaced, source) = (self.id(to), self.id(from));
        self.origins.insert(id, self.origin(source));
        let scope = self.item(to).scope;
        let items = &mut self.body(to.0).items;
        items[to.1].content = Content::Tombstone(replaced);
        items.insert(to.1 + 1, Item { scope, content: Content::Instruction(id, Arc::new(new)) });
        Ok(())
    }

    fn swap(&mut self, (one, other): (Place, Place), ids: [InstructionId; 2]) -> Result<(), &'static str> {
        require(ids.iter().all(|&id| self.place(id).is_none()), MADE)?;
        let registers = &self.function(one).registers;
        let same = self.instruction(one).result(registers) == self.instruction(other).result(registers);
        if one.0 != other.0
            || one == other
            || !same
            || !self.legal_edits(one).move_
            || !self.legal_edits(other).move_
        {
            return Err("they may not change places");
        }
        let pair = [(one, other, ids[0]), (other, one, ids[1])].map(|(to, from, id)| {
            let source = self.id(from);
            self.origins.insert(id, self.origin(source));
            let what = Content::Instruction(id, Arc::new(self.instruction(from).clone()));
            (to.1, self.id(to), Item { scope: self.item(to).scope, content: what })
        });
        let mut pair = Vec::from(pair);
        pair.sort_by_key(|(at, ..)| std::cmp::Reverse(*at)); // insertions move what comes after
        let items = &mut self.body(one.0).items;
        for (at, replaced, item) in pair {
            items[at].content = Content::Tombstone(replaced);
            items.insert(at + 1, item);
        }
        Ok(())
    }

    /// Puts a value into a place.
    fn set(&mut self, place: Place, slot: Slot, to: &Value) -> Result<(), &'static str> {
        let function = self.function(place);
        let register = match to {
            Value::Register(name) => Some(function.named(name).ok_or("there is no such register")?),
            Value::Number(_) => None,
        };
        let instruction = self.instruction(place);
        let class = |register: usize| function.registers[register].class;
        if slot == GUARD {
            let (Some(guard), Some(register)) = (instruction.guard, register) else {
                return Err("it has no guard, or a guard is to be a number");
            };
            if class(guard.register) != class(register) {
                return Err("a guard is a predicate");
            }
            self.instruction_mut(place).guard = Some(Guard { register, ..guard });
            return Ok(());
        }
        let sites = instruction.sites();
        let site = sites.get(usize::from(slot)).filter(|site| matches!(site.role, Role::Use | Role::Address));
        let site = *site.ok_or("there is nothing in that slot, or it is written")?;
        let token = match (site.register, to, register) {
            (Some(old), _, Some(new)) if class(old) == class(new) => Token::Register(new, String::new()),
            (Some(old), Value::Number(number), _) if is_number_at(instruction, &site, class(old)) => {
                Token::Word(number.clone())
            }
            (None, Value::Number(number), _) if table::one(&instruction.opcode).is_some() => {
                Token::Word(number.clone())
            }
            _ => return Err("what is to come there is of another class"),
        };
        let operand = &mut self.instruction_mut(place).operands[site.operand];
        if site.register.is_none() {
            *operand = vec![token];
        } else {
            operand[site.token] = token;
        }
        Ok(())
    }
}

impl Function {
    pub(crate) fn is_kernel(&self) -> bool {
        self.head.starts_with(".entry")
    }

    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.registers.iter().position(|register| register.name == name)
    }

    /// A new register of the class of another one, named after the instruction that defines it.
    fn fresh(&mut self, like: usize, id: InstructionId, number: usize) -> usize {
        let class = self.registers[like].class;
        let declared_as = Some(class.to_string());
        self.registers.push(Register { name: format!("%{id}_{number}"), class, lanes: 1, declared_as });
        self.registers.len() - 1
    }
}

impl Instruction {
    fn rename_definitions(&mut self, to: impl Fn(usize) -> usize) {
        for site in self.sites().into_iter().filter(|site| site.role == Role::Definition) {
            let token = &mut self.operands[site.operand][site.token];
            if let Token::Register(register, _) = token {
                *register = to(*register);
            }
        }
    }
}
