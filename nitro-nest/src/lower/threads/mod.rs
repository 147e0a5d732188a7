//! The pass that writes what each thread of a kernel does.
//!
//! The loops of the grid are spread over blocks, threads and the points of a thread; all others stay.

mod accumulate;
mod block_sums;
mod body;
mod carried;
mod chunks;
mod context;
mod copy;
mod domain;
mod fragments;
mod group_sums;
mod groups;
mod parts;
mod pieces;
mod pipeline;
mod row;
mod runs;
mod slices;
mod stage;
mod stored;
mod temporal;
mod terms;
mod tile_body;
mod tiles;

#[cfg(feature = "search")]
pub(crate) use slices::has_slices;

use context::{Context, Points, Scope, SumOrder, Symbols, Threads};

use super::draft::{Axis, Draft, KernelDraft};
use super::grid::spread;
use crate::kernel::{Extent, Kernel};
use crate::mapping::Tiling;
use crate::nest::affine::Affine;
use crate::nest::{Nest, Node, has_loop};

/// Gives each kernel its code.
pub(super) fn run(draft: &mut Draft<'_>) {
    let nest = &draft.input.nest;
    let reassociates = draft.mapping.schedule().reassociates(nest);
    for (index, kernel) in draft.kernels.iter_mut().enumerate() {
        let name = format!("{}_{index}", nest.name);
        if let Some(of_time) = &kernel.temporal {
            let context = context(nest, kernel, kernel.tiling(), &[], &[], 1, SumOrder::AsWritten);
            kernel.code = Some(temporal::code(nest, kernel, of_time, context, &name));
            continue;
        }
        if let Some(of_rows) = &kernel.group.row {
            let sums = if nest.reassociates() { SumOrder::TermByTerm } else { SumOrder::AsWritten };
            let context = context(nest, kernel, kernel.tiling(), &kernel.axes, &kernel.rest, 1, sums);
            kernel.code = Some(row::code(nest, kernel, of_rows, context, &name));
            continue;
        }
        let slices = slices::slices(nest, kernel, reassociates);
        // Where a tiling asks for slices and nothing can be shared out among them, there are none.
        let sliced = if slices > 1 { code(nest, kernel, &name, slices, reassociates) } else { None };
        kernel.code = sliced.or_else(|| code(nest, kernel, &name, 1, reassociates));
    }
}

/// Counts the operands that a tiling stages in shared memory.
pub(super) fn staged_operands(nest: &Nest, kernel: &KernelDraft, tiling: &Tiling) -> usize {
    let (axes, rest) = spread(nest, kernel, tiling);
    stage::count_parts(&context(nest, kernel, tiling, &axes, &rest, 1, SumOrder::AsWritten), &rest)
}

/// Writes the code of a kernel. None: there are slices, and nothing that they share out.
fn code(nest: &Nest, kernel: &KernelDraft, name: &str, slices: u32, reassociates: bool) -> Option<Kernel> {
    let (tiling, axes) = (kernel.tiling(), &kernel.axes);
    let sums = if reassociates { SumOrder::TermByTerm } else { SumOrder::AsWritten };
    let mut context = context(nest, kernel, tiling, axes, &kernel.rest, slices, sums);
    let mut body = fragments::spread_lanes(&mut context);
    body.extend(body::write_body(&mut context, &kernel.rest)?);
    let mut points = [1; 3];
    for (dimension, points) in points.iter_mut().enumerate() {
        *points = axes.iter().find(|axis| axis.dimension == dimension).map_or(1, |axis| axis.points as u32);
    }
    Some(Kernel {
        name: name.to_owned(),
        statements: kernel.group.statements.clone(),
        host_iterators: kernel.host_iterators.clone(),
        iterators: context.symbols.iterators,
        grid: grid(axes),
        block: context.block,
        points,
        resident_blocks: tiling.min_blocks,
        locals: context.symbols.locals,
        caching: Vec::new(),
        body,
    })
}

/// Returns what a grid covers along x, y and z; without axes it is one thread.
fn grid(axes: &[Axis]) -> Vec<Extent> {
    if axes.is_empty() {
        return vec![Extent { lower: vec![Affine::from(0)], upper: vec![Affine::from(1)], step: 1 }];
    }
    axes.iter().rev().map(|axis| axis.extent.clone()).collect()
}

/// Makes the context of a kernel.
fn context<'a>(
    nest: &'a Nest,
    kernel: &'a KernelDraft,
    tiling: &'a Tiling,
    axes: &[Axis],
    rest: &[Node],
    slices: u32,
    sums: SumOrder,
) -> Context<'a> {
    let mut block = if axes.is_empty() { [1; 3] } else { tiling.block };
    if slices > 1 {
        block[2] = slices;
    }
    // With one point a thread, what has no value is left out at once, and nothing needs a tile.
    let stages = tiling.tile_k > 0 && has_loop(rest);
    let is_single = axes.iter().all(|axis| axis.points == 1 && !axis.is_summed) && !stages;
    let part = kernel.group.split_name(nest);
    let mut context = Context {
        nest,
        statements: &kernel.group.statements,
        tiling,
        axes: axes.to_vec(),
        own: Vec::new(),
        block,
        slices: slices.into(),
        sums,
        lanes: None,
        symbols: Symbols { iterators: part.into_iter().collect(), ..Symbols::default() },
        scope: Scope {
            points: if is_single { Points::Single } else { Points::ByStatement },
            threads: Threads::Block,
            held: Vec::new(),
            accumulators: Vec::new(),
            staged: Vec::new(),
            is_cut_off: false,
        },
    };
    if !is_single {
        context.own = (0..axes.len()).map(|axis| context.own_iterators(axis)).collect();
    }
    context
}
