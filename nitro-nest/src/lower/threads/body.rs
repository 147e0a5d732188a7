//! The code of a thread: loops and statements of what is left of a nest.

use super::accumulate::{accumulated, register_of, summed};
use super::carried::write_carried;
use super::chunks::write_in_chunks;
use super::context::{
    Context, Points, SumOrder, Threads, Tile, either, everywhere, extreme, guarded, holding, somewhere,
};
use super::pipeline::StagedLoop;
use super::runs::write_list;
use super::slices::{once, write_sliced};
use super::stage::{near, read_across};
use super::terms::one_by_one;
use super::tiles::{write_across, write_tiled};
use crate::kernel::{Instruction, Space, Unroll, has_barrier, has_open_loop};
use crate::lower::bounds::{count_to, iterator, mentions, within};
use crate::lower::draft::Axis;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Condition, Node, Range};

/// Writes the code of a thread. None: there are slices, and nothing that they share out.
pub(super) fn write_body(context: &mut Context<'_>, nodes: &[Node]) -> Option<Vec<Instruction>> {
    let guards = guards(context);
    if context.scope.points == Points::Single {
        let mut body: Vec<_> = context.axes.iter().map(define_single).collect();
        body.extend(match write_in_chunks(context, nodes, &guards) {
            Some(code) => code,
            None => guarded(guards, write_list(context, nodes, &[])),
        });
        return Some(body);
    }
    let mut body = define_axes(context);
    // In a triangle, blocks may be outside altogether.
    let occupied = somewhere(&of_several_axes(context, &guards), &context.block_values());
    let full = everywhere(&guards, &context.block_values());
    let is_staged = context.tiling.tile_k > 0 && !context.has_serial_axis();
    let work = if is_staged {
        // Tiles are full or not, each by itself: the loop over them is written once.
        match read_across(context, nodes) {
            Some((parts, tile)) => write_across(context, nodes, &guards, parts, &tile),
            None => write_serial(context, nodes, &guards, 0),
        }
    } else {
        let whole = holding(context, &guards, |context| write_serial(context, nodes, &[], 0));
        if full.is_empty() { whole } else { either(full, whole, write_serial(context, nodes, &guards, 0)) }
    };
    body.extend(guarded(occupied, work));
    (context.slices == 1 || context.symbols.exchange.is_some()).then_some(body)
}

/// Defines the iterator of a thread that has one value: the first, and a step for each thread before it.
fn define_single(axis: &Axis) -> Instruction {
    // Neighbouring threads have neighbouring values.
    let index = Variable::Block(axis.dimension) * axis.threads + axis.thread();
    let values = axis.extent.lower.iter().map(|lower| lower.clone() + index.clone() * axis.range.step);
    Instruction::Define(axis.iterator, values.collect())
}

/// Defines the first value of a block along each axis, and the axes of which a thread has one value.
fn define_axes(context: &Context<'_>) -> Vec<Instruction> {
    let mut all = Vec::new();
    for (axis, own) in context.axes.iter().zip(&context.own) {
        all.push(Instruction::Define(own.first, axis.firsts()));
    }
    for (axis, own) in context.axes.iter().zip(&context.own) {
        if axis.points == 1 && !axis.is_serial {
            all.push(Instruction::Define(axis.iterator, vec![axis.value(own)]));
        }
    }
    all
}

/// Returns the conditions that the values of all axes are within their loops.
///
/// A thread's iterator begins at the lower bounds of the box: those that depend on another iterator are asked for.
/// The loop of a serial axis ends at the bounds of the box.
fn guards(context: &Context<'_>) -> Vec<Condition> {
    let iterators: Vec<usize> = context.axes.iter().map(|axis| axis.iterator).collect();
    let mut guards = Vec::new();
    for axis in &context.axes {
        guards.extend(within(&axis.range, |bound, is_lower| {
            mentions(bound, &iterators) || !is_lower && !axis.is_serial
        }));
    }
    guards
}

fn of_several_axes(context: &Context<'_>, conditions: &[Condition]) -> Vec<Condition> {
    let mut found = Vec::new();
    for condition in conditions {
        let difference = condition.left.clone() - condition.right.clone();
        let axes = context.axes.iter();
        if axes.filter(|axis| difference.mentions(Variable::Iterator(axis.iterator))).count() > 1 {
            found.push(condition.clone());
        }
    }
    found
}

