//! Elements in registers: register promotion, and sums that several threads add up.
//!
//! An element that a loop writes again and again may be in a register: in a kernel without races no other thread touches what this one writes. A sum that runs along
//! an axis of the grid has to be: each thread sums up its part from zero, and adds it atomically.

use super::walk::Walk;
use super::{either, guarded, in_tile};
use crate::dependence::is_sum;
use crate::kernel::{Instruction, Space, WIDE};
use crate::mapping::bounds::{mentions, not_empty};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Node};

/// Threads that add up by shuffles.
const LANES: u32 = 32;

/// An element that is in a register.
#[derive(Clone, Debug)]
pub struct Accumulator {
    pub element: Access,
    pub register: Access,
    /// The axes that the element depends on.
    pub axes: Vec<usize>,
    /// Where it is written, besides the conditions of the points.
    conditions: Vec<Condition>,
    is_sum: bool,
    /// Whether it is written before it is read.
    is_set: bool,
}

/// An element that may be in a register, or as a sum has to be.
pub struct Candidate {
    pub element: Access,
    /// Where it is written, besides the conditions of the points.
    pub conditions: Vec<Condition>,
    pub is_sum: bool,
    /// Whether it is written before it is read.
    pub is_set: bool,
}

/// An access with what is between it and where the walk is: iterators of loops, and the conditions under which there is an instance.
struct Found<'a> {
    access: &'a Access,
    is_written: bool,
    is_sum: bool,
    loops: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Walk<'_> {
    /// What `make` makes of `nodes`, with elements in registers for as long as they run. `loops` are the iterators of loops that `make` puts around them.
    pub fn accumulated(
        &mut self,
        mut loops: Vec<usize>,
        nodes: &[Node],
        guards: &[Condition],
        make: impl FnOnce(&mut Self) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let mut found = Vec::new();
        gather(nodes, &mut loops, &mut Vec::new(), &mut found);
        let elements = self.candidates(&found);
        self.around(elements, guards, make)
    }

    /// A statement that no loop keeps a register for: if it sums up along an axis it has one for itself.
    pub fn summed(&mut self, assignment: &Assignment, guards: &[Condition]) -> Vec<Instruction> {
        let is_new = !self.accumulators.iter().any(|other| other.element == assignment.target);
        let sum = (is_new && self.sums_along_axis(&assignment.target)).then(|| Candidate {
            element: assignment.target.clone(),
            conditions: Vec::new(),
            is_sum: true,
            is_set: false,
        });
        self.around(sum.into_iter().collect(), guards, |walk| walk.statement(assignment, guards))
    }

    /// Whether an element is in a register, for each of a thread's points another one.
    pub fn is_own(&self, element: &Access) -> bool {
        let is_of_point = |accumulator: &Accumulator| {
            self.axes.iter().enumerate().all(|(at, axis)| axis.tile() == 1 || accumulator.axes.contains(&at))
        };
        self.accumulators.iter().any(|own| own.element == *element && (!own.is_sum || is_of_point(own)))
    }

    pub fn around(
        &mut self,
        elements: Vec<Candidate>,
        guards: &[Condition],
        make: impl FnOnce(&mut Self) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let before = self.accumulators.len();
        for candidate in elements {
            let accumulator = self.accumulator(candidate);
            self.accumulators.push(accumulator);
        }
        let body = make(self);
        let own = self.accumulators.split_off(before);
        let begin: Vec<_> = own.iter().flat_map(|accumulator| self.begin(accumulator, guards)).collect();
        let end: Vec<_> = own.iter().flat_map(|accumulator| self.end(accumulator, guards)).collect();
        [begin, body, end].concat()
    }

    /// Elements that a loop writes, that do not change in it, and that are all of their arrays that it touches.
    fn candidates(&self, found: &[Found<'_>]) -> Vec<Candidate> {
        let mut elements: Vec<Candidate> = Vec::new();
        for one in found.iter().filter(|one| one.is_written) {
            let is_known = elements.iter().any(|other| other.element == *one.access)
                || self.accumulators.iter().any(|other| other.element == *one.access);
            let is_sum = one.is_sum && self.sums_along_axis(one.access);
            let of_array = || found.iter().filter(|other| other.access.array == one.access.array);
            let is_alone = of_array()
                .all(|other| other.access == one.access && (is_sum || other.conditions == one.conditions));
            let changes = |condition: &Condition| {
                [&condition.left, &condition.right].iter().any(|side| mentions(side, &one.loops))
            };
            let is_fixed =
                !one.access.depends_on(&one.loops) && (is_sum || !one.conditions.iter().any(changes));
            if !is_known
                && is_alone
                && is_fixed
                && (is_sum || self.tiling.promotes && self.is_of_point(one.access))
            {
                let conditions = one.conditions.iter().filter(|condition| !changes(condition)).cloned();
                let (element, conditions) = (one.access.clone(), conditions.collect());
                elements.push(Candidate { element, conditions, is_sum, is_set: false });
            }
        }
        elements
    }

    /// Whether the element is one thread's, for each of its points another one. One that depends on fewer axes, as where a condition leaves one point of them, would be
    /// brought and taken back by all.
    fn is_of_point(&self, element: &Access) -> bool {
        self.own.is_empty() || self.axes.iter().all(|axis| element.depends_on(&[axis.iterator]))
    }

    /// Whether an element that is in no register may come to one, for each point of a thread another one.
    pub fn may_be_own(&self, element: &Access) -> bool {
        let is_known = self.accumulators.iter().any(|other| other.element == *element);
        self.tiling.promotes && !is_known && !self.sums_along_axis(element) && self.is_of_point(element)
    }

    /// Whether there is an axis along which instances add to the same element.
    fn sums_along_axis(&self, element: &Access) -> bool {
        let is_mentioned = |iterator| element.depends_on(&[iterator]);
        self.axes.iter().any(|axis| axis.is_summed && !is_mentioned(axis.iterator))
    }

    fn accumulator(&mut self, candidate: Candidate) -> Accumulator {
        let Candidate { element, conditions, is_sum, is_set } = candidate;
        let is_of = |at: &usize| element.depends_on(&[self.axes[*at].iterator]);
        let axes: Vec<usize> = (0..self.own.len()).filter(is_of).collect();
        let has_points = |at: &&usize| self.axes[**at].points > 1 && !self.axes[**at].is_serial;
        let pointed: Vec<usize> = axes.iter().filter(has_points).copied().collect();
        let shape = pointed.iter().map(|at| self.axes[*at].points).collect();
        let array = self.local(&format!("own_{}", self.kernel.locals.len()), Space::Register, shape);
        let subscripts = pointed.iter().map(|at| self.axes[*at].point(&self.own[*at])).collect();
        Accumulator { element, register: Access { array, subscripts }, axes, conditions, is_sum, is_set }
    }

    fn begin(&mut self, accumulator: &Accumulator, guards: &[Condition]) -> Vec<Instruction> {
        let target = accumulator.register.clone();
        if accumulator.is_sum {
            let zero = Assignment { target, value: Expression::from(0.0) };
            return self.points(&accumulator.axes, vec![Instruction::Assign(zero)]);
        }
        if accumulator.is_set {
            return Vec::new();
        }
        let value = Expression::Load(accumulator.element.clone());
        self.transfer(accumulator, guards, Instruction::Assign(Assignment { target, value }))
    }

    fn end(&mut self, accumulator: &Accumulator, guards: &[Condition]) -> Vec<Instruction> {
        let (target, value) = (accumulator.element.clone(), accumulator.register.clone());
        if !accumulator.is_sum {
            let value = Expression::Load(value);
            return self.transfer(accumulator, guards, Instruction::Assign(Assignment { target, value }));
        }
        let along_x = self.axes.iter().enumerate().any(|(at, axis)| {
            axis.dimension == 0 && !accumulator.axes.contains(&at) && axis.threads % i64::from(LANES) == 0
        });
        let lanes = if along_x && !self.is_in_row { LANES } else { 1 };
        self.transfer(accumulator, guards, Instruction::Add { target, value, lanes })
    }

    /// Moves a value at all points of the element, where it has instances.
    fn transfer(
        &mut self,
        accumulator: &Accumulator,
        guards: &[Condition],
        instruction: Instruction,
    ) -> Vec<Instruction> {
        let others: Vec<usize> = (0..self.own.len())
            .filter(|at| !accumulator.axes.contains(at))
            .map(|at| self.axes[at].iterator)
            .collect();
        let is_known = |condition: &&Condition| {
            ![&condition.left, &condition.right].iter().any(|side| mentions(side, &others))
        };
        let conditions: Vec<Condition> =
            guards.iter().chain(&accumulator.conditions).filter(is_known).cloned().collect();
        let wide = self.wide_transfer(accumulator, &conditions, &instruction);
        let each = self.points(&accumulator.axes, guarded(conditions, vec![instruction]));
        let all = match wide {
            None => each,
            Some((mut all, conditions, wide)) => {
                all.extend(either(conditions, wide, each));
                all
            }
        };
        self.once(all)
    }

    /// Moves all neighbouring points at once, in blocks of which all is there, where their elements are neighbours too and begin at a multiple: what finds that out, the
    /// conditions, and the moves.
    fn wide_transfer(
        &mut self,
        accumulator: &Accumulator,
        conditions: &[Condition],
        instruction: &Instruction,
    ) -> Option<(Vec<Instruction>, Vec<Condition>, Vec<Instruction>)> {
        type Move = fn(Access, Access) -> Instruction;
        let (target, value, wide): (_, _, Move) = match instruction {
            Instruction::Assign(Assignment { target, value: Expression::Load(value) }) => {
                (target, value, |target, source| Instruction::Copy { target, source })
            }
            Instruction::Add { target, value, lanes: 1 } if self.tiling.adds_wide => {
                (target, value, |target, value| Instruction::AddWide { target, value })
            }
            _ => return None,
        };
        let at = accumulator.axes.iter().copied().find(|at| self.axes[*at].dimension == 0)?;
        let (x, own) = (self.axes[at].clone(), self.own[at]);
        let last = accumulator.element.subscripts.last()?;
        let others: Vec<usize> =
            self.axes.iter().filter(|axis| axis.dimension > 0).map(|axis| axis.iterator).collect();
        let is_along_x = last.coefficient(Variable::Iterator(x.iterator)) == 1 && x.range.step == 1;
        let has_groups = x.neighbours == i64::from(WIDE) && !x.is_serial && !self.is_at_point;
        if !has_groups || !is_along_x || mentions(last, &others) {
            return None;
        }
        let first =
            last.substitute(Variable::Iterator(x.iterator), &Affine::from(Variable::Iterator(own.first)));
        let (divisions, aligned) = self.aligned(accumulator.element.array, &first)?;
        let full = in_tile(conditions, &self.tile(), true);
        let of_first = |access: &Access| access.with(own.neighbour, &Affine::from(0));
        let moved = wide(of_first(target), of_first(value));
        let moves = self.points_of(&accumulator.axes, vec![moved], Some(at));
        Some((divisions, [full, aligned].concat(), moves))
    }
}

