//! A hint, `prefer if ..`, picks a variant where nothing was learned, and is a feature where something was.

mod macro_support;

use std::cell::Cell;
use std::sync::LazyLock;

use nitro::model::{Caution, Model, Node};
use nitro::recording::record;
use nitro::{Reason, code_variant};

thread_local! {
    /// The number of times that the hint of `quick` was computed on this thread.
    static HINTS: Cell<usize> = const { Cell::new(0) };
}

fn is_long(n: f64) -> bool {
    HINTS.set(HINTS.get() + 1);
    n > 10.0
}

/// Runs `body` and returns with its result how often the hint of `quick` was computed in it.
fn computed<R>(body: impl FnOnce() -> R) -> (R, usize) {
    HINTS.set(0);
    (body(), HINTS.get())
}

fn plain(_: f64) -> &'static str {
    "plain"
}

fn quick(_: f64) -> &'static str {
    "quick"
}

fn even(_: f64) -> &'static str {
    "even"
}

/// Nobody has learned anything of it.
#[code_variant(
    name = "hinted",
    features(size = n),
    variants(plain, quick if n != 20.0 prefer if is_long(n), even prefer if n % 2.0 == 0.0),
    default = plain,
)]
fn hinted(n: f64) -> &'static str;

/// What is selected and why; a call runs the same, remembered or not.
fn selected(n: f64) -> (&'static str, Reason) {
    let selection = hinted::select(n);
    let name = selection.variant().to_string();
    assert_eq!([(); 3].map(|()| hinted(n)), [name.as_str(); 3]);
    (hinted(n), selection.reason())
}

#[test]
fn without_a_model_the_first_admissible_variant_whose_hint_holds_runs() {
    assert_eq!(selected(3.0), ("plain", Reason::NoModel), "no hint holds");
    assert_eq!(selected(4.0), ("even", Reason::NoModel));
    assert_eq!(selected(13.0), ("quick", Reason::NoModel));
    assert_eq!(selected(14.0), ("quick", Reason::NoModel), "the first of both");
    assert_eq!(selected(20.0), ("even", Reason::NoModel), "the first that its constraint admits");
}

#[test]
fn a_hint_is_a_feature_of_its_name() {
    assert_eq!(hinted::function().features(), ["size", "prefer_quick", "prefer_even"]);
    let selection = hinted::select(14.0);
    let of = |name| selection.features().get(name);
    assert_eq!([of("size"), of("prefer_quick"), of("prefer_even")], [None, Some(1.0), Some(1.0)]);
    assert!(hinted::admissible(hinted::Variant::Quick, 1.0), "it forbids nothing");
}

#[test]
fn a_recording_measures_a_variant_where_its_hint_does_not_hold() {
    let choices: Vec<_> = hinted::function().default_choices().collect();
    let quick = choices[hinted::Variant::Quick as usize];
    let (result, observation) =
        record(hinted::function(), quick, &choices, || hinted(3.0)).expect("no panic");
    assert_eq!((result, observation.admissible), ("quick", vec![true; 3]));
    assert_eq!(observation.features, [3.0, 0.0, 0.0]);
}

/// Its model asks for the size alone: up to 10 `quick`, then `plain`.
#[code_variant(
    name = "overruled",
    features(size = n),
    variants(plain, quick prefer if is_long(n)),
    default = plain,
    model = OVERRULED.as_slice(),
)]
fn overruled(n: f64) -> &'static str;

static OVERRULED: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("overruled", ["quick", "plain"], "size", 10.0));

#[test]
fn a_model_overrules_a_hint_and_never_computes_one_that_it_does_not_ask_for() {
    let ((short, long), count) = computed(|| (overruled(3.0), overruled(30.0)));
    assert_eq!((short, long, count), ("quick", "plain", 0));
    let (not_finite, count) = computed(|| overruled(f64::NAN));
    assert_eq!((not_finite, count), ("plain", 1), "the model cannot be asked");
    assert_eq!(overruled::select(f64::INFINITY).variant(), overruled::Variant::Quick);
}

/// Its model has learned to do the opposite of the hint.
#[code_variant(
    name = "learned",
    variants(plain, quick prefer if is_long(n)),
    default = plain,
    model = LEARNED.as_slice(),
)]
fn learned(n: f64) -> &'static str;

static LEARNED: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("learned", ["quick", "plain"], "prefer_quick", 0.5));

#[test]
fn a_model_may_use_a_hint_as_a_feature() {
    assert_eq!((learned(3.0), learned(30.0)), ("quick", "plain"));
    let (_, count) = computed(|| learned(30.0));
    assert_eq!(count, 1, "once a call");
}

/// Its model expects little of `quick` beyond `plain`, whatever the size.
#[code_variant(
    name = "unsure",
    features(size = n),
    variants(plain, quick, even prefer if is_long(n)),
    default = plain,
    model = UNSURE.as_slice(),
)]
fn unsure(n: f64) -> &'static str;

static UNSURE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let nodes = vec![Node::Split { column: 0, threshold: 50.0 }, Node::Leaf, Node::Leaf];
    let forest = macro_support::forest(2, nodes, vec![3, 0, 200, 0]);
    let caution = Some(Caution { choice: 0, margin: 0.02, far: false });
    Model { caution, ..macro_support::model("unsure", &["plain", "quick"], &["size"], forest) }.to_bytes()
});

#[test]
fn where_a_model_is_unsure_a_hint_goes_before_the_default() {
    let selected = |n| (unsure::select(n).variant(), unsure::select(n).reason());
    assert_eq!(selected(3.0), (unsure::Variant::Plain, Reason::Unsure));
    assert_eq!(selected(30.0), (unsure::Variant::Even, Reason::Unsure));
    assert_eq!(selected(60.0).0, unsure::Variant::Quick, "it is sure");
    assert_eq!((unsure(3.0), unsure(30.0), unsure(30.0), unsure(60.0)), ("plain", "even", "even", "quick"));
}
