//! Which statements make a kernel, and which of their loops are its grid.
//!
//! Distribution of loops after Allen and Kennedy ("Automatic translation of Fortran programs to vector form", 1987),
//! where parallel loops go outwards.

use serde::{Deserialize, Serialize};

use super::components::components;
use crate::dependence::{Dependences, is_sum};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::statement::Statement;
use crate::nest::{Nest, Range};

/// As many dimensions as a grid has.
const MOST_DIMENSIONS: usize = 3;

/// What may be done to the order of statements; by default, nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Schedule {
    /// Statements that share their loops share a kernel where that costs no dimension of the grid.
    pub fuses: bool,
    /// Several threads add up one sum, where the nest permits it and the grid would have one dimension at most; and
    /// a thread adds what it has of a sum term by term.
    pub sums_in_parallel: bool,
    /// x is the loop along which most accesses touch neighbouring elements, instead of the innermost one.
    pub coalesces: bool,
    /// Sums that a thread of a grid with two dimensions goes through are *split*: blocks along z have [some of the
    /// terms each](crate::Tiling::terms) and add what they come to (split-K of products of matrices), where the
    /// nest permits it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub splits_sums: bool,
}

impl Schedule {
    /// Whether sums may be added up in any order.
    pub(super) fn reassociates(self, nest: &Nest) -> bool {
        (self.sums_in_parallel || self.splits_sums) && nest.reassociates()
    }
}

/// What becomes of some statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The host repeats a loop: the iterator's index.
    Host(usize, Vec<Plan>),
    /// A kernel.
    Kernel(KernelPlan),
}

/// Statements that make a kernel, and what becomes of the loops around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelPlan {
    pub statements: Vec<usize>,
    /// The iterators of the grid, outermost first: z or y first and x last.
    pub grid: Vec<usize>,
    /// Those of the grid that are parallel since sums may be added up in any order.
    pub summed: Vec<usize>,
    /// The loop of a thread whose terms are split over blocks along one more dimension.
    pub split: Option<usize>,
}

impl KernelPlan {
    fn dimensions(&self) -> usize {
        self.grid.len() + usize::from(self.split.is_some())
    }
}

impl Plan {
    /// The plans for all statements of a nest, in the order in which they run.
    pub fn of(nest: &Nest, dependences: &Dependences, schedule: Schedule) -> Vec<Plan> {
        let relaxed = schedule.reassociates(nest).then(|| dependences.without_sums(nest));
        let planner = Planner { statements: nest.statements(), dependences, relaxed, schedule };
        let all: Vec<usize> = (0..planner.statements.len()).collect();
        planner.plans(&all, 0)
    }

    /// The fewest dimensions of a grid, 0 where the host repeats.
    fn dimensions(&self) -> usize {
        match self {
            Plan::Host(..) => 0,
            Plan::Kernel(kernel) => kernel.dimensions(),
        }
    }

    fn is_parallel(&self) -> bool {
        match self {
            Plan::Host(_, plans) => plans.iter().any(Plan::is_parallel),
            Plan::Kernel(kernel) => !kernel.grid.is_empty(),
        }
    }
}

struct Planner<'a> {
    statements: Vec<Statement<'a>>,
    dependences: &'a Dependences,
    /// Without those of sums, where several threads may add up one.
    relaxed: Option<Dependences>,
    schedule: Schedule,
}

