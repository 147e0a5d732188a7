//! Shared staging: the parts of arrays that an inner loop reads tile by tile, in shared memory.

use nitro_launch::Storage;

use super::accumulate::register_of;
use super::body::begins_apart;
use super::context::{Context, Points, Tile, extreme};
use super::fragments;
use super::groups::GroupOperands;
use super::parts::{STAGED, StagedPart, linear, parts_of_one_element};
use super::tile_body::TileBody;
use crate::kernel::{Space, WIDE, bytes_of};
use crate::limits::{MOST_SHARED_BYTES, STATIC_SHARED_BYTES};
use crate::lower::bounds::iterator;
use crate::lower::draft::Axis;
use crate::mapping::{MatrixArithmetic, Tiling};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Node, Range};

/// The parts that a loop stages, each in so many pipeline stages.
pub(crate) struct Staging {
    pub(crate) parts: Vec<StagedPart>,
    pub(crate) stages: i64,
    /// Iterations of the loop that are staged at once: those of all slices.
    pub(crate) depth: i64,
    /// The values of the loops in it, and the iterations of all of them together.
    pub(crate) inner: Tile,
    pub(crate) iterations: i64,
    /// The operands of products by warp groups.
    pub(super) groups: Option<GroupOperands>,
}

/// Gives what a loop stages room in shared memory.
pub(super) fn place_all(context: &mut Context<'_>, found: Staging) -> Staging {
    let parts = found.parts.into_iter().map(|part| place(context, part, found.stages)).collect();
    Staging { parts, ..found }
}

/// Counts the parts that the loops among these nodes stage.
pub(super) fn count_parts(context: &Context<'_>, nodes: &[Node]) -> usize {
    let mut count = 0;
    for node in nodes {
        count += match node {
            Node::Loop(range, _) if begins_apart(context, range) => 0,
            Node::Loop(range, body) => match find_staging(context, range, body) {
                Some(found) => found.parts.len(),
                None => count_parts(context, body),
            },
            Node::If(..) | Node::Assign(_) => count_parts(context, node.body()),
        };
    }
    count
}

/// Finds the parts that a loop stages, and the number of pipeline stages that there is room for.
///
/// It is a loop in steps of one with short ones in it at most, in a kernel in which no thread goes on by itself. What
/// it stages is not staged again in it.
pub(super) fn find_staging(context: &Context<'_>, range: &Range, body: &[Node]) -> Option<Staging> {
    let is_simple = range.step == 1 && !range.is_reversed && context.scope.staged.is_empty();
    let is_shared = !context.has_serial_axis() && !context.own.is_empty();
    if context.tiling.tile_k == 0 || !is_simple || !is_shared || context.scope.points == Points::OneByOne {
        return None;
    }
    let inside = TileBody::new(body)?;
    // Together with the loops in it, each slice has as many iterations as the tiling says.
    let (inner, iterations) = (inside.values(), inside.iterations());
    let depth = (i64::from(context.tiling.tile_k) / iterations).max(1) * context.slices;
    let mut tile = context.tile();
    let start = iterator(range.iterator);
    tile.push((range.iterator, start.clone(), start + (depth - 1)));
    tile.extend(inner.iter().cloned());
    // Elements that several points need, and that nothing overwrites meanwhile.
    let mut parts: Vec<StagedPart> = Vec::new();
    for assignment in inside.assignments {
        for (value, access) in kept_parts(context, &assignment.value) {
            if is_reused(context, access) && !is_written(context, access.array) {
                join(&mut parts, value, access, &tile);
            }
        }
    }
    let (parts, stages) = with_room(context, parts, context.tiling.stages)?;
    Some(Staging { parts, stages, depth, inner, iterations, groups: None })
}

/// Returns as many parts as there is room for, with the number of pipeline stages; none: there is room for no part.
fn with_room(
    context: &Context<'_>,
    mut parts: Vec<StagedPart>,
    stages: u32,
) -> Option<(Vec<StagedPart>, i64)> {
    parts.iter_mut().for_each(|part| part.last = last_dimension(context, part));
    // The smallest parts first.
    parts.sort_by_key(|part| part.extents.iter().product::<i64>());
    let most = if context.lanes.is_some() { MOST_SHARED_BYTES } else { STATIC_SHARED_BYTES };
    let most = most - if context.slices > 1 { exchanged_bytes(context) } else { 0 };
    // What is converted is not on its way while threads work.
    let is_converted =
        |part: &StagedPart| context.nest.arrays[part.array].storage != storage(context, part.array);
    let stages = if parts.iter().any(is_converted) { 1 } else { stages };
    let all: i64 = parts.iter().map(|part| bytes(context, part)).sum();
    let stages = (most / all.max(1)).clamp(1, i64::from(stages.max(1)));
    let mut used = 0;
    parts.retain(|part| {
        used += bytes(context, part);
        used * stages <= most
    });
    (!parts.is_empty()).then_some((parts, stages))
}

