//! One loop of the grid: how its values are spread over blocks, threads and the points of a thread.

use super::Tiling;
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
    /// Whether a thread goes through its points in a loop, as sums that run along the axis want it; else it has all of them at hand at the same time.
    pub is_serial: bool,
    /// Whether a statement sums up along it.
    pub is_summed: bool,
}

impl Axis {
    /// The axes of a grid. `ranges` begin with z or y and end with x; sums run along those that are `summed`.
    pub fn all(
        ranges: &[&Range],
        extents: &[Extent],
        nodes: &[Node],
        summed: &[usize],
        tiling: &Tiling,
    ) -> Vec<Axis> {
        let assignments: Vec<&Assignment> = nodes.iter().flat_map(Node::assignments).collect();
        let of = |(index, (range, extent)): (usize, (&&Range, &Extent))| {
            let dimension = ranges.len() - 1 - index;
            let sums_along = |assignment: &&&Assignment| sums_along(assignment, range.iterator);
            let is_summed = summed.contains(&range.iterator);
            let sums = if is_summed { assignments.iter().filter(sums_along).count() } else { 0 };
            Axis {
                iterator: range.iterator,
                range: (*range).clone(),
                extent: extent.clone(),
                dimension,
                threads: i64::from(tiling.block[dimension]),
                points: i64::from(tiling.points[dimension]),
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

    /// The first values of a block, of which the largest counts.
    pub fn firsts(&self) -> Vec<Affine> {
        let offset = Variable::Block(self.dimension) * (self.tile() * self.range.step);
        self.extent.lower.iter().map(|lower| lower.clone() + offset.clone()).collect()
    }

    /// The value at a point of the thread, which is a number or an iterator, in a block that begins at `first`.
    pub fn value(&self, first: usize, point: impl Into<Affine>) -> Affine {
        let (thread, point) = (Affine::from(Variable::Thread(self.dimension)), point.into());
        // Neighbouring threads touch neighbouring elements along x; along y and z a thread's own points are neighbours.
        let place =
            if self.dimension == 0 { point * self.threads + thread } else { thread * self.points + point };
        Affine::from(Variable::Iterator(first)) + place * self.range.step
    }
}

/// Whether instances that differ in this iterator alone add to one element.
fn sums_along(assignment: &Assignment, iterator: usize) -> bool {
    is_sum(assignment) && !assignment.target.depends_on(&[iterator])
}
