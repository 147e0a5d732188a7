//! Models of the size of real ones, made up: four variants, six features, a device feature.

use nitro::model::{
    Class, Coverage, Forest, Gate, MAX_TRAINING_INPUTS, Model, Node, Provenance, Scale, Selector, Svm,
    TrainingInputs, Transform,
};

const FEATURES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// The features' largest value.
const LARGEST: f64 = 1e6;

/// The bytes of a model of the function `bench`, for the life of the program.
pub fn embedded(
    selector: Selector,
    gate_and_tree: (Option<Gate>, bool),
    variants: [&str; 4],
    device_feature: &str,
) -> &'static [u8] {
    bytes(selector, gate_and_tree, &variants, &FEATURES, &[device_feature])
}

/// As [`embedded`], of a model that always takes one choice.
#[cfg(target_arch = "x86_64")]
pub fn constant(choices: &[&str], choice: usize) -> &'static [u8] {
    bytes(Selector::Constant { choice }, (None, false), choices, &[], &[])
}

fn bytes(
    selector: Selector,
    (gate, is_distilled): (Option<Gate>, bool),
    choices: &[&str],
    features: &[&str],
    device_features: &[&str],
) -> &'static [u8] {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let model = Model {
        function: "bench".into(),
        choices: names(choices),
        features: names(features),
        device_features: names(device_features),
        selector,
        gate,
        caution: None,
        is_distilled,
        training_inputs: if is_distilled { training_inputs() } else { TrainingInputs::default() },
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    Box::leak(model.to_bytes().into_boxed_slice())
}

/// Inputs of calls that are worth comparisons, and not the time for asking the selector.
fn training_inputs() -> TrainingInputs {
    let mut inputs = TrainingInputs::default();
    points(MAX_TRAINING_INPUTS).for_each(|point| inputs.push(&point, 3e3, &[0.0; FEATURES.len()]));
    inputs
}

/// A gate that decides every input by its first feature: half of them for one choice, half for the other.
pub fn gate() -> Gate {
    let split = Node::Split { column: 0, threshold: value(0.5) as f32 };
    Gate { features: vec![0], nodes: vec![split, Node::Leaf, Node::Leaf], decisions: vec![Some(0), Some(1)] }
}

/// So many support vectors in four classes, every one at another input.
pub fn svm(support: usize) -> Selector {
    let mut unit = random();
    let scaling = vec![Scale { transform: Transform::Log, min: 0.0, max: LARGEST.ln_1p() }; 7];
    Selector::Svm(Svm {
        gamma: 1.0,
        scaling,
        classes: (0..4).map(|variant| Class { choice: variant, support: support / 4 }).collect(),
        vectors: (0..7 * support).map(|_| 2.0 * unit() - 1.0).collect(),
        coefficients: (0..3 * support).map(|_| 200.0 * unit() - 100.0).collect(),
        rho: (0..6).map(|_| unit()).collect(),
    })
}

/// So many trees as the trainer grows them, of some 120 leaves each: what a function with 120 training inputs gets.
pub fn forest(trees: usize) -> Selector {
    let mut unit = random();
    let nodes: Vec<Node> = (0..trees).flat_map(|_| tree(&mut unit, 128.0, [[0.0, 1.0]; 6])).collect();
    let leaves = nodes.iter().filter(|node| **node == Node::Leaf).count();
    let values = (0..4 * leaves).map(|_| (255.0 * unit()) as u8).collect();
    Selector::Forest(Forest { inputs: 6, choices: 4, nodes, values, origins: vec![], ratios: vec![] })
}

/// A tree of about so many leaves, which splits a random feature unevenly, within the range that is left of it.
fn tree(unit: &mut impl FnMut() -> f64, leaves: f64, ranges: [[f64; 2]; 6]) -> Vec<Node> {
    if leaves < 2.0 {
        return vec![Node::Leaf];
    }
    let (column, share) = ((6.0 * unit()) as usize, 0.2 + 0.6 * unit());
    let [from, to] = ranges[column];
    let at = from + share * (to - from);
    let (mut lower, mut upper) = (ranges, ranges);
    (lower[column][1], upper[column][0]) = (at, at);
    let split = Node::Split { column: column as u16, threshold: value(at) as f32 };
    [vec![split], tree(unit, leaves * share, lower), tree(unit, leaves * (1.0 - share), upper)].concat()
}

/// Inputs all over the range of the features.
pub fn points(count: usize) -> impl Iterator<Item = [f64; 6]> {
    let mut unit = random();
    (0..count).map(move |_| std::array::from_fn(|_| value(unit())))
}

/// A feature's value at a share of its range, which is logarithmic, as that of sizes is.
fn value(share: f64) -> f64 {
    (share * LARGEST.ln_1p()).exp_m1()
}

/// Seeded numbers between 0 and 1 (xorshift64*).
fn random() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