/// Finds what a block reads across rows, in nodes without a long loop, and gives it room in shared memory.
///
/// Gives the values that iterators have in the block and in the nodes too.
/// Neighbouring threads would read elements that are a row apart, and others of the block the neighbours of these.
pub(super) fn read_across(context: &mut Context<'_>, nodes: &[Node]) -> Option<(Vec<StagedPart>, Tile)> {
    let inside = TileBody::new(nodes)?;
    let tile = [context.tile(), inside.values()].concat();
    let mut parts: Vec<StagedPart> = Vec::new();
    for assignment in inside.assignments {
        for (value, access) in parts_of_one_element(&assignment.value) {
            if is_across(context, access) && !is_written(context, access.array) {
                join(&mut parts, value, access, &tile);
            }
        }
    }
    let (parts, stages) = with_room(context, parts, 1)?;
    let parts = parts.into_iter().map(|part| StagedPart { wide: None, ..place(context, part, stages) });
    Some((parts.collect(), tile))
}

/// Returns `true` if neighbours along x are a row apart, and those along another axis are neighbours.
fn is_across(context: &Context<'_>, access: &Access) -> bool {
    let (Some((_, x)), Some((last, rows))) = (context.x(), access.subscripts.split_last()) else {
        return false;
    };
    let is_along = |axis: &Axis| last.coefficient(Variable::Iterator(axis.iterator)).abs() == 1;
    let mut others = context.axes.iter().filter(|axis| axis.dimension != 0 && axis.tile() > 1);
    let x_is_last = last.mentions(Variable::Iterator(x.iterator));
    let x_is_row = rows.iter().any(|subscript| subscript.mentions(Variable::Iterator(x.iterator)));
    x.tile() > 1 && x_is_row && !x_is_last && others.any(is_along)
}

/// Returns the extents of the array by which slices add up.
///
/// It has room for half of them, with what each thread has along x.
pub(super) fn exchange_shape(context: &Context<'_>) -> Vec<i64> {
    let [x, y, _] = context.block.map(i64::from);
    let points = context.x().map_or(1, |(_, axis)| axis.points);
    vec![context.slices / 2, points, x * y]
}

fn element_bytes(context: &Context<'_>) -> i64 {
    context.nest.element.bytes() as i64
}

fn exchanged_bytes(context: &Context<'_>) -> i64 {
    element_bytes(context) * exchange_shape(context).iter().product::<i64>()
}

pub(super) fn bytes(context: &Context<'_>, part: &StagedPart) -> i64 {
    let elements = shape(context, part).iter().product::<i64>();
    elements * bytes_of(storage(context, part.array), context.nest.element)
}

/// Returns the form of an array's elements in shared memory: numbers, unless matrix units take what is stored.
pub(super) fn storage(context: &Context<'_>, array: usize) -> Storage {
    let stored = context.nest.arrays[array].storage;
    let arithmetic = context.tiling.matrix_units.filter(|_| context.lanes.is_some());
    if arithmetic.and_then(MatrixArithmetic::storage) == Some(stored) { stored } else { Storage::Number }
}

/// Returns `true` if several points of a block read an element, as it does not depend on some axis.
fn is_reused(context: &Context<'_>, access: &Access) -> bool {
    context.axes.iter().any(|axis| axis.tile() > 1 && !access.depends_on(&[axis.iterator]))
}

/// Returns `true` if the kernel writes an array: then it is not what it was when a tile began.
fn is_written(context: &Context<'_>, array: usize) -> bool {
    let all = context.nest.statements();
    context.statements.iter().any(|index| all[*index].assignment.target.array == array)
}

/// Makes an array of the kernel for a part.
fn place(context: &mut Context<'_>, part: StagedPart, stages: i64) -> StagedPart {
    let mut shape = shape(context, &part);
    let lies_well = !part.is_transposed() && shape.last().is_some_and(is_even);
    // What comes to other places than neighbours goes through registers, if it is not on its way meanwhile.
    let comes_wide = lies_well || part.is_transposed() && stages == 1;
    let wide = (comes_wide && part.extents.last().is_some_and(is_even)).then(Vec::new);
    // Stages are the slowest dimension.
    if stages > 1 {
        shape.insert(0, stages);
    }
    let name = format!("{}_tile", context.nest.arrays[part.array].name);
    let storage = storage(context, part.array);
    let local = context.stored_local(&name, Space::Shared, shape, storage);
    StagedPart { local, wide, ..part }
}

/// Returns `true` if an extent is a multiple of the elements that are copied at once.
fn is_even(extent: &i64) -> bool {
    extent % i64::from(WIDE) == 0
}

