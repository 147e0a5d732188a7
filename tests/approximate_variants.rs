//! An approximate variant runs only in calls that accept its error, whatever model and thread remember, and a
//! selection says so.

use std::cell::Cell;
use std::sync::LazyLock;

use nitro::model::{Coverage, Forest, Gate, Model, Node, Provenance, Selector};
use nitro::{Contract, Reason, code_variant};

const COARSE: f64 = 0.05;

thread_local! {
    /// How often the tolerance was computed on this thread.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn asked(tolerance: f64) -> f64 {
    ASKED.set(ASKED.get() + 1);
    tolerance
}

macro_rules! variants {
    ($($name:ident)*) => {$(fn $name(_: usize, _: f64) -> &'static str { stringify!($name) })*};
}
variants!(in_order pairwise evolved coarse);

/// Above a length of 10 the later a variant stands the better it is taken for, below the other way round.
fn model(function: &str, gate: Option<Gate>) -> Vec<u8> {
    let nodes = vec![Node::Split { column: 0, threshold: 10.0 }, Node::Leaf, Node::Leaf];
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let model = Model {
        function: function.into(),
        choices: names(&["in_order", "pairwise", "evolved", "coarse"]),
        features: names(&["length"]),
        device_features: vec![],
        selector: Selector::Forest(Forest {
            inputs: 1,
            choices: 4,
            nodes,
            values: vec![0, 50, 100, 150, 150, 100, 50, 0],
            origins: vec![],
            ratios: vec![],
        }),
        gate,
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

macro_rules! functions {
    ($($name:ident $key:literal $gate:expr;)*) => {$(
        #[code_variant(
            name = $key,
            features(length = items),
            variants(in_order, pairwise, evolved, coarse if items % 2 == 0),
            default = in_order,
            approximate(evolved = 0.003 over "lengths to 4096", coarse = COARSE),
            tolerance = asked(tolerance),
            model = {
                static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| model($key, $gate));
                MODEL.as_slice()
            },
        )]
        fn $name(items: usize, tolerance: f64) -> &'static str;
    )*};
}

functions! {
    tolerant "tolerant" None;
    // The gate alone decides for `evolved`, for every length.
    gated "gated" Some(Gate { features: vec![0], nodes: vec![Node::Leaf], decisions: vec![Some(2)] });
}

#[test]
fn a_call_gets_what_it_tolerates_and_says_why() {
    let coarse = Reason::FirstChoiceNotTolerated { first: "coarse" };
    for (items, tolerance, variant, reason) in [
        (20, 0.05, tolerant::Variant::Coarse, Reason::Predicted),
        (20, f64::INFINITY, tolerant::Variant::Coarse, Reason::Predicted),
        (20, 0.049, tolerant::Variant::Evolved, coarse),
        (21, 0.05, tolerant::Variant::Evolved, Reason::FirstChoiceInadmissible { first: "coarse" }),
        (20, 0.003, tolerant::Variant::Evolved, coarse),
        (20, 0.003_f64.next_down(), tolerant::Variant::Pairwise, coarse),
        (20, 0.0, tolerant::Variant::Pairwise, coarse),
        (20, -1.0, tolerant::Variant::Pairwise, coarse),
        (20, f64::NAN, tolerant::Variant::Pairwise, coarse),
        (5, 0.05, tolerant::Variant::InOrder, Reason::Predicted),
    ] {
        let selection = tolerant::select(items, tolerance);
        assert_eq!((selection.variant(), selection.reason()), (variant, reason), "{items} {tolerance}");
        assert_eq!(tolerant(items, tolerance), variant.to_string());
    }
    let sentence = "best admissible choice, the call does not tolerate the error of `coarse`";
    assert_eq!(coarse.to_string(), sentence);
}

/// Features are the same each time, so that the thread remembers; the gate of the other function is kept by the
/// thread too.
#[test]
fn what_one_call_tolerates_the_next_does_not() {
    for function in [tolerant, gated] {
        for _ in 0..3 {
            assert_eq!(
                [0.0, 0.003, 0.0].map(|tolerance| function(21, tolerance)),
                ["pairwise", "evolved", "pairwise"]
            );
            assert_eq!([0.003, f64::NAN].map(|tolerance| function(21, tolerance)), ["evolved", "pairwise"]);
        }
    }
    let by_gate = gated::select(5, 0.003);
    assert_eq!((by_gate.variant(), by_gate.reason()), (gated::Variant::Evolved, Reason::Predicted));
}

#[test]
fn the_tolerance_is_asked_once_a_call_and_only_by_approximate_variants() {
    let asked = |items, tolerance| {
        ASKED.set(0);
        tolerant(items, tolerance);
        ASKED.get()
    };
    for _ in 0..3 {
        assert_eq!([asked(20, 0.05), asked(20, 0.003), asked(20, 0.0)], [1; 3]);
        assert_eq!(asked(5, 0.05), 0, "the best has no error");
    }
    ASKED.set(0);
    assert!(tolerant::select(20, 0.0).margin().is_some());
    assert_eq!(ASKED.get(), 1, "choice, reason and margin");
}

#[test]
fn a_program_that_names_a_variant_gets_it() {
    assert_eq!(tolerant::call(tolerant::Variant::Coarse, 21, 0.0), "coarse");
    let admissible = |items, tolerance| {
        tolerant::Variant::ALL.iter().map(move |&variant| tolerant::admissible(variant, items, tolerance))
    };
    assert!(admissible(20, 0.003).eq([true, true, true, false]));
    assert!(admissible(20, 0.05).eq([true; 4]));
    assert!(admissible(21, 0.05).eq([true, true, true, false]));
    assert!(admissible(20, f64::NAN).eq([true, true, false, false]));
}

#[test]
fn selections_and_counts_say_what_is_approximate() {
    let text = |tolerance| tolerant::select(21, tolerance).to_string();
    let evolved =
        "evolved (approximate, relative error up to 0.003 over lengths to 4096): best admissible choice";
    assert!(text(0.003).starts_with(evolved), "{}", text(0.003));
    assert!(text(0.0).starts_with("pairwise: best admissible choice"), "{}", text(0.0));
    let contract = |items, tolerance| tolerant::select(items, tolerance).contract();
    assert_eq!(contract(20, 0.05), Contract::Approx { max_error: COARSE, over: None });
    assert_eq!((contract(20, 0.0), contract(5, 0.0)), (Contract::Equivalent, Contract::Exact));

    assert_eq!([0.01, 0.0].map(|tolerance| tolerant(21, tolerance)), ["evolved", "pairwise"]);
    let stats = nitro::stats();
    let counts = stats.counts().iter().filter(|count| count.function == "tolerant");
    let known: Vec<bool> =
        counts.map(|count| count.is_approximate == ["evolved", "coarse"].contains(&count.variant)).collect();
    assert!(known.len() >= 2 && known.iter().all(|&is_known| is_known), "{stats}");
    let lines = stats.to_string();
    let line = lines.lines().find(|line| line.contains("evolved")).unwrap();
    assert!(line.ends_with(", approximate"), "{lines}");
}

#[test]
fn the_descriptor_says_it_too() {
    let function = tolerant::function();
    let constraints =
        function.variants().iter().map(|own| own.constraint().map(|constraint| constraint.text()));
    assert!(constraints.eq([
        None,
        None,
        Some("tolerance >= 0.003"),
        Some("tolerance >= COARSE && (items % 2 == 0)")
    ]));
    let evolved = Contract::Approx { max_error: 0.003, over: Some("lengths to 4096") };
    assert_eq!(function.contract(function.variant_choice(2)), evolved);
    assert_eq!(function.variants()[3].approximation(), Some((COARSE, None)));
    let constraint = function.variants()[2].constraint().unwrap();
    assert_eq!(constraint.admits(&[Some(20.0)], nitro::Configuration::default()), None, "the call decides");
}

fn tiled(p: tuned::Tiled, _: usize) -> usize {
    p.block
}

fn plain(_: usize) -> usize {
    1
}

#[code_variant(
    variants(plain, tiled { block in [8, 16] = 16 } if items >= block, #[cfg(any())] absent),
    default = plain,
    approximate(tiled = 1e-3, absent = 0.5),
    tolerance = 0.01,
)]
fn tuned(items: usize) -> usize;

