//! Which statements make a kernel, and which of their loops are its grid.
//!
//! Distribution of loops after Allen and Kennedy ("Automatic translation of Fortran programs to vector form", 1987), where parallel loops go outwards.

use super::components::components;
use crate::dependence::Dependences;
use crate::nest::affine::Variable;
use crate::nest::statement::Statement;
use crate::nest::{Nest, Range};

/// As many dimensions as a grid has.
const MOST_DIMENSIONS: usize = 3;

/// What becomes of some statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The host repeats a loop: the iterator's index.
    Host(usize, Vec<Plan>),
    /// A kernel of these statements, with these loops as its grid (the iterators' indices, outermost first).
    Kernel { statements: Vec<usize>, grid: Vec<usize> },
}

impl Plan {
    /// The plans for all statements of a nest, in the order in which they run.
    pub fn of(nest: &Nest, dependences: &Dependences) -> Vec<Plan> {
        let planner = Planner { statements: nest.statements(), dependences };
        let all: Vec<usize> = (0..planner.statements.len()).collect();
        planner.plans(&all, 0)
    }

    /// The fewest dimensions of a grid, 0 where the host repeats.
    fn dimensions(&self) -> usize {
        match self {
            Plan::Host(..) => 0,
            Plan::Kernel { grid, .. } => grid.len(),
        }
    }

    fn is_parallel(&self) -> bool {
        match self {
            Plan::Host(_, plans) => plans.iter().any(Plan::is_parallel),
            Plan::Kernel { grid, .. } => !grid.is_empty(),
        }
    }
}

struct Planner<'a> {
    statements: Vec<Statement<'a>>,
    dependences: &'a Dependences,
}

impl Planner<'_> {
    /// The statements share the loops outside of `depth`, which the host runs. What is in one loop at `depth` stays together first, since the order of such groups is legal.
    fn plans(&self, among: &[usize], depth: usize) -> Vec<Plan> {
        let mut plans = Vec::new();
        let mut left = among;
        while let [first, ..] = left {
            let of =
                |statement: usize| self.statements[statement].loops.get(depth).map(|range| range.iterator);
            let is_together =
                |other: &&usize| *other == first || (of(**other) == of(*first) && of(*first).is_some());
            let (group, others) = left.split_at(left.iter().take_while(is_together).count());
            plans.extend(self.group(group, depth));
            left = others;
        }
        plans
    }

    /// One kernel, or, where that has fewer dimensions, one for each component.
    fn group(&self, group: &[usize], depth: usize) -> Vec<Plan> {
        let together = self.kernel(group, depth);
        let components = components(self.dependences, group, depth);
        if components.len() == 1 {
            return vec![together.unwrap_or_else(|| self.sequential(group, depth))];
        }
        let apart =
            || components.iter().flat_map(|component| self.component(component, depth)).collect::<Vec<_>>();
        let Some(together) = together else { return apart() };
        let (apart, dimensions) = (apart(), together.dimensions());
        let none_has_fewer = apart.iter().all(|plan| plan.dimensions() >= dimensions);
        let some_has_more = apart.iter().any(|plan| plan.dimensions() > dimensions);
        if none_has_fewer && some_has_more { apart } else { vec![together] }
    }

    fn component(&self, component: &[usize], depth: usize) -> Vec<Plan> {
        vec![self.kernel(component, depth).unwrap_or_else(|| self.sequential(component, depth))]
    }

    /// A kernel of all these statements, if they share a parallel loop.
    fn kernel(&self, among: &[usize], depth: usize) -> Option<Plan> {
        let grid = self.grid(among, depth);
        (!grid.is_empty()).then(|| Plan::Kernel { statements: among.to_vec(), grid })
    }

    /// The host runs the loop if something in it is parallel, else one thread runs everything.
    fn sequential(&self, among: &[usize], depth: usize) -> Plan {
        if let Some(range) = self.statements[among[0]].loops.get(depth) {
            let host = Plan::Host(range.iterator, self.plans(among, depth + 1));
            if host.is_parallel() {
                return host;
            }
        }
        Plan::Kernel { statements: among.to_vec(), grid: Vec::new() }
    }

    /// The loops that all these statements share and no dependence between them crosses, as far as their bounds are known outside.
    fn grid(&self, among: &[usize], depth: usize) -> Vec<usize> {
        let mut grid: Vec<usize> = Vec::new();
        let mut inside: Vec<usize> = Vec::new();
        let loops = &self.statements[among[0]].loops;
        for (at, range) in loops.iter().enumerate().take(self.common(among)).skip(depth) {
            let is_free = self.dependences.within(among, depth).all(|found| found.distances[at].is_zero());
            if is_free && grid.len() < MOST_DIMENSIONS && bounds_are_known(range, &grid, &inside) {
                grid.push(range.iterator);
            } else {
                inside.push(range.iterator);
            }
        }
        grid
    }

    fn common(&self, among: &[usize]) -> usize {
        let first = &self.statements[among[0]];
        let common = |other: &usize| first.common_loops(&self.statements[*other]);
        among[1..].iter().map(common).min().unwrap_or(first.loops.len())
    }
}

/// Bounds of a loop of the grid depend on no loop that runs in the thread. They may depend on others of the grid, where the steps still begin at one value.
fn bounds_are_known(range: &Range, grid: &[usize], inside: &[usize]) -> bool {
    let mentions = |iterators: &[usize]| {
        let mut bounds = range.lower.iter().chain(&range.upper);
        bounds.any(|bound| iterators.iter().any(|iterator| bound.mentions(Variable::Iterator(*iterator))))
    };
    !mentions(inside) && (range.step == 1 || !mentions(grid))
}
