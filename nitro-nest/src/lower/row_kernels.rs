//! Row kernels: the threads of a block share a row, and all that is done in the row is one kernel.
//!
//! The outer parallel loops of some statements number rows. A row is a list of steps: a statement outside of loops,
//! or a loop nest of which the threads share out one loop. Several threads add up what a step sums up along that
//! loop. Barriers part steps, so that only what is within a step has to be free of dependences.

mod traffic;

use super::arrange::is_coalesced;
use super::bounds::{condition_mentions, mentions, not_empty, whole};
use super::components::components;
use super::draft::{KernelGroup, RowKernel};
use super::grid::rest_of_group;
use super::groups::{MOST_DIMENSIONS, Plan, Planner, bounds_are_known};
use super::scans::scan;
use crate::dependence::{Dependences, reduction};
use crate::nest::expression::{Access, Binary};
use crate::nest::{Assignment, Condition, Nest, Node, Range};
use traffic::traffic;

/// A step of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'n> {
    /// A statement outside of all loops of the row.
    Once(&'n Assignment),
    /// A loop, and all that is in it.
    Loop(&'n Range, &'n Node),
}

impl<'n> Step<'n> {
    /// Returns the statements in it.
    pub(crate) fn assignments(&self) -> Vec<&'n Assignment> {
        match *self {
            Step::Once(assignment) => vec![assignment],
            Step::Loop(_, node) => node.assignments(),
        }
    }
}

/// Returns the steps of a row, each with the conditions around it.
pub(crate) fn steps(nodes: &[Node]) -> Vec<(Vec<&Condition>, Step<'_>)> {
    let mut steps = Vec::new();
    gather_steps(nodes, &mut Vec::new(), &mut steps);
    steps
}

fn gather_steps<'n>(
    nodes: &'n [Node],
    around: &mut Vec<&'n Condition>,
    steps: &mut Vec<(Vec<&'n Condition>, Step<'n>)>,
) {
    for node in nodes {
        match node {
            Node::Assign(assignment) => steps.push((around.clone(), Step::Once(assignment))),
            Node::Loop(range, _) => steps.push((around.clone(), Step::Loop(range, node))),
            Node::If(conditions, body) => {
                let before = around.len();
                around.extend(conditions);
                gather_steps(body, around, steps);
                around.truncate(before);
            }
        }
    }
}

/// Returns the loops in a node, outermost first.
pub(crate) fn loops(node: &Node) -> Vec<&Range> {
    let own = if let Node::Loop(range, _) = node { Some(range) } else { None };
    own.into_iter().chain(node.body().iter().flat_map(loops)).collect()
}

/// Returns the operation by which threads may add up parts of an element in any order.
///
/// Minima and maxima are exact: an operand that is no number does not count in any order, and a zero of either sign
/// is as good as the other. Sums and products take a nest that permits another order.
pub(crate) fn shared_reduction(nest: &Nest, assignment: &Assignment) -> Option<Binary> {
    let permits = |operator: &Binary| match operator {
        Binary::Add | Binary::Multiply => nest.reassociates(),
        Binary::Minimum | Binary::Maximum => true,
        _ => false,
    };
    reduction(assignment).filter(permits)
}