#[code_variant(variants(plain, #[cfg(any())] absent), default = plain, approximate(absent = 0.5), tolerance = 1.0)]
fn without(items: usize) -> usize;

#[test]
fn approximate_variants_may_have_parameters_and_be_left_out_of_a_build() {
    let tiled = |block| tuned::Choice::Tiled(tuned::Tiled { block });
    assert!(tuned::admissible(tiled(8), 8) && !tuned::admissible(tiled(16), 8));
    let contract = tuned::function().contract(tuned::function().choice("tiled{block=8}").unwrap());
    assert!(contract.is_approximate());
    assert_eq!((tuned(20), without(20)), (1, 1), "there is no model");
}

#[code_variant(
    name = "only",
    variants(in_order, evolved),
    default = in_order,
    approximate(evolved = 0.003),
    tolerance = tolerance,
    model = {
        static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
            let names = ["in_order", "evolved"].map(str::to_owned).into();
            let mut only = Model::from_bytes(&model("only", None)).unwrap();
            (only.choices, only.features, only.selector) = (names, vec![], Selector::Constant { choice: 1 });
            only.to_bytes()
        });
        MODEL.as_slice()
    },
)]
fn only(items: usize, tolerance: f64) -> &'static str;

#[test]
fn the_default_runs_where_nothing_else_is_tolerated() {
    for _ in 0..2 {
        assert_eq!([0.0, 0.01].map(|tolerance| only(20, tolerance)), ["in_order", "evolved"]);
    }
    let selection = only::select(20, 0.0);
    assert_eq!(selection.reason(), Reason::FirstChoiceNotTolerated { first: "evolved" });
    assert_eq!(selection.contract(), Contract::Exact);
}
