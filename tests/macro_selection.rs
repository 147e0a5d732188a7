//! Which variant runs, and why.

mod macro_support;

use std::cell::Cell;
use std::sync::LazyLock;

use nitro::{Reason, code_variant};

thread_local! {
    /// How often the feature `length` was computed on this thread.
    static LENGTHS: Cell<usize> = const { Cell::new(0) };
    /// The same of the feature `spread`.
    static SPREADS: Cell<usize> = const { Cell::new(0) };
}

fn count(counter: &'static std::thread::LocalKey<Cell<usize>>) {
    counter.set(counter.get() + 1);
}

fn length(keys: &[u32]) -> usize {
    count(&LENGTHS);
    keys.len()
}

fn spread(keys: &[u32]) -> f64 {
    count(&SPREADS);
    let (low, high) = keys.iter().fold((u32::MAX, 0), |(low, high), &key| (low.min(key), high.max(key)));
    f64::from(high.saturating_sub(low))
}

/// Runs `body` and tells how often `length` and `spread` were computed in it.
fn computed<R>(body: impl FnOnce() -> R) -> (R, [usize; 2]) {
    LENGTHS.set(0);
    SPREADS.set(0);
    let result = body();
    (result, [LENGTHS.get(), SPREADS.get()])
}

mod sorts {
    //! Each variant returns its own name.
    pub fn insertion(_: &[u32]) -> &'static str {
        "insertion"
    }
    pub fn merge(_: &[u32]) -> &'static str {
        "merge"
    }
    pub fn counting(_: &[u32]) -> &'static str {
        "counting"
    }
}

/// Learned by length; `counting` is not known to the model.
#[code_variant(
    name = "by_length",
    features(length = length(keys), spread = spread(keys)),
    variants(sorts::insertion, sorts::merge, sorts::counting if spread < 256.0),
    default = merge,
    model = BY_LENGTH.as_slice(),
)]
fn by_length(keys: &[u32]) -> &'static str;

static BY_LENGTH: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("by_length", ["insertion", "merge"], "length", 10.0));

#[test]
fn the_model_chooses_by_the_feature_and_the_call_agrees_with_the_selection() {
    for (keys, expected) in [(vec![1; 3], "insertion"), (vec![1; 17], "merge")] {
        let selection = by_length::select(&keys);
        assert_eq!(selection.variant().to_string(), expected);
        assert_eq!(selection.reason(), Reason::PredictedWithout { unknown: "counting" });
        assert_eq!(selection.features().get("length"), Some(keys.len() as f64));
        assert_eq!(selection.features().get("spread"), None);
        assert_eq!(selection.confidence(), Some(1.0));
        assert_eq!(by_length(&keys), expected);
    }
}

#[test]
fn a_feature_is_computed_once_a_call_and_only_when_it_is_needed() {
    let (_, counts) = computed(|| by_length(&[1; 17]));
    assert_eq!(counts, [1, 0], "the model asks for `length`, no admissible variant for `spread`");
}

/// The model always ranks `counting` first.
#[code_variant(
    name = "counting_first",
    features(length = length(keys), spread = spread(keys)),
    variants(sorts::insertion, sorts::merge, sorts::counting if spread.is_finite() && spread < 256.0),
    default = merge,
    model = COUNTING_FIRST.as_slice(),
)]
fn counting_first(keys: &[u32]) -> &'static str;

static COUNTING_FIRST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::constant("counting_first", &["insertion", "merge", "counting"], "counting")
});

#[test]
fn a_constraint_over_a_feature_admits_and_forbids() {
    let admitted = counting_first::select(&[7, 200]);
    assert_eq!(
        (admitted.variant(), admitted.reason()),
        (counting_first::Variant::Counting, Reason::Predicted)
    );
    assert_eq!(counting_first(&[7, 200]), "counting");

    let forbidden = counting_first::select(&[7, 2000]);
    let reason = Reason::FirstChoiceInadmissible { first: "counting" };
    assert_eq!((forbidden.variant(), forbidden.reason()), (counting_first::Variant::Merge, reason));
    assert_eq!(counting_first(&[7, 2000]), "merge");
}

