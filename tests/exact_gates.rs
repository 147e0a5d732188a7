//! Where only exact variants are to run, a gate decides for no other one, whatever it says and a thread remembers.
//!
//! In a file of its own: the setting is the process's.

use std::sync::LazyLock;

use nitro::model::{Coverage, Forest, Gate, Model, Node, Provenance, Selector};
use nitro::{Reason, code_variant};

fn in_order(_: f64) -> &'static str {
    "in_order"
}

fn unrolled(_: f64) -> &'static str {
    "unrolled"
}

fn in_lanes(_: f64) -> &'static str {
    "in_lanes"
}

/// Its gate decides for `in_lanes` up to a length of 10, for `unrolled` up to 20, and leaves others to a selector
/// that ranks `in_lanes` before `unrolled`.
static GATED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let split = |threshold| Node::Split { column: 0, threshold };
    let nodes = vec![split(10.0), Node::Leaf, split(20.0), Node::Leaf, Node::Leaf];
    let forest = Forest {
        inputs: 1,
        choices: 3,
        nodes: vec![Node::Leaf],
        values: vec![200, 100, 0],
        origins: vec![],
        ratios: vec![],
    };
    let model = Model {
        function: "gated_exact".into(),
        choices: ["in_order", "unrolled", "in_lanes"].map(str::to_owned).into(),
        features: vec!["length".into()],
        device_features: vec![],
        selector: Selector::Forest(forest),
        gate: Some(Gate { features: vec![0], nodes, decisions: vec![Some(2), Some(1), None] }),
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

macro_rules! functions {
    ($($name:ident: $limit:literal;)*) => {$(
        #[code_variant(
            name = "gated_exact",
            features(length = n),
            variants(exact(in_order, unrolled if n > $limit), in_lanes),
            default = in_order,
            model = GATED.as_slice(),
        )]
        fn $name(n: f64) -> &'static str;
    )*};
}

functions! {
    first_short: 0.0;
    first_long: 0.0;
    constrained: 5.0;
}

#[test]
fn a_gate_decides_for_exact_variants_alone_where_that_is_demanded() {
    nitro::set_exact(true);
    let inexact = Reason::FirstChoiceInexact { first: "in_lanes" };
    // The gate of a thread is kept when it first decides: after a call that it may decide, and after one that it
    // may not.
    for _ in 0..3 {
        assert_eq!([5.0, 15.0, 25.0, 5.0].map(first_short), ["unrolled"; 4]);
        assert_eq!([15.0, 5.0, 25.0, 5.0].map(first_long), ["unrolled"; 4]);
        assert_eq!([15.0, 3.0, 8.0].map(constrained), ["unrolled", "in_order", "unrolled"]);
    }
    let reasons = [5.0, 15.0, 25.0].map(|length| first_short::select(length).reason());
    assert_eq!(reasons, [inexact, Reason::Predicted, inexact]);
    assert_eq!(first_short::select(5.0).variant(), first_short::Variant::Unrolled);

    nitro::set_exact(false);
    assert_eq!(first_long(5.0), "unrolled", "until it is reloaded");
    nitro::reload().expect("an embedded model is what it was");
    for _ in 0..2 {
        assert_eq!([15.0, 5.0, 25.0].map(first_long), ["unrolled", "in_lanes", "in_lanes"]);
    }
    nitro::set_exact(true);
    nitro::reload().expect("an embedded model is what it was");
    assert_eq!([15.0, 5.0, 25.0].map(first_long), ["unrolled"; 3], "what a thread kept is of before");
}
