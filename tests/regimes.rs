//! A call chooses for its device in its regime: the one that the program has said of the thread, otherwise the one that
//! the device tells. Where a model knows no device in the regime, it chooses as for eager calls, and a selection says
//! so.

mod macro_support;

use std::cell::Cell;
use std::sync::LazyLock;

use nitro::model::{Model, Node, Provenance};
use nitro::{Device, DeviceEntry, DeviceFeature, Reason, Regime, Stopwatch, code_variant, in_regime};
use nitro_test_support::allocations::{Counting, allocations};

use macro_support::forest;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A device that knows whether its queue is being captured.
struct Captures;

thread_local!(static IS_CAPTURED: Cell<bool> = const { Cell::new(false) });

impl Device for Captures {
    fn entry(&self) -> &'static DeviceEntry {
        let described = || vec![DeviceFeature { name: "lanes".into(), value: 64.0 }];
        DeviceEntry::intern("captures:0@lab", described, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        unreachable!("nothing is recorded")
    }

    fn regime(&self) -> Regime {
        if IS_CAPTURED.get() { Regime::Graph } else { Regime::Eager }
    }
}

/// A model of a tree that asks for the device feature of a regime, if it knows one.
fn model(function: &str, sources: &[&str], regime: Option<Regime>) -> Vec<u8> {
    let nodes = vec![Node::Split { column: 1, threshold: 0.5 }, Node::Leaf, Node::Leaf];
    let (nodes, values) = match regime {
        Some(_) => (nodes, vec![0, 128, 128, 0]),
        None => (vec![Node::Leaf], vec![128, 0]),
    };
    let known = forest(2, nodes, values);
    let model = Model {
        device_features: regime.and_then(Regime::feature).into_iter().map(str::to_owned).collect(),
        provenance: Provenance {
            sources: sources.iter().map(|&id| id.to_owned()).collect(),
            ..Provenance::default()
        },
        ..macro_support::model(function, &["launches", "fused"], &["length"], known)
    };
    model.to_bytes()
}

fn launches(_: usize) -> &'static str {
    "launches"
}

fn fused(_: usize) -> &'static str {
    "fused"
}

macro_rules! functions {
    ($($name:ident $key:literal $sources:expr, $regime:expr;)*) => {$(
        mod $name {
            use super::*;

            static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| model($key, $sources, $regime));

            #[code_variant(
                name = $key,
                device = Captures,
                features(length = n),
                variants(launches, fused),
                default = launches,
                model = MODEL.as_slice(),
            )]
            pub fn work(n: usize) -> &'static str;
        }
    )*};
}
functions! {
    of_graphs "of_graphs" &["captures:1@lab", "captures:1+graph@lab"], Some(Regime::Graph);
    of_eager_calls "of_eager_calls" &["captures:1@lab"], None;
    counted "counted" &["captures:1@lab", "captures:1+graph@lab"], Some(Regime::Graph);
}

fn captured<R>(work: impl FnOnce() -> R) -> R {
    IS_CAPTURED.set(true);
    let result = work();
    IS_CAPTURED.set(false);
    result
}

#[test]
fn the_device_tells_the_regime_and_the_program_may_say_otherwise() {
    use of_graphs::work;
    for _ in 0..3 {
        assert_eq!(work(5), "launches");
        assert_eq!(captured(|| work(5)), "fused", "another device, though the input is the same");
        assert_eq!(in_regime(Regime::Graph, || work(5)), "fused");
        assert_eq!(captured(|| in_regime(Regime::Eager, || work(5))), "launches");
    }
    let selection = captured(|| work::select(5));
    assert_eq!((selection.variant(), selection.reason()), (work::Variant::Fused, Reason::Predicted));
}

#[test]
fn what_a_model_does_not_know_it_chooses_as_for_eager_calls_and_a_selection_says_so() {
    for (regime, selection) in [
        (Regime::Graph, captured(|| of_eager_calls::work::select(5))),
        (Regime::Cold, in_regime(Regime::Cold, || of_eager_calls::work::select(5))),
    ] {
        assert_eq!(selection.reason(), Reason::PredictedForEager { regime });
        assert_eq!(
            selection.to_string().split(", ").next(),
            Some(&*format!(
                "fused: predicted as for an eager call by a model that knows no device in regime {regime}"
            ))
        );
    }
    assert_eq!(captured(|| of_eager_calls::work(5)), "fused");
    let cold = in_regime(Regime::Cold, || of_graphs::work::select(5));
    assert_eq!(
        cold.reason(),
        Reason::PredictedForEager { regime: Regime::Cold },
        "it knows another one alone"
    );
    assert_eq!(of_eager_calls::work::select(5).reason(), Reason::Predicted);
}

#[test]
fn after_the_first_call_in_a_regime_choosing_allocates_nothing() {
    let calls =
        || [counted::work(5), captured(|| counted::work(5)), in_regime(Regime::Cold, || counted::work(5))];
    let first = calls();
    let before = allocations();
    assert_eq!(calls(), first);
    assert_eq!(allocations(), before);
}