#[test]
fn a_constraint_computes_the_features_it_mentions_and_no_other() {
    let (ran, counts) = computed(|| counting_first(&[7, 200]));
    assert_eq!((ran, counts), ("counting", [0, 1]));
}

/// Two constrained variants; the model ranks `merge` first above a length of 10.
#[code_variant(
    name = "merge_if_even",
    features(length = length(keys)),
    variants(sorts::insertion, sorts::merge if length % 2 == 0 && keys.len() == length),
    default = insertion,
    model = MERGE_IF_EVEN.as_slice(),
)]
fn merge_if_even(keys: &[u32]) -> &'static str;

static MERGE_IF_EVEN: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("merge_if_even", ["insertion", "merge"], "length", 10.0));

#[test]
fn a_constraint_sees_the_feature_with_its_own_type() {
    let even = merge_if_even::select(&[0; 16]);
    assert_eq!((even.variant(), even.reason()), (merge_if_even::Variant::Merge, Reason::Predicted));
    let odd = merge_if_even::select(&[0; 17]);
    let reason = Reason::FirstChoiceInadmissible { first: "merge" };
    assert_eq!((odd.variant(), odd.reason()), (merge_if_even::Variant::Insertion, reason));
}

#[test]
fn model_and_constraint_share_one_computation_of_a_feature() {
    let (ran, counts) = computed(|| merge_if_even(&[0; 16]));
    assert_eq!((ran, counts), ("merge", [1, 0]));
}

/// No model anywhere.
#[code_variant(
    name = "tests::macro_selection::no_model",
    features(length = length(keys)),
    variants(sorts::insertion if length < 10, sorts::merge),
    default = merge,
)]
fn no_model(keys: &[u32]) -> &'static str;

#[test]
fn without_a_model_the_default_runs_and_no_feature_is_computed() {
    let (selection, counts) = computed(|| no_model::select(&[1]));
    assert_eq!((selection.variant(), selection.reason()), (no_model::Variant::Merge, Reason::NoModel));
    assert_eq!((selection.confidence(), selection.features().len(), counts), (None, 0, [0, 0]));
    assert_eq!(computed(|| no_model(&[1])), ("merge", [0, 0]));
}

/// The embedded model is of another function.
#[code_variant(
    name = "foreign",
    variants(sorts::insertion, sorts::merge),
    default = merge,
    model = BY_LENGTH.as_slice(),
)]
fn foreign(keys: &[u32]) -> &'static str;

/// The embedded bytes are no model.
#[code_variant(name = "broken", variants(sorts::insertion, sorts::merge), default = merge, model = b"broken")]
fn broken(keys: &[u32]) -> &'static str;

#[test]
fn a_model_that_cannot_be_used_leaves_the_default() {
    assert_eq!(foreign::select(&[]).reason(), Reason::ModelForeign);
    assert_eq!(broken::select(&[]).reason(), Reason::ModelUnreadable);
    assert_eq!((foreign(&[]), broken(&[])), ("merge", "merge"));
}

/// A feature that is not finite for an empty input.
#[code_variant(
    name = "mean",
    features(mean = keys.iter().sum::<u32>() as f64 / keys.len() as f64),
    variants(sorts::insertion, sorts::merge),
    default = merge,
    model = MEAN.as_slice(),
)]
fn by_mean(keys: &[u32]) -> &'static str;

static MEAN: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("mean", ["insertion", "merge"], "mean", 10.0));

#[test]
fn a_feature_that_is_not_finite_leaves_the_default() {
    assert_eq!(by_mean::select(&[]).reason(), Reason::FeatureNotFinite { feature: "mean" });
    assert_eq!(by_mean(&[3, 5]), "insertion");
}
