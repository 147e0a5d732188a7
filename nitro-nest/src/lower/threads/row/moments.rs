//! Sums of squares about a mean, found while the terms of the mean are added up: a row is read once for both.
//!
//! After Welford (Technometrics 4, 1962) and Chan, Golub and LeVeque (The American Statistician 37, 1983): a thread has
//! the count n of its terms, their mean m, and the sum s of their squares about m, each brought up to date term by term.
//! About any other value c the sum is s + n·(m − c)², and those of all threads are added up as parts of any sum. So
//! nothing cancels that does not cancel where terms are read again.

use super::{Row, single};
use crate::kernel::{Instruction, Space};
use crate::lower::row_kernels::{Step, loops};
use crate::nest::affine::Variable;
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Node, Range};

/// Two steps of a row over the same terms: one adds them up, a later one their squares about a value.
pub(super) struct Moments<'a> {
    pub(super) terms: usize,
    pub(super) squares: usize,
    /// The assignment of the first of them, and what it adds up.
    adding: &'a Assignment,
    term: Expression,
    /// The register of the value.
    center: Access,
    /// A term and its distance from the mean; count, mean and sum of squares so far.
    registers: [Access; 5],
}

impl<'a> Row<'a> {
    /// Finds the first such steps, and declares registers.
    pub(super) fn find_moments(&mut self) -> Option<Moments<'a>> {
        let mut pairs =
            (0..self.steps.len()).flat_map(|squares| (0..squares).map(move |terms| [terms, squares]));
        let (at, adding, term, center) = pairs.find_map(|at| self.moments_of(at))?;
        let names = ["term", "distance", "terms", "mean_of_terms", "squares"];
        let registers = names.map(|name| single(self.context.local(name, Space::Register, Vec::new())));
        Some(Moments { terms: at[0], squares: at[1], adding, term, center, registers })
    }

    /// Returns what two steps add up, if one sums squares of the other's terms about a value in a register.
    fn moments_of(
        &self,
        [terms, squares]: [usize; 2],
    ) -> Option<([usize; 2], &'a Assignment, Expression, Access)> {
        let [(own, adding), (others, squaring)] = [self.chain(terms)?, self.chain(squares)?];
        let are_same = |(one, other): (&&Range, &&Range)| {
            (&one.lower, &one.upper, one.step) == (&other.lower, &other.upper, other.step)
        };
        let [term, square] = [added(adding)?, added(squaring)?];
        let Expression::Binary(Binary::Multiply, left, right) = square else { return None };
        let Expression::Binary(Binary::Subtract, again, center) = &**left else { return None };
        let Expression::Load(center) = &**center else { return None };
        let mut renamed = (**again).clone();
        for (one, other) in own.iter().zip(&others) {
            let by = Variable::Iterator(one.iterator).into();
            renamed.map_integers(&|value| value.substitute(Variable::Iterator(other.iterator), &by));
        }
        let written: Vec<usize> =
            self.steps.iter().flat_map(|(_, step)| step.assignments()).map(|one| one.target.array).collect();
        let is_input = !term.reads().iter().any(|read| written.contains(&read.array));
        let is_known = own.len() == others.len() && own.iter().zip(&others).all(are_same) && is_input;
        let center = self.held(center)?.register.clone();
        (is_known && left == right && renamed == *term)
            .then(|| ([terms, squares], adding, term.clone(), center))
    }

    /// Returns the loops of a step and the one sum that they add up, if they are always run.
    fn chain(&self, at: usize) -> Option<(Vec<&'a Range>, &'a Assignment)> {
        let (conditions, Step::Loop(_, node)) = &self.steps[at] else { return None };
        let mut node = *node;
        let all = loops(node);
        while let Node::Loop(_, body) = node {
            let [inside] = &body[..] else { return None };
            node = inside;
        }
        let Node::Assign(assignment) = node else { return None };
        let part = self.part(at, assignment)?;
        (conditions.is_empty() && part.operator == Binary::Add).then_some((all, part.assignment))
    }
}

impl Moments<'_> {
    /// Sets what a thread has of no terms.
    pub(super) fn begin(&self) -> Vec<Instruction> {
        let [.., count, mean, squares] = &self.registers;
        [count, mean, squares].map(|register| set(register, Expression::from(0.0))).into()
    }

    /// Takes another term in, where this assignment adds it up.
    pub(super) fn take(&self, assignment: &Assignment) -> Vec<Instruction> {
        if !std::ptr::eq(assignment, self.adding) {
            return Vec::new();
        }
        let [term, distance, count, mean, squares] = &self.registers;
        let about = || load(term) - load(mean);
        vec![
            set(term, self.term.clone()),
            set(count, load(count) + Expression::from(1.0)),
            set(distance, about()),
            set(mean, load(mean) + load(distance) / load(count)),
            set(squares, load(squares) + load(distance) * about()),
        ]
    }

    /// Sets a thread's part of the squares.
    pub(super) fn end(&self, part: &Access) -> Instruction {
        let [.., count, mean, squares] = &self.registers;
        let about = || load(mean) - load(&self.center);
        set(part, load(squares) + load(count) * (about() * about()))
    }
}

/// Returns what a sum adds to its element.
fn added(sum: &Assignment) -> Option<&Expression> {
    let Expression::Binary(Binary::Add, left, right) = &sum.value else { return None };
    let is_own = |value: &Expression| matches!(value, Expression::Load(access) if *access == sum.target);
    match (is_own(left), is_own(right)) {
        (true, false) => Some(right),
        (false, true) => Some(left),
        _ => None,
    }
}

fn load(register: &Access) -> Expression {
    Expression::Load(register.clone())
}

fn set(register: &Access, value: Expression) -> Instruction {
    Instruction::Assign(Assignment { target: register.clone(), value })
}