/// Writes the loops of serial axes from `axis` on, and the nodes in them.
fn write_serial(
    context: &mut Context<'_>,
    nodes: &[Node],
    guards: &[Condition],
    axis: usize,
) -> Vec<Instruction> {
    let Some(at) = (axis..context.axes.len()).find(|at| context.axes[*at].is_serial) else {
        return write_list(context, nodes, guards);
    };
    let (axis, first) = (context.axes[at].clone(), iterator(context.own[at].first));
    // A thread begins at its own place in the tile and goes on by a block's threads.
    let end = first.clone() + axis.tile() * axis.range.step;
    let start = first + axis.thread() * axis.range.step;
    let range = Range {
        iterator: axis.iterator,
        lower: vec![start],
        upper: axis.extent.upper.iter().cloned().chain([end]).collect(),
        step: axis.range.step * axis.threads,
        is_reversed: false,
    };
    // An element that no serial axis changes is in a register while all of them run.
    let serial = context.axes[at..].iter().filter(|axis| axis.is_serial).map(|axis| axis.iterator).collect();
    accumulated(context, serial, nodes, guards, |context| {
        context.scope.threads = if axis.dimension == 0 { Threads::Row } else { Threads::Rows };
        let body = write_serial(context, nodes, guards, at + 1);
        context.scope.threads = Threads::Block;
        let unroll = unroll(context, &body);
        vec![Instruction::Loop(range, unroll, body)]
    })
}

/// Returns how often a loop of a thread with this body is written out: as the tiling says.
///
/// Around a loop of unknown length that gains nothing: copies of that loop are run one after the other.
pub(super) fn unroll(context: &Context<'_>, body: &[Instruction]) -> Unroll {
    if context.tiling.unroll == 0 || has_open_loop(body) {
        Unroll::Free
    } else {
        Unroll::By(context.tiling.unroll)
    }
}

/// Writes a node: where a thread has several points, its conditions are asked at each statement.
pub(super) fn write_node(context: &mut Context<'_>, node: &Node, guards: &[Condition]) -> Vec<Instruction> {
    match node {
        Node::Assign(assignment) => summed(context, assignment, guards),
        Node::If(conditions, body) if context.scope.points == Points::Single => {
            guarded(conditions.clone(), write_list(context, body, guards))
        }
        Node::If(conditions, body) => write_list(context, body, &[guards, conditions].concat()),
        Node::Loop(range, body) => {
            let nodes = std::slice::from_ref(node);
            accumulated(context, Vec::new(), nodes, guards, |context| {
                write_loop(context, range, body, guards)
            })
        }
    }
}

fn write_loop(
    context: &mut Context<'_>,
    range: &Range,
    body: &[Node],
    guards: &[Condition],
) -> Vec<Instruction> {
    if begins_apart(context, range) {
        return write_at_each_point(context, range, body, guards);
    }
    // Bounds that differ from point to point become conditions in a loop around all of them.
    let (hull, conditions) = hull(context, range);
    context.begin_at(hull.iterator, &hull.lower);
    let all = [guards, &conditions].concat();
    if let Some(code) = write_carried(context, &hull, body) {
        return code;
    }
    if let Some(staged) = StagedLoop::find(context, &hull, body, &all) {
        return match context.slices {
            1 => write_tiled(context, staged, &all),
            _ => write_sliced(context, staged, &all),
        };
    }
    // Loops in one that is staged are short; those around one would be long if they were written out.
    let is_within = !context.scope.staged.is_empty();
    let targets = body.iter().flat_map(Node::assignments).map(|assignment| &assignment.target);
    // Which register an element has is to be known where it is written.
    let is_of_one = targets.into_iter().all(|target| !target.depends_on(&[hull.iterator]));
    let is_cut_off = context.scope.is_cut_off && is_of_one;
    let body = write_list(context, body, &all);
    let unroll = match is_within {
        true if is_cut_off => Unroll::By(1),
        true => Unroll::All,
        false if has_barrier(&body) => Unroll::By(1),
        false => unroll(context, &body),
    };
    vec![Instruction::Loop(hull, unroll, body)]
}

/// Returns `true` if the steps of a loop begin elsewhere at each point: no loop can be around all points.
pub(super) fn begins_apart(context: &Context<'_>, range: &Range) -> bool {
    range.step > 1 && range.lower.iter().any(|bound| differs(context, bound))
}

/// Returns `true` if a bound is another one for other threads or points of a block.
fn differs(context: &Context<'_>, bound: &Affine) -> bool {
    if context.scope.points != Points::ByStatement {
        return false;
    }
    let mut axes = context.axes.iter().filter(|axis| !axis.is_serial && axis.tile() > 1);
    axes.any(|axis| bound.mentions(Variable::Iterator(axis.iterator)))
}

/// Writes a loop of which each point has its own.
fn write_at_each_point(
    context: &mut Context<'_>,
    range: &Range,
    body: &[Node],
    guards: &[Condition],
) -> Vec<Instruction> {
    let before = std::mem::replace(&mut context.scope.points, Points::OneByOne);
    let body = holding(context, guards, |context| write_list(context, body, &[]));
    context.scope.points = before;
    let unroll = unroll(context, &body);
    let repeat = Instruction::Loop(range.clone(), unroll, body);
    at_all_points(context, guarded(guards.to_vec(), vec![repeat]))
}

