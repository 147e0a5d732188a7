//! Elements in registers: register promotion, and sums that several threads add up.
//!
//! An element that a loop writes again and again may be in a register: in a kernel without races no other thread
//! touches what this one writes. A sum that runs along an axis of the grid has to be: each thread sums up its part
//! from zero, and adds it atomically.

mod wide;

use super::block_sums::{is_of_block, write_block_sum};
use super::body::{at_points, write_statement};
use super::context::{Context, Threads, either, guarded};
use super::copy::in_bounds;
use super::domain::{Domain, is_implied, project};
use super::slices::once;
use crate::dependence::is_sum;
use crate::kernel::{Instruction, Space};
use crate::limits::LANES;
use crate::lower::bounds::{condition_mentions, is_not_negative, not_empty, not_negative};
use crate::lower::draft::Axis;
use crate::lower::grid::in_extent;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Node};

use wide::wide_transfer;

/// An element that is in a register.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    pub(crate) element: Access,
    pub(crate) register: Access,
    /// The axes that the element depends on.
    pub(crate) axes: Vec<usize>,
    /// The conditions under which it is moved between memory and the register.
    conditions: Vec<Condition>,
    content: Content,
}

/// The content of a register before the code that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Element,
    /// Nothing: it is written before it is read.
    Unset,
    /// Zero, and in the end it is added to the element.
    PartOfSum,
}

impl Accumulator {
    /// Returns `true` if what it comes to is stored nowhere unless this condition holds.
    pub(crate) fn asks_for(&self, condition: &Condition) -> bool {
        self.conditions.contains(condition)
    }
}

/// An element that may be in a register, or as a sum has to be.
pub(crate) struct Candidate {
    pub(crate) element: Access,
    /// The conditions of its statement, besides those of the points.
    conditions: Vec<Condition>,
    /// All that is between its statement and the code that is written.
    domain: Domain,
    content: Content,
}

impl Candidate {
    /// Returns an element whose statement is right here.
    pub(crate) fn here(element: &Access, content: Content) -> Self {
        Self { element: element.clone(), conditions: Vec::new(), domain: Domain::default(), content }
    }
}

/// An access, with what is between it and the code that is written.
struct Use<'a> {
    access: &'a Access,
    is_written: bool,
    is_sum: bool,
    /// The conditions under which there is an instance.
    conditions: Vec<Condition>,
    domain: Domain,
}

/// Writes code for `nodes` with elements in registers for as long as they run.
///
/// `loops` are the iterators of loops that `write` puts around the nodes.
pub(super) fn accumulated<'a>(
    context: &mut Context<'a>,
    loops: Vec<usize>,
    nodes: &[Node],
    guards: &[Condition],
    write: impl FnOnce(&mut Context<'a>) -> Vec<Instruction>,
) -> Vec<Instruction> {
    let mut uses = Vec::new();
    gather(nodes, &Domain { iterators: loops, ..Domain::default() }, &mut Vec::new(), &mut uses);
    let candidates = candidates(context, &uses);
    with_registers(context, candidates, guards, write)
}

/// Writes a statement that no loop keeps a register for.
///
/// If it sums up along an axis it has one for itself.
pub(super) fn summed(
    context: &mut Context<'_>,
    assignment: &Assignment,
    guards: &[Condition],
) -> Vec<Instruction> {
    let target = &assignment.target;
    let mut candidates = Vec::new();
    if find_accumulator(context, target).is_none() && is_sum(assignment) && sums_along_axis(context, target) {
        candidates.push(Candidate::here(target, Content::PartOfSum));
    }
    with_registers(context, candidates, guards, |context| write_statement(context, assignment, guards))
}

/// Writes code between what brings elements to registers and what takes them back.
pub(super) fn with_registers<'a>(
    context: &mut Context<'a>,
    candidates: Vec<Candidate>,
    guards: &[Condition],
    write: impl FnOnce(&mut Context<'a>) -> Vec<Instruction>,
) -> Vec<Instruction> {
    // Registers that are there already stay in the scope.
    let before = context.scope.accumulators.len();
    for candidate in candidates {
        let accumulator = accumulator(context, candidate, guards);
        context.scope.accumulators.push(accumulator);
    }
    let body = write(context);
    let own = context.scope.accumulators.split_off(before);
    let mut all = Vec::new();
    own.iter().for_each(|accumulator| all.extend(begin(context, accumulator)));
    all.extend(body);
    own.iter().for_each(|accumulator| all.extend(end(context, accumulator)));
    all
}

/// Finds the register that an element is in.
pub(super) fn find_accumulator<'c>(context: &'c Context<'_>, element: &Access) -> Option<&'c Accumulator> {
    context.scope.accumulators.iter().find(|accumulator| accumulator.element == *element)
}

/// Returns the register that an element is in, or the element.
pub(super) fn register_of(context: &Context<'_>, access: Access) -> Access {
    find_accumulator(context, &access).map_or(access, |accumulator| accumulator.register.clone())
}

