//! Whatever is wrong with a model in the folder that `NITRO_MODELS` names, the call runs the best admissible
//! variant and the selection says why.
//!
//! In a file of its own, in one test: the variable is the process's.

use nitro::model::{Class, Coverage, Model, Provenance, Scale, Selector, Svm, Transform, file_name};
use nitro::{Reason, code_variant};

fn first(_: f64) -> &'static str {
    "first"
}

fn second(_: f64) -> &'static str {
    "second"
}

fn third(_: f64) -> &'static str {
    "third"
}

macro_rules! functions {
    ($($name:ident)*) => {$(
        #[code_variant(features(size = x), variants(first, second if size < 100.0, third), default = first)]
        fn $name(x: f64) -> &'static str;
    )*};
}
functions!(good no_model damaged cut_off empty foreign later_version other_feature other_device_feature variant_gone
    same_meaning other_meaning unknown_meaning
    variant_new only_gone a_folder);

/// A model that chooses `second`, then `third`, whatever the input.
fn prefers_second(function: &str) -> Model {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Model {
        function: function.into(),
        choices: names(&["first", "second", "third"]),
        features: names(&["size"]),
        device_features: vec![],
        selector: Selector::Svm(Svm {
            gamma: 1.0,
            scaling: vec![Scale { transform: Transform::Identity, min: 0.0, max: 1.0 }],
            classes: [1, 2, 0].map(|variant| Class { choice: variant, support: 0 }).into(),
            vectors: vec![],
            coefficients: vec![],
            rho: vec![-1.0; 3],
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
    }
}

#[test]
fn a_call_survives_every_model() {
    let folder = tempfile::tempdir().unwrap();
    let name = |function: &str| format!("{}::{function}", module_path!());
    let path = |function: &str| folder.path().join(file_name(&name(function)));
    let write = |function: &str, change: fn(&mut Model)| {
        let mut model = prefers_second(&name(function));
        change(&mut model);
        model.write(&path(function)).unwrap();
    };
    let damage = |function: &str, damage: fn(&mut Vec<u8>)| {
        let mut bytes = prefers_second(&name(function)).to_bytes();
        damage(&mut bytes);
        std::fs::write(path(function), bytes).unwrap();
    };
    write("good", |_| ());
    damage("damaged", |bytes| *bytes.last_mut().unwrap() ^= 1);
    damage("cut_off", |bytes| bytes.truncate(40));
    damage("empty", Vec::clear);
    damage("later_version", |bytes| bytes[8] = 99);
    write("foreign", |model| model.function = "other".into());
    write("other_feature", |model| model.features[0] = "y".into());
    write("same_meaning", |model| {
        model.feature_digests = vec![same_meaning::function().feature_digests()[0]]
    });
    write("other_meaning", |model| model.feature_digests = vec![1]);
    write("unknown_meaning", |model| model.feature_digests = vec![0]);
    write("other_device_feature", |model| {
        model.device_features.push("warp_size".into());
        let Selector::Svm(svm) = &mut model.selector else { unreachable!() };
        svm.scaling.push(svm.scaling[0]);
    });
    write("variant_gone", |model| model.choices[1] = "gone".into());
    write("variant_new", |model| model.choices[2] = "gone".into());
    write("only_gone", |model| {
        model.choices = vec!["gone".into()];
        model.selector = Selector::Constant { choice: 0 };
    });
    std::fs::create_dir(path("a_folder")).unwrap();
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe { std::env::set_var("NITRO_MODELS", folder.path()) };

    macro_rules! check {
        ($function:ident($x:expr) runs $variant:literal because $reason:expr) => {
            let selection = $function::select($x);
            assert_eq!((selection.variant().to_string().as_str(), selection.reason()), ($variant, $reason));
            assert_eq!($function($x), $variant, stringify!($function));
        };
    }
    check!(good(1.0) runs "second" because Reason::Predicted);
    check!(good(500.0) runs "third" because Reason::FirstChoiceInadmissible { first: "second" });
    check!(good(f64::NAN) runs "first" because Reason::FeatureNotFinite { feature: "size" });
    check!(good(f64::INFINITY) runs "first" because Reason::FeatureNotFinite { feature: "size" });
    check!(no_model(1.0) runs "first" because Reason::NoModel);
    check!(damaged(1.0) runs "first" because Reason::ModelUnreadable);
    check!(cut_off(1.0) runs "first" because Reason::ModelUnreadable);
    check!(empty(1.0) runs "first" because Reason::ModelUnreadable);
    check!(later_version(1.0) runs "first" because Reason::ModelUnreadable);
    check!(a_folder(1.0) runs "first" because Reason::ModelUnreadable);
    check!(foreign(1.0) runs "first" because Reason::ModelForeign);
    check!(other_feature(1.0) runs "first" because Reason::FeatureMissing);
    check!(same_meaning(1.0) runs "second" because Reason::Predicted);
    check!(other_meaning(1.0) runs "first" because Reason::FeatureChanged { feature: "size" });
    check!(unknown_meaning(1.0) runs "second" because Reason::Predicted);
    check!(other_device_feature(1.0) runs "first" because Reason::DeviceFeatureMissing);
    check!(variant_gone(1.0) runs "third" because Reason::FirstChoiceMissing);
    check!(variant_new(1.0) runs "second" because Reason::PredictedWithout { unknown: "third" });
    check!(only_gone(1.0) runs "first" because Reason::FirstChoiceMissing);

    let selection = good::select(1.0);
    assert_eq!(selection.features().get("size"), Some(1.0));
    assert_eq!(selection.confidence(), Some(1.0));
    assert_eq!(selection.to_string(), "second: predicted by the model, confidence 1.00; size=1");
    assert!(no_model::select(1.0).features().is_empty(), "nothing needed the feature");
}
