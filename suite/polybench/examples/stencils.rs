//! Times stencils whose loop in time is tiled: so many cells each nanosecond, for each number of iterations a launch.
//!
//! `cargo run --release -p nitro-polybench --features search --example stencils`, with names of nests for these alone.
//! It needs a CUDA device. Each line is the fastest of some tilings, all of which give what plain loops give.

use std::error::Error;
use std::time::Instant;

use nitro_cuda::{Cuda, Options};
use nitro_nest::{Dependences, Mapping, Nest, Program, Schedule, Tiling};
use nitro_polybench::gpu::{Bench, Compiled, reference};
use nitro_polybench::{beyond, stencils};
use rayon::prelude::*;

/// Iterations of the loop in time: one, and a multiple of two launches of each number of iterations.
const STEPS: i64 = 97;
/// Iterations of a launch; 0: it runs a part of one.
const TIME_STEPS: [u32; 5] = [0, 1, 2, 4, 8];
/// Times of each tiling, the least of which counts.
const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let device = nitro_cuda::device(0)?;
    println!("{:12} {:>6} {:>10} {:>8}  tiling", "nest", "extent", "iterations", "GCell/s");
    let nests = [
        (stencils::jacobi_2d::nest(), 16384),
        (stencils::jacobi_2d::nest(), 8192),
        (stencils::fdtd_2d::nest(), 8192),
        (beyond::star_2d_r2::nest(), 8192),
        (beyond::star_3d_r1::nest(), 512),
        (stencils::heat_3d::nest(), 512),
    ];
    for (nest, extent) in nests {
        if only.is_empty() || only.iter().any(|name| name == nest.name()) {
            time(&nest, extent, device)?;
        }
    }
    Ok(())
}

/// Prints a line for each number of iterations, of a nest with so many cells along each dimension.
fn time(nest: &Nest, extent: i64, device: Cuda) -> Result<(), Box<dyn Error>> {
    let dimensions = nest.arrays().iter().map(|array| array.shape.len()).max().unwrap_or_default();
    let dependences = nest.dependences()?;
    let sizes: Vec<i64> =
        nest.parameters().iter().map(|name| if name == "steps" { STEPS } else { extent }).collect();
    let mut bench = Bench::new(nest, &nest.map(&dependences, &reference()), sizes.clone(), device)?;
    let sweeps = sweeps(nest) * STEPS;
    let cells = (sweeps * extent.pow(dimensions as u32)) as f64;
    for time_steps in TIME_STEPS {
        let options = Options::for_device(device);
        let programs = programs(nest, &dependences, dimensions, time_steps);
        let start = Instant::now();
        let compiled: Vec<_> = programs
            .into_par_iter()
            .map(|(name, program)| (name, Compiled::new(&program, &sizes, options.clone())))
            .collect();
        let (count, seconds) = (compiled.len(), start.elapsed().as_secs_f64());
        let mut best: Option<(f64, String)> = None;
        for (name, compiled) in compiled {
            let least = bench.times_ns(compiled?, RUNS, 1)?.into_iter().fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|(time_ns, _)| least < *time_ns) {
                best = Some((least, name));
            }
        }
        if let Some((time_ns, tiling)) = best {
            let rate = cells / time_ns;
            println!(
                "{:12} {extent:6} {time_steps:10} {rate:8.0}  {tiling} (of {count}, compiled in {seconds:.1} s)",
                nest.name()
            );
        }
    }
    Ok(())
}

/// Returns how many sweeps over nearly all cells an iteration is.
fn sweeps(nest: &Nest) -> i64 {
    // Of an electromagnetic field, three sweeps are one step of a cell.
    if nest.name() == "fdtd_2d" { 1 } else { nest.statements().len() as i64 }
}

/// Returns programs with so many iterations a launch, each with what it is called.
fn programs(
    nest: &Nest,
    dependences: &Dependences,
    dimensions: usize,
    time_steps: u32,
) -> Vec<(String, Program)> {
    let temporal = Mapping::temporal();
    let mapping = temporal.clone().with_schedule(Schedule { time_steps, ..temporal.schedule() });
    let mut all = vec![("usual".to_owned(), nest.map(dependences, &mapping))];
    let statements: Vec<usize> = (0..nest.statements().len()).collect();
    if time_steps == 0 {
        all.extend(
            Mapping::presets().map(|(name, mapping)| (name.to_owned(), nest.map(dependences, &mapping))),
        );
        all.retain(|(name, _)| name != "usual" && name != "temporal");
    }
    for tiling in if time_steps > 0 { tilings(dimensions) } else { Vec::new() } {
        let name =
            format!("{:?} threads, {:?} points, {} ahead", tiling.block, tiling.thread_tile, tiling.stages);
        all.push((name, nest.map(dependences, &mapping.clone().with_tiling(&statements, tiling))));
    }
    all
}

/// Returns tilings for tiles in time of so many dimensions.
fn tilings(dimensions: usize) -> Vec<Tiling> {
    let shapes: &[([u32; 2], [u32; 2])] = match dimensions {
        2 => &[
            ([64, 1], [2, 1]),
            ([128, 1], [1, 1]),
            ([128, 1], [2, 1]),
            ([256, 1], [1, 1]),
            ([256, 1], [2, 1]),
        ],
        _ => &[
            ([32, 8], [1, 2]),
            ([32, 8], [1, 4]),
            ([32, 8], [2, 2]),
            ([16, 16], [2, 2]),
            ([32, 16], [1, 4]),
            ([32, 16], [2, 2]),
        ],
    };
    let rows = if dimensions == 2 { 256 } else { 64 };
    let each = shapes.iter().flat_map(|([x, y], [points_x, points_y])| {
        [2, 4].map(|stages| Tiling {
            block: [*x, *y, 1],
            thread_tile: [*points_x, *points_y, rows],
            stages,
            ..Tiling::default()
        })
    });
    each.collect()
}
