//! Elements in registers: register promotion, and sums that several threads add up.
//!
//! An element that a loop writes again and again may be in a register: in a kernel without races no other thread
//! touches what this one writes. A sum that runs along an axis of the grid has to be: each thread sums up its part
//! from zero, and adds it atomically.

use super::domain::{Domain, in_extent, is_implied, project};
use super::walk::Walk;
use super::{Axis, either, guarded, in_tile};
use crate::dependence::is_sum;
use crate::kernel::{Instruction, Space, WIDE};
use crate::mapping::bounds::{is_not_negative, mentions, not_empty, not_negative};
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
    /// The conditions under which it is moved between memory and the register.
    conditions: Vec<Condition>,
    is_sum: bool,
    /// Whether it is written before it is read.
    is_set: bool,
}

impl Accumulator {
    /// Whether what it comes to is stored nowhere unless this condition holds.
    pub fn asks_for(&self, condition: &Condition) -> bool {
        self.conditions.contains(condition)
    }
}

/// An element that may be in a register, or as a sum has to be.
pub struct Candidate {
    pub element: Access,
    /// Where it is written, besides the conditions of the points.
    pub conditions: Vec<Condition>,
    /// All that is between its statement and where the walk is.
    pub domain: Domain,
    pub is_sum: bool,
    /// Whether it is written before it is read.
    pub is_set: bool,
}

/// An access with what is between it and where the walk is: iterators of loops, and the conditions under which
/// there is an instance.
struct Found<'a> {
    access: &'a Access,
    is_written: bool,
    is_sum: bool,
    conditions: Vec<Condition>,
    domain: Domain,
}

