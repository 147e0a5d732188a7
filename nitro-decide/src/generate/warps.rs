//! Sums that the threads of a warp add up: each its part, and then all of these by shuffles. What they are added to
//! is set to 0 before, by one of them.

use nitro_nest::{Access, Assignment, Condition, Expression, Instruction, Relation};

use super::emit::Emission;
use super::point::Point;
use super::space::AddsUp;

/// Threads of a warp.
const LANES: u32 = 32;

impl Emission<'_> {
    /// Writes instructions that set the sums to 0 which are added up within a list, and wait until that is done.
    pub(super) fn zeros(&mut self, parent: Option<usize>, objects: &[usize]) -> Vec<Instruction> {
        let point = self.point;
        let Some(adds_up) = point.space.adds_up else { return Vec::new() };
        if parent.is_some_and(|at| !point.is_shared(at)) {
            return Vec::new();
        }
        let loops = point.space.nesting.loops.len();
        let mut objects = objects.iter().copied().filter(|&object| point.holds(object, adds_up.statement));
        let Some(object) = objects.find(|&object| object >= loops || !point.is_shared(object)) else {
            return Vec::new();
        };
        self.sets_zeros = true;
        let mut instructions = self.object(object);
        self.sets_zeros = false;
        instructions.push(Instruction::Barrier);
        instructions
    }

    /// Writes a statement that adds parts up.
    pub(super) fn added(&self, adds_up: AddsUp, target: Access, value: Access) -> Vec<Instruction> {
        if !self.sets_zeros {
            return vec![Instruction::Add { target, value, lanes: LANES }];
        }
        let left = self.index(adds_up.lane, |_| true);
        let first = Condition { relation: Relation::Equal, left, right: 0.into() };
        let zero = Instruction::Assign(Assignment { target, value: Expression::from(0.0) });
        vec![Instruction::If(vec![first], vec![zero], Vec::new())]
    }
}

impl Point<'_> {
    /// Returns the way in which a statement adds parts up, if it does.
    pub fn adds_up(&self, statement: usize) -> Option<AddsUp> {
        self.space.adds_up.filter(|adds_up| adds_up.statement == statement)
    }
}