/// All accesses of a node.
pub fn accesses(node: &Node) -> Vec<&Access> {
    let mut found = Vec::new();
    gather(std::slice::from_ref(node), &mut Vec::new(), &mut Vec::new(), &mut found);
    found.into_iter().map(|one| one.access).collect()
}

fn gather<'a>(
    nodes: &'a [Node],
    loops: &mut Vec<usize>,
    conditions: &mut Vec<Condition>,
    found: &mut Vec<Found<'a>>,
) {
    for node in nodes {
        let before = (loops.len(), conditions.len());
        match node {
            Node::Assign(assignment) => {
                let mut note = |access, is_written| {
                    let (loops, conditions) = (loops.clone(), conditions.clone());
                    let is_sum = is_sum(assignment);
                    found.push(Found { access, is_written, is_sum, loops, conditions });
                };
                note(&assignment.target, true);
                assignment.value.reads().into_iter().for_each(|access| note(access, false));
            }
            Node::If(own, body) => {
                conditions.extend(own.iter().cloned());
                gather(body, loops, conditions, found);
            }
            Node::Loop(range, body) => {
                loops.push(range.iterator);
                conditions.extend(not_empty(range));
                gather(body, loops, conditions, found);
            }
        }
        loops.truncate(before.0);
        conditions.truncate(before.1);
    }
}
