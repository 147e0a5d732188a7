//! Slices (sliced-K): threads along z share out the terms of a sum, and a block adds up theirs.

use super::accumulate::{Accumulator, find_accumulator};
use super::body::at_points;
use super::context::{Context, Threads, guarded};
use super::pipeline::StagedLoop;
use super::stage::exchange_shape;
use super::tile_body::TileBody;
use super::tiles::write_tiled;
use crate::dependence::is_sum;
use crate::kernel::{Instruction, Space};
use crate::lower::draft::KernelDraft;
use crate::lower::grid::rest;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression, Relation};
use crate::nest::{Assignment, Condition, Nest, Node, has_loop};

/// The axis of a block along which its slices are.
const Z: Variable = Variable::Thread(2);

/// Returns `true` if slices of a block may share out the sums of a kernel.
///
/// Sums have to be ones that may be added up in any order. At each point of a 2-D grid there is one loop then, and it
/// only sums up.
pub(crate) fn has_slices(nest: &Nest, kernel: &KernelDraft) -> bool {
    let group = &kernel.group;
    let adds_atomically = group.split.is_some() || !group.summed.is_empty() || !group.scattered.is_empty();
    if group.grid.len() != 2 || adds_atomically {
        return false;
    }
    let rest = rest(nest, kernel);
    let mut loops = rest.iter().filter(|node| has_loop(std::slice::from_ref(node)));
    let (Some(Node::Loop(range, body)), None) = (loops.next(), loops.next()) else { return false };
    let Some(inside) = TileBody::new(body).filter(|_| range.step == 1 && !range.is_reversed) else {
        return false;
    };
    let summed = [inside.iterators(), vec![range.iterator]].concat();
    inside.assignments.into_iter().all(|assignment| {
        let target = &assignment.target;
        let is_of_point = target.depends_on_each(&group.grid);
        is_sum(assignment) && is_of_point && !target.depends_on(&summed)
    })
}

/// Returns how many slices a block has: as many as its tiling asks for, where there may be any.
pub(super) fn slices(nest: &Nest, kernel: &KernelDraft, reassociates: bool) -> u32 {
    let tiling = kernel.tiling();
    let is_asked = tiling.sliced_k > 1 && tiling.tile_k > 0 && tiling.promotes && reassociates;
    if is_asked && has_slices(nest, kernel) { tiling.sliced_k } else { 1 }
}

/// Lets the first slice alone run code, where each has not something else to do.
pub(super) fn once(context: &Context<'_>, body: Vec<Instruction>) -> Vec<Instruction> {
    if context.slices == 1 || context.scope.threads == Threads::Slice {
        return body;
    }
    let is_first = Condition { relation: Relation::Equal, left: Z.into(), right: Affine::from(0) };
    guarded(vec![is_first], body)
}

/// Writes the loop in tiles, of which each slice has some iterations.
///
/// The others begin with zero, and in the end the first one has it all.
pub(super) fn write_sliced(
    context: &mut Context<'_>,
    staged: StagedLoop<'_>,
    guards: &[Condition],
) -> Vec<Instruction> {
    // All sums of the loop have to be in registers: threads share out nothing else.
    let assignments = staged.body.iter().flat_map(Node::assignments);
    let mut targets: Vec<&Access> = assignments.map(|assignment| &assignment.target).collect();
    targets.sort_unstable_by_key(|target| target.array);
    targets.dedup();
    let sums = targets.iter().map(|target| find_accumulator(context, target).cloned());
    let Some(sums) = sums.collect::<Option<Vec<Accumulator>>>() else {
        return write_tiled(context, staged, guards);
    };
    let mut zeros = Vec::new();
    for sum in &sums {
        zeros.extend(at_points(context, &sum.axes, vec![set(sum, Expression::from(0.0))]));
    }
    let mut all = guarded(vec![at_least(1)], zeros);
    context.scope.threads = Threads::Slice;
    all.extend(write_tiled(context, staged, guards));
    context.scope.threads = Threads::Block;
    let shape = exchange_shape(context);
    let exchange = context.local("exchange", Space::Shared, shape);
    context.symbols.exchange = Some(exchange);
    all.extend(sums.iter().flat_map(|sum| write_reduction(context, sum, exchange)));
    all
}

/// Adds up a sum: the later half of the slices gives its part to the earlier one, again and again.
fn write_reduction(context: &Context<'_>, sum: &Accumulator, exchange: usize) -> Vec<Instruction> {
    // One row of points at a time goes through shared memory: all would not fit.
    let (x, others): (Vec<usize>, Vec<usize>) =
        sum.axes.iter().partition(|at| context.axes[**at].dimension == 0);
    let point = x.first().map_or(Affine::from(0), |at| context.axes[*at].point(&context.own[*at]));
    let thread = Affine::from(Variable::Thread(0)) + Variable::Thread(1) * i64::from(context.block[0]);
    let mut rounds = Vec::new();
    // Halving takes as many rounds as the logarithm of the slices; each ends with barriers.
    let mut half = context.slices / 2;
    while half > 0 {
        let [given, taken] = [Z - half, Affine::from(Z)]
            .map(|slice| Access { array: exchange, subscripts: vec![slice, point.clone(), thread.clone()] });
        let own = Expression::Load(sum.register.clone());
        let give = Instruction::Assign(Assignment { target: given, value: own.clone() });
        let take = set(sum, own + taken);
        rounds.extend(guarded(vec![at_least(half), below(2 * half)], at_points(context, &x, vec![give])));
        rounds.push(Instruction::Barrier);
        rounds.extend(guarded(vec![below(half)], at_points(context, &x, vec![take])));
        rounds.push(Instruction::Barrier);
        half /= 2;
    }
    at_points(context, &others, rounds)
}

fn set(sum: &Accumulator, value: Expression) -> Instruction {
    Instruction::Assign(Assignment { target: sum.register.clone(), value })
}

fn at_least(slice: i64) -> Condition {
    Condition::at_least(Z.into(), Affine::from(slice))
}

fn below(slice: i64) -> Condition {
    Condition::less(Z.into(), Affine::from(slice))
}
