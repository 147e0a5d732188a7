//! Sums to elements that move as loops do: y[i + j] += t.

use super::groups::Planner;
use crate::dependence::is_sum;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::statement::Statement;

impl Planner<'_> {
    /// Returns the loops along which the elements of sums move, if there are more of them than a grid has.
    ///
    /// Instances that add to one element are anywhere among them: each thread adds what it has atomically.
    pub(super) fn scattered(&self, among: &[usize], depth: usize, grid: &[usize]) -> Vec<usize> {
        let free = self.scattering.as_ref().filter(|_| self.schedule.sums_in_parallel);
        let Some(free) = free.filter(|_| among.iter().all(|one| self.is_scattered_sum(*one, among))) else {
            return Vec::new();
        };
        let mut scattered = self.grid(free, among, depth);
        // Along the others, a thread adds up by itself what it adds to an element.
        let moves =
            |iterator: usize| among.iter().all(|one| self.assignment(*one).target.depends_on(&[iterator]));
        scattered.retain(|iterator| moves(*iterator));
        if scattered.len() > grid.len() { scattered } else { Vec::new() }
    }

    /// Returns `true` if a statement adds to elements along which two loops go together, and alone touches these.
    fn is_scattered_sum(&self, statement: usize, among: &[usize]) -> bool {
        let Statement { assignment, loops, .. } = &self.statements[statement];
        let mut bounds = loops.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
        let mut others = among.iter().filter(|other| **other != statement);
        is_sum(assignment)
            && has_window(&assignment.target)
            && bounds.all(Affine::is_of_sizes)
            && !others.any(|other| self.touches(*other, assignment.target.array))
    }
}

/// Returns `true` if two loops go along one dimension together: elements are those of several iterations of one then.
pub(super) fn has_window(access: &Access) -> bool {
    let iterators = |subscript: &Affine| {
        subscript.terms().iter().filter(|(variable, _)| matches!(variable, Variable::Iterator(_))).count()
    };
    access.subscripts.iter().any(|subscript| iterators(subscript) > 1)
}
