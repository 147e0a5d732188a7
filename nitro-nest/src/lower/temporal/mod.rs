//! The pass that tiles stencils in time: one launch runs several iterations of a loop of the host.
//!
//! Tiles overlap: a block loads a halo around the cells that it writes, and computes what it needs of it again in each
//! iteration, so that blocks need nothing of each other. They go along one dimension with a pipeline of all iterations
//! (N.5-D blocking; Nguyen et al., "3.5-D Blocking Optimization for Stencil Computations on Modern CPUs and GPUs",
//! SC 2010; Matsumura et al., "AN5D: Automated Stencil Framework for High-Degree Temporal Blocking on GPUs", CGO 2020).
//! The arithmetic of each cell is that of the nest, so that results are the same, bit for bit.
//!
//! A tile reads what others overwrite, so that arrays have a twin: one launch goes from the array to its twin, the next
//! one back. What is left of the loop is run by the kernels of one iteration, at least one iteration of it: what that
//! overwrites, tiles do not write.

mod geometry;
mod kernel;
mod pipeline;
mod stencil;
mod sweeps;

use super::draft::{Draft, KernelDraft, KernelGroup};
use crate::kernel::Host;
use crate::limits::STATIC_SHARED_BYTES;
use crate::mapping::Tiling;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Nest, Range};

pub(crate) use geometry::{Geometry, beside};
pub(crate) use kernel::Temporal;
pub(crate) use pipeline::{MOST_DIMENSIONS, Pipeline, Stage, Version, tile_offset};
use stencil::Field;
pub(crate) use stencil::{Stencil, Sweep};

/// The least share of the work of a usual tiling that is not done twice.
const LEAST_EFFICIENCY: f64 = 0.5;

/// Tiles the loops of the host in time, where the mapping asks for it and they are stencils.
pub(super) fn run(draft: &mut Draft<'_>) {
    if draft.mapping.schedule().time_steps > 0 {
        let host = std::mem::take(&mut draft.host);
        draft.host = tile(draft, host);
    }
}

fn tile(draft: &mut Draft<'_>, host: Vec<Host>) -> Vec<Host> {
    let each = host.into_iter().map(|one| match one {
        Host::Loop(range, body) => match tile_loop(draft, &range, &body) {
            Some(tiled) => tiled,
            None => Host::Loop(range, tile(draft, body)),
        },
        launch => launch,
    });
    each.collect()
}

/// Tiles a loop of the host that launches kernels alone.
///
/// Where a block has no room for as many iterations as are asked for, it runs half of them.
fn tile_loop(draft: &mut Draft<'_>, range: &Range, body: &[Host]) -> Option<Host> {
    let ([first], [end], 1, false) = (&range.lower[..], &range.upper[..], range.step, range.is_reversed)
    else {
        return None;
    };
    let launched: Option<Vec<&KernelDraft>> = body.iter().map(|one| launched(draft, one)).collect();
    let launched = launched?;
    let groups: Vec<&KernelGroup> = launched.iter().map(|kernel| &kernel.group).collect();
    let stencil = Stencil::new(&draft.input.nest, &groups, range.iterator)?;
    let statements: Vec<usize> = groups.iter().flat_map(|group| group.statements.iter().copied()).collect();
    let host_iterators = launched[0].host_iterators.clone();
    let own = draft.mapping.own_tiling(&statements);
    let asked =
        std::iter::successors(Some(i64::from(draft.mapping.schedule().time_steps)), |steps| Some(steps / 2));
    let planned = asked.take_while(|steps| *steps > 0).find_map(|steps| {
        let tiling = own.cloned().or_else(|| usual_tiling(&stencil, steps))?;
        let (pipeline, geometry) = plan(&stencil, steps, &tiling)?;
        Some((steps, tiling, pipeline, geometry))
    });
    let (steps, tiling, pipeline, geometry) = planned?;
    let there =
        stencil.fields.iter().map(|field| [field.array, twin(&mut draft.input.nest, field)]).collect();
    let kernel = KernelDraft {
        group: KernelGroup { statements, ..KernelGroup::default() },
        host_iterators,
        tiling: Some(tiling),
        ..KernelDraft::default()
    };
    let there =
        Temporal { stencil, pipeline, geometry, steps, time: range.iterator, begins_after: 0, arrays: there };
    let back = Temporal {
        begins_after: steps,
        arrays: there.arrays.iter().map(|[from, to]| [*to, *from]).collect(),
        ..there.clone()
    };
    let launches = [there, back].map(|temporal| {
        draft.kernels.push(KernelDraft { temporal: Some(temporal), ..kernel.clone() });
        Host::Launch(draft.kernels.len() - 1)
    });
    let nest = &mut draft.input.nest;
    let block = nest.new_iterator(&format!("{}_block", nest.iterators[range.iterator]));
    Some(blocks(range, [first, end], block, 2 * steps, launches.into(), body))
}

