//! A gate decides from few features; only what it leaves to the selector computes the others.

mod macro_support;

use std::cell::Cell;
use std::sync::LazyLock;

use nitro::model::{Coverage, Forest, Gate, Model, Node, Provenance, Selector, TrainingInputs};
use nitro::{Reason, code_variant};

thread_local! {
    /// How often each feature was computed on this thread.
    static COMPUTED: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
}

fn computed(feature: usize, value: f64) -> f64 {
    let mut counts = COMPUTED.get();
    counts[feature] += 1;
    COMPUTED.set(counts);
    value
}

#[code_variant(
    name = "gated",
    features(length = computed(0, n), order = computed(1, disorder)),
    variants(plain, adaptive, tiny if length < 5.0),
    default = plain,
    model = GATED.as_slice(),
)]
fn gated(n: f64, disorder: f64) -> &'static str;

fn plain(_: f64, _: f64) -> &'static str {
    "plain"
}

fn adaptive(_: f64, _: f64) -> &'static str {
    "adaptive"
}

fn tiny(_: f64, _: f64) -> &'static str {
    "tiny"
}

/// Up to a length of 10 the third variant runs, which only one below 5 admits; above, `order` decides between the
/// others.
static GATED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let split = |column, threshold| vec![Node::Split { column, threshold }, Node::Leaf, Node::Leaf];
    let forest = Forest {
        inputs: 2,
        choices: 3,
        nodes: split(1, 0.5),
        values: vec![0, 200, 255, 200, 0, 255],
        origins: vec![],
        ratios: vec![],
    };
    let model = Model {
        function: "gated".into(),
        choices: ["plain", "adaptive", "tiny"].map(str::to_owned).into(),
        features: ["length", "order"].map(str::to_owned).into(),
        device_features: vec![],
        selector: Selector::Forest(forest),
        gate: Some(Gate { features: vec![0], nodes: split(0, 10.0), decisions: vec![Some(2), None] }),
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    model.to_bytes()
});

fn call(length: f64, order: f64) -> (&'static str, [usize; 2]) {
    COMPUTED.set([0; 2]);
    (gated(length, order), COMPUTED.get())
}

#[test]
fn what_the_gate_decides_computes_its_features_alone() {
    for _ in 0..3 {
        assert_eq!(call(3.0, 0.1), ("tiny", [1, 0]), "remembered or not");
    }
    let selection = gated::select(3.0, 0.1);
    assert_eq!((selection.variant(), selection.reason()), (gated::Variant::Tiny, Reason::Predicted));
    let features: Vec<_> = selection.features().iter().collect();
    assert_eq!(features, [("length", 3.0)], "what the decision needed");
}

#[test]
fn what_it_leaves_to_the_selector_computes_each_feature_once() {
    for _ in 0..2 {
        assert_eq!(call(20.0, 0.1), ("plain", [1, 1]));
        assert_eq!(call(20.0, 0.9), ("adaptive", [1, 1]));
    }
}

#[test]
fn what_it_may_not_decide_is_left_to_the_selector() {
    assert_eq!(call(7.0, 0.9), ("adaptive", [1, 1]), "its choice is not admissible");
    assert_eq!(call(f64::NAN, 0.9), ("plain", [1, 1]), "a feature that is no number leads to the default");
}

#[test]
fn every_call_that_the_gate_decides_is_counted() {
    let tiny = || {
        let stats = nitro::stats();
        let of_tiny = |count: &&nitro::Count| count.function == "gated" && count.variant == "tiny";
        stats.counts().iter().filter(of_tiny).map(|count| count.calls).sum::<u64>()
    };
    std::thread::spawn(move || {
        let before = tiny();
        for number in 0..100 {
            std::hint::black_box(gated(f64::from(number % 4), 0.5));
        }
        assert!(tiny() - before >= 100, "whether an input was met before or not");
    })
    .join()
    .unwrap();
}

