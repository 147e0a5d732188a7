//! Loops of a text: where their rounds begin and end.

use std::collections::HashMap;

use crate::text::module::{Class, Content, Function, Guard, Instruction, InstructionId, Register, Token};

/// A loop whose rounds begin at a label, and end with the one branch back to it. Others may leave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    /// The position of the label.
    pub(super) head: usize,
    /// The position of the branch.
    pub(super) back: usize,
    /// The number of the branch, by which edits name the loop.
    pub(super) id: InstructionId,
    /// The condition of one more round.
    pub(super) goes_on: Guard,
}

impl Loop {
    /// Returns true if each round comes to a position once, if it does not leave the loop before.
    pub(super) fn is_in_each_round(&self, at: usize, leads: &[Option<usize>]) -> bool {
        let skips = |from: usize| leads[from].is_some_and(|to| at < to && to <= self.back);
        let repeats = |from: usize| leads[from].is_some_and(|to| to <= at);
        !(self.head + 1..at).any(skips) && !(at..self.back).any(repeats)
    }
}

impl Function {
    /// Returns the loops, in the order of their ends. No list of labels leads into them, and threads come in at the
    /// label alone, from above.
    pub(super) fn loops(&self) -> Vec<Loop> {
        let leads = self.leads();
        let has_lists = self.items.iter().any(|item| matches!(item.content, Content::Targets { .. }));
        let found = (0..self.items.len()).filter(|_| !has_lists).filter_map(|back| {
            let Content::Instruction(id, branch) = &self.items[back].content else { return None };
            let (head, goes_on) = (leads[back].filter(|head| *head < back)?, branch.guard?);
            let is_inside = |at: &usize| (head..back).contains(at);
            let is_closed = leads.iter().enumerate().all(|(at, to)| {
                at == back
                    || *to != Some(head)
                        && ((head..back).contains(&at) || !to.as_ref().is_some_and(is_inside))
            });
            let is_same_scope = self.items[head].scope == self.items[back].scope;
            (is_closed && is_same_scope).then_some(Loop { head, back, id: *id, goes_on })
        });
        found.collect()
    }

    /// Returns the loops that have none inside, all of whose text is in one scope.
    pub(super) fn innermost_loops(&self) -> Vec<Loop> {
        let leads = self.leads();
        let mut loops = self.loops();
        loops.retain(|Loop { head, back, .. }| {
            let mut inside = leads[*head..*back].iter().zip(*head..);
            let is_innermost = inside.all(|(to, at)| to.is_none_or(|to| to > at));
            let is_one_scope =
                self.items[*head..*back].iter().all(|item| item.scope == self.items[*back].scope);
            is_innermost && is_one_scope
        });
        loops
    }

    pub(super) fn instruction_at(&self, at: usize) -> Option<&Instruction> {
        match &self.items.get(at)?.content {
            Content::Instruction(_, instruction) => Some(instruction),
            _ => None,
        }
    }

    /// Returns for each position that of the label to which a branch there leads, if there is but one of this name.
    pub(super) fn leads(&self) -> Vec<Option<usize>> {
        let mut labels: HashMap<&str, Option<usize>> = HashMap::new();
        for (at, item) in self.items.iter().enumerate() {
            if let Content::Label(name) = &item.content {
                labels.entry(name).and_modify(|place| *place = None).or_insert(Some(at));
            }
        }
        let target = |at| self.target(at).and_then(|name| labels.get(name).copied().flatten());
        (0..self.items.len()).map(target).collect()
    }

    /// Returns a new register of this name, or of a longer one where there is one.
    pub(super) fn new_register(&mut self, name: &str, class: Class) -> usize {
        let mut name = name.to_owned();
        while self.named(&name).is_some() {
            name.push('_');
        }
        self.registers.push(Register { name, class, lanes: 1, declared_as: Some(class.to_string()) });
        self.registers.len() - 1
    }
}

/// Returns an operand that is a register.
pub(super) fn operand(register: usize) -> Vec<Token> {
    vec![Token::Register(register, String::new())]
}

/// Returns how a register of a class is given a first value; none of a class of which that is not known.
pub(super) fn first_value(class: Class) -> Option<(&'static str, &'static str)> {
    match class {
        Class::Predicate => Some(("mov.pred", "0")),
        Class::Float(32) => Some(("mov.f32", "0f00000000")),
        Class::Float(64) => Some(("mov.f64", "0d0000000000000000")),
        Class::Bits(16) | Class::Integer(16) => Some(("mov.b16", "0")),
        Class::Bits(32) | Class::Integer(32) => Some(("mov.b32", "0")),
        Class::Bits(64) | Class::Integer(64) => Some(("mov.b64", "0")),
        _ => None,
    }
}
