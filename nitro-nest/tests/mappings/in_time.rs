//! Mappings with tiles in time.

use nitro_nest::{Mapping, Nest, Program, Schedule, Tiling};

/// Maps with so many iterations a launch; blocks are small, so that there are several.
pub fn mapped(nest: &Nest, time_steps: u32, tiling: Tiling) -> Program {
    let statements: Vec<usize> = (0..nest.statements().len()).collect();
    let schedule = Schedule { fuses: true, coalesces: true, time_steps, ..Schedule::default() };
    let mapping = Mapping::sane().with_schedule(schedule).with_tiling(&statements, tiling);
    nest.map(&nest.dependences().unwrap(), &mapping)
}

/// A tiling of so many threads and points along x and y, and about so many rows.
pub fn tiling(block: [u32; 2], points: [u32; 2], rows: u32) -> Tiling {
    Tiling { block: [block[0], block[1], 1], thread_tile: [points[0], points[1], rows], ..Tiling::default() }
}

/// Returns `true` if kernels of several iterations are launched beside those of one.
pub fn is_tiled(nest: &Nest, program: &Program) -> bool {
    let all = nest.statements().len();
    program.kernels.iter().filter(|kernel| kernel.statements.len() == all).count() == 2
}
