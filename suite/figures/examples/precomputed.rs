//! What the features of the GPU functions take that are computed on the host once, when an input is made, beside a
//! call on a whole H200:
//!
//! ```text
//! cargo run --release -p nitro-figures --example precomputed
//! ```
//!
//! It takes no GPU: the inputs are made anew here, and the times of calls are those of the recordings that ship. Of
//! each function every eighth test input is measured. The times belong to the host that runs this.

use std::hint::black_box;
use std::time::Instant;

use nitro_benchmarks::cuda::{bfs, histogram, solver, sort, spmv};
use nitro_benchmarks::variants::histogram::{sample_distinct_log2, sample_sd, sample_step_log2};
use nitro_benchmarks::variants::sort::{Key, sample_descents_log2, sample_distinct, sample_runs_log2};
use nitro_figures::{Error, recordings::shipped};
use nitro_learn::evaluate::Split;
use nitro_learn::performance::PerformanceTable;
use nitro_stats::statistics::quantile;

const DEVICE: &str = "cuda:0@nvidia-h200-140gb";
/// One test input in so many.
const PART: usize = 8;
/// Runs of each, of which the median counts.
const RUNS: usize = 5;

/// Makes an input and tells what its features take.
type Measure = fn(&str) -> Result<f64, Error>;

const FUNCTIONS: [(&str, Measure); 5] = [
    ("cuda_bfs", |name| {
        let graph = bfs::inputs::load(name)?;
        Ok(median_ns(|| graph.lengths()))
    }),
    ("cuda_histogram", |name| {
        let pixels = histogram::inputs::load(name)?;
        Ok(median_ns(|| (sample_sd(&pixels), sample_distinct_log2(&pixels), sample_step_log2(&pixels))))
    }),
    ("cuda_solver", |name| {
        let system = solver::inputs::load(name)?.matrix;
        Ok(median_ns(|| solver::Numbers::of(&system)))
    }),
    ("cuda_sort", |name| match sort::inputs::load(name)? {
        sort::inputs::Keys::F32(keys) => Ok(of_keys(&keys)),
        sort::inputs::Keys::F64(keys) => Ok(of_keys(&keys)),
    }),
    ("cuda_spmv", |name| {
        let matrix = spmv::inputs::load(name)?;
        Ok(median_ns(|| spmv::Structure::of(matrix.pattern())))
    }),
];

fn of_keys<K: Key>(keys: &[K]) -> f64 {
    median_ns(|| (sample_runs_log2(keys), sample_descents_log2(keys), sample_distinct(keys)))
}

fn median_ns<T>(compute: impl Fn() -> T) -> f64 {
    let timed = |_| {
        let begun = Instant::now();
        black_box(compute());
        begun.elapsed().as_nanos() as f64
    };
    at(&sorted((0..RUNS).map(timed).collect()), 0.5)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn at(sorted: &[f64], fraction: f64) -> f64 {
    quantile(sorted, fraction)
}

fn main() -> Result<(), Error> {
    println!(
        "| function | inputs | features, µs | nine of ten | a call, µs | calls that take as long | nine of ten |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (function, measure) in FUNCTIONS {
        let recordings = shipped(function)?;
        let performance = PerformanceTable::new(&recordings)?;
        let device = recordings.device_index(DEVICE).ok_or("no recordings of the whole H200")?;
        let test = Split::by_name(&recordings).test;
        let (mut features_ns, mut calls_ns, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for &input in
            test.iter().step_by(PART).filter(|&&input| performance.best_ns(device, input).is_finite())
        {
            let (took_ns, call_ns) =
                (measure(&recordings.inputs[input].name)?, performance.best_ns(device, input));
            features_ns.push(took_ns);
            calls_ns.push(call_ns);
            calls.push(took_ns / call_ns);
        }
        let (features_ns, calls_ns, calls) = (sorted(features_ns), sorted(calls_ns), sorted(calls));
        println!(
            "| {function} | {} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} |",
            calls.len(),
            at(&features_ns, 0.5) / 1e3,
            at(&features_ns, 0.9) / 1e3,
            at(&calls_ns, 0.5) / 1e3,
            at(&calls, 0.5),
            at(&calls, 0.9),
        );
    }
    Ok(())
}