/// Returns `true` if a row has an element in registers of all its threads.
///
/// Nothing else of its array is touched, and the row begins with setting it, whatever holds.
pub(crate) fn is_held(steps: &[(Vec<&Condition>, Step<'_>)], element: &Access, inner: &[usize]) -> bool {
    let assignments = steps.iter().flat_map(|(_, step)| step.assignments());
    let mut accesses = assignments.flat_map(Assignment::accesses);
    let mut touching = steps
        .iter()
        .filter(|(_, step)| step.assignments().iter().any(|assignment| assignment.touches(element.array)));
    let Some((conditions, Step::Once(first))) = touching.next() else { return false };
    !element.depends_on(inner)
        && accesses.all(|access| access.array != element.array || access == element)
        && conditions.is_empty()
        && first.target == *element
        && !first.value.reads().contains(&element)
}

impl Planner<'_> {
    /// Plans the statements of a loop with row kernels; none: there is none among them that pays.
    pub(super) fn with_rows(&self, group: &[usize], depth: usize) -> Option<Vec<Plan>> {
        if !self.schedule.rows {
            return None;
        }
        let relaxed = self
            .dependences
            .without_reductions(self.nest, |assignment| shared_reduction(self.nest, assignment).is_some());
        let components = components(self.dependences, group, depth);
        let (mut plans, mut others, mut at) = (Vec::new(), Vec::new(), 0);
        let mut has_rows = false;
        while at < components.len() {
            // As many neighbours as can share their rows; their order is legal.
            let found = (at + 1..=components.len()).rev().find_map(|end| {
                let mut among = components[at..end].concat();
                among.sort_unstable();
                Some((end, self.row_kernel(&among, depth, &relaxed)?))
            });
            if let Some((end, kernel)) = found {
                plans.extend(self.apart(&std::mem::take(&mut others), depth));
                plans.push(Plan::Kernel(kernel));
                (at, has_rows) = (end, true);
            } else {
                others.push(components[at].clone());
                at += 1;
            }
        }
        plans.extend(self.apart(&others, depth));
        has_rows.then_some(plans)
    }

    /// Makes a row kernel of these statements, if that is legal and pays.
    fn row_kernel(&self, among: &[usize], depth: usize, relaxed: &Dependences) -> Option<KernelGroup> {
        let grid = self.row_loops(among, depth);
        let group = KernelGroup { statements: among.to_vec(), grid, ..KernelGroup::default() };
        // What is left of the nest has the statements in order, each step some that follow each other.
        let outside: Vec<usize> =
            self.statements[among[0]].loops[..depth].iter().map(|range| range.iterator).collect();
        let rest = rest_of_group(self.nest, &group, &outside);
        let steps = steps(&rest);
        let inside = depth + group.grid.len();
        let (mut shared, mut together, mut left) = (Vec::new(), Vec::new(), among);
        for (_, step) in &steps {
            let (own, others) = left.split_at(step.assignments().len());
            left = others;
            if let Step::Loop(range, node) = step {
                let (iterator, are_together) = self.shared_loop(&steps, own, node, inside, relaxed)?;
                shared.push(iterator);
                together.extend(are_together.then_some(range.iterator));
            }
        }
        let traffic = traffic(self.nest, &steps, &shared, &group.grid)?;
        let (is_across, x) = traffic.neighbours(&group.grid)?;
        if is_across && traffic.has_scans {
            return None;
        }
        let mut grid = group.grid;
        grid.retain(|one| Some(*one) != x);
        grid.extend(x);
        Some(KernelGroup { row: Some(RowKernel { shared, together, is_across }), grid, ..group })
    }

    /// Returns the outermost loops around all these statements that no dependence crosses.
    fn row_loops(&self, among: &[usize], depth: usize) -> Vec<usize> {
        let mut grid: Vec<usize> = Vec::new();
        let loops = &self.statements[among[0]].loops;
        for (at, range) in loops.iter().enumerate().take(self.common(among)).skip(depth) {
            let mut found = self.dependences.within(among, depth);
            let is_free = found.all(|found| found.distances[at].is_zero());
            if !is_free || grid.len() == MOST_DIMENSIONS || !bounds_are_known(range, &grid, &[]) {
                break;
            }
            grid.push(range.iterator);
        }
        grid
    }

    /// Returns the loop of a step that threads may share out: of several, where more accesses are to neighbours. And
    /// `true` if they may share out the iterations of all loops of the step, of which there are several.
    ///
    /// `inside` is the number of loops around the step.
    fn shared_loop(
        &self,
        steps: &[(Vec<&Condition>, Step<'_>)],
        among: &[usize],
        node: &Node,
        inside: usize,
        relaxed: &Dependences,
    ) -> Option<(usize, bool)> {
        let assignments = node.assignments();
        let chain = &self.statements[among[0]].loops[inside..self.common(among)];
        if let (Some(scan), [range]) = (scan(node), chain) {
            return self.may_scan(among, range, &scan, inside).then_some((range.iterator, false));
        }
        let own: Vec<usize> = chain.iter().map(|range| range.iterator).collect();
        let is_free =
            |at: usize| relaxed.within(among, inside).all(|found| found.distances[inside + at].is_zero());
        let are_apart = |iterators: &[usize]| {
            assignments.iter().enumerate().all(|(index, assignment)| {
                assignment.target.depends_on_each(iterators)
                    || self.is_shared_out(steps, &assignments, among[index], index, inside)
            })
        };
        let legal = chain.iter().enumerate().filter(|(at, range)| {
            // A value has the same thread whenever it comes, also where the loop is in another one.
            !range.lower.iter().any(|bound| mentions(bound, &own))
                && is_free(*at)
                && are_apart(&[range.iterator])
        });
        let accesses: Vec<&Access> =
            assignments.iter().flat_map(|assignment| assignment.accesses()).collect();
        let best = legal.max_by_key(|(at, range)| {
            (accesses.iter().filter(|access| is_coalesced(access, range.iterator)).count(), *at)
        });
        let are_together = chain.len() > 1
            && chain.len() == loops(node).len()
            && chain.iter().enumerate().all(|(at, range)| whole(range).is_some() && is_free(at))
            && are_apart(&own);
        best.map(|(_, range)| (range.iterator, are_together))
    }

    /// Returns `true` if threads may add up their parts of a statement's element once a step has ended.
    fn is_shared_out(
        &self,
        steps: &[(Vec<&Condition>, Step<'_>)],
        assignments: &[&Assignment],
        statement: usize,
        index: usize,
        inside: usize,
    ) -> bool {
        let assignment = assignments[index];
        let target = &assignment.target;
        let own: Vec<usize> =
            self.statements[statement].loops[inside..].iter().map(|range| range.iterator).collect();
        let is_alone = assignments
            .iter()
            .enumerate()
            .all(|(other, assignment)| other == index || !assignment.touches(target.array));
        shared_reduction(self.nest, assignment).is_some()
            && !target.depends_on(&own)
            && is_alone
            && (is_held(steps, target, &own) || self.has_plain_domain(statement, &own, inside))
    }

    /// Returns `true` if it is known outside of the inner loops that a statement has an instance in them.
    fn has_plain_domain(&self, statement: usize, own: &[usize], inside: usize) -> bool {
        let statement = &self.statements[statement];
        let mut conditions = statement.conditions.iter();
        let mut bounds =
            statement.loops[inside..].iter().flat_map(|range| range.lower.iter().chain(&range.upper));
        conditions.all(|condition| !condition_mentions(condition, own))
            && bounds.all(|bound| !mentions(bound, own))
    }
}

/// Returns the conditions under which a node has an instance of a statement, where that is known outside of it.
pub(crate) fn has_instance(node: &Node, assignment: &Assignment) -> Option<Vec<Condition>> {
    let own = match node {
        Node::Assign(other) => return std::ptr::eq(other, assignment).then(Vec::new),
        Node::If(conditions, _) => conditions.clone(),
        Node::Loop(range, _) => not_empty(range),
    };
    let inside = node.body().iter().find_map(|node| has_instance(node, assignment))?;
    Some([own, inside].concat())
}
