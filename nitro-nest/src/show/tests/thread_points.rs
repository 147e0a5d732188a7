//! The points of a block's tile that a thread works on, as its kernel says.

use std::collections::BTreeSet;

use crate::kernel::{Instruction, Kernel, Space};
use crate::lower::Axis;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Assignment, Nest, Range};

/// The value of every size: beyond any tile, so that the first one is full.
const SIZE: i64 = 1 << 40;
/// An iterator that nothing was said of yet.
const UNKNOWN: i64 = i64::MIN;

/// Returns the places of a thread's points along x, y and z, counted from the first of its block's tile.
pub(super) fn of_kernel(nest: &Nest, kernel: &Kernel, axes: &[Axis], thread: [i64; 3]) -> BTreeSet<[i64; 3]> {
    let mut iterators = vec![UNKNOWN; nest.iterators().len() + kernel.iterators.len()];
    kernel.host_iterators.iter().for_each(|iterator| iterators[*iterator] = 0);
    let arrays = nest.arrays().len();
    let mut walk = Walk { kernel, axes, arrays, thread, iterators, found: BTreeSet::new() };
    walk.go(&kernel.body);
    walk.found
}

/// A thread of the first block that goes through its kernel.
struct Walk<'a> {
    kernel: &'a Kernel,
    axes: &'a [Axis],
    /// The number of arrays of the nest.
    arrays: usize,
    thread: [i64; 3],
    iterators: Vec<i64>,
    found: BTreeSet<[i64; 3]>,
}

impl Walk<'_> {
    fn value(&self, variable: Variable) -> i64 {
        match variable {
            Variable::Parameter(_) => SIZE,
            Variable::Iterator(index) => self.iterators[index],
            Variable::Block(_) => 0,
            Variable::Thread(axis) => self.thread[axis],
        }
    }

    fn largest(&self, all: &[Affine]) -> i64 {
        all.iter().map(|affine| affine.evaluate(&|variable| self.value(variable))).max().unwrap_or(UNKNOWN)
    }

    /// Goes through instructions. Points are a thread's own whether or not conditions hold there.
    fn go(&mut self, all: &[Instruction]) {
        for instruction in all {
            match instruction {
                Instruction::Define(iterator, values) => self.iterators[*iterator] = self.largest(values),
                Instruction::Loop(range, _, body) => self.repeat(range, body),
                Instruction::If(_, body, otherwise) => {
                    self.go(body);
                    self.go(otherwise);
                }
                Instruction::Assign(assignment) if self.is_work(assignment) => self.find(),
                _ => {}
            }
        }
    }

    /// Goes through a loop: over points all its way. Of others, as over the terms of a sum, one iteration tells all.
    fn repeat(&mut self, range: &Range, body: &[Instruction]) {
        let bounds = || range.lower.iter().chain(&range.upper).flat_map(Affine::terms);
        let is_short = !bounds().any(|(variable, _)| matches!(variable, Variable::Parameter(_)));
        let is_axis = self.axes.iter().any(|axis| axis.iterator == range.iterator);
        let most = if is_short || is_axis { usize::MAX } else { 1 };
        let values = range.values(&|variable| self.value(variable));
        for value in values.take(most) {
            self.iterators[range.iterator] = value;
            self.go(body);
        }
    }

    /// Returns `true` if a thread does this for its points.
    ///
    /// It writes an array of the nest, or makes something of what it read. What it brings to shared memory is for all
    /// of its block.
    fn is_work(&self, assignment: &Assignment) -> bool {
        match assignment.target.array.checked_sub(self.arrays) {
            None => true,
            Some(local) => {
                self.kernel.locals[local].space == Space::Register && !assignment.value.reads().is_empty()
            }
        }
    }

    fn find(&mut self) {
        let mut point = [0; 3];
        for axis in self.axes.iter().filter(|axis| axis.dimension < 3) {
            let value = self.iterators[axis.iterator];
            if value == UNKNOWN {
                return;
            }
            point[axis.dimension] = (value - self.largest(&axis.firsts())) / axis.range.step;
        }
        self.found.insert(point);
    }
}
