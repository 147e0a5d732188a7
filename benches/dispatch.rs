//! What a dispatched call costs beside a direct one: `cargo bench --bench dispatch`.
//!
//! Everything is measured in one run, alternating, and printed as a ratio to the direct call too: absolute figures of
//! two runs, let alone two machines, do not compare.

use std::hint::black_box;
use std::time::Instant;

use nitro::code_variant;
use nitro::model::{Class, Coverage, Forest, Model, Node, Provenance, Scale, Selector, Svm, Transform};

fn forward(values: &[f32]) -> f32 {
    values.iter().sum()
}

fn backward(values: &[f32]) -> f32 {
    values.iter().rev().sum()
}

#[code_variant(name = "plain", features(length = values.len()), variants(forward, backward), default = forward)]
fn plain(values: &[f32]) -> f32;

#[code_variant(
    name = "modelled",
    features(length = values.len(), first = values[0], last = values[values.len() - 1]),
    variants(forward, backward),
    default = forward,
    model = model(10),
)]
fn svm_20(values: &[f32]) -> f32;

#[code_variant(
    name = "modelled",
    features(length = values.len(), first = values[0], last = values[values.len() - 1]),
    variants(forward, backward),
    default = forward,
    model = model(100),
)]
fn svm_200(values: &[f32]) -> f32;

#[code_variant(
    name = "modelled",
    features(length = values.len(), first = values[0], last = values[values.len() - 1]),
    variants(forward, backward),
    default = forward,
    model = model(1000),
)]
fn svm_2000(values: &[f32]) -> f32;

#[code_variant(
    name = "modelled",
    features(length = values.len(), first = values[0], last = values[values.len() - 1]),
    variants(forward, backward),
    default = forward,
    model = forest(),
)]
fn forest_64(values: &[f32]) -> f32;

/// As many trees as the trainer grows, of some 120 leaves each: what a function with 120 training inputs gets.
fn forest() -> &'static [u8] {
    let mut state = 1_u32;
    let nodes: Vec<Node> = (0..64).flat_map(|_| tree(&mut state, 128.0)).collect();
    let leaves = nodes.iter().filter(|node| **node == Node::Leaf).count();
    let values = (0..2 * leaves).map(|n| (n * 37 % 256) as u8).collect();
    leak(Selector::Forest(Forest { inputs: 3, variants: 2, nodes, values }))
}

/// A tree of about so many leaves, split unevenly at thresholds around the values of the call.
fn tree(state: &mut u32, leaves: f32) -> Vec<Node> {
    let mut unit = || {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 8) as f32 / (1 << 24) as f32
    };
    if leaves < 2.0 {
        return vec![Node::Leaf];
    }
    let (column, share) = ((3.0 * unit()) as u16, 0.2 + 0.6 * unit());
    let around = [64.0, 0.0, 63.0][usize::from(column)];
    let split = Node::Split { column, threshold: around + unit() - 0.5 };
    let (lower, upper) = (tree(state, leaves * share), tree(state, leaves * (1.0 - share)));
    [vec![split], lower, upper].concat()
}

/// Two classes of so many support vectors each, over three features.
fn model(support: usize) -> &'static [u8] {
    let svm = Svm {
        gamma: 0.5,
        scaling: vec![Scale { transform: Transform::Log, min: 0.0, max: 10.0 }; 3],
        classes: (0..2).map(|variant| Class { variant, support }).collect(),
        vectors: (0..2 * support * 3).map(|n| (n as f64).sin()).collect(),
        coefficients: (0..2 * support).map(|n| (n as f64).cos()).collect(),
        rho: vec![0.0],
    };
    leak(Selector::Svm(svm))
}

fn leak(selector: Selector) -> &'static [u8] {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let model = Model {
        function: "modelled".into(),
        variants: names(&["forward", "backward"]),
        features: names(&["length", "first", "last"]),
        device_features: vec![],
        selector,
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    Box::leak(model.to_bytes().into_boxed_slice())
}

type Call = fn(&[f32]) -> f32;

/// Median over the rounds of the time of one call of each, in nanoseconds.
fn medians_ns(calls: &[(&str, Call)], values: &[f32]) -> Vec<f64> {
    const ROUNDS: usize = 101;
    const CALLS: u32 = 2_000;
    let mut times = vec![Vec::with_capacity(ROUNDS); calls.len()];
    for _ in 0..ROUNDS {
        for ((_, call), times) in calls.iter().zip(&mut times) {
            let begin = Instant::now();
            for _ in 0..CALLS {
                black_box(call(black_box(values)));
            }
            times.push(begin.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.iter().map(|times| times[ROUNDS / 2]).collect()
}

fn main() {
    let calls: [(&str, Call); 6] = [
        ("direct call", forward),
        ("dispatched, no model", plain),
        ("dispatched, 20 support vectors", svm_20),
        ("dispatched, 200 support vectors", svm_200),
        ("dispatched, 2000 support vectors", svm_2000),
        ("dispatched, forest of 64 trees", forest_64),
    ];
    let values: Vec<f32> = (0..64).map(|n| n as f32).collect();
    let times = medians_ns(&calls, &values);
    println!("{:34} {:>9} {:>9} {:>9}", "call on 64 numbers", "ns", "more ns", "ratio");
    for ((name, _), time) in calls.iter().zip(&times) {
        println!("{name:34} {time:9.1} {:9.1} {:9.2}", time - times[0], time / times[0]);
    }
}
