//! Values of a row that its threads keep in registers from step to step.

use super::find::{Found, KeptArray, are_same_values, in_ranges};
use super::wide::Wide;
use crate::kernel::{Instruction, Space, Unroll, WIDE};
use crate::lower::bounds::{count_to, iterator};
use crate::lower::threads::context::Context;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Nest, Range};

/// The arrays whose rows are kept, with their registers.
pub(super) struct KeptRows {
    pub(super) found: Found,
    /// How a thread has neighbouring values, if it has.
    pub(super) wide: Option<Wide>,
    /// The array of registers of each of them.
    registers: Vec<usize>,
    /// The values that a thread keeps of each.
    points: i64,
    /// The iterator that numbers them.
    point: usize,
    /// Where there are several loops: the number of a value, without the remainders for the loops inside.
    quotients: Vec<usize>,
}

/// The rows that are kept, in the loop of a step.
pub(super) struct Kept<'k> {
    pub(super) rows: &'k KeptRows,
    pub(super) step: usize,
    pub(super) ranges: &'k [&'k Range],
}

impl Found {
    /// Gives each array registers.
    pub(super) fn declare(self, nest: &Nest, context: &mut Context<'_>, points: i64) -> KeptRows {
        let mut registers = Vec::new();
        for kept in &self.arrays {
            let name = format!("{}_kept", nest.arrays[kept.element.array].name);
            registers.push(context.local(&name, Space::Register, vec![points]));
        }
        let quotients = self.ranges.iter().skip(2).map(|_| context.iterator("quotient")).collect();
        KeptRows { found: self, wide: None, registers, points, point: context.iterator("point"), quotients }
    }
}

impl KeptRows {
    /// Returns the conditions that a row of so many threads has registers for all values, with code before them.
    pub(super) fn fits(&self, threads: i64, context: &mut Context<'_>) -> (Vec<Instruction>, Vec<Condition>) {
        let [first, inside @ ..] = &self.found.ranges[..] else { unreachable!("values are those of loops") };
        let mut most = Affine::from(threads * self.points);
        let (mut code, mut conditions) = (Vec::new(), Vec::new());
        for range in inside.iter().rev() {
            // Loops that are shared out together begin at 0; a loop without a value has no quotient.
            let length = range.upper[0].clone();
            let [divisor, quotient, remainder] = ["length", "most", "odd"].map(|name| context.iterator(name));
            code.push(Instruction::Define(divisor, vec![length.clone(), Affine::from(1)]));
            code.push(Instruction::Divide { quotient, remainder, value: most, divisor: iterator(divisor) });
            conditions.push(Condition::less(Affine::from(0), length));
            most = iterator(quotient);
        }
        let most = first.lower[0].clone() + most * first.step;
        conditions.push(Condition::at_least(most, first.upper[0].clone()));
        (code, conditions)
    }

    /// Returns `true` if loops go over the values that are kept.
    pub(super) fn are_of(&self, ranges: &[&Range]) -> bool {
        are_same_values(ranges, &self.found.ranges)
    }

    /// Returns `true` if the values are those of several loops.
    pub(super) fn has_several_loops(&self) -> bool {
        self.found.ranges.len() > 1
    }

    /// Returns `true` if the rows of an array are kept.
    pub(super) fn has(&self, array: usize) -> bool {
        self.found.arrays.iter().any(|kept| kept.element.array == array)
    }

    /// Returns how many neighbouring values a thread has.
    pub(super) fn neighbours(&self) -> i64 {
        if self.wide.is_some() { WIDE.into() } else { 1 }
    }