#[test]
fn after_a_reload_the_gate_decides_again() {
    assert_eq!(call(3.0, 0.1).0, "tiny");
    nitro::reload().expect("an embedded model is what it was");
    assert_eq!(call(3.0, 0.1), ("tiny", [1, 0]));
    assert_eq!(call(20.0, 0.9), ("adaptive", [1, 1]));
    assert_eq!(call(3.5, 0.9), ("tiny", [1, 0]));
}

#[code_variant(
    name = "gated_twice",
    features(length = n, order = disorder),
    variants(plain, adaptive),
    default = plain,
    model = GATED_TWICE.as_slice(),
)]
fn gated_twice(n: f64, disorder: f64) -> &'static str;

/// Its gate looks at both features, the second only of long inputs.
static GATED_TWICE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let split = |column, threshold| Node::Split { column, threshold };
    let nodes = vec![split(0, 10.0), Node::Leaf, split(1, 0.5), Node::Leaf, Node::Leaf];
    let gate = Gate { features: vec![0, 1], nodes, decisions: vec![Some(1), Some(0), Some(1)] };
    let gated = Model::from_bytes(&GATED).expect("a model");
    let choices = ["plain", "adaptive", "gone"].map(str::to_owned).into();
    Model { function: "gated_twice".into(), choices, gate: Some(gate), ..gated }.to_bytes()
});

#[code_variant(
    name = "gated_by_counts",
    features(length = rows * columns, order = rows - columns),
    variants(by_rows, by_columns),
    default = by_rows,
    model = GATED_BY_COUNTS.as_slice(),
)]
fn gated_by_counts(rows: usize, columns: usize) -> &'static str;

fn by_rows(_: usize, _: usize) -> &'static str {
    "by_rows"
}

fn by_columns(_: usize, _: usize) -> &'static str {
    "by_columns"
}

/// Short inputs are decided by the gate, and others by their difference.
static GATED_BY_COUNTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let gated = Model::from_bytes(&GATED).expect("a model");
    let gate = gated.gate.map(|gate| Gate { decisions: vec![Some(1), None], ..gate });
    let choices = ["by_rows", "by_columns", "gone"].map(str::to_owned).into();
    Model { function: "gated_by_counts".into(), choices, gate, ..gated }.to_bytes()
});

/// `2 - 4` of unsigned numbers panics where overflow is checked for.
#[test]
fn arithmetic_is_done_where_it_is_asked_for() {
    for _ in 0..3 {
        assert_eq!(gated_by_counts(2, 4), "by_columns", "the difference is not asked for");
        assert_eq!(gated_by_counts(5, 5), "by_rows");
        assert_eq!(gated_by_counts(6, 5), "by_columns");
    }
}

#[code_variant(
    name = "gated_narrowly",
    features(length = computed(0, n), order = computed(1, disorder)),
    variants(plain, adaptive, tiny if length < 5.0),
    default = adaptive,
    model = GATED_NARROWLY.as_slice(),
)]
fn gated_narrowly(n: f64, disorder: f64) -> &'static str;

/// Knows inputs of lengths up to 10 in good order, on which `plain` is the best but for `tiny`.
fn narrow(function: &str) -> Vec<u8> {
    let mut training_inputs = TrainingInputs::default();
    (0..10_u8).for_each(|length| training_inputs.push(&[length.into(), 0.1], 1_000.0, &[0.0; 2]));
    let gated = Model::from_bytes(&GATED).expect("a model");
    Model { function: function.into(), training_inputs, ..gated }.to_bytes()
}

static GATED_NARROWLY: LazyLock<Vec<u8>> = LazyLock::new(|| narrow("gated_narrowly"));
static GATED_FOR_NOTHING: LazyLock<Vec<u8>> = LazyLock::new(|| narrow("gated_for_nothing"));

#[test]
fn where_the_constraint_of_its_choice_refuses_an_input_a_second_one_runs() {
    let call = |length: f64| {
        COMPUTED.set([0; 2]);
        (gated_narrowly(length, 0.9), COMPUTED.get())
    };
    for _ in 0..3 {
        assert_eq!(call(7.0), ("plain", [1, 0]), "the selector is not asked");
        assert_eq!(call(3.0), ("tiny", [1, 0]));
    }
    let selection = gated_narrowly::select(7.0, 0.9);
    let reason = Reason::FirstChoiceInadmissible { first: "tiny" };
    assert_eq!((selection.variant(), selection.reason()), (gated_narrowly::Variant::Plain, reason));
}

