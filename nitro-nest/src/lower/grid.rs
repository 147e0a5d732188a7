//! The pass that spreads the loops of grids over blocks, threads and thread tiles.

use super::bounds::{boxes, find_loop, iterator, within};
use super::draft::{Axis, Draft, KernelDraft, KernelGroup};
use crate::dependence::is_sum;
use crate::kernel::Extent;
use crate::mapping::Tiling;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Assignment, Nest, Node, Range, has_loop};

/// Gives each kernel its axes, and what is left of the nest for a thread.
pub(super) fn run(draft: &mut Draft<'_>) {
    for kernel in draft.kernels.iter_mut().filter(|kernel| kernel.temporal.is_none()) {
        let tiling = kernel.tiling();
        let of_rows = kernel.group.row.is_some().then(|| tiling.of_row_numbers());
        (kernel.axes, kernel.rest) = spread(&draft.input.nest, kernel, of_rows.as_ref().unwrap_or(tiling));
    }
}

/// The iterators that a kernel has of an axis for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnIterators {
    /// The first value of the block.
    pub(crate) first: usize,
    /// The number of a group of neighbouring points.
    pub(crate) group: usize,
    /// The number of a point in its group.
    pub(crate) neighbour: usize,
}

/// Returns the iterator of a kernel that is the first term of a block, where sums are split.
pub(crate) fn split_iterator(nest: &Nest, group: &KernelGroup) -> Option<usize> {
    group.split.map(|_| nest.iterators.len())
}

/// Returns the loops of the grid with this tiling, and what is left of the nest.
pub(crate) fn spread(nest: &Nest, kernel: &KernelDraft, tiling: &Tiling) -> (Vec<Axis>, Vec<Node>) {
    let ranges = grid_ranges(nest, &kernel.group, tiling);
    // The order of the nest is the one in which bounds may depend on each other.
    let mut in_order: Vec<&Range> = ranges.iter().collect();
    in_order.sort_by_key(|range| range.iterator);
    let boxes = boxes(&in_order);
    // The last loop of the grid is x.
    let mut rest = rest(nest, kernel);
    let mut axes = Vec::new();
    for (index, range) in ranges.iter().enumerate() {
        let place = in_order.iter().position(|other| other.iterator == range.iterator);
        let extent = boxes[place.expect("it is one of them")].clone();
        axes.push(axis(range, extent, ranges.len() - 1 - index, &rest, &kernel.group, tiling));
    }
    // Split-K: a block along the first axis has one chunk of the terms.
    if let Some((split, part)) = kernel.group.split.zip(split_iterator(nest, &kernel.group)) {
        axes[0].is_summed = true;
        rest.iter_mut().for_each(|node| keep_to_chunk(node, split, part, tiling.split_k_chunk()));
    }
    (axes, rest)
}

/// Returns the loops of the grid in the order of its group, and first that over chunks of split sums.
fn grid_ranges(nest: &Nest, group: &KernelGroup, tiling: &Tiling) -> Vec<Range> {
    let mut ranges = Vec::new();
    if let Some((split, iterator)) = group.split.zip(split_iterator(nest, group)) {
        ranges.push(Range { iterator, step: tiling.split_k_chunk(), ..range_of(nest, split) });
    }
    ranges.extend(group.grid.iter().map(|iterator| range_of(nest, *iterator)));
    ranges
}

fn range_of(nest: &Nest, iterator: usize) -> Range {
    find_loop(&nest.body, iterator).expect("an iterator is that of a loop").clone()
}

/// Makes an axis of a loop of a group's grid.
fn axis(
    range: &Range,
    extent: Extent,
    dimension: usize,
    rest: &[Node],
    group: &KernelGroup,
    tiling: &Tiling,
) -> Axis {
    let assignments: Vec<&Assignment> = rest.iter().flat_map(Node::assignments).collect();
    let mut sums = 0;
    if group.summed.contains(&range.iterator) {
        sums = assignments.iter().filter(|one| sums_along(one, range.iterator)).count();
    }
    // Threads have their points at hand, but for sums that run along the axis: along x, only if nothing else is done.
    let stages = tiling.tile_k > 0 && has_loop(rest);
    Axis {
        iterator: range.iterator,
        range: range.clone(),
        extent,
        dimension,
        threads: along(&tiling.block, dimension).into(),
        thread: thread(dimension),
        points: along(&tiling.thread_tile, dimension).into(),
        neighbours: i64::from(neighbours(tiling, dimension, stages)),
        is_serial: sums > 0 && (dimension > 0 || sums == assignments.len()),
        is_summed: sums > 0,
        is_scattered: group.scattered.contains(&range.iterator),
    }
}

/// Returns the index of a thread in its block: 0 along dimensions after the third.
fn thread(dimension: usize) -> Affine {
    if dimension < 3 { Variable::Thread(dimension).into() } else { Affine::from(0) }
}

/// Returns a number of a tiling along a dimension: 1 along those after the third.
fn along(numbers: &[u32; 3], dimension: usize) -> u32 {
    numbers.get(dimension).copied().unwrap_or(1)
}

