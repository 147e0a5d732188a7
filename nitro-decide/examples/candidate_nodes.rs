//! How many nodes a second propagation makes of the problem of a matrix product, alone and with the bound of each:
//! `cargo run --release -p nitro-variants-decide --example candidate_nodes`.

use std::sync::Arc;
use std::time::Instant;

use nitro_decide::{
    Access, Array, Candidate, Dependence, Dimension, Kernel, Limits, LowerBound, Operation, Rates,
    RatesError, Statement, TimeBound, Values,
};
use nitro_stats::random::Random;

/// C = 0; C += A B, 1024 x 1024, with two levels of tiles of rows and columns and one of the sum.
fn product() -> Kernel {
    let dimension = |name: &str, tiles: &[&[u64]], parallel| Dimension {
        name: name.to_owned(),
        size: 1024,
        tiles: tiles.iter().map(|sizes| sizes.to_vec()).collect(),
        parallel,
        ..Dimension::default()
    };
    let tiles: &[&[u64]] = &[&[1, 2, 4, 8, 16, 32], &[1, 2, 4]];
    let access = |array: &str, strides: &[u64]| Access {
        array: array.to_owned(),
        strides: strides.to_vec(),
        element_bytes: 4,
    };
    let staged = |name: &str, dimensions: [usize; 2]| Array {
        name: name.to_owned(),
        element_bytes: 4,
        dimensions: dimensions.to_vec(),
    };
    Kernel {
        dimensions: vec![
            dimension("zi", tiles, true),
            dimension("zj", tiles, true),
            dimension("i", tiles, true),
            dimension("j", tiles, true),
            dimension("k", &[&[1, 2, 4, 8, 16, 32]], false),
        ],
        statements: vec![
            Statement {
                name: "zero".to_owned(),
                operation: Operation::Store,
                dimensions: vec![0, 1],
                accesses: vec![access("C", &[1024, 1])],
                ..Statement::default()
            },
            Statement {
                name: "sum".to_owned(),
                operation: Operation::Fma,
                dimensions: vec![2, 3, 4],
                accesses: vec![
                    access("A", &[1024, 0, 1]),
                    access("B", &[0, 1, 1024]),
                    access("C", &[1024, 1, 0]),
                ],
                ..Statement::default()
            },
        ],
        dependences: vec![Dependence {
            from: 0,
            to: 1,
            along: vec![(0, 2), (1, 3)],
            ..Dependence::default()
        }],
        arrays: vec![staged("A", [2, 4]), staged("B", [4, 3])],
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kernel = product();
    let nesting = kernel.nesting(&Limits::default())?;
    let problem = nesting.problem.clone();
    let start = Instant::now();
    println!("{} choices, {} rules", problem.choices().count(), problem.rules().count());
    let root = Candidate::new(Arc::new(problem))?;
    println!("root: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let estimate = root.estimate(100, 1);
    let seconds = start.elapsed().as_secs_f64();
    println!("{} nodes in {seconds:.2} s: {:.0} a second", estimate.nodes, estimate.nodes as f64 / seconds);
    let (low, high) = estimate.interval();
    println!(
        "{:.2e} solutions ({low:.2e} to {high:.2e}), {} of {} walks ended where nothing is left",
        estimate.mean, estimate.dead_ends, estimate.walks
    );
    bounded(&root, &TimeBound::new(&kernel, &nesting, h200()?));
    Ok(())
}

/// By the data sheet.
fn h200() -> Result<Rates, RatesError> {
    Rates::from_features(|name| match name {
        "sm_count" => Some(132.0),
        "clock_rate_mhz" => Some(1980.0),
        "l2_cache_kib" => Some(61440.0),
        "cuda_cores" => Some(16896.0),
        "peak_gbps" => Some(4917.0),
        _ => None,
    })
}

/// Walks at random, and bounds every child on the way.
fn bounded(root: &Candidate, bound: &TimeBound) {
    println!("{}", bound.explain(root));
    let (start, mut nodes, mut random) = (Instant::now(), 0, Random::new(1));
    let mut leaf = None;
    for _ in 0..100 {
        let mut at = root.clone();
        while let Some(choice) = bound.order(&at, 1).pop() {
            let mut children = Vec::new();
            for value in at.values(choice).iter() {
                let mut child = at.clone();
                nodes += 1;
                if child.restrict(choice, Values::of([value])).is_ok()
                    && bound.bound_ns(&child) < f64::INFINITY
                {
                    children.push(child);
                }
            }
            if children.is_empty() {
                break;
            }
            at = children.swap_remove(random.below(children.len()));
        }
        leaf = at.solution().map(|_| at).or(leaf);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{nodes} nodes with bounds in {seconds:.2} s: {:.0} a second", f64::from(nodes) / seconds);
    if let Some(leaf) = leaf {
        println!("one that is decided: {}", bound.explain(&leaf));
    }
}