impl Planner<'_> {
    /// The statements share the loops outside of `depth`, which the host runs. What is in one loop at `depth` stays
    /// together first, since the order of such groups is legal.
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
        let apart = || self.apart(&components, depth);
        let Some(together) = together else { return apart() };
        let (apart, dimensions) = (apart(), together.dimensions());
        let none_has_fewer = apart.iter().all(|plan| plan.dimensions() >= dimensions);
        let some_has_more = apart.iter().any(|plan| plan.dimensions() > dimensions);
        if none_has_fewer && some_has_more { apart } else { vec![together] }
    }

    /// The components one by one or, with fusion, neighbours together where that costs no dimension.
    fn apart(&self, components: &[Vec<usize>], depth: usize) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        for component in components {
            let plan = self.kernel(component, depth).unwrap_or_else(|| self.sequential(component, depth));
            match plans.last().and_then(|last| self.fused(last, &plan, depth)) {
                Some(fused) => *plans.last_mut().expect("it is the last") = fused,
                None => plans.push(plan),
            }
        }
        plans
    }

    fn fused(&self, one: &Plan, other: &Plan, depth: usize) -> Option<Plan> {
        let (Plan::Kernel(first), Plan::Kernel(second)) = (one, other) else { return None };
        let mut all = [first.statements.as_slice(), &second.statements].concat();
        all.sort_unstable();
        let fused = self.schedule.fuses.then(|| self.kernel(&all, depth)).flatten()?;
        (fused.dimensions() >= one.dimensions().max(other.dimensions())).then_some(fused)
    }

    /// A kernel of all these statements, if they share a parallel loop. Where that is one at most, sums may be
    /// added up in parallel for another.
    fn kernel(&self, among: &[usize], depth: usize) -> Option<Plan> {
        let mut grid = self.grid(self.dependences, among, depth);
        let mut summed = Vec::new();
        if let Some(relaxed) =
            self.relaxed.as_ref().filter(|_| self.schedule.sums_in_parallel && grid.len() < 2)
        {
            let wider = self.grid(relaxed, among, depth);
            if wider.len() > grid.len() && self.sums_are_alone(among, &wider) {
                summed = wider.iter().filter(|iterator| !grid.contains(iterator)).copied().collect();
                grid = wider;
            }
        }
        if self.schedule.coalesces {
            self.coalesce(among, &mut grid);
        }
        let split = self.split(among, depth, &grid);
        (!grid.is_empty())
            .then(|| Plan::Kernel(KernelPlan { statements: among.to_vec(), grid, summed, split }))
    }

    /// Of a grid with two dimensions, the one loop over sizes besides it, if all that is in it sums up along it.
    fn split(&self, among: &[usize], depth: usize, grid: &[usize]) -> Option<usize> {
        let relaxed = self.relaxed.as_ref().filter(|_| self.schedule.splits_sums && grid.len() == 2)?;
        let loops = &self.statements[among[0]].loops;
        let common = self.common(among);
        let (at, range) =
            (depth..common).map(|at| (at, loops[at])).find(|(_, range)| !grid.contains(&range.iterator))?;
        let is_of_sizes = range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes);
        let is_plain = is_of_sizes && range.lower.len() == 1 && range.step == 1 && !range.is_reversed;
        let is_free = relaxed.within(among, depth).all(|found| found.distances[at].is_zero());
        let sums_up = |statement: &usize| {
            let assignment = self.statements[*statement].assignment;
            is_sum(assignment) && !assignment.target.depends_on(&[range.iterator])
        };
        let split = [grid, &[range.iterator]].concat();
        let may_be_split =
            is_plain && is_free && among.iter().all(sums_up) && self.sums_are_alone(among, &split);
        may_be_split.then_some(range.iterator)
    }

    /// Whether nothing but sums touches what is added up across the grid: nothing sees a part of a sum.
    fn sums_are_alone(&self, among: &[usize], grid: &[usize]) -> bool {
        let assignment = |statement: &usize| self.statements[*statement].assignment;
        let is_across = |target: &Access| grid.iter().any(|of| !target.depends_on(&[*of]));
        let touches = |other: &usize, array: usize| {
            let other = assignment(other);
            other.target.array == array || other.value.reads().iter().any(|read| read.array == array)
        };
        let steps_are_plain =
            among.iter().flat_map(|one| &self.statements[*one].loops).all(|range| range.step == 1);
        steps_are_plain
            && among.iter().all(|statement| {
                let target = &assignment(statement).target;
                !is_across(target)
                    || !among.iter().any(|other| other != statement && touches(other, target.array))
            })
    }

    /// Brings the loop along which most accesses touch neighbouring elements innermost: it becomes x.
    fn coalesce(&self, among: &[usize], grid: &mut Vec<usize>) {
        let accesses = || {
            among.iter().flat_map(|one| {
                let assignment = self.statements[*one].assignment;
                assignment.value.reads().into_iter().chain([&assignment.target])
            })
        };
        let neighbours = |iterator: usize| {
            let is_last = |access: &&Access| {
                let last = access.subscripts.last();
                access.subscripts.len() > 1
                    && last.is_some_and(|last| last.coefficient(Variable::Iterator(iterator)).abs() == 1)
            };
            accesses().filter(is_last).count()
        };
        let best = (0..grid.len()).max_by_key(|at| (neighbours(grid[*at]), *at));
        if let Some(best) = best {
            let x = grid.remove(best);
            grid.push(x);
        }
    }

    /// The host runs the loop if something in it is parallel, else one thread runs everything.
    fn sequential(&self, among: &[usize], depth: usize) -> Plan {
        if let Some(range) = self.statements[among[0]].loops.get(depth) {
            let host = Plan::Host(range.iterator, self.plans(among, depth + 1));
            if host.is_parallel() {
                return host;
            }
        }
        Plan::Kernel(KernelPlan { statements: among.to_vec(), ..KernelPlan::default() })
    }

    /// The loops that all these statements share and no dependence between them crosses, as far as their bounds are
    /// known outside.
    fn grid(&self, dependences: &Dependences, among: &[usize], depth: usize) -> Vec<usize> {
        let mut grid: Vec<usize> = Vec::new();
        let mut inside: Vec<usize> = Vec::new();
        let loops = &self.statements[among[0]].loops;
        for (at, range) in loops.iter().enumerate().take(self.common(among)).skip(depth) {
            let is_free = dependences.within(among, depth).all(|found| found.distances[at].is_zero());
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

/// Bounds of a loop of the grid depend on no loop that runs in the thread. They may depend on others of the grid,
/// where the steps still begin at one value.
fn bounds_are_known(range: &Range, grid: &[usize], inside: &[usize]) -> bool {
    let mentions = |iterators: &[usize]| {
        let mut bounds = range.lower.iter().chain(&range.upper);
        bounds.any(|bound| iterators.iter().any(|iterator| bound.mentions(Variable::Iterator(*iterator))))
    };
    !mentions(inside) && (range.step == 1 || !mentions(grid))
}
