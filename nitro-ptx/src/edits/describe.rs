//! Describes an edit to whoever judges or reads it.

use super::base::Base;
use super::edit::{Edit, Operation};
use crate::instructions::effect::Kind;
use crate::text::module::{Function, Instruction, InstructionId, Module};
use crate::text::print::InstructionText;

impl Base {
    /// The instructions that an edit names, or reaches, as they stand in the text; empty for those that other edits
    /// made.
    ///
    /// ```
    /// use nitro_ptx::{Base, Module, Patch};
    ///
    /// let text = ".version 9.0\n.visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; bar.sync 0; ret; }";
    /// let base = Base::new(Module::parse(text)?);
    /// let patch: Patch = format!("patch of {}\ndelete b1\n", base.module().digest()).parse()?;
    /// assert_eq!(base.instructions_of(&patch.edits[0]), ["bar.sync 0;"]);
    /// assert!(base.touches_barrier(&patch.edits[0]) && base.has_barriers());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn instructions_of(&self, edit: &Edit) -> Vec<String> {
        let found = self.named(&edit.operation).into_iter().filter_map(|id| find(self.module(), id));
        let shown = found
            .map(|(function, instruction)| InstructionText(instruction, &function.registers).to_string());
        shown.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Returns true if an edit adds, removes or moves a barrier of a block.
    ///
    /// What it saves may keep results right on another device, or in a larger block.
    #[must_use]
    pub fn touches_barrier(&self, edit: &Edit) -> bool {
        let found = self.named(&edit.operation).into_iter().filter_map(|id| find(self.module(), id));
        found.into_iter().any(|(_, instruction)| is_barrier(instruction))
    }

    fn named(&self, operation: &Operation) -> Vec<InstructionId> {
        match *operation {
            Operation::Operand { at, .. } | Operation::Cache { at, .. } | Operation::Delete(at) => vec![at],
            Operation::Copy { source, .. } | Operation::Move { source, .. } => vec![source],
            Operation::Replace { at, source } => vec![at, source],
            Operation::Swap(one, other) => vec![one, other],
            Operation::Registers { .. } | Operation::Block { .. } => Vec::new(),
            Operation::Lift { .. }
            | Operation::Predicate(_)
            | Operation::Sink(_)
            | Operation::Ahead(_)
            | Operation::Unroll { .. }
            | Operation::Raise(_)
            | Operation::Widen(_)
            | Operation::ReadOnly(_)
            | Operation::Unsigned(_)
            | Operation::Narrow(_)
            | Operation::Approximate(_)
            | Operation::Quick(_)
            | Operation::WarpBarrier(_) => {
                self.module().bodies().flat_map(|function| function.clone().rewrite(operation)).collect()
            }
        }
    }

    /// Returns true if there are barriers: then whatever goes to memory has its place between them.
    #[must_use]
    pub fn has_barriers(&self) -> bool {
        self.module().bodies().any(|body| body.instructions().any(|(_, instruction)| is_barrier(instruction)))
    }

    /// The barriers of what is edited, function by function.
    ///
    /// ```
    /// use nitro_ptx::{Base, InstructionId, Module};
    ///
    /// let text = ".entry k() { bar.sync 0; ret; }\n.entry l() { bar.sync 0; ret; }";
    /// let base = Base::new(Module::parse(text)?).editing(&["l"]);
    /// assert_eq!(base.barriers(), [[InstructionId::Base(2)]]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn barriers(&self) -> Vec<Vec<InstructionId>> {
        let of = |function: &Function| {
            let all = function.instructions().filter(|(_, instruction)| is_barrier(instruction));
            all.map(|(id, _)| id).collect()
        };
        self.edited_bodies(self.module()).map(of).collect()
    }
}

fn is_barrier(instruction: &Instruction) -> bool {
    matches!(instruction.effect().kind, Kind::Barrier)
}

fn find(module: &Module, id: InstructionId) -> Option<(&Function, &Instruction)> {
    module.bodies().find_map(|body| {
        let (_, instruction) = body.instructions().find(|(other, _)| *other == id)?;
        Some((body, instruction))
    })
}
