//! What the threads of a row sum up, each a part of it.

use super::barriers::By;
use super::{Row, single};
use crate::kernel::{Instruction, Space};
use crate::limits::LANES;
use crate::lower::row_kernels::{has_instance, shared_reduction};
use crate::lower::threads::context::guarded;
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Condition, Node};

/// A thread's part of what a step sums up.
pub(super) struct Part<'a> {
    pub(super) step: usize,
    pub(super) assignment: &'a Assignment,
    pub(super) operator: Binary,
    pub(super) register: Access,
    /// The array in which a row exchanges its parts.
    pub(super) exchange: Option<usize>,
}

impl Part<'_> {
    pub(super) fn is_of(&self, assignment: &Assignment) -> bool {
        std::ptr::eq(self.assignment, assignment)
    }

    pub(super) fn begin(&self) -> Instruction {
        Instruction::Assign(Assignment::begin(self.register.clone(), self.operator))
    }
}

impl<'a> Row<'a> {
    /// Declares registers for what the steps sum up, and room for exchanges.
    pub(super) fn declare_parts(&mut self, rows: i64) {
        for (at, (_, step)) in self.steps.iter().enumerate() {
            let Some(shared) = self.shared[at] else { continue };
            for assignment in step.assignments() {
                if assignment.target.depends_on(&[shared]) {
                    continue;
                }
                let operator =
                    shared_reduction(self.nest, assignment).expect("only reductions are shared out");
                let number = self.parts.len();
                let register = self.context.local(&format!("part_{number}"), Space::Register, Vec::new());
                let shape = self.exchange.as_ref().map(|exchange| self.exchange_shape(exchange, rows));
                let exchange =
                    shape.map(|shape| self.context.local(&format!("parts_{number}"), Space::Shared, shape));
                let register = single(register);
                self.parts.push(Part { step: at, assignment, operator, register, exchange });
            }
        }
    }

    /// Adds up what the threads of a row have of a step's sums, and brings it to its elements.
    pub(super) fn write_combination(
        &mut self,
        at: usize,
        node: &Node,
        conditions: &[Condition],
    ) -> Vec<Instruction> {
        let parts: Vec<usize> = (0..self.parts.len()).filter(|part| self.parts[*part].step == at).collect();
        let mut all = Vec::new();
        // Shuffles are among the threads of a warp that have one row.
        let lanes = self.threads.min(LANES.into()) as u32;
        let shuffles = !self.is_across && lanes > 1;
        for part in parts.iter().filter(|_| shuffles).map(|part| &self.parts[*part]) {
            let (register, operator) = (part.register.clone(), part.operator);
            all.push(Instruction::Combine { register, operator, lanes });
        }
        if !parts.is_empty() {
            all.extend(self.write_exchange(&parts));
        }
        for part in parts {
            let Part { assignment, operator, ref register, .. } = self.parts[part];
            let element = &assignment.target;
            let held = self.held(element).map(|held| held.register.clone());
            let mut conditions = conditions.to_vec();
            if held.is_none() {
                conditions.extend(has_instance(node, assignment).expect("it is in its step"));
                conditions.push(self.is_first());
                let touched = vec![(element.array, true, By::First)];
                all.extend(self.barriers.before(touched));
            }
            let target = held.unwrap_or_else(|| element.clone());
            let joined = Assignment::reduce(target, operator, Expression::Load(register.clone()));
            all.extend(guarded(conditions, vec![Instruction::Assign(joined)]));
        }
        all
    }

    pub(super) fn part(&self, step: usize, assignment: &Assignment) -> Option<&Part<'a>> {
        self.parts.iter().find(|part| part.step == step && part.is_of(assignment))
    }
}
