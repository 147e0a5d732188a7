//! The registers of a thread to which products of warp groups add.

use super::context::Context;
use super::fragments::{Fragments, scaled, written_out};
use crate::kernel::{Instruction, Space};
use crate::lower::bounds::iterator;
use crate::nest::expression::{Access, Expression};

/// A thread's registers to which products of warp groups add.
pub(super) struct GroupSums {
    pub(super) fragments: Fragments,
    /// The registers of the sums.
    sums: Access,
    /// Registers of what a step comes to, if it begins anew.
    pub(super) step: Option<usize>,
}

impl GroupSums {
    pub(super) fn new(context: &mut Context<'_>, terms: usize, sums: Access, begins_anew: bool) -> Self {
        let fragments = Fragments::new(context, terms).expect("it has matrix units");
        let [rows, columns] = fragments.counts();
        let step = begins_anew.then(|| context.local("step", Space::Register, vec![rows, columns, 4]));
        Self { fragments, sums, step }
    }

    /// Returns the iterator that counts rows of fragments.
    pub(super) fn row(&self) -> usize {
        self.fragments.at[0]
    }

    /// Counts rows of fragments.
    pub(super) fn rows(&self) -> i64 {
        self.fragments.counts()[0]
    }

    /// Does something for each row of fragments.
    pub(super) fn for_rows(&self, body: Vec<Instruction>) -> Instruction {
        written_out(self.row(), self.rows(), body)
    }

    /// Does something for each fragment.
    fn for_fragments(&self, body: Vec<Instruction>) -> Instruction {
        let ([_, column], [_, columns]) = (self.fragments.at, self.fragments.counts());
        self.for_rows(vec![written_out(column, columns, body)])
    }

    /// Begins anew, if there are steps.
    pub(super) fn clear_step(&self) -> Option<Instruction> {
        self.step?;
        let zero = |sum| Instruction::assign(sum, Expression::Constant(0.0.into()));
        Some(self.for_fragments(self.of_fragment().map(zero).into()))
    }

    /// Adds what a step came to, multiplied with these, if there are steps.
    pub(super) fn add_step(&self, scales: &[Expression]) -> Option<Instruction> {
        self.step?;
        let adds = self.own().into_iter().zip(self.of_fragment()).map(|(own, new)| {
            let new = scaled(Expression::Load(new), scales);
            Instruction::assign(own.clone(), Expression::Load(own) + new)
        });
        Some(self.for_fragments(adds.collect()))
    }

    /// Waits for all products.
    pub(super) fn wait(&self) -> Instruction {
        self.for_rows(vec![Instruction::AwaitProduct { sums: self.of_row(), but: 0 }])
    }

    /// Returns the registers of the sums of a fragment.
    fn own(&self) -> [Access; 4] {
        self.fragments.sums(&self.sums)
    }

    /// Returns the registers of a fragment to which products add.
    fn of_fragment(&self) -> [Access; 4] {
        let [row, column] = self.fragments.at.map(iterator);
        let Some(step) = self.step else { return self.own() };
        std::array::from_fn(|register| {
            let subscripts = vec![row.clone(), column.clone(), (register as i64).into()];
            Access { array: step, subscripts }
        })
    }

    /// Returns the registers of all fragments of a row to which products add.
    pub(super) fn of_row(&self) -> Vec<Access> {
        let ([_, column], [_, columns]) = (self.fragments.at, self.fragments.counts());
        let of_column = |at: i64| self.of_fragment().map(|sum| sum.with(column, &at.into()));
        (0..columns).flat_map(of_column).collect()
    }
}
