//! One loop of the grid: how its values are spread over blocks, threads and the points of a thread.

use super::Tiling;
use super::domain::in_extent;
use super::walk::has_loop;
use crate::dependence::is_sum;
use crate::kernel::Extent;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Assignment, Node, Range};

/// A loop of the grid.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its iterator.
    pub iterator: usize,
    pub range: Range,
    /// The box around its values.
    pub extent: Extent,
    /// 0 for x, 1 for y, 2 for z.
    pub dimension: usize,
    /// Threads of a block along it.
    pub threads: i64,
    /// Values that each thread covers.
    pub points: i64,
    /// How many of them are neighbours; groups of so many are a block's threads apart.
    pub neighbours: i64,
    /// Whether a thread goes through its points in a loop, as sums that run along the axis want it; else it has all
    /// of them at hand at the same time.
    pub is_serial: bool,
    /// Whether a statement sums up along it.
    pub is_summed: bool,
}

impl Axis {
    /// The axes of a grid. `ranges` begin with z or y and end with x; sums run along those that are `summed`.
    pub fn all(
        ranges: &[Range],
        extents: &[Extent],
        nodes: &[Node],
        summed: &[usize],
        tiling: &Tiling,
    ) -> Vec<Axis> {
        let assignments: Vec<&Assignment> = nodes.iter().flat_map(Node::assignments).collect();
        let stages = tiling.inner > 0 && has_loop(nodes);
        let of = |(index, (range, extent)): (usize, (&Range, &Extent))| {
            let dimension = ranges.len() - 1 - index;
            let sums_along = |assignment: &&&Assignment| sums_along(assignment, range.iterator);
            let is_summed = summed.contains(&range.iterator);
            let sums = if is_summed { assignments.iter().filter(sums_along).count() } else { 0 };
            Axis {
                iterator: range.iterator,
                range: range.clone(),
                extent: extent.clone(),
                dimension,
                threads: i64::from(tiling.block[dimension]),
                points: i64::from(tiling.points[dimension]),
                neighbours: i64::from(neighbours(tiling, dimension, stages)),
                is_serial: sums > 0 && (dimension > 0 || sums == assignments.len()),
                is_summed: sums > 0,
            }
        };
        ranges.iter().zip(extents).enumerate().map(of).collect()
    }

    /// Values that a block covers.
    pub fn tile(&self) -> i64 {
        self.threads * self.points
    }

    /// What holds wherever a thread has a value of the axis, as values that are not negative. All blocks begin in
    /// the box, and threads go on from there: beyond its upper bounds, unless a block has one value or a loop ends
    /// there.
    pub fn is_within(&self) -> Vec<Affine> {
        let ends = self.is_serial || self.tile() == 1;
        let is_said = |value: &Affine| ends || value.coefficient(Variable::Iterator(self.iterator)) > 0;
        in_extent(self.iterator, &self.extent).into_iter().filter(is_said).collect()
    }

    /// The first values of a block, of which the largest counts.
    pub fn firsts(&self) -> Vec<Affine> {
        let offset = Variable::Block(self.dimension) * (self.tile() * self.range.step);
        self.extent.lower.iter().map(|lower| lower.clone() + offset.clone()).collect()
    }

    /// The value where the iterators of the thread's points are.
    pub fn value(&self, own: &Own) -> Affine {
        let [group, neighbour] = self.place(own);
        let thread = Affine::from(Variable::Thread(self.dimension));
        let place = (group * self.threads + thread) * self.neighbours + neighbour;
        Affine::from(Variable::Iterator(own.first)) + place * self.range.step
    }

    /// The number of the thread's point.
    pub fn point(&self, own: &Own) -> Affine {
        let [group, neighbour] = self.place(own);
        group * self.neighbours + neighbour
    }

    /// The number of the point's group, and that of the point in it.
    fn place(&self, own: &Own) -> [Affine; 2] {
        let of = |iterator, extent| {
            if extent == 1 { Affine::from(0) } else { Variable::Iterator(iterator).into() }
        };
        [of(own.group, self.groups()), of(own.neighbour, self.neighbours)]
    }

    fn groups(&self) -> i64 {
        self.points / self.neighbours
    }

    /// The loops over the thread's points, outermost first: iterators and how many steps they have.
    pub fn loops(&self, own: &Own) -> Vec<(usize, i64)> {
        let all = [(own.group, self.groups()), (own.neighbour, self.neighbours)];
        all.into_iter().filter(|(_, extent)| *extent > 1).collect()
    }
}

/// What a kernel has of an axis for itself.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// The iterator that is the first value of the block.
    pub first: usize,
    /// The iterator over groups of neighbouring points.
    pub group: usize,
    /// The iterator over points of a group.
    pub neighbour: usize,
}

/// Along y and z all. Along x as many as the tiling says, if they come out even; but what is not staged is read and
/// written by neighbouring threads at neighbouring elements.
fn neighbours(tiling: &Tiling, dimension: usize, stages: bool) -> u32 {
    let points = tiling.points[dimension];
    match dimension {
        0 if stages => {
            let wanted = tiling.neighbours.clamp(1, points);
            (1..=wanted).rev().find(|one| points.is_multiple_of(*one)).unwrap_or(1)
        }
        0 => 1,
        _ => points,
    }
}

/// Whether instances that differ in this iterator alone add to one element.
fn sums_along(assignment: &Assignment, iterator: usize) -> bool {
    is_sum(assignment) && !assignment.target.depends_on(&[iterator])
}
