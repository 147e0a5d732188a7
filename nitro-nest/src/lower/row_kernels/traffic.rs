//! What a row kernel saves of memory traffic, beside a kernel for each step.

use super::{Step, loops, shared_reduction};
use crate::dependence::is_sum;
use crate::limits::LANES;
use crate::lower::arrange::is_coalesced;
use crate::lower::bounds::{find_loop, is_shorter, mentions};
use crate::lower::scans::scan;
use crate::lower::scattered::has_window;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary};
use crate::nest::{Assignment, Condition, Nest, Node, Range};

/// The memory traffic of the steps of a row, counted in rows of arrays.
///
/// An array of which a step touches a row costs a read, a write or both, in each step; a row kernel reads it at most
/// once and writes it at most once. All else is as long as a row, or a column, and costs nothing beside it.
#[derive(Default)]
pub(super) struct Traffic {
    /// That of a kernel for each step.
    apart: usize,
    /// The arrays that a row kernel reads, and those that it writes.
    read: Vec<usize>,
    written: Vec<usize>,
    /// Some step takes the least or the largest, for which no other kernel has several threads, and reads something
    /// else for each row.
    has_extremes: bool,
    /// Some step is a scan, for which no other kernel has several threads either.
    pub(super) has_scans: bool,
    /// What is added up is read once, by a thread for each row: several loops number these, or something is done with
    /// the sum or sets it before, for which other kernels would be launched.
    reads_once: bool,
    accesses: usize,
    /// Those to neighbours along the loop that is shared out.
    along: usize,
    /// Those to neighbours along each of the loops that number rows.
    across: Vec<usize>,
}

impl Traffic {
    /// Counts what a step touches of the rows that these loops number.
    fn add(&mut self, node: &Node, shared: usize, rows: &Rows) {
        self.across.resize(rows.0.len(), 0);
        let inner: Vec<usize> = loops(node).iter().map(|range| range.iterator).collect();
        let [mut reads, mut writes] = [Vec::new(), Vec::new()];
        for assignment in node.assignments() {
            for (at, access) in assignment.accesses().into_iter().enumerate() {
                if access.depends_on(&inner) && (rows.0.is_empty() || rows.differ(access)) {
                    if at == 0 { &mut writes } else { &mut reads }.push(access.array);
                    self.accesses += 1;
                    self.along += usize::from(rows.has_neighbours(access, shared));
                    for (count, row) in self.across.iter_mut().zip(&rows.0) {
                        *count += usize::from(is_coalesced(access, row[0]));
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
    pub(super) fn neighbours(&self, rows: &[usize]) -> Option<(bool, Option<usize>)> {
        if 2 * self.along > self.accesses || rows.is_empty() {
            return Some((false, rows.last().copied()));
        }
        let best = self.across.iter().position(|count| 2 * count > self.accesses)?;
        Some((true, Some(rows[best])))
    }
}

/// The loops that number rows, each with the loops of a step that go over its own part of an array in each iteration.
struct Rows(Vec<Vec<usize>>);

impl Rows {
    fn new(nest: &Nest, numbers: &[usize], node: &Node) -> Self {
        let of_number = |number: &usize| {
            let step = find_loop(&nest.body, *number).map_or(1, |range| range.step);
            let parts = loops(node).into_iter().filter(|range| is_part(range, *number, step));
            [*number].into_iter().chain(parts.map(|range| range.iterator)).collect()
        };
        Self(numbers.iter().map(of_number).collect())
    }

    /// Returns `true` if an access is to something else in some other rows.
    fn differ(&self, access: &Access) -> bool {
        self.0.iter().any(|row| access.depends_on(row))
    }

    /// Returns `true` if an access is to neighbours along a loop of a row: in a row of an array, or in a part of one.
    fn has_neighbours(&self, access: &Access, shared: usize) -> bool {
        let is_of_part = !self.0.iter().any(|row| access.depends_on(&row[..1]));
        let along = |last: &Affine| last.coefficient(Variable::Iterator(shared)).abs() == 1;
        is_coalesced(access, shared) || is_of_part && access.subscripts.last().is_some_and(along)
    }

    /// Returns `true` if an access is to something else in all other rows.
    fn all_differ(&self, access: &Access) -> bool {
        self.0.iter().all(|row| access.depends_on(row))
    }
}

/// Returns `true` if a loop begins where another one is, and ends before the next iteration of that.
fn is_part(range: &Range, number: usize, step: i64) -> bool {
    let [lower] = &range.lower[..] else { return false };
    let mut lengths = range.upper.iter().map(|upper| upper.clone() - lower.clone());
    mentions(lower, &[number]) && lengths.any(|length| length.terms().is_empty() && length.constant() <= step)
}

/// Returns the traffic of a row kernel that is worth it: it saves some, a step adds something up, and no step wants
/// another kind of kernel.
pub(super) fn traffic(
    nest: &Nest,
    steps: &[(Vec<&Condition>, Step<'_>)],
    shared: &[usize],
    rows: &[usize],
) -> Option<Traffic> {
    let mut traffic = Traffic::default();
    let mut has_reduction = false;
    let numbers = rows;
    let nodes = steps.iter().enumerate().filter_map(|(at, (_, step))| match step {
        Step::Loop(_, node) => Some((node, steps.split_at(at))),
        Step::Once(_) => None,
    });
    for ((node, (before, later)), shared) in nodes.zip(shared) {
        if is_narrow(node, *shared) || has_product(node, *shared) {
            return None;
        }
        let rows = Rows::new(nest, numbers, node);
        for assignment in node.assignments() {
            let operation = shared_reduction(nest, assignment);
            if let (Some(operation), false) = (operation, assignment.target.depends_on(&[*shared])) {
                has_reduction = true;
                let is_of_each = |read: &&Access| {
                    rows.all_differ(read) && read.depends_on(&[*shared]) && !has_window(read)
                };
                let reads = assignment.value.reads();
                let is_of_each_row = reads.iter().any(is_of_each);
                // What rows share, as the vector of a product, is read less often by threads that have several rows.
                let shares = reads.iter().any(|read| read.depends_on(&[*shared]) && !rows.all_differ(read));
                let is_used = later.iter().any(|(_, step)| is_used_once(step, &assignment.target));
                let is_set = before.iter().any(|(_, step)| is_set_once(step, &assignment.target));
                let is_worth = numbers.len() > 1 || (is_used || is_set) && !shares && !numbers.is_empty();
                traffic.reads_once |= is_worth && is_of_each_row;
                traffic.has_extremes |= operation != Binary::Add && (numbers.len() < 2 || is_of_each_row);
            }
        }
        traffic.has_scans |= scan(node).is_some();
        traffic.add(node, *shared, &rows);
    }
    (has_reduction && traffic.pays(numbers)).then_some(traffic)
}

/// Returns `true` if a step is a statement outside of loops that sets an element.
fn is_set_once(step: &Step<'_>, element: &Access) -> bool {
    matches!(step, Step::Once(Assignment { target, value }) if target == element && !value.reads().contains(&element))
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