/// Returns how many points of a thread are neighbours.
///
/// Along y and z all are. Along x there are as many as the vector width says, if they come out even; but what is
/// not staged is read and written by neighbouring threads at neighbouring elements.
fn neighbours(tiling: &Tiling, dimension: usize, stages: bool) -> u32 {
    let points = along(&tiling.thread_tile, dimension);
    if tiling.has_fragments() {
        // A thread has two neighbours of a row of 8, and rows that are apart.
        return if dimension == 0 { 2 } else { 1 };
    }
    match dimension {
        0 if stages => {
            let wanted = tiling.vector_width.clamp(1, points);
            (1..=wanted).rev().find(|one| points.is_multiple_of(*one)).unwrap_or(1)
        }
        0 => 1,
        _ => points,
    }
}

/// Returns `true` if instances that differ in this iterator alone add to one element.
fn sums_along(assignment: &Assignment, iterator: usize) -> bool {
    is_sum(assignment) && !assignment.target.depends_on(&[iterator])
}

/// Returns what is left of the nest: the kernel's statements, without the loops of host and grid.
pub(crate) fn rest(nest: &Nest, kernel: &KernelDraft) -> Vec<Node> {
    rest_of_group(nest, &kernel.group, &kernel.host_iterators)
}

/// Returns what is left of the nest for a group whose host repeats these loops.
pub(super) fn rest_of_group(nest: &Nest, group: &KernelGroup, host: &[usize]) -> Vec<Node> {
    rest_of(&nest.body, group, host, &mut 0)
}

/// Returns what is left of nodes; `next` counts statements.
fn rest_of(nodes: &[Node], group: &KernelGroup, host: &[usize], next: &mut usize) -> Vec<Node> {
    let mut rest = Vec::new();
    for node in nodes {
        match node {
            Node::Assign(_) => {
                if group.statements.contains(next) {
                    rest.push(node.clone());
                }
                *next += 1;
            }
            Node::If(conditions, body) => {
                let body = rest_of(body, group, host, next);
                if !body.is_empty() {
                    rest.push(Node::If(conditions.clone(), body));
                }
            }
            Node::Loop(range, body) => {
                let body = rest_of(body, group, host, next);
                let is_outside = host.contains(&range.iterator) || group.grid.contains(&range.iterator);
                if body.is_empty() || is_outside {
                    rest.extend(body);
                } else {
                    rest.push(Node::Loop(range.clone(), body));
                }
            }
        }
    }
    rest
}

/// Keeps the loop of an iterator to a chunk of its values: so many from the first of them.
fn keep_to_chunk(node: &mut Node, split: usize, part: usize, terms: i64) {
    match node {
        Node::Loop(range, _) if range.iterator == split => {
            range.upper.push(iterator(part) + terms);
            range.lower = vec![iterator(part)];
        }
        Node::Loop(_, body) | Node::If(_, body) => {
            body.iter_mut().for_each(|node| keep_to_chunk(node, split, part, terms));
        }
        Node::Assign(_) => {}
    }
}

/// Returns a box around values of an iterator, as values that are not negative.
pub(crate) fn in_extent(iterator: usize, extent: &Extent) -> Vec<Affine> {
    let (lower, upper) = (extent.lower.clone(), extent.upper.clone());
    let range = Range { iterator, lower, upper, step: 1, is_reversed: false };
    within(&range, |_, _| true).iter().flat_map(super::bounds::not_negative).collect()
}

impl Axis {
    /// Returns how many values a block covers.
    pub(crate) fn tile(&self) -> i64 {
        self.threads * self.points
    }

    /// Returns what holds wherever a thread has a value of the axis, as values that are not negative.
    ///
    /// All blocks begin in the box, and threads go on from there: beyond its upper bounds, unless a block has one
    /// value or a loop ends there.
    pub(crate) fn is_within(&self) -> Vec<Affine> {
        let ends = self.is_serial || self.tile() == 1;
        let mut within = in_extent(self.iterator, &self.extent);
        within.retain(|value| ends || value.coefficient(Variable::Iterator(self.iterator)) > 0);
        within
    }

    /// Returns the first values of a block, of which the largest counts.
    pub(crate) fn firsts(&self) -> Vec<Affine> {
        let offset = Variable::Block(self.dimension) * (self.tile() * self.range.step);
        self.extent.lower.iter().map(|lower| lower.clone() + offset.clone()).collect()
    }

    /// Returns the number of the thread along the axis.
    pub(crate) fn thread(&self) -> Affine {
        self.thread.clone()
    }

    /// Returns the value at a point of the thread.
    pub(crate) fn value(&self, own: &OwnIterators) -> Affine {
        let [group, neighbour] = self.place(own);
        // Groups of neighbours, of which the threads of a block have one after the other.
        let place = (group * self.threads + self.thread()) * self.neighbours + neighbour;
        iterator(own.first) + place * self.range.step
    }

    /// Returns the number of the thread's point.
    pub(crate) fn point(&self, own: &OwnIterators) -> Affine {
        let [group, neighbour] = self.place(own);
        group * self.neighbours + neighbour
    }

    /// Returns the number of the point's group, and that of the point in it.
    fn place(&self, own: &OwnIterators) -> [Affine; 2] {
        self.counters(own)
            .map(|(counter, extent)| if extent == 1 { Affine::from(0) } else { iterator(counter) })
    }

    /// Returns the loops over the thread's points, outermost first: iterators and how many steps they have.
    pub(crate) fn loops(&self, own: &OwnIterators) -> Vec<(usize, i64)> {
        self.counters(own).into_iter().filter(|(_, extent)| *extent > 1).collect()
    }

    fn counters(&self, own: &OwnIterators) -> [(usize, i64); 2] {
        [(own.group, self.points / self.neighbours), (own.neighbour, self.neighbours)]
    }
}
