//! Row kernels: the threads of a block share a row, and all that is done in the row is one kernel.
//!
//! The outer parallel loops of some statements number rows. A row is a list of steps: a statement outside of loops,
//! or a loop nest of which the threads share out one loop. Several threads add up what a step sums up along that
//! loop. Barriers part steps, so that only what is within a step has to be free of dependences.

use super::arrange::is_coalesced;
use super::bounds::{condition_mentions, is_shorter, mentions, not_empty};
use super::components::components;
use super::draft::{KernelGroup, RowKernel};
use super::grid::rest_of_group;
use super::groups::{MOST_DIMENSIONS, Plan, Planner, bounds_are_known};
use super::scans::scan;
use super::scattered::has_window;
use crate::dependence::{Dependences, is_sum, reduction};
use crate::limits::LANES;
use crate::nest::expression::{Access, Binary};
use crate::nest::{Assignment, Condition, Nest, Node, Range};

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
        .filter(|(_, step)| step.assignments().iter().any(|assignment| touches(assignment, element.array)));
    let Some((conditions, Step::Once(first))) = touching.next() else { return false };
    !element.depends_on(inner)
        && accesses.all(|access| access.array != element.array || access == element)
        && conditions.is_empty()
        && first.target == *element
        && !first.value.reads().contains(&element)
}