/// Finds the register that an element is in, if each of a thread's points has another one.
pub(super) fn own_register<'c>(context: &'c Context<'_>, element: &Access) -> Option<&'c Accumulator> {
    context.scope.accumulators.iter().find(|own| {
        let mut axes = context.axes.iter().enumerate();
        let is_of_point = axes.all(|(at, axis)| axis.tile() == 1 || own.axes.contains(&at));
        own.element == *element && (own.content != Content::PartOfSum || is_of_point)
    })
}

/// Finds elements that a loop writes and that do not change in it.
///
/// They are all of their arrays that it touches.
fn candidates(context: &Context<'_>, uses: &[Use<'_>]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for one in uses.iter().filter(|one| one.is_written) {
        let is_sum = one.is_sum && sums_along_axis(context, one.access);
        let is_known = find_accumulator(context, one.access).is_some()
            || candidates.iter().any(|other| other.element == *one.access);
        let is_wanted = is_sum || context.tiling.promotes && is_of_point(context, one.access);
        if is_known || !is_wanted || !is_alone(one, uses, is_sum) || !is_fixed(one, is_sum) {
            continue;
        }
        // Conditions of the loops themselves are not known where the element is moved.
        let mut conditions = one.conditions.clone();
        conditions.retain(|condition| !condition_mentions(condition, &one.domain.iterators));
        candidates.push(Candidate {
            element: one.access.clone(),
            conditions,
            domain: one.domain.clone(),
            content: if is_sum { Content::PartOfSum } else { Content::Element },
        });
    }
    candidates
}

/// Returns `true` if nothing else of its array is touched, and it is touched under the same conditions always.
fn is_alone(one: &Use<'_>, uses: &[Use<'_>], is_sum: bool) -> bool {
    let mut of_array = uses.iter().filter(|other| other.access.array == one.access.array);
    of_array.all(|other| other.access == one.access && (is_sum || other.conditions == one.conditions))
}

/// Returns `true` if neither the element nor its conditions change in the loops.
fn is_fixed(one: &Use<'_>, is_sum: bool) -> bool {
    let loops = &one.domain.iterators;
    !one.access.depends_on(loops)
        && (is_sum || !one.conditions.iter().any(|condition| condition_mentions(condition, loops)))
}

/// Returns `true` if the element is one thread's, for each of its points another one.
///
/// One that depends on fewer axes, as where a condition leaves one point of them, would be brought and taken back
/// by all.
fn is_of_point(context: &Context<'_>, element: &Access) -> bool {
    context.own.is_empty() || context.axes.iter().all(|axis| element.depends_on(&[axis.iterator]))
}

/// Returns `true` if an element may come to a register, for each point of a thread another one.
pub(super) fn may_be_own(context: &Context<'_>, element: &Access) -> bool {
    context.tiling.promotes
        && find_accumulator(context, element).is_none()
        && !sums_along_axis(context, element)
        && is_of_point(context, element)
}

/// Returns `true` if there is an axis along which instances add to the same element.
fn sums_along_axis(context: &Context<'_>, element: &Access) -> bool {
    let mut axes = context.axes.iter();
    axes.any(|axis| axis.is_scattered || axis.is_summed && !element.depends_on(&[axis.iterator]))
}

/// Gives an element a register: one for each of a thread's points that have another one.
fn accumulator(context: &mut Context<'_>, candidate: Candidate, guards: &[Condition]) -> Accumulator {
    let conditions = moved_where(context, &candidate, guards);
    let Candidate { element, content, .. } = candidate;
    // A thread goes through points of a serial axis one after the other: one register serves them all.
    let mut axes: Vec<usize> = (0..context.own.len()).collect();
    axes.retain(|at| element.depends_on(&[context.axes[*at].iterator]));
    let mut pointed = axes.clone();
    pointed.retain(|at| context.axes[*at].points > 1 && !context.axes[*at].is_serial);
    let shape = pointed.iter().map(|at| context.axes[*at].points).collect();
    let array = context.local(&format!("own_{}", context.symbols.locals.len()), Space::Register, shape);
    let subscripts = pointed.iter().map(|at| context.axes[*at].point(&context.own[*at])).collect();
    Accumulator { element, register: Access { array, subscripts }, axes, conditions, content }
}

/// Writes what a register is at the beginning.
fn begin(context: &mut Context<'_>, accumulator: &Accumulator) -> Vec<Instruction> {
    let target = accumulator.register.clone();
    match accumulator.content {
        Content::Unset => Vec::new(),
        Content::PartOfSum => {
            let zero = Assignment { target, value: Expression::from(0.0) };
            at_points(context, &accumulator.axes, vec![Instruction::Assign(zero)])
        }
        Content::Element => {
            let value = Expression::Load(accumulator.element.clone());
            transfer(context, accumulator, Instruction::Assign(Assignment { target, value }))
        }
    }
}

