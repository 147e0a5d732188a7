//! A program can demand that only variants run whose results are bit for bit those of the default variant.
//!
//! In a file of its own: the setting is the process's, and a function takes it at its first call, so there are two
//! functions of each kind.

mod macro_support;

use std::sync::LazyLock;

use macro_support::constant;
use nitro::model::{Class, Coverage, Model, Provenance, Selector, Svm};
use nitro::{Reason, code_variant};

fn in_order(values: &[f32]) -> f32 {
    values.iter().sum()
}

fn unrolled(values: &[f32]) -> f32 {
    let (pairs, rest) = values.as_chunks::<2>();
    let pairs = pairs.iter().fold(0.0, |sum, [first, second]| sum + first + second);
    rest.iter().fold(pairs, |sum, value| sum + value)
}

fn in_lanes(values: &[f32]) -> f32 {
    let (lanes, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for lane in lanes {
        sums.iter_mut().zip(lane).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

fn in_halves(values: &[f32]) -> f32 {
    let (left, right) = values.split_at(values.len() / 2);
    in_order(left) + in_order(right)
}

/// A model that ranks the variants in this order, whatever the input.
fn ranking(function: &str, order: [usize; 4]) -> Vec<u8> {
    let model = Model {
        function: function.into(),
        choices: ["in_order", "unrolled", "in_lanes", "in_halves"].map(String::from).into(),
        features: vec![],
        device_features: vec![],
        selector: Selector::Svm(Svm {
            gamma: 1.0,
            scaling: vec![],
            classes: order.map(|variant| Class { choice: variant, support: 0 }).into(),
            vectors: vec![],
            coefficients: vec![],
            rho: vec![-1.0; 6],
        }),
        gate: None,
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
}

const ORDER: [usize; 4] = [2, 3, 1, 0];

macro_rules! functions {
    ($($name:ident $key:literal: $default:ident, $model:expr;)*) => {$(
        #[allow(dead_code, reason = "some are asked what they would run, and never called")]
        #[code_variant(
            name = $key,
            variants(
                exact(in_order, unrolled if values.len() > 1),
                exact(in_lanes, #[cfg(any())] absent),
                in_halves,
            ),
            default = $default,
            model = {
                static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| $model);
                MODEL.as_slice()
            },
        )]
        fn $name(values: &[f32]) -> f32;
    )*};
}

functions! {
    free "free": in_order, ranking("free", ORDER);
    demanding "demanding": in_order, ranking("demanding", ORDER);
    alone "alone": in_halves, ranking("alone", ORDER);
    stubborn "stubborn": in_order, constant("stubborn", &["in_order", "in_lanes"], "in_lanes");
    pinned_in "pinned_in": in_order, ranking("pinned_in", ORDER);
    pinned_out "pinned_out": in_order, ranking("pinned_out", ORDER);
    reloaded "reloaded": in_order, ranking("reloaded", ORDER);
}

#[code_variant(
    name = "tolerant",
    variants(exact(in_order, unrolled), in_lanes, in_halves),
    default = in_order,
    approximate(in_lanes = 1e-6),
    tolerance = 1.0,
    model = {
        static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| ranking("tolerant", ORDER));
        MODEL.as_slice()
    },
)]
fn tolerant(values: &[f32]) -> f32;

#[test]
fn only_exact_variants_run_when_that_is_demanded() {
    // SAFETY: this is the only test of the process that reads or writes the environment, and no other thread runs yet.
    unsafe { std::env::set_var("NITRO_FORCE", "pinned_in=unrolled,pinned_out=in_halves") };
    let values: Vec<f32> = (0..1001).map(|n| 1.0 / (n as f32 + 0.3)).collect();
    assert_ne!(in_order(&values), in_lanes(&values), "else the test shows nothing");

    let selection = free::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (free::Variant::InLanes, Reason::Predicted));
    assert_eq!(reloaded(&values), in_lanes(&values));

    nitro::set_exact(true);
    let inexact = Reason::FirstChoiceInexact { first: "in_lanes" };
    let selection = demanding::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (demanding::Variant::Unrolled, inexact));
    assert_eq!(
        selection.margin(),
        Some(selection.confidence().unwrap()),
        "only the default is left to be ahead of"
    );
    assert_eq!(demanding(&values), in_order(&values));
    let selection = demanding::select(&values[..1]);
    assert_eq!((selection.variant(), selection.reason()), (demanding::Variant::InOrder, inexact));

    let selection = tolerant::select(&values);
    assert_eq!(
        (selection.variant(), selection.reason()),
        (tolerant::Variant::Unrolled, inexact),
        "whatever it tolerates"
    );
    assert_eq!(tolerant(&values), in_order(&values));

    let selection = alone::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (alone::Variant::InHalves, inexact));
    let selection = stubborn::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (stubborn::Variant::InOrder, inexact));

    let selection = pinned_in::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (pinned_in::Variant::Unrolled, Reason::Forced));
    let forbidden = Reason::ForcedInadmissible { pinned: "in_halves" };
    let selection = pinned_out::select(&values);
    assert_eq!((selection.variant(), selection.reason()), (pinned_out::Variant::Unrolled, forbidden));

    assert_eq!(free(&values), in_lanes(&values), "a function called before stays as it was");
    nitro::reload().unwrap();
    assert_eq!(reloaded(&values), in_order(&values), "until it is reloaded");
    nitro::set_exact(false);
    nitro::reload().unwrap();
    assert_eq!(reloaded(&values), in_lanes(&values));
    assert_eq!(tolerant(&values), in_lanes(&values));
}

#[test]
fn groups_are_in_the_descriptor() {
    let groups: Vec<_> = free::function().variants().iter().map(|v| (v.name(), v.exact_group())).collect();
    assert_eq!(
        groups,
        [("in_order", Some(0)), ("unrolled", Some(0)), ("in_lanes", Some(1)), ("in_halves", None)]
    );
    let constraint = free::function().variants()[1].constraint();
    assert_eq!(constraint.map(|constraint| constraint.text()), Some("values.len() > 1"));
    let exact = |function: &nitro::Function| {
        function.default_choices().map(|choice| function.is_exact(choice)).collect::<Vec<_>>()
    };
    assert_eq!(exact(free::function()), [true, true, false, false]);
    assert_eq!(exact(alone::function()), [false, false, false, true]);
}
