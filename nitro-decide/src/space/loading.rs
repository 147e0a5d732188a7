//! Rules about when tiles are loaded.

use super::LOADINGS;
use super::kernel::{Kernel, Passing};
use super::nesting::{Loading, Nesting};
use crate::candidate::{ProblemError, Within};

pub(super) fn add(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let Some(along) = along(kernel, nesting) else { return Ok(()) };
    let choice = nesting.problem.labels("loading of tiles", LOADINGS)?;
    nesting.loading = Some(Loading { choice, along });
    let needed = nesting.problem.named(choice, &LOADINGS[..1])?;
    let ahead = nesting.not(needed);
    let memories: Vec<Within> = passed(kernel)
        .map(|(array, ..)| nesting.problem.named(nesting.memory[array], &["global"]))
        .collect::<Result<_, _>>()?;
    nesting.follows("what is not staged is loaded as it is needed", memories, needed)?;
    let plain = nesting.kind(along, &["plain"])?;
    nesting.follows("in a plain loop the next tile may be loaded ahead", vec![ahead], plain)?;
    let size = nesting.loops[along].size;
    let again = Within { choice: size, values: nesting.values(size, |size| size > 1) };
    nesting.follows("after a single tile there is no next one", vec![ahead], again)?;
    for other in (0..nesting.loops.len()).filter(|&other| other != along) {
        if nesting.is_shared(kernel, other) {
            let outside = nesting.order(other, along, &["outer"])?;
            nesting.follows(
                "tiles that are loaded ahead are those of the next iteration",
                vec![ahead],
                outside,
            )?;
        }
    }
    Ok(())
}

/// The arrays that are passed on, with who loads them and who needs them.
fn passed(kernel: &Kernel) -> impl Iterator<Item = (usize, usize, usize)> {
    kernel.dependences.iter().filter_map(|dependence| match dependence.passing {
        Passing::Array(array) => Some((array, dependence.from, dependence.to)),
        _ => None,
    })
}

/// The one outermost loop that keeps its order, along which all arrays that are passed on have other tiles.
fn along(kernel: &Kernel, nesting: &Nesting) -> Option<usize> {
    passed(kernel).next()?;
    let mut found = None;
    for at in 0..nesting.loops.len() {
        let keeps_order = !kernel.dimensions[nesting.loops[at].dimension].parallel;
        if keeps_order && has_tiles(kernel, nesting, at) {
            if found.is_some() {
                return None;
            }
            found = Some(at);
        }
    }
    found
}

/// Returns true if all arrays that are passed on have other tiles in each iteration of a loop.
fn has_tiles(kernel: &Kernel, nesting: &Nesting, at: usize) -> bool {
    passed(kernel).all(|(array, from, to)| {
        let load = &kernel.statements[from];
        let access = load.accesses.iter().find(|access| access.array == kernel.arrays[array].name);
        let place = load.dimensions.iter().position(|&of| nesting.level(of, at) == Some(0));
        let stride = access.zip(place).and_then(|(access, place)| access.strides.get(place).copied());
        stride.is_some_and(|stride| stride > 0) && nesting.own(&kernel.statements[to]).contains(&at)
    })
}