/// Writes what becomes of a register in the end.
fn end(context: &mut Context<'_>, accumulator: &Accumulator) -> Vec<Instruction> {
    let (target, value) = (accumulator.element.clone(), accumulator.register.clone());
    if accumulator.content != Content::PartOfSum {
        let value = Expression::Load(value);
        return transfer(context, accumulator, Instruction::Assign(Assignment { target, value }));
    }
    // Threads of a warp that sum along x add up by shuffles, where all of them come here.
    let along_x = context.axes.iter().enumerate().any(|(at, axis)| {
        axis.dimension == 0 && !accumulator.axes.contains(&at) && axis.threads % i64::from(LANES) == 0
    });
    if along_x && is_of_block(context, accumulator) {
        let add = Instruction::Add { target, value: value.clone(), lanes: 1 };
        let added = guarded(accumulator.conditions.clone(), vec![add]);
        return write_block_sum(context, &value, added);
    }
    let lanes = if along_x && context.scope.threads != Threads::Row { LANES } else { 1 };
    transfer(context, accumulator, Instruction::Add { target, value, lanes })
}

/// Returns the conditions under which an element is moved.
///
/// They are those of its statement's domain, projected onto what is known where it is moved.
fn moved_where(context: &Context<'_>, candidate: &Candidate, guards: &[Condition]) -> Vec<Condition> {
    // Inner loops first: their bounds mention those outside.
    let mut unknown: Vec<usize> = candidate.domain.iterators.iter().rev().copied().collect();
    // A loop over an axis is around what is moved, unless it is one of the domain's.
    let others = context.axes.iter().filter(|axis| {
        !context.own.is_empty() && !axis.is_serial && !candidate.element.depends_on(&[axis.iterator])
    });
    unknown.extend(others.map(|axis| axis.iterator));
    let mut conditions: Vec<Condition> = guards.iter().chain(&candidate.conditions).cloned().collect();
    conditions.retain(|condition| !condition_mentions(condition, &unknown));
    if candidate.content == Content::PartOfSum {
        let others = projected(context, candidate, guards, &unknown, &conditions);
        conditions.extend(others);
    }
    conditions
}

/// Returns what the conditions that mention unknown iterators say of the others.
///
/// What `said` conditions or the axes say anyway is left out.
fn projected(
    context: &Context<'_>,
    candidate: &Candidate,
    guards: &[Condition],
    unknown: &[usize],
    said: &[Condition],
) -> Vec<Condition> {
    let Candidate { element, domain, .. } = candidate;
    let (unknown_axes, known_axes): (Vec<&Axis>, Vec<&Axis>) =
        context.axes.iter().partition(|axis| unknown.contains(&axis.iterator));
    let mut known: Vec<Affine> =
        unknown_axes.iter().flat_map(|axis| in_extent(axis.iterator, &axis.extent)).collect();
    // Together with those of the domain they may say more of an element than that there are points where they hold.
    known.extend(context.scope.held.iter().flat_map(not_negative));
    let mut said: Vec<Affine> = said.iter().flat_map(not_negative).collect();
    said.extend(known_axes.iter().flat_map(|axis| axis.is_within()));
    let all = guards.iter().chain(&domain.conditions).flat_map(not_negative).collect();
    let iterators: Vec<Variable> = unknown.iter().copied().map(Variable::Iterator).collect();
    let mut projection = project(all, &known, &iterators);
    projection.constraints.retain(|value| !is_implied(value, &said));
    let mut found: Vec<Condition> = projection.constraints.into_iter().map(is_not_negative).collect();
    // Where the projection holds for values without an instance, there may be no such element.
    if !projection.is_exact || domain.has_steps {
        found.extend(in_bounds(context, element.array, &element.subscripts));
    }
    found
}

/// Moves a value at all points of the element, where it has instances.
fn transfer(
    context: &mut Context<'_>,
    accumulator: &Accumulator,
    instruction: Instruction,
) -> Vec<Instruction> {
    let wide = wide_transfer(context, accumulator, &instruction);
    let each = guarded(accumulator.conditions.clone(), vec![instruction]);
    let each = at_points(context, &accumulator.axes, each);
    let all = match wide {
        None => each,
        Some((mut all, conditions, wide)) => {
            all.extend(either(conditions, wide, each));
            all
        }
    };
    once(context, all)
}

/// Gathers the accesses of nodes.
fn gather<'a>(nodes: &'a [Node], domain: &Domain, conditions: &mut Vec<Condition>, uses: &mut Vec<Use<'a>>) {
    for node in nodes {
        let before = conditions.len();
        let mut inside = domain.clone();
        match node {
            Node::Assign(assignment) => {
                for (at, access) in assignment.accesses().into_iter().enumerate() {
                    let (conditions, domain) = (conditions.clone(), domain.clone());
                    let is_sum = is_sum(assignment);
                    uses.push(Use { access, is_written: at == 0, is_sum, conditions, domain });
                }
            }
            Node::If(own, _) => {
                conditions.extend(own.iter().cloned());
                inside.conditions.extend(own.iter().cloned());
            }
            Node::Loop(range, _) => {
                conditions.extend(not_empty(range));
                inside.enter(range);
            }
        }
        gather(node.body(), &inside, conditions, uses);
        conditions.truncate(before);
    }
}
