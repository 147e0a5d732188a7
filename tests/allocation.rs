//! Selecting a variant allocates nothing once the function has been called on the device.
//!
//! In a file of its own: the counting allocator serves the whole process.

use nitro::code_variant;
use nitro::model::{
    Class, Coverage, DeviceRegion, Forest, Model, Node, Offset, Provenance, Region, Scale, Selector, Svm,
    Transform,
};
use nitro_test_support::allocations::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = allocations();
    let result = work();
    (allocations() - before, result)
}

#[code_variant(
    name = "total",
    features(length = values.len()),
    variants(forward, backward if length < 1000, pairwise),
    default = forward,
    model = embedded_forest(),
)]
fn total(values: &[f64]) -> f64;

#[code_variant(
    name = "sum",
    features(length = values.len(), first = values.first().copied().unwrap_or(0.0)),
    variants(forward, backward if length < 1000, pairwise),
    default = forward,
    model = embedded(),
)]
fn sum(values: &[f64]) -> f64;

#[code_variant(
    name = "total",
    features(length = values.len()),
    variants(forward, backward, pairwise),
    default = forward,
    approximate(backward = 1e-9, pairwise = 1e-12),
    tolerance = 1.0 / values.len() as f64,
    model = embedded_forest(),
)]
fn near(values: &[f64]) -> f64;

/// As `sum`, for the test that reloads: the first call of a function is told apart in the other tests, which run
/// beside it.
#[code_variant(
    name = "sum",
    features(length = values.len(), first = values.first().copied().unwrap_or(0.0)),
    variants(forward, backward if length < 1000, pairwise),
    default = forward,
    model = embedded(),
)]
fn reloaded(values: &[f64]) -> f64;

fn forward(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn backward(values: &[f64]) -> f64 {
    values.iter().rev().sum()
}

fn pairwise(values: &[f64]) -> f64 {
    match values {
        [] => 0.0,
        [one] => *one,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            pairwise(left) + pairwise(right)
        }
    }
}

/// A machine of three classes, for short, middling and long inputs, with many support vectors over both features and a
/// device feature.
fn embedded() -> &'static [u8] {
    let support = 50; // of each class
    let scale = |max| Scale { transform: Transform::Log, min: 0.0, max };
    let svm = Svm {
        gamma: 0.5,
        scaling: vec![scale(10.0), scale(3.0), scale(8.0)],
        classes: (0..3).map(|variant| Class { choice: variant, support }).collect(),
        vectors: (0..3 * support).flat_map(|n| [(n / support) as f64 - 1.0, (n as f64).sin(), 0.0]).collect(),
        coefficients: [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]
            .concat()
            .into_iter()
            .flat_map(|c| [c; 50])
            .collect(),
        rho: vec![0.0; 3],
    };
    leaked("sum", &["length", "first"], Selector::Svm(svm))
}

/// Many trees that ask the device's threads, then the length.
fn embedded_forest() -> &'static [u8] {
    let split = |column: u16, threshold: f32| Node::Split { column, threshold };
    let tree = |n: u8| {
        let length = split(0, 500.0 + 20.0 * f32::from(n));
        [split(1, 1e9), length, Node::Leaf, Node::Leaf, Node::Leaf]
    };
    let forest = Forest {
        inputs: 1,
        choices: 3,
        nodes: (0..100).flat_map(tree).collect(),
        values: (0..100).flat_map(|_| [[200, 0, 100], [100, 200, 0], [0, 0, 0]].concat()).collect(),
        origins: vec![],
        ratios: vec![],
    };
    leaked("total", &["length"], Selector::Forest(forest))
}

/// As many training inputs as a model keeps, none of them near.
fn coverage(features: usize) -> Coverage {
    let scale = |max| Scale { transform: Transform::Log, min: 0.0, max };
    let region = |columns: usize| {
        let centers = vec![vec![0.5; columns]; 64];
        Region::new(
            vec![scale(3.0); columns],
            centers.iter().map(Vec::as_slice),
            Offset { gap: 0.01, excess: 0.01 },
        )
    };
    let devices = DeviceRegion { features: vec!["threads".into()], region: region(1) };
    Coverage { inputs: Some(region(features)), devices: Some(devices) }
}

fn leaked(function: &str, features: &[&str], selector: Selector) -> &'static [u8] {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let model = Model {
        function: function.into(),
        choices: names(&["forward", "backward", "pairwise"]),
        features: names(features),
        device_features: names(&["threads"]),
        selector,
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: coverage(features.len()),
        provenance: Provenance::default(),
    };
    Box::leak(model.to_bytes().into_boxed_slice())
}

#[test]
fn a_selection_by_a_machine_allocates_nothing_after_the_first_call() {
    check(sum, |values| sum::select(values).variant() as usize);
    let selection = sum::select(&[0.5; 3000]);
    assert!(selection.input_distance() > Some(1.0) && selection.device_distance().is_some(), "{selection:?}");
}

#[test]
fn a_selection_by_a_forest_allocates_nothing_after_the_first_call() {
    check(total, |values| total::select(values).variant() as usize);
}

#[test]
fn a_selection_among_approximate_variants_allocates_nothing_after_the_first_call() {
    check(near, |values| near::select(values).variant() as usize);
}

#[test]
fn a_call_after_a_reload_allocates_nothing() {
    reloaded(&[0.5; 10]);
    reloaded::function().reload().unwrap();
    let (allocations, _) = allocations_of(|| reloaded(&[0.5; 10]));
    assert_eq!(allocations, 0, "the new model was made ready on the device of the old one");
}

fn check(call: fn(&[f64]) -> f64, select: fn(&[f64]) -> usize) {
    let inputs: Vec<Vec<f64>> = (0..200).map(|n| (0..n * 17).map(|v| f64::from(v) + 0.5).collect()).collect();
    let (first, _) = allocations_of(|| call(&inputs[1]));
    assert!(first > 0, "the first call reads the model: if this counts nothing, the test measures nothing");
    let (later, chosen) = allocations_of(|| {
        let mut chosen = [0; 3];
        for input in &inputs {
            chosen[select(input)] += 1;
            std::hint::black_box(call(input));
        }
        chosen
    });
    assert_eq!(later, 0);
    assert!(chosen.iter().filter(|&&count| count > 0).count() >= 2, "the model decides: {chosen:?}");
}