#[code_variant(
    name = "gated_for_nothing",
    features(length = n, order = disorder),
    variants(plain, adaptive, tiny if length < 5.0),
    default = adaptive,
    model = GATED_FOR_NOTHING.as_slice(),
)]
fn gated_for_nothing(n: f64, disorder: f64) -> &'static str;

/// The same where features and constraint take no time, so that the call itself decides. Inputs come in turns.
#[test]
fn a_constraint_that_takes_no_time_is_asked_in_the_call() {
    for _ in 0..3 {
        let called = [7.0, 3.0, 5.0, 4.9].map(|length| gated_for_nothing(length, 0.9));
        assert_eq!(called, ["plain", "tiny", "plain", "tiny"]);
    }
}

/// A thread that keeps the gate decides as one that asks it for the first time.
#[test]
fn a_feature_that_is_no_number_asks_where_the_gate_comes_to_it() {
    let calls = [(3.0, 0.1), (3.0, f64::NAN), (20.0, 0.1), (f64::INFINITY, 0.9), (20.0, 0.9), (1e300, 0.1)];
    let again: Vec<_> = calls.iter().map(|&(n, disorder)| gated_twice(n, disorder)).collect();
    let selected = calls.map(|(n, disorder)| gated_twice::select(n, disorder).variant().to_string());
    assert_eq!(again, selected);
    assert_eq!(again, ["adaptive", "adaptive", "plain", "plain", "adaptive", "plain"]);
}

/// Whether a thread keeps the gate or asks it for the first time, in single precision.
#[test]
fn at_its_threshold_a_gate_takes_the_lower_side() {
    let after = |threshold: f32| f64::from(threshold.next_up());
    let calls = [
        (10.0, 0.1, "adaptive"),
        (10.000_000_1, 0.1, "adaptive"),
        (after(10.0), 0.1, "plain"),
        (20.0, 0.5, "plain"),
        (20.0, after(0.5), "adaptive"),
    ];
    for (length, disorder, variant) in calls {
        for _ in 0..2 {
            assert_eq!(gated_twice(length, disorder), variant, "{length} {disorder}");
        }
        let selected = gated_twice::select(length, disorder).variant().to_string();
        assert_eq!(selected, variant, "{length} {disorder}");
    }
}

thread_local! {
    /// How often a constraint was asked on this thread.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// A constraint that passes over its whole input.
fn is_narrow(width: f64) -> bool {
    ASKED.set(ASKED.get() + 1);
    width < 5.0
}

/// The gate, the small tree behind it and the selector all name `dense` first, for any length.
static STUBBORN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let nodes = vec![Node::Split { column: 0, threshold: 10.0 }, Node::Leaf, Node::Leaf];
    let forest = macro_support::forest(2, nodes.clone(), vec![200, 0, 100, 0]);
    let gate = Gate { features: vec![0], nodes, decisions: vec![Some(1), None] };
    let model = macro_support::model("stubborn", &["sparse", "dense"], &["length"], forest);
    Model { gate: Some(gate), ..model }.to_bytes()
});

#[code_variant(
    name = "stubborn",
    features(length = long),
    variants(sparse, dense if is_narrow(width)),
    default = sparse,
    model = STUBBORN.as_slice(),
)]
fn stubborn(long: f64, width: f64) -> &'static str;

fn sparse(_: f64, _: f64) -> &'static str {
    "sparse"
}

fn dense(_: f64, _: f64) -> &'static str {
    "dense"
}

#[test]
fn a_constraint_is_asked_once_a_call() {
    for _ in 0..3 {
        for (length, width, expected) in
            [(3.0, 9.0, "sparse"), (3.0, 1.0, "dense"), (30.0, 9.0, "sparse"), (30.0, 1.0, "dense")]
        {
            ASKED.set(0);
            assert_eq!((stubborn(length, width), ASKED.get()), (expected, 1), "{length} {width}");
        }
    }
}
