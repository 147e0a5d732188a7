//! Times the presets of each nest on the first GPU:
//!
//! ```text
//! cargo run --release -p nitro-polybench --features polyhedral --example presets -- large gemm mvt
//! ```
//!
//! The sizes are `large`, those of PolyBench/C 4.2.1, or `huge`, which do not fit the caches of a large GPU. What a preset gives is compared with what `naive` gives.

use std::process::ExitCode;

use nitro_codegen::{Mapping, Schedule, Tiling};
use nitro_cuda::device;
use nitro_polybench::gpu::{Bench, Error};
use nitro_polybench::kernels;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first().map(|(size, names)| run(size, names)) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("which sizes: large or huge?");
            ExitCode::from(2)
        }
    }
}

fn mappings() -> Vec<(String, Mapping)> {
    let mut all = vec![
        ("naive".to_owned(), Mapping::naive().with_register_promotion()),
        ("ppcg_default".to_owned(), Mapping::ppcg_default()),
        ("sane".to_owned(), Mapping::sane()),
    ];
    let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: true };
    for (block, points, inner) in [
        ([32, 8, 1], [4, 8, 1], 16),
        ([32, 8, 1], [4, 16, 1], 16),
        ([16, 16, 1], [8, 8, 1], 16),
        ([16, 16, 1], [8, 8, 1], 8),
        ([32, 8, 1], [4, 16, 1], 32),
        ([32, 4, 1], [4, 4, 1], 0),
        ([32, 8, 1], [512, 1, 1], 0),
        ([32, 8, 1], [512, 4, 1], 0),
        ([32, 8, 1], [4, 64, 1], 0),
        ([128, 2, 1], [1, 32, 1], 0),
        ([32, 8, 1], [8, 128, 1], 0),
    ] {
        let tiling = Tiling { block, points, inner, promotes: true, ..Tiling::default() };
        let usual = [
            Tiling { block: [block[0] * block[1], 1, 1], points: [1; 3], ..tiling.clone() },
            tiling.clone(),
            tiling,
        ];
        let mapping = Mapping::sane().with_schedule(schedule).with_usual_tilings(usual);
        all.push((format!("{block:?} {points:?} {inner}"), mapping));
    }
    all
}

fn run(size: &str, names: &[String]) -> Result<(), Error> {
    let device = device(0)?;
    for kernel in kernels() {
        let nest = (kernel.nest)();
        if !names.is_empty() && !names.iter().any(|name| name == nest.name()) {
            continue;
        }
        let Some(sizes) = nitro_polybench::sizes(nest.name(), size) else { continue };
        let dependences = nest.dependences()?;
        let mut bench = Bench::new(&nest, sizes, device)?;
        let reference = nest.map(&dependences, &Mapping::naive().with_register_promotion());
        bench.set_reference(&reference)?;
        for (name, mapping) in mappings() {
            let program = nest.map(&dependences, &mapping);
            match bench.time_ms(&program) {
                Ok(time_ms) => println!("{:16} {size} {name:28} {time_ms:10.4} ms", nest.name()),
                Err(error) => println!("{:16} {size} {name:28} {error}", nest.name()),
            }
        }
    }
    Ok(())
}
