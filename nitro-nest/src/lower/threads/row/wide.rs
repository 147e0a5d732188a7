//! Neighbouring values of a row for each thread, which come and go 16 bytes at once.

use super::Row;
use super::find::{KeptArray, touched_array};
use super::kept::{Kept, KeptRows};
use crate::kernel::{Instruction, Space, Unroll, WIDE};
use crate::lower::bounds::{count_to, iterator};
use crate::lower::threads::copy::{aligned_rows, multiple};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::{Condition, Range};

/// The arrays that come and go so.
pub(super) struct Wide {
    /// The iterator that numbers neighbours.
    pub(super) neighbour: usize,
    /// Where values are those of several loops: the iterator that is the first neighbour's value in the last one.
    pub(super) first: Option<usize>,
    /// Arrays that only one step moves, with the registers for neighbours.
    own: Vec<(KeptArray, usize)>,
}

impl Row<'_> {
    /// Lets threads have neighbouring values: returns code, and the conditions that rows begin and end at multiples.
    ///
    /// None: they have none, or rows never do.
    pub(super) fn widen(&mut self, kept: &mut KeptRows) -> Option<(Vec<Instruction>, Vec<Condition>)> {
        let (points, wide) = (self.context.tiling.thread_tile[0], self.context.tiling.vector_width);
        let range = kept.found.ranges.last().expect("values are those of loops").clone();
        if wide < WIDE || !points.is_multiple_of(WIDE) || range.step != 1 || range.is_reversed {
            return None;
        }
        let mut asked = Vec::new();
        let length = range.upper[0].clone() - range.lower[0].clone();
        let (mut code, mut conditions) = self.is_multiple(&length)?;
        for array in &kept.found.arrays {
            let aligned = self.aligned(&array.element, &range, &mut asked)?;
            code.extend(aligned.0);
            conditions.extend(aligned.1);
        }
        let mut own = Vec::new();
        for (array, step) in self.moved_once(kept) {
            let Some(aligned) = self.aligned(&array.element, &range, &mut asked) else { continue };
            code.extend(aligned.0);
            conditions.extend(aligned.1);
            let name = format!("{}_of_step_{step}", self.nest.arrays[array.element.array].name);
            own.push((array, self.context.local(&name, Space::Register, vec![WIDE.into()])));
        }
        let neighbour = self.context.iterator("neighbour");
        let first = kept.has_several_loops().then(|| self.context.iterator("first"));
        kept.wide = Some(Wide { neighbour, first, own });
        Some((code, conditions))
    }

    /// Returns what the steps of a row touch beside what is kept, each with its step.
    fn moved_once(&self, kept: &KeptRows) -> Vec<(KeptArray, usize)> {
        let mut all = Vec::new();
        for at in 0..self.steps.len() {
            for array in (0..self.nest.arrays.len()).filter(|array| !kept.has(*array)) {
                let found = touched_array(self.steps(), array, &kept.found.ranges, at..at + 1);
                all.extend(found.map(|(array, _)| (array, at)));
            }
        }
        all
    }

    /// Returns code and conditions that a number is a multiple.
    fn is_multiple(&mut self, value: &Affine) -> Option<(Vec<Instruction>, Vec<Condition>)> {
        if value.terms().is_empty() {
            return (value.constant() % i64::from(WIDE) == 0).then(Default::default);
        }
        let (division, condition) = multiple(&mut self.context, value.clone(), WIDE);
        Some((vec![division], vec![condition]))
    }

    /// Returns code and conditions that neighbouring values have neighbouring elements, which begin at a multiple.
    fn aligned(
        &mut self,
        element: &Access,
        range: &Range,
        asked: &mut Vec<(Option<Affine>, Affine)>,
    ) -> Option<(Vec<Instruction>, Vec<Condition>)> {
        let variable = Variable::Iterator(range.iterator);
        let declared = &self.nest.arrays[element.array];
        let (last, others) = element.subscripts.split_last()?;
        let first = last.substitute(variable, &range.lower[0]);
        let is_of_row = last.coefficient(variable) == 1 && first.is_of_sizes();
        if !declared.storage.is_number() || !is_of_row || others.iter().any(|one| one.mentions(variable)) {
            return None;
        }
        let length = declared.shape[1..].last().cloned();
        if asked.contains(&(length.clone(), first.clone())) {
            return Some(Default::default());
        }
        let aligned = aligned_rows(&mut self.context, element.array, &first, WIDE)?;
        asked.push((length, first));
        Some(aligned)
    }
}

impl Wide {
    /// Returns the register of an element that only one step moves.
    pub(super) fn register(&self, element: &Access, step: usize) -> Option<Access> {
        let is_here = |array: &KeptArray| array.loads == Some(step) || array.stores == Some(step);
        let (_, register) = self.own.iter().find(|(array, _)| array.element == *element && is_here(array))?;
        Some(Access { array: *register, subscripts: vec![iterator(self.neighbour)] })
    }

    /// Writes a step's code for neighbours, the first of which has this value.
    pub(super) fn write(
        &self,
        rows: &KeptRows,
        own: &Kept<'_>,
        range: &Range,
        first: &Affine,
        body: Vec<Instruction>,
    ) -> Vec<Instruction> {
        let of_step = self.own.iter().map(|(array, _)| array);
        let arrays: Vec<&KeptArray> = rows.found.arrays.iter().chain(of_step).collect();
        let sides = |array: &KeptArray| {
            let element = own.element(array);
            let register = own.register(&element)?.with(self.neighbour, &Affine::from(0));
            Some((element.with(range.iterator, first), register))
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for array in arrays {
            let Some((element, register)) = sides(array) else { continue };
            if array.loads == Some(own.step) {
                before.push(Instruction::copy(register.clone(), element.clone()));
            }
            if array.stores == Some(own.step) {
                after.push(Instruction::copy(element, register));
            }
        }
        let value = first.clone() + iterator(self.neighbour);
        let each = [vec![Instruction::Define(range.iterator, vec![value])], body].concat();
        before.push(Instruction::Loop(count_to(self.neighbour, WIDE.into()), Unroll::All, each));
        before.extend(after);
        before
    }
}
