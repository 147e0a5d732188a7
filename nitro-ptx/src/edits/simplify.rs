//! The same text by simpler edits: what an evolution has found in a roundabout way is often a few deletions.

use super::base::Base;
use super::edit::{Edit, Operation, Value};
use crate::text::module::{Content, Function, Instruction, InstructionId, Module, Token};
use crate::text::print::InstructionText;

/// More pairs of lines than that are not compared.
const MAX_PAIRS: usize = 1 << 22;

impl Base {
    /// Deletions and operands that lead to the same instructions as these edits, if there are such and they are no
    /// more; else the edits.
    ///
    /// ```
    /// use nitro_ptx::{Base, Edit, InstructionId, Module, Operation};
    ///
    /// let text = ".version 9.0\n.visible .entry k() { .reg .b32 %r<3>;\n\
    ///             mov.u32 %r1, 1; bar.sync 0; bar.sync 1; ret; }";
    /// let base = Base::new(Module::parse(text)?);
    /// let found = Operation::Move { source: InstructionId::Base(1), before: InstructionId::Base(3) };
    /// let moved = found.created();
    /// let edit = |operation| Edit { operation, fixes: vec![] };
    /// let roundabout = [edit(found), edit(Operation::Delete(moved))];
    /// assert_eq!(base.simplified(&roundabout), [edit(Operation::Delete(InstructionId::Base(1)))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn simplified(&self, edits: &[Edit]) -> Vec<Edit> {
        self.simpler(edits).filter(|simpler| simpler.len() <= edits.len()).unwrap_or_else(|| edits.to_vec())
    }

    /// Finds the simpler edits. Those that reach all over a function come after the others, and stay as they are.
    fn simpler(&self, edits: &[Edit]) -> Option<Vec<Edit>> {
        let (last, first): (Vec<Edit>, Vec<Edit>) =
            edits.iter().cloned().partition(|edit| edit.operation.is_rewriting());
        let wanted = self.apply(&first).ok()?;
        let mut simpler = Vec::new();
        for (before, after) in self.module().bodies().zip(wanted.bodies()) {
            simpler.extend(differences(before, after)?);
        }
        simpler.extend(last);
        let made = self.apply(&simpler).ok()?;
        (lines(&made) == lines(&self.apply(edits).ok()?)).then_some(simpler)
    }
}

/// All labels and instructions, by the names of their registers.
fn lines(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    for function in module.bodies() {
        for item in &function.items {
            match &item.content {
                Content::Label(name) => lines.push(name.clone()),
                Content::Instruction(_, instruction) => lines.push(shown(instruction, function)),
                _ => {}
            }
        }
    }
    lines
}

fn shown(instruction: &Instruction, function: &Function) -> String {
    InstructionText(instruction, &function.registers).to_string()
}

/// Deletions and operands by which one becomes the other; none if that is not enough.
fn differences(before: &Function, after: &Function) -> Option<Vec<Edit>> {
    let old: Vec<(InstructionId, &Instruction)> = before.instructions().collect();
    let new: Vec<&Instruction> = after.instructions().map(|(_, instruction)| instruction).collect();
    let (old_text, new_text): (Vec<String>, Vec<String>) = (
        old.iter().map(|(_, instruction)| shown(instruction, before)).collect(),
        new.iter().map(|instruction| shown(instruction, after)).collect(),
    );
    let first = old_text.iter().zip(&new_text).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - first;
    let last = old_text
        .iter()
        .rev()
        .zip(new_text.iter().rev())
        .take(rest)
        .take_while(|(old, new)| old == new)
        .count();
    let (old, new) = (&old[first..old.len() - last], &new[first..new.len() - last]);
    if new.len() > old.len() || old.len() * new.len() > MAX_PAIRS {
        return None;
    }
    let operands = |one: usize, other: usize| operands(old[one], before, new[other], after);
    // Fewest edits from each pair of places to the ends; every new line is an old one, maybe with other operands.
    let width = new.len() + 1;
    let mut fewest = vec![usize::MAX / 2; (old.len() + 1) * width];
    fewest[old.len() * width + new.len()] = 0;
    for one in (0..old.len()).rev() {
        for other in (0..=new.len()).rev() {
            let deleted = fewest[(one + 1) * width + other] + 1;
            let kept = (other < new.len())
                .then(|| Some(operands(one, other)?.len() + fewest[(one + 1) * width + other + 1]));
            fewest[one * width + other] = kept.flatten().map_or(deleted, |kept| kept.min(deleted));
        }
    }
    let mut edits = Vec::new();
    let mut other = 0;
    for one in 0..old.len() {
        let count = fewest[one * width + other];
        let kept = if other < new.len() { operands(one, other) } else { None };
        match kept.filter(|kept| kept.len() + fewest[(one + 1) * width + other + 1] == count) {
            Some(kept) => {
                edits.extend(kept);
                other += 1;
            }
            None => edits.push(Operation::Delete(old[one].0)),
        }
    }
    let edit = |operation| Edit { operation, fixes: Vec::new() };
    (other == new.len()).then(|| edits.into_iter().map(edit).collect())
}

fn guard_name<'f>(instruction: &Instruction, function: &'f Function) -> Option<(&'f str, bool)> {
    instruction.guard.map(|guard| (function.registers[guard.register].name.as_str(), guard.negated))
}

/// Returns a token as the value of an operand.
fn value(token: &Token, function: &Function) -> Value {
    match token {
        Token::Register(register, _) => Value::Register(function.registers[*register].name.clone()),
        Token::Word(word) => Value::Number(word.clone()),
        Token::Mark(mark) => Value::Number(mark.to_string()),
    }
}

/// Returns the operands by which one instruction becomes another one; none if more than that is different.
fn operands(
    (id, old): (InstructionId, &Instruction),
    before: &Function,
    new: &Instruction,
    after: &Function,
) -> Option<Vec<Operation>> {
    if old.opcode != new.opcode
        || old.operands.len() != new.operands.len()
        || guard_name(old, before) != guard_name(new, after)
    {
        return None;
    }
    let mut edits = Vec::new();
    let mut changed = old.clone();
    for site in old.sites() {
        let from = &old.operands[site.operand];
        let to = new.operands.get(site.operand).filter(|to| to.len() == from.len())?;
        let value = value(&to[site.token], after);
        if value != self::value(&from[site.token], before) {
            let token = match &value {
                Value::Register(name) => Token::Register(before.named(name)?, String::new()),
                Value::Number(number) => Token::Word(number.clone()),
            };
            changed.operands[site.operand][site.token] = token;
            edits.push(Operation::Operand { at: id, slot: site.slot, to: value });
        }
    }
    (shown(&changed, before) == shown(new, after)).then_some(edits)
}