/// Returns a loop around all that the threads of a block repeat, and the conditions in it.
///
/// So threads stay together, as barriers want them.
fn hull(context: &Context<'_>, range: &Range) -> (Range, Vec<Condition>) {
    if !range.lower.iter().chain(&range.upper).any(|bound| differs(context, bound)) {
        return (range.clone(), Vec::new());
    }
    let tile = context.tile();
    let lower = extremes(&range.lower, &tile, true);
    let upper = extremes(&range.upper, &tile, false);
    (Range { lower, upper, ..range.clone() }, within(range, |bound, _| differs(context, bound)))
}

fn extremes(bounds: &[Affine], tile: &Tile, is_least: bool) -> Vec<Affine> {
    bounds.iter().map(|bound| extreme(bound, tile, is_least)).collect()
}

/// Writes a statement at all points of a thread.
///
/// What becomes of a register is computed before the conditions are asked, if it is made of what is there for all
/// points of a tile: a compiler would load elements anew for each point that has conditions of its own.
pub(super) fn write_statement(
    context: &mut Context<'_>,
    assignment: &Assignment,
    guards: &[Condition],
) -> Vec<Instruction> {
    let target = register_of(context, assignment.target.clone());
    let value = value(context, assignment);
    let written = if !guards.is_empty()
        && is_in(context, &target, Space::Register)
        && is_there(context, &value)
    {
        let chosen =
            Access { array: context.local("chosen", Space::Register, Vec::new()), subscripts: Vec::new() };
        let conditions = guards.to_vec();
        vec![
            Instruction::assign(chosen.clone(), value),
            Instruction::Choose { conditions, target, value: chosen },
        ]
    } else {
        guarded(guards.to_vec(), vec![Instruction::Assign(Assignment { target, value })])
    };
    once(context, at_all_points(context, written))
}

/// Returns `true` if a value is sums and products of elements in shared memory and registers, one of which is shared.
fn is_there(context: &Context<'_>, value: &Expression) -> bool {
    let (mut is_there, mut is_shared) = (true, false);
    value.visit(&mut |part| match part {
        Expression::Load(access) => {
            let is_staged = is_in(context, access, Space::Shared);
            is_shared |= is_staged;
            is_there &= is_staged || is_in(context, access, Space::Register);
        }
        Expression::Binary(operator, ..) => is_there &= *operator != Binary::Divide,
        Expression::Constant(_) | Expression::Scalar(_) | Expression::Fused(_) => {}
        _ => is_there = false,
    });
    is_there && is_shared
}

/// Returns `true` if an element is in such memory of the kernel's.
fn is_in(context: &Context<'_>, element: &Access, space: Space) -> bool {
    let local = element.array.checked_sub(context.nest.arrays.len());
    local.is_some_and(|local| context.symbols.locals[local].space == space)
}

/// Returns what an element becomes, of what is near.
pub(super) fn value(context: &Context<'_>, assignment: &Assignment) -> Expression {
    match context.sums {
        SumOrder::TermByTerm => near(context, &one_by_one(assignment).value),
        SumOrder::AsWritten => near(context, &assignment.value),
    }
}

/// Repeats instructions for all points of a thread.
fn at_all_points(context: &Context<'_>, body: Vec<Instruction>) -> Vec<Instruction> {
    let axes: Vec<usize> = (0..context.own.len()).collect();
    at_points(context, &axes, body)
}

/// Repeats instructions for all points of a thread along these axes.
pub(super) fn at_points(context: &Context<'_>, axes: &[usize], body: Vec<Instruction>) -> Vec<Instruction> {
    at_points_or_groups(context, axes, body, None)
}

/// Repeats instructions for all points along these axes; along one of them for the first of each group of neighbours.
pub(super) fn at_points_or_groups(
    context: &Context<'_>,
    axes: &[usize],
    mut body: Vec<Instruction>,
    grouped: Option<usize>,
) -> Vec<Instruction> {
    if context.scope.points == Points::OneByOne {
        return body;
    }
    for at in axes.iter().rev() {
        let (axis, own) = (&context.axes[*at], &context.own[*at]);
        if axis.points == 1 || axis.is_serial {
            continue;
        }
        // The loops are written out, so that the elements of points are in registers.
        let (mut value, mut loops) = (axis.value(own), axis.loops(own));
        if grouped == Some(*at) {
            value = value.substitute(Variable::Iterator(own.neighbour), &Affine::from(0));
            loops.retain(|(iterator, _)| *iterator != own.neighbour);
        }
        body.insert(0, Instruction::Define(axis.iterator, vec![value]));
        for (iterator, extent) in loops.into_iter().rev() {
            body = vec![Instruction::Loop(count_to(iterator, extent), Unroll::All, body)];
        }
    }
    body
}