/// Returns the kernel that a step of the host launches; none: it is a loop.
fn launched<'d>(draft: &'d Draft<'_>, step: &Host) -> Option<&'d KernelDraft> {
    match step {
        Host::Launch(kernel) => Some(&draft.kernels[*kernel]),
        Host::Loop(..) => None,
    }
}

/// Makes the array to which tiles write a field: a new one where others read it, else the field's own.
fn twin(nest: &mut Nest, field: &Field) -> usize {
    if field.is_overwritten {
        return field.array;
    }
    let declared = nest.arrays[field.array].clone();
    nest.new_temporary(&format!("{}_next", declared.name), declared.shape)
}

/// Plans so many iterations with a tiling. None: a block would write nothing, or has no room for what it keeps.
pub(crate) fn plan(stencil: &Stencil, steps: i64, tiling: &Tiling) -> Option<(Pipeline, Geometry)> {
    let pipeline = Pipeline::new(stencil, steps, tiling.stages.into());
    let geometry = Geometry::new(stencil, &pipeline, tiling)?;
    Some((pipeline, geometry))
}

/// Returns the usual tiling that does least twice, in the shared memory that every device grants; none: there is none.
pub(crate) fn usual_tiling(stencil: &Stencil, steps: i64) -> Option<Tiling> {
    let sound = Tiling::of_time(stencil.dimensions).into_iter().filter_map(|tiling| {
        let (_, geometry) = plan(stencil, steps, &tiling)?;
        let efficiency = geometry.efficiency();
        let is_usual = geometry.shared_bytes <= STATIC_SHARED_BYTES && efficiency >= LEAST_EFFICIENCY;
        is_usual.then_some((efficiency, tiling))
    });
    sound.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, tiling)| tiling)
}

/// Returns a loop over so many iterations at once: those are `launches`, but for the last ones, which are `body`.
fn blocks(
    range: &Range,
    [first, end]: [&Affine; 2],
    block: usize,
    steps: i64,
    launches: Vec<Host>,
    body: &[Host],
) -> Host {
    let begin = Affine::from(Variable::Iterator(block));
    // Iterations that are left after this block, which has to be followed by one.
    let left = end.clone() - begin.clone() - steps;
    let time = |lower, upper| Range { lower, upper, ..range.clone() };
    let tiled = time(vec![begin.clone()], vec![begin.clone() + 1, begin.clone() + left.clone()]);
    // Where all of the block were tiled, the second bound is the block's end or beyond it.
    let single = time(vec![begin.clone(), begin.clone() + left * steps], vec![begin + steps, end.clone()]);
    let inside = vec![Host::Loop(tiled, launches), Host::Loop(single, body.to_vec())];
    let all = Range {
        iterator: block,
        lower: vec![first.clone()],
        upper: vec![end.clone()],
        step: steps,
        is_reversed: false,
    };
    Host::Loop(all, inside)
}