fn touches(assignment: &Assignment, array: usize) -> bool {
    assignment.accesses().iter().any(|access| access.array == array)
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
        let (mut shared, mut left) = (Vec::new(), among);
        for (_, step) in &steps {
            let (own, others) = left.split_at(step.assignments().len());
            left = others;
            if let Step::Loop(_, node) = step {
                shared.push(self.shared_loop(&steps, own, node, inside, relaxed)?);
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
        Some(KernelGroup { row: Some(RowKernel { shared, is_across }), grid, ..group })
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

    /// Returns the loop of a step that threads may share out: of several, where more accesses are to neighbours.
    ///
    /// `inside` is the number of loops around the step.
    fn shared_loop(
        &self,
        steps: &[(Vec<&Condition>, Step<'_>)],
        among: &[usize],
        node: &Node,
        inside: usize,
        relaxed: &Dependences,
    ) -> Option<usize> {
        let assignments = node.assignments();
        let chain = &self.statements[among[0]].loops[inside..self.common(among)];
        if let (Some(scan), [range]) = (scan(node), chain) {
            return self.may_scan(among, range, &scan, inside).then_some(range.iterator);
        }
        let own: Vec<usize> = chain.iter().map(|range| range.iterator).collect();
        let legal = chain.iter().enumerate().filter(|(at, range)| {
            let mut found = relaxed.within(among, inside);
            // A value has the same thread whenever it comes, also where the loop is in another one.
            !range.lower.iter().any(|bound| mentions(bound, &own))
                && found.all(|found| found.distances[inside + at].is_zero())
                && assignments.iter().enumerate().all(|(index, assignment)| {
                    assignment.target.depends_on(&[range.iterator])
                        || self.is_shared_out(steps, &assignments, among[index], index, inside)
                })
        });
        let accesses: Vec<&Access> =
            assignments.iter().flat_map(|assignment| assignment.accesses()).collect();
        let best = legal.max_by_key(|(at, range)| {
            (accesses.iter().filter(|access| is_coalesced(access, range.iterator)).count(), *at)
        });
        best.map(|(_, range)| range.iterator)
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
            .all(|(other, assignment)| other == index || !touches(assignment, target.array));
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

/// The memory traffic of the steps of a row, counted in rows of arrays.
///
/// An array of which a step touches a row costs a read, a write or both, in each step; a row kernel reads it at most
/// once and writes it at most once. All else is as long as a row, or a column, and costs nothing beside it.
#[derive(Default)]
struct Traffic {
    /// That of a kernel for each step.
    apart: usize,
    /// The arrays that a row kernel reads, and those that it writes.
    read: Vec<usize>,
    written: Vec<usize>,
    /// Some step takes the least or the largest, for which no other kernel has several threads, and reads something
    /// else for each row.
    has_extremes: bool,
    /// Some step is a scan, for which no other kernel has several threads either.
    has_scans: bool,
    /// What is added up is read once, by a thread for each row: several loops number these, or something is done with
    /// the sum, for which other kernels would be launched after it.
    reads_once: bool,
    accesses: usize,
    /// Those to neighbours along the loop that is shared out.
    along: usize,
    /// Those to neighbours along each of the loops that number rows.
    across: Vec<usize>,
}

impl Traffic {
    /// Counts what a step touches of the rows that these loops number.
    fn add(&mut self, node: &Node, shared: usize, rows: &[usize]) {
        self.across.resize(rows.len(), 0);
        let inner: Vec<usize> = loops(node).iter().map(|range| range.iterator).collect();
        let [mut reads, mut writes] = [Vec::new(), Vec::new()];
        for assignment in node.assignments() {
            for (at, access) in assignment.accesses().into_iter().enumerate() {
                if access.depends_on(&inner) && (rows.is_empty() || access.depends_on(rows)) {
                    if at == 0 { &mut writes } else { &mut reads }.push(access.array);
                    self.accesses += 1;
                    self.along += usize::from(is_coalesced(access, shared));
                    for (count, row) in self.across.iter_mut().zip(rows) {
                        *count += usize::from(is_coalesced(access, *row));
                    }
                }
            }
        }
        for own in [&mut reads, &mut writes] {
            own.sort_unstable();
            own.dedup();
            self.apart += own.len();
        }
        // What a step has written, a later one need not read from memory.
        let is_new = |all: &Vec<usize>, array: &usize| !all.contains(array);
        reads.retain(|array| is_new(&self.written, array) && is_new(&self.read, array));
        writes.retain(|array| is_new(&self.written, array));
        self.read.append(&mut reads);
        self.written.append(&mut writes);
    }

    /// Returns `true` if a row kernel moves less than single kernels, or alone has threads enough.
    fn pays(&self, rows: &[usize]) -> bool {
        // One row has threads for sums elsewhere.
        let saves = self.read.len() + self.written.len() < self.apart && !rows.is_empty();
        saves || self.has_extremes || self.has_scans || self.reads_once
    }

    /// Returns how neighbouring threads have neighbouring elements, mostly: `true` if those are of other rows, and the
    /// loop among those that number rows which is x then. None: they have not.
    fn neighbours(&self, rows: &[usize]) -> Option<(bool, Option<usize>)> {
        if 2 * self.along > self.accesses || rows.is_empty() {
            return Some((false, rows.last().copied()));
        }
        let best = self.across.iter().position(|count| 2 * count > self.accesses)?;
        Some((true, Some(rows[best])))
    }
}

/// Returns the traffic of a row kernel that is worth it: it saves some, a step adds something up, and no step wants
/// another kind of kernel.
fn traffic(
    nest: &Nest,
    steps: &[(Vec<&Condition>, Step<'_>)],
    shared: &[usize],
    rows: &[usize],
) -> Option<Traffic> {
    let mut traffic = Traffic::default();
    let mut has_reduction = false;
    let nodes = steps.iter().enumerate().filter_map(|(at, (_, step))| match step {
        Step::Loop(_, node) => Some((node, &steps[at + 1..])),
        Step::Once(_) => None,
    });
    for ((node, later), shared) in nodes.zip(shared) {
        if is_narrow(node, *shared) || has_product(node, *shared) {
            return None;
        }
        for assignment in node.assignments() {
            let operation = shared_reduction(nest, assignment);
            if let (Some(operation), false) = (operation, assignment.target.depends_on(&[*shared])) {
                has_reduction = true;
                let is_of_each = |read: &&Access| {
                    read.depends_on_each(rows) && read.depends_on(&[*shared]) && !has_window(read)
                };
                let reads = assignment.value.reads();
                let is_of_each_row = reads.iter().any(is_of_each);
                // What rows share, as the vector of a product, is read less often by threads that have several rows.
                let shares =
                    reads.iter().any(|read| read.depends_on(&[*shared]) && !read.depends_on_each(rows));
                let is_used = later.iter().any(|(_, step)| is_used_once(step, &assignment.target));
                let is_worth = rows.len() > 1 || is_used && !shares && !rows.is_empty();
                traffic.reads_once |= is_worth && is_of_each_row;
                traffic.has_extremes |= operation != Binary::Add && (rows.len() < 2 || is_of_each_row);
            }
        }
        traffic.has_scans |= scan(node).is_some();
        traffic.add(node, *shared, rows);
    }
    (has_reduction && traffic.pays(rows)).then_some(traffic)
}

/// Returns `true` if a step is a statement outside of loops that reads an element.
fn is_used_once(step: &Step<'_>, element: &Access) -> bool {
    matches!(step, Step::Once(assignment) if assignment.value.reads().contains(&element))
}

/// Returns `true` if the loop that is shared out has too few iterations for a warp: a thread for each row is better.
fn is_narrow(node: &Node, shared: usize) -> bool {
    let all = loops(node);
    let range = all.iter().find(|range| range.iterator == shared).expect("the loop is in its step");
    is_shorter(range, LANES.into())
}

/// Returns `true` if a thread would sum up each element of a row by itself, as in a product: that wants tiles.
fn has_product(node: &Node, shared: usize) -> bool {
    let inner: Vec<usize> = loops(node).iter().map(|range| range.iterator).collect();
    node.assignments().iter().any(|assignment| {
        let target = &assignment.target;
        is_sum(assignment)
            && target.depends_on(&[shared])
            && inner.iter().any(|one| *one != shared && !target.depends_on(&[*one]))
    })
}
