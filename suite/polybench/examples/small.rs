//! Times the presets and the first guesses of batches of small products.
//!
//! `cargo run --release -p nitro-polybench --features search --example small`, with names of nests for these alone. It
//! needs a CUDA device. A rate is that of the bytes that all arrays have, each once.

use std::error::Error;

use nitro_cuda::{Cuda, LaunchPlan, Options};
use nitro_nest::{Array1, Array2, Array3, Data, Mapping, MappingSpace, Nest, nest};
use nitro_polybench::gpu::{Bench, Compiled, reference};
use nitro_polybench::{others, strangers};
use nitro_search::Generator;

/// Runs of each candidate, the least time of which counts, and launches of a run.
const RUNS: usize = 5;
const LAUNCHES: usize = 20;

/// Many products of a small matrix and a vector
#[nest(reassoc)]
fn batched_vectors(
    batch: usize,
    n: usize,
    m: usize,
    #[shape(batch, n, m)] a: &Array3<f32>,
    #[shape(batch, m)] x: &Array2<f32>,
    #[shape(batch, n)] y: &mut Array2<f32>,
) {
    for q in 0..batch {
        for i in 0..n {
            let mut sum = 0.0;
            for j in 0..m {
                sum += a[[q, i, j]] * x[[q, j]];
            }
            y[[q, i]] = sum;
        }
    }
}

/// A softmax of short rows, as heads of attention have them
#[nest(reassoc)]
fn short_softmax(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        let mut most = f32::NEG_INFINITY;
        for j in 0..m {
            if x[[i, j]] > most {
                most = x[[i, j]];
            }
        }
        let mut sum = 0.0;
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - most).exp();
            sum += y[[i, j]];
        }
        for j in 0..m {
            y[[i, j]] /= sum;
        }
    }
}

/// Each pixel four times, of images with channels
#[nest(reassoc)]
fn upsampled(
    n: usize,
    h: usize,
    w: usize,
    #[shape(n, h, w)] x: &Array3<f32>,
    #[shape(n, 2 * h, 2 * w)] y: &mut Array3<f32>,
) {
    for c in 0..n {
        for i in 0..2 * h {
            for j in 0..2 * w {
                y[[c, i, j]] = x[[c, i / 2, j / 2]];
            }
        }
    }
}

/// The largest of all, as C has it
#[nest]
fn largest(n: usize, #[shape(n)] x: &Array1<f32>, #[shape(1)] most: &mut [f32]) {
    most[0] = f32::NEG_INFINITY;
    for i in 0..n {
        if x[[i]] > most[0] {
            most[0] = x[[i]];
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let device = nitro_cuda::device(0)?;
    let products = [[262_144, 4], [131_072, 8], [65_536, 16], [16_384, 32], [4_096, 64]];
    let products = products.map(|[batch, n]| vec![batch, n, n, n]).to_vec();
    let vectors = [[262_144, 8], [65_536, 16], [32_768, 32], [8_192, 64], [512, 256]];
    let vectors = vectors.map(|[batch, n]| vec![batch, n, n]).to_vec();
    let nests = [
        (others::batched_product::nest(), products),
        (batched_vectors::nest(), vectors),
        (short_softmax::nest(), vec![vec![1 << 20, 16], vec![1 << 18, 64], vec![1 << 16, 256]]),
        (upsampled::nest(), vec![vec![512, 128, 128]]),
        (largest::nest(), vec![vec![1 << 20]]),
        (
            strangers::linear_tanh::nest(),
            vec![vec![4096, 512, 256], vec![512, 1024, 1024], vec![65_536, 64, 64]],
        ),
    ];
    for (nest, sizes) in &nests {
        if only.is_empty() || only.iter().any(|name| name == nest.name()) {
            for sizes in sizes {
                time(nest, sizes, device)?;
            }
        }
    }
    Ok(())
}

/// Prints a line for each preset and guess of a nest at these sizes.
fn time(nest: &Nest, sizes: &[i64], device: Cuda) -> Result<(), Box<dyn Error>> {
    let own = sizes.to_vec();
    let space = MappingSpace::new(nest)?.with_sizes(move |_| Some(own.clone()));
    let shapes = Data::shapes_of(nest, sizes)?;
    let bytes: i64 = shapes[..nest.arguments()].iter().map(|shape| 4 * shape.iter().product::<i64>()).sum();
    println!("{} {sizes:?}, {:.1} MB", nest.name(), bytes as f64 / 1e6);
    let mut bench = Bench::new(nest, &nest.map(&nest.dependences()?, &reference()), sizes.to_vec(), device)?;
    let guesses = space.guesses("any", &|name| (name == "sm_count").then_some(132.0));
    let guesses = guesses.into_iter().enumerate().map(|(at, text)| (format!("guess {at}"), text));
    let presets =
        Mapping::presets().map(|(name, mapping)| (name.to_owned(), space.map(&mapping).plan().to_json()));
    for (name, text) in guesses.chain(presets) {
        let plan = LaunchPlan::from_json(&text)?;
        let shape: Vec<String> =
            plan.kernels.iter().map(|one| format!("{:?}x{:?}", one.block, one.points)).collect();
        let timed = Compiled::of_plan(plan, sizes, Options::for_device(device))
            .and_then(|compiled| bench.times_ns(compiled, RUNS, LAUNCHES));
        match timed {
            Ok(times_ns) => {
                let least_ns = times_ns.into_iter().fold(f64::INFINITY, f64::min);
                println!(
                    "  {name:14} {:9.1} us {:6.0} GB/s  {}",
                    least_ns / 1e3,
                    bytes as f64 / least_ns,
                    shape.join(" ")
                );
            }
            Err(error) => println!("  {name:14} {error}"),
        }
    }
    Ok(())
}