impl Walk<'_> {
    /// What `make` makes of `nodes`, with elements in registers for as long as they run. `loops` are the iterators
    /// of loops that `make` puts around them.
    pub fn accumulated(
        &mut self,
        loops: Vec<usize>,
        nodes: &[Node],
        guards: &[Condition],
        make: impl FnOnce(&mut Self) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let mut found = Vec::new();
        let domain = Domain { iterators: loops, ..Domain::default() };
        gather(nodes, &domain, &mut Vec::new(), &mut found);
        let elements = self.candidates(&found);
        self.around(elements, guards, make)
    }

    /// A statement that no loop keeps a register for: if it sums up along an axis it has one for itself.
    pub fn summed(&mut self, assignment: &Assignment, guards: &[Condition]) -> Vec<Instruction> {
        let is_new = !self.accumulators.iter().any(|other| other.element == assignment.target);
        let is_of_sum = is_sum(assignment) && self.sums_along_axis(&assignment.target);
        let sum = (is_new && is_of_sum).then(|| Candidate {
            element: assignment.target.clone(),
            conditions: Vec::new(),
            domain: Domain::default(),
            is_sum: true,
            is_set: false,
        });
        self.around(sum.into_iter().collect(), guards, |walk| walk.statement(assignment, guards))
    }

    /// The register that an element is in, if each of a thread's points has another one.
    pub fn own_register(&self, element: &Access) -> Option<&Accumulator> {
        let is_of_point = |accumulator: &Accumulator| {
            self.axes.iter().enumerate().all(|(at, axis)| axis.tile() == 1 || accumulator.axes.contains(&at))
        };
        self.accumulators.iter().find(|own| own.element == *element && (!own.is_sum || is_of_point(own)))
    }

    pub fn around(
        &mut self,
        elements: Vec<Candidate>,
        guards: &[Condition],
        make: impl FnOnce(&mut Self) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let before = self.accumulators.len();
        for candidate in elements {
            let accumulator = self.accumulator(candidate, guards);
            self.accumulators.push(accumulator);
        }
        let body = make(self);
        let own = self.accumulators.split_off(before);
        let begin: Vec<_> = own.iter().flat_map(|accumulator| self.begin(accumulator)).collect();
        let end: Vec<_> = own.iter().flat_map(|accumulator| self.end(accumulator)).collect();
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
                [&condition.left, &condition.right].iter().any(|side| mentions(side, &one.domain.iterators))
            };
            let is_fixed = !one.access.depends_on(&one.domain.iterators)
                && (is_sum || !one.conditions.iter().any(changes));
            if !is_known
                && is_alone
                && is_fixed
                && (is_sum || self.tiling.promotes && self.is_of_point(one.access))
            {
                let conditions = one.conditions.iter().filter(|condition| !changes(condition)).cloned();
                let (element, conditions) = (one.access.clone(), conditions.collect());
                let domain = one.domain.clone();
                elements.push(Candidate { element, conditions, domain, is_sum, is_set: false });
            }
        }
        elements
    }

    /// Whether the element is one thread's, for each of its points another one. One that depends on fewer axes, as
    /// where a condition leaves one point of them, would be brought and taken back by all.
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

    fn accumulator(&mut self, candidate: Candidate, guards: &[Condition]) -> Accumulator {
        let conditions = self.moved_where(&candidate, guards);
        let Candidate { element, is_sum, is_set, .. } = candidate;
        let is_of = |at: &usize| element.depends_on(&[self.axes[*at].iterator]);
        let axes: Vec<usize> = (0..self.own.len()).filter(is_of).collect();
        let has_points = |at: &&usize| self.axes[**at].points > 1 && !self.axes[**at].is_serial;
        let pointed: Vec<usize> = axes.iter().filter(has_points).copied().collect();
        let shape = pointed.iter().map(|at| self.axes[*at].points).collect();
        let array = self.local(&format!("own_{}", self.kernel.locals.len()), Space::Register, shape);
        let subscripts = pointed.iter().map(|at| self.axes[*at].point(&self.own[*at])).collect();
        Accumulator { element, register: Access { array, subscripts }, axes, conditions, is_sum, is_set }
    }

    fn begin(&mut self, accumulator: &Accumulator) -> Vec<Instruction> {
        let target = accumulator.register.clone();
        if accumulator.is_sum {
            let zero = Assignment { target, value: Expression::from(0.0) };
            return self.points(&accumulator.axes, vec![Instruction::Assign(zero)]);
        }
        if accumulator.is_set {
            return Vec::new();
        }
        let value = Expression::Load(accumulator.element.clone());
        self.transfer(accumulator, Instruction::Assign(Assignment { target, value }))
    }

    fn end(&mut self, accumulator: &Accumulator) -> Vec<Instruction> {
        let (target, value) = (accumulator.element.clone(), accumulator.register.clone());
        if !accumulator.is_sum {
            let value = Expression::Load(value);
            return self.transfer(accumulator, Instruction::Assign(Assignment { target, value }));
        }
        let along_x = self.axes.iter().enumerate().any(|(at, axis)| {
            axis.dimension == 0 && !accumulator.axes.contains(&at) && axis.threads % i64::from(LANES) == 0
        });
        let lanes = if along_x && !self.is_in_row { LANES } else { 1 };
        self.transfer(accumulator, Instruction::Add { target, value, lanes })
    }

    /// The conditions under which an element is moved: those of its statement's domain, projected onto what is
    /// known where it is moved.
    fn moved_where(&self, candidate: &Candidate, guards: &[Condition]) -> Vec<Condition> {
        let element = &candidate.element;
        // A loop over an axis is around what is moved, unless it is one of the domain's.
        let is_unknown =
            |axis: &&Axis| !self.own.is_empty() && !axis.is_serial && !element.depends_on(&[axis.iterator]);
        // Inner loops first: their bounds mention those outside.
        let mut unknown: Vec<usize> = candidate.domain.iterators.iter().rev().copied().collect();
        unknown.extend(self.axes.iter().filter(is_unknown).map(|axis| axis.iterator));
        let is_known = |condition: &&Condition| {
            ![&condition.left, &condition.right].iter().any(|side| mentions(side, &unknown))
        };
        let mut conditions: Vec<Condition> =
            guards.iter().chain(&candidate.conditions).filter(is_known).cloned().collect();
        if candidate.is_sum {
            let others = self.projected(candidate, guards, &unknown, &conditions);
            conditions.extend(others);
        }
        conditions
    }

    /// What the conditions that mention unknown iterators say of the others, unless `conditions` or the axes say so
    /// anyway.
    fn projected(
        &self,
        candidate: &Candidate,
        guards: &[Condition],
        unknown: &[usize],
        conditions: &[Condition],
    ) -> Vec<Condition> {
        let Candidate { element, domain, .. } = candidate;
        let is_unknown = |axis: &&Axis| unknown.contains(&axis.iterator);
        let of_box = |axis: &Axis| in_extent(axis.iterator, &axis.extent);
        let mut known: Vec<Affine> = self.axes.iter().filter(is_unknown).flat_map(of_box).collect();
        // Together with those of the domain they may say more of an element than that there are points where they hold.
        known.extend(self.held.iter().flat_map(not_negative));
        let mut said: Vec<Affine> = conditions.iter().flat_map(not_negative).collect();
        said.extend(self.axes.iter().filter(|axis| !is_unknown(axis)).flat_map(Axis::is_within));
        let all = guards.iter().chain(&domain.conditions).flat_map(not_negative).collect();
        let iterators: Vec<Variable> = unknown.iter().copied().map(Variable::Iterator).collect();
        let projection = project(all, &known, &iterators);
        let is_new = |value: &Affine| !is_implied(value, &said);
        let mut found: Vec<Condition> =
            projection.constraints.into_iter().filter(is_new).map(is_not_negative).collect();
        if !projection.is_exact || domain.has_steps {
            found.extend(self.in_bounds(element.array, &element.subscripts));
        }
        found
    }

    /// Moves a value at all points of the element, where it has instances.
    fn transfer(&mut self, accumulator: &Accumulator, instruction: Instruction) -> Vec<Instruction> {
        let conditions = accumulator.conditions.clone();
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

    /// Moves all neighbouring points at once, in blocks of which all is there, where their elements are neighbours
    /// too and begin at a multiple: what finds that out, the conditions, and the moves.
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
        let (last, rows) = accumulator.element.subscripts.split_last()?;
        let others: Vec<usize> =
            self.axes.iter().filter(|axis| axis.dimension > 0).map(|axis| axis.iterator).collect();
        let is_of_row = !rows.iter().any(|subscript| subscript.mentions(Variable::Iterator(x.iterator)));
        let is_along_x =
            is_of_row && last.coefficient(Variable::Iterator(x.iterator)) == 1 && x.range.step == 1;
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
    gather(std::slice::from_ref(node), &Domain::default(), &mut Vec::new(), &mut found);
    found.into_iter().map(|one| one.access).collect()
}

fn gather<'a>(
    nodes: &'a [Node],
    domain: &Domain,
    conditions: &mut Vec<Condition>,
    found: &mut Vec<Found<'a>>,
) {
    for node in nodes {
        let before = conditions.len();
        match node {
            Node::Assign(assignment) => {
                let mut note = |access, is_written| {
                    let (conditions, domain) = (conditions.clone(), domain.clone());
                    let is_sum = is_sum(assignment);
                    found.push(Found { access, is_written, is_sum, conditions, domain });
                };
                note(&assignment.target, true);
                assignment.value.reads().into_iter().for_each(|access| note(access, false));
            }
            Node::If(own, body) => {
                conditions.extend(own.iter().cloned());
                let mut inside = domain.clone();
                inside.conditions.extend(own.iter().cloned());
                gather(body, &inside, conditions, found);
            }
            Node::Loop(range, body) => {
                conditions.extend(not_empty(range));
                let mut inside = domain.clone();
                inside.enter(range);
                gather(body, &inside, conditions, found);
            }
        }
        conditions.truncate(before);
    }
}