/// Returns the extents of a part in shared memory.
///
/// There are columns more where neighbouring threads would read from the same bank.
fn shape(context: &Context<'_>, part: &StagedPart) -> Vec<i64> {
    let mut shape = part.extents.clone();
    let mut last = shape.remove(part.last);
    if let (Some(_), Some(arithmetic)) = (context.lanes, context.tiling.matrix_units) {
        let axes = context.axes.iter().filter(|axis| axis.tile() > 1);
        let is_along_terms = !axes.into_iter().any(|axis| is_along(axis, &part.linear[part.last]));
        let is_stored = !storage(context, part.array).is_number();
        let more = if is_stored {
            fragments::stored_padding(last)
        } else {
            fragments::padding(arithmetic, last, is_along_terms)
        };
        shape.push(last + more);
        return shape;
    }
    let reads_across = context.x().is_some_and(|(_, x)| {
        let mut subscripts = part.linear.iter().enumerate().filter(|(at, _)| *at != part.last);
        subscripts.any(|(_, subscript)| subscript.mentions(Variable::Iterator(x.iterator)))
    });
    if part.is_transposed() || reads_across {
        let is_own = |axis: &&Axis| axis.tile() > 1 && is_along(axis, &part.linear[part.last]);
        let neighbours = context.axes.iter().find(is_own).map(|axis| axis.points);
        last += padding(context, last, part.is_transposed(), neighbours);
    }
    shape.push(last);
    shape
}

fn is_along(axis: &Axis, subscript: &Affine) -> bool {
    subscript.mentions(Variable::Iterator(axis.iterator))
}

/// Returns the dimension whose elements are to be neighbours.
///
/// It is the array's last or, where tiles are transposed, one along which points of a thread are neighbours.
fn last_dimension(context: &Context<'_>, part: &StagedPart) -> usize {
    let last = part.linear.len() - 1;
    if !context.tiling.transposes || is_along_neighbours(context, &part.linear[last]) {
        return last;
    }
    (0..last).find(|at| is_along_neighbours(context, &part.linear[*at])).unwrap_or(last)
}

/// Returns `true` if neighbouring points of a thread have neighbouring values of a subscript.
fn is_along_neighbours(context: &Context<'_>, subscript: &Affine) -> bool {
    let mut axes = context.axes.iter().filter(|axis| is_even(&axis.neighbours));
    axes.any(|axis| subscript.coefficient(Variable::Iterator(axis.iterator)).abs() == 1)
}

/// Returns how many columns a row has more, so that rows begin in different banks.
///
/// Where threads read several elements at once, as along neighbouring points (so many, if rows lie along an axis) or
/// several iterations that are written out, rows that begin at odd multiples of as many have them for eight threads
/// from all banks.
fn padding(context: &Context<'_>, row: i64, is_transposed: bool, neighbours: Option<i64>) -> i64 {
    let wide = i64::from(WIDE);
    let Tiling { unroll, tile_k, .. } = context.tiling;
    let written_out = neighbours.unwrap_or(if *unroll == 0 { *tile_k } else { *unroll }.into());
    let reads_wide = row % wide == 0 && (is_transposed || written_out % wide == 0);
    match (reads_wide, row % (2 * wide) == 0, row % 2 == 0) {
        (true, true, _) => wide,
        (true, false, _) | (false, _, false) => 0,
        (false, _, true) => 1,
    }
}

/// Returns a value with what is near in the place of elements: shared memory and registers.
pub(super) fn near(context: &Context<'_>, value: &Expression) -> Expression {
    if let Some(access) = context.scope.staged.iter().find_map(|staged| staged.access(value)) {
        return Expression::Load(access);
    }
    let mut value = value.clone();
    match &mut value {
        Expression::Load(access) => *access = register_of(context, access.clone()),
        other => other.parts_mut().into_iter().for_each(|part| *part = near(context, part)),
    }
    value
}

/// Returns what is kept of a value: the largest parts that read one element, or elements where they become fragments.
fn kept_parts<'a>(context: &Context<'_>, value: &'a Expression) -> Vec<(Expression, &'a Access)> {
    match context.lanes {
        // Elements come ahead as they are, and are changed in registers.
        Some(_) => value.reads().into_iter().map(|access| (Expression::Load(STAGED), access)).collect(),
        None => parts_of_one_element(value),
    }
}

/// Puts an access to those that it shares a part with.
fn join(parts: &mut Vec<StagedPart>, value: Expression, access: &Access, tile: &Tile) {
    let linear = linear(access);
    // A box around the elements that a tile touches, whose extents are constant as tiles have constant extents.
    let (mut origin, mut extents) = (Vec::new(), Vec::new());
    for subscript in &access.subscripts {
        let [least, largest] = [true, false].map(|is_least| extreme(subscript, tile, is_least));
        extents.push((largest - least.clone()).constant() + 1);
        origin.push(least);
    }
    let known = parts
        .iter_mut()
        .find(|part| part.array == access.array && part.linear == linear && part.value == value);
    // The part grows to the box around both.
    let Some(part) = known else {
        let array = access.array;
        let (last, local, stage, wide, fill) = (0, 0, None, None, None);
        parts.push(StagedPart { array, linear, origin, extents, last, local, value, stage, wide, fill });
        return;
    };
    for at in 0..origin.len() {
        // They differ by a constant.
        let offset = (origin[at].clone() - part.origin[at].clone()).constant();
        let end = part.extents[at].max(offset + extents[at]);
        part.origin[at] = part.origin[at].clone() + offset.min(0);
        part.extents[at] = end - offset.min(0);
    }
}
