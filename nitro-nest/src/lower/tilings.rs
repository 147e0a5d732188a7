//! The pass that chooses the tiling of each kernel.

use super::arrange::is_few_in;
#[cfg(feature = "search")]
use super::arrange::reads_across as is_read_across;
use super::draft::{Draft, KernelDraft};
use super::grid::{rest, split_iterator, spread};
use super::groups::read_alone;
use super::threads::staged_operands;
use crate::mapping::{KernelKind, Sums, Tiles, Tiling};
use crate::nest::expression::Access;
use crate::nest::{Nest, Node, Range};

/// Gives each kernel the tiling that the mapping has for it.
pub(super) fn run(draft: &mut Draft<'_>) {
    let nest = &draft.input.nest;
    for kernel in draft.kernels.iter_mut().filter(|kernel| kernel.temporal.is_none()) {
        let dimensions = kernel.group.grid.len();
        let own = draft.mapping.own_tiling(&kernel.group.statements);
        let mut tiling = match own {
            Some(tiling) => tiling.clone(),
            None => draft.mapping.usual_tiling(dimensions, kind(nest, kernel)),
        };
        // A tiling may be one for grids with more dimensions.
        let dimensions = if kernel.group.row.is_some() { 1 + dimensions.clamp(1, 2) } else { dimensions };
        for axis in dimensions..3 {
            tiling.block[axis] = 1;
            tiling.thread_tile[axis] = 1;
        }
        kernel.decide(tiling);
    }
}

/// Finds out the kind of a kernel whose statements and grid are known.
fn kind(nest: &Nest, kernel: &KernelDraft) -> KernelKind {
    if let Some(row) = &kernel.group.row {
        return if row.is_across { KernelKind::Columns } else { KernelKind::Row };
    }
    match sums(nest, kernel) {
        Some(sums) => KernelKind::Sums(sums),
        None if operands(nest, kernel) > 0 => KernelKind::Product(tiles(nest, kernel)),
        None => KernelKind::Other,
    }
}

/// Returns the axes along which tiles of a product reuse its operands.
pub(crate) fn tiles(nest: &Nest, kernel: &KernelDraft) -> Tiles {
    let [.., z, y, x] = kernel.group.grid[..] else { return Tiles::Plane };
    let all = nest.statements();
    let own: Vec<_> = kernel.group.statements.iter().map(|at| all[*at].assignment).collect();
    let reads = read_alone(&own);
    let is_read =
        |by: usize, not: usize| reads.iter().any(|one| one.depends_on(&[by]) && !one.depends_on(&[not]));
    let shares = |one: usize, other: usize| {
        reads
            .iter()
            .any(|read| read.depends_on(&[z]) && read.depends_on(&[one]) && !read.depends_on(&[other]))
    };
    match () {
        () if is_few_in(nest, z) => Tiles::Plane,
        () if shares(x, y) && is_read(y, z) => Tiles::WithX,
        () if shares(y, x) && is_read(x, z) => Tiles::WithY,
        () if is_batch(nest, kernel, z) => Tiles::Batch,
        () => Tiles::Plane,
    }
}

/// Returns `true` if what changes in loops of a thread is different for each value of an iterator.
fn is_batch(nest: &Nest, kernel: &KernelDraft, iterator: usize) -> bool {
    let (statements, grid) = (nest.statements(), &kernel.group.grid);
    kernel.group.statements.iter().map(|at| &statements[*at]).all(|statement| {
        let inside = statement.loops.iter().map(|range| range.iterator).filter(|own| !grid.contains(own));
        let inside: Vec<usize> = inside.collect();
        let reads = read_alone(&[statement.assignment]);
        let mut reads = reads.iter().filter(|read| read.depends_on(&inside));
        reads.all(|read| read.depends_on(&[iterator]))
    })
}