    /// Repeats a step's body for all values that a thread of so many keeps.
    pub(super) fn repeat(
        &self,
        (thread, threads): (&Affine, i64),
        own: &Kept<'_>,
        body: Vec<Instruction>,
    ) -> Instruction {
        let (outer, inner) = (own.ranges[0], own.ranges[own.ranges.len() - 1]);
        let number = thread.clone() + iterator(self.point) * threads;
        let is_there = |value: Affine| vec![Condition::less(value, outer.upper[0].clone())];
        if let Some(wide) = &self.wide {
            let number = number * WIDE.into();
            let (mut all, first) = match wide.first {
                Some(first) => (self.divide(own.ranges, number, first), iterator(first)),
                None => (Vec::new(), outer.lower[0].clone() + number),
            };
            let outermost = if all.is_empty() { first.clone() } else { iterator(outer.iterator) };
            let each = wide.write(self, own, inner, &first, body);
            all.push(Instruction::If(is_there(outermost), each, Vec::new()));
            return Instruction::Loop(count_to(self.point, self.points / i64::from(WIDE)), Unroll::All, all);
        }
        let mut each = match own.ranges {
            [range] => {
                let value = range.lower[0].clone() + number * range.step;
                vec![Instruction::Define(range.iterator, vec![value])]
            }
            ranges => self.divide(ranges, number, inner.iterator),
        };
        let inside = [own.load(), body, own.store()].concat();
        each.push(Instruction::If(is_there(iterator(outer.iterator)), inside, Vec::new()));
        Instruction::Loop(count_to(self.point, self.points), Unroll::All, each)
    }

    /// Divides the number of a value into the values of several loops, that of the innermost by this iterator.
    fn divide(&self, ranges: &[&Range], number: Affine, innermost: usize) -> Vec<Instruction> {
        let mut rest = number;
        let mut all = Vec::new();
        for (at, range) in ranges.iter().enumerate().skip(1).rev() {
            let quotient = if at == 1 { ranges[0].iterator } else { self.quotients[at - 2] };
            let remainder = if at + 1 == ranges.len() { innermost } else { range.iterator };
            let value = std::mem::replace(&mut rest, iterator(quotient));
            all.push(Instruction::Divide { quotient, remainder, value, divisor: range.upper[0].clone() });
        }
        all
    }

    /// Returns the number of a value among those that a thread has.
    fn number(&self) -> Affine {
        match &self.wide {
            Some(wide) => iterator(self.point) * WIDE.into() + iterator(wide.neighbour),
            None => iterator(self.point),
        }
    }
}

impl Kept<'_> {
    /// Returns the register that an element is in.
    pub(super) fn register(&self, access: &Access) -> Option<Access> {
        let element = in_ranges(access, self.ranges, &self.rows.found.ranges);
        let mut all = self.rows.found.arrays.iter();
        // Before the step that loads it, there is nothing in its register.
        let place = all.position(|kept| kept.element == element && kept.loads <= Some(self.step));
        let Some(place) = place else { return self.rows.wide.as_ref()?.register(&element, self.step) };
        Some(Access { array: self.rows.registers[place], subscripts: vec![self.rows.number()] })
    }

    /// Returns the element of an array that is kept, in the loops of the step.
    pub(super) fn element(&self, kept: &KeptArray) -> Access {
        let pairs = self.rows.found.ranges.iter().zip(self.ranges);
        pairs.fold(kept.element.clone(), |element, (range, own)| {
            element.with(range.iterator, &iterator(own.iterator))
        })
    }

    /// Writes what brings values to registers in this step.
    pub(super) fn load(&self) -> Vec<Instruction> {
        self.moves(|kept| kept.loads, |element, register| (register, element))
    }

    /// Writes what stores values in this step.
    pub(super) fn store(&self) -> Vec<Instruction> {
        self.moves(|kept| kept.stores, |element, register| (element, register))
    }

    fn moves(
        &self,
        when: impl Fn(&KeptArray) -> Option<usize>,
        which: impl Fn(Access, Access) -> (Access, Access),
    ) -> Vec<Instruction> {
        let mut all = Vec::new();
        for kept in self.rows.found.arrays.iter().filter(|kept| when(kept) == Some(self.step)) {
            let element = self.element(kept);
            let Some(register) = self.register(&element) else { continue };
            let (target, value) = which(element, register);
            all.push(Instruction::Assign(Assignment { target, value: Expression::Load(value) }));
        }
        all
    }
}
