//! A selection tells whether it is about something like what the model was trained on.

mod macro_support;

use std::sync::LazyLock;

use nitro::model::{Coverage, DeviceRegion, Model, Offset, Region, Scale, Transform};
use nitro::{Far, Reason, code_variant, host};

fn insertion(_: &[u32]) -> &'static str {
    "insertion"
}
fn merge(_: &[u32]) -> &'static str {
    "merge"
}

/// The model's bytes: below a length of 500 `insertion`, with what it says of its training.
fn model(function: &str, coverage: Coverage) -> Vec<u8> {
    let bytes = macro_support::threshold(function, ["insertion", "merge"], "length", 500.0);
    let model = Model::from_bytes(&bytes).expect("it was just made");
    Model { coverage, ..model }.to_bytes()
}

/// Training points at the ends and in the middle of a range.
fn region(min: f64, max: f64) -> Region {
    let scale = Scale { transform: Transform::Identity, min, max };
    let points: [&[f64]; 3] = [&[-1.0], &[0.0], &[1.0]];
    Region::new(vec![scale], points, Offset { gap: 0.6, excess: 0.2 })
}

fn threads(min: f64, max: f64) -> Option<DeviceRegion> {
    Some(DeviceRegion { features: vec!["threads".into()], region: region(min, max) })
}

/// Trained on lengths from 100 to 1000.
fn lengths() -> Option<Region> {
    Some(region(100.0, 1000.0))
}

macro_rules! functions {
    ($($name:ident: $coverage:expr;)*) => {$(
        #[allow(dead_code, reason = "asked what it would run, never called")]
        #[code_variant(
            features(length = keys.len()),
            variants(insertion, merge),
            default = merge,
            model = {
                static BYTES: LazyLock<Vec<u8>> =
                    LazyLock::new(|| model(concat!(module_path!(), "::", stringify!($name)), $coverage));
                BYTES.as_slice()
            },
        )]
        fn $name(keys: &[u32]) -> &'static str;
    )*};
}

functions! {
    known_device: Coverage {
        inputs: lengths(),
        devices: threads(0.0, 2.0 * host::available_threads() as f64),
    };
    unknown_device: Coverage {
        inputs: lengths(),
        devices: threads(10.0 * host::available_threads() as f64, 20.0 * host::available_threads() as f64),
    };
    without_part: Coverage::default();
}

#[test]
fn an_input_inside_the_training_range_is_near_and_one_a_decade_outside_is_far() {
    for length in [100, 300, 550, 1000] {
        let selection = known_device::select(&vec![0; length]);
        assert_eq!(selection.reason(), Reason::Predicted, "{length}");
        assert!(selection.input_distance() <= Some(1.0) && selection.device_distance() <= Some(1.0));
    }
    let selection = known_device::select(&[0; 10_000]);
    assert_eq!(selection.reason(), Reason::PredictedFar { far: Far::Input });
    assert!(selection.input_distance() > Some(1.0) && selection.device_distance() <= Some(1.0));
    let text = selection.to_string();
    assert!(text.contains("predicted by the model, far from the inputs it was trained on"), "{text}");
}

#[test]
fn a_device_outside_of_the_range_of_all_sources_is_far() {
    let near = unknown_device::select(&[0; 500]);
    assert_eq!(near.reason(), Reason::PredictedFar { far: Far::Device });
    let both = unknown_device::select(&[0; 10_000]);
    assert_eq!(both.reason(), Reason::PredictedFar { far: Far::Both });
}

/// What is far is chosen for as before: nothing better is known.
#[test]
fn far_changes_the_reason_and_not_the_choice() {
    for keys in [vec![0; 10], vec![0; 10_000]] {
        let (far, plain) = (unknown_device::select(&keys), without_part::select(&keys));
        assert_eq!(far.variant().to_string(), plain.variant().to_string());
        assert_eq!(far.confidence(), plain.confidence());
        let ran = [unknown_device(&keys), known_device(&keys), without_part(&keys)];
        assert_eq!(ran, [plain.variant().to_string().as_str(); 3]);
    }
}

#[test]
fn a_model_without_the_part_says_nothing_of_distance() {
    let selection = without_part::select(&[0; 10_000]);
    assert_eq!(selection.reason(), Reason::Predicted);
    assert_eq!((selection.input_distance(), selection.device_distance()), (None, None));
}

#[test]
fn the_margin_is_over_the_next_admissible_variant() {
    let selection = without_part::select(&[0; 10]);
    assert_eq!((selection.confidence(), selection.margin()), (Some(1.0), Some(1.0)), "it won the only duel");

    let selection = lonely::select(&[0; 10]);
    assert_eq!((selection.confidence(), selection.margin()), (Some(1.0), None), "no other may run");
    assert_eq!(lonely(&[0; 10]), "insertion");
}

#[code_variant(
    name = "lonely",
    features(length = keys.len()),
    variants(insertion, merge if length > 5000, fallback),
    default = fallback,
    model = LONELY.as_slice(),
)]
fn lonely(keys: &[u32]) -> &'static str;

fn fallback(_: &[u32]) -> &'static str {
    "fallback"
}

static LONELY: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("lonely", ["insertion", "merge"], "length", 500.0));