/// Returns the axes along which several threads add up sums, but for those that are split.
pub(crate) fn sums(nest: &Nest, kernel: &KernelDraft) -> Option<Sums> {
    let (mut axes, _) = spread(nest, kernel, &Tiling::default());
    let part = split_iterator(nest, &kernel.group);
    axes.retain(|axis| axis.is_summed && Some(axis.iterator) != part);
    match axes.iter().any(|axis| axis.is_serial && axis.dimension == 0) {
        true => Some(Sums::AlongX),
        false if axes.is_empty() => None,
        false => Some(Sums::Across),
    }
}

/// Returns `true` if sums are split along a loop that has long loops in it.
#[cfg(feature = "search")]
pub(crate) fn splits_many(nest: &Nest, kernel: &KernelDraft) -> bool {
    let Some(split) = kernel.group.split else { return false };
    let is_around = |node: &Node| match node {
        Node::Loop(range, body) => range.iterator == split && has_long_loop(body),
        _ => false,
    };
    any_node(&rest(nest, kernel), &is_around)
}

/// Returns `true` if x runs along rows of something that is read, and y or z along the elements of these rows.
///
/// So neighbouring threads would read elements that are a row apart: a tile may come through shared memory.
#[cfg(feature = "search")]
pub(crate) fn reads_across(nest: &Nest, kernel: &KernelDraft) -> bool {
    let Some((x, others)) = kernel.group.grid.split_last() else { return false };
    let others = &others[others.len().saturating_sub(2)..];
    let all = nest.statements();
    let own: Vec<_> = kernel.group.statements.iter().map(|at| all[*at].assignment).collect();
    let is_across = |read: &&Access| others.iter().any(|other| is_read_across(read, *x, *other));
    read_alone(&own).iter().any(is_across) && !has_long_loop(&rest(nest, kernel))
}

#[cfg(feature = "search")]
fn any_node(nodes: &[Node], is_such: &impl Fn(&Node) -> bool) -> bool {
    nodes.iter().any(|node| is_such(node) || any_node(node.body(), is_such))
}

/// Counts the operands of a long loop that several threads need; 0: the kernel is no product.
///
/// They are those that a small tiling would stage in shared memory.
pub(crate) fn operands(nest: &Nest, kernel: &KernelDraft) -> usize {
    if kernel.group.grid.len() < 2 || !has_long_loop(&rest(nest, kernel)) || reads_once(nest, kernel) {
        return 0;
    }
    let tiling =
        Tiling { block: [8, 4, 1], thread_tile: [2, 2, 1], tile_k: 8, promotes: true, ..Tiling::default() };
    staged_operands(nest, kernel, &tiling)
}

/// Returns `true` if tiles do not help: each long loop has an operand of which each thread needs other elements, or
/// none that is not the same for all threads.
fn reads_once(nest: &Nest, kernel: &KernelDraft) -> bool {
    let (statements, grid) = (nest.statements(), &kernel.group.grid);
    let mut all = kernel.group.statements.iter().map(|at| &statements[*at]).filter_map(|statement| {
        let is_inside = |range: &&&Range| !grid.contains(&range.iterator) && !is_short(range);
        let long: Vec<usize> = statement.loops.iter().filter(is_inside).map(|range| range.iterator).collect();
        let is_of_each = |read: &&Access| read.depends_on(&long) && read.depends_on_each(grid);
        let reads = read_alone(&[statement.assignment]);
        let is_of_some = |read: &&Access| read.depends_on(&long) && read.depends_on(grid);
        (!long.is_empty()).then(|| reads.iter().any(is_of_each) || !reads.iter().any(is_of_some))
    });
    all.next().is_some_and(|first| first && all.all(|other| other))
}

/// Returns `true` if a loop goes on for longer the larger the sizes are.
fn has_long_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(range, body) => !is_short(range) || has_long_loop(body),
        Node::If(..) | Node::Assign(_) => has_long_loop(node.body()),
    })
}

/// Returns `true` if an upper bound is a number away from a lower one.
fn is_short(range: &Range) -> bool {
    range
        .upper
        .iter()
        .any(|upper| range.lower.iter().any(|lower| (upper.clone() - lower.clone()).terms().is_empty()))
}
