//! Loops of a text: where their rounds begin and end.

use std::collections::HashMap;

use crate::text::module::{Class, Content, Function, Guard, Instruction, InstructionId, Register};

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

impl Function {
    /// Returns the loops that have none inside, in the order of the text. No list of labels leads into them, and all of
    /// their text is in one scope.
    pub(super) fn innermost_loops(&self) -> Vec<Loop> {
        let leads = self.leads();
        let has_lists = self.items.iter().any(|item| matches!(item.content, Content::Targets { .. }));
        let found = (0..self.items.len()).filter(|_| !has_lists).filter_map(|back| {
            let Content::Instruction(id, branch) = &self.items[back].content else { return None };
            let (head, goes_on) = (leads[back].filter(|head| *head < back)?, branch.guard?);
            let is_inside = |at: &usize| (head + 1..back).contains(at);
            let is_innermost =
                leads[head..back].iter().zip(head..).all(|(to, at)| to.is_none_or(|to| to > at));
            let is_only_way = leads.iter().enumerate().all(|(at, to)| *to != Some(head) || at == back);
            let is_one_scope = self.items[head..back].iter().all(|item| item.scope == self.items[back].scope);
            let is_closed = leads
                .iter()
                .enumerate()
                .all(|(at, to)| (head..=back).contains(&at) || !to.as_ref().is_some_and(is_inside));
            (is_innermost && is_only_way && is_one_scope && is_closed).then_some(Loop {
                head,
                back,
                id: *id,
                goes_on,
            })
        });
        found.collect()
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
