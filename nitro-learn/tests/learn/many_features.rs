//! Recordings may have more features than a model: those that matter are found, the same each time, without looking
//! at what is held out.

use nitro_core::model::Model;
use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
use nitro_learn::{DeviceFeatures, FitOptions, Fitted, LearnError, Strategy, fit};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, MAX_FEATURES, Measurement, Outcome, Recordings};

const DEVICES: usize = 3;

fn row(device: usize, input: usize, variant: usize, time_ns: f64) -> Measurement {
    let (configuration, reason) = Default::default();
    let outcome = Outcome::Time(time_ns);
    Measurement {
        device,
        input,
        variant,
        configuration,
        outcome,
        spread_ns: 0.0,
        repeats: 5,
        load: None,
        reason,
    }
}

/// `tiled` is as good as `plain` is bad where the product of the features `left` and `right` is large, and `wide`
/// is best where `size` is large, which the last tenth of the features tell alike; `features` in all, the others
/// are noise.
fn recordings(features: usize, inputs: usize) -> Recordings {
    let mut random = Random::new(7);
    let mut recordings = Recordings {
        function: "f".into(),
        variants: ["plain", "tiled", "wide"].map(str::to_owned).into(),
        default_variant: Some(0),
        features: (0..features).map(|feature| format!("f{feature}")).collect(),
        ..Recordings::default()
    };
    for device in 0..DEVICES {
        let known = (0..40).map(|feature| (format!("d{feature}"), random.unit())).collect();
        recordings.devices.push(DeviceRecord { id: format!("device{device}"), features: known });
    }
    let [left, right] = [features / 3, features / 2];
    recordings.features[left] = "left".into();
    recordings.features[right] = "right".into();
    for input in 0..inputs {
        let mut values: Vec<f64> = (0..features).map(|_| random.unit()).collect();
        let size = random.unit();
        for (number, value) in values.iter_mut().rev().take(features / 10).enumerate() {
            *value = size.powf(1.0 + number as f64 / 50.0) + 0.01 * random.unit();
        }
        let times = if values[left] * values[right] > 0.25 { [9.0, 3.0] } else { [3.0, 9.0] };
        let times = times.into_iter().chain([if size > 0.6 { 2.0 } else { 12.0 }]);
        for (device, (variant, time_ns)) in
            (0..DEVICES).flat_map(|device| times.clone().enumerate().map(move |row| (device, row)))
        {
            recordings.measurements.push(row(device, input, variant, time_ns));
        }
        recordings.inputs.push(Input { name: format!("train/{input}"), features: values });
    }
    recordings
}

fn options(strategy: &str) -> FitOptions {
    FitOptions { strategies: vec![strategy.parse().unwrap()], ..FitOptions::default() }
}

#[test]
fn of_many_features_those_that_matter_are_learned_from() {
    let recordings = recordings(1000, 200);
    let fitted = fit(&recordings, &options("forest-none")).unwrap();
    let features = &fitted.model.features;
    assert_eq!(features.len(), nitro_core::MAX_FEATURES);
    assert!(["left", "right"].iter().all(|name| features.iter().any(|own| own == name)), "{features:?}");
    let tells_size =
        |name: &&String| name.strip_prefix('f').is_some_and(|number| number.parse::<usize>().unwrap() >= 900);
    assert!(features.iter().filter(tells_size).count() >= 1, "{features:?}");
    assert!(features.is_sorted_by_key(|name| recordings.features.iter().position(|own| own == name)));
    assert_eq!(Model::from_bytes(&fitted.model.to_bytes()).unwrap(), fitted.model);
    let [note] = &fitted.notes[..] else { panic!("{:?}", fitted.notes) };
    assert!(
        note.contains("at most 32") && note.contains("`f0`") && note.ends_with(" and 936 more"),
        "{note}"
    );
}

#[test]
fn the_same_features_are_chosen_each_time_on_any_number_of_threads() {
    let recordings = recordings(100, 60);
    let fit = || fit(&recordings, &options("forest-none")).unwrap().model.to_bytes();
    let on_threads =
        |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(fit);
    assert_eq!(on_threads(1), on_threads(3));
}

#[test]
fn as_many_features_as_a_model_has_are_all_learned_from() {
    let fitted = fit(&recordings(32, 60), &options("forest-none")).unwrap();
    assert_eq!((fitted.model.features.len(), fitted.notes.len()), (32, 0));
}

/// Every selector, of inputs and devices of more features than a model has.
#[test]
fn every_selector_is_fitted_and_judged() {
    let recordings = recordings(33, 60);
    for strategy in Strategy::all().filter(|strategy| !strategy.name().contains("profile")) {
        let Fitted { model, notes, .. } = fit(&recordings, &options(strategy.name())).unwrap();
        let said = notes
            .iter()
            .any(|note| note.contains("device features that are not used because they are more than 32"));
        assert_eq!(said, strategy.device_features != DeviceFeatures::None, "{notes:?}");
        assert!(model.features.len() <= 32 && model.device_features.len() <= 32, "{}", strategy.name());
        assert!(
            !model.rank(&vec![0.5; model.features.len()], &vec![0.5; model.device_features.len()]).is_empty()
        );
    }
    let split = Split { train: (0..40).collect(), test: (40..60).collect() };
    let evaluation = evaluate(&recordings, &split, &EvaluateOptions::default()).unwrap();
    assert_eq!(evaluation.devices.len(), DEVICES);
}

/// What the held-out device measured has no say in which features are learned from.
#[test]
fn features_are_chosen_by_the_sources_alone() {
    let one = recordings(100, 60);
    let mut other = one.clone();
    let last = DEVICES - 1;
    for measurement in other.measurements.iter_mut().filter(|one| one.device == last) {
        measurement.outcome =
            Outcome::Time(one.inputs[measurement.input].features[0] + 1.0 + measurement.variant as f64);
    }
    let fit = |recordings| {
        let sources = (0..last).map(|device| format!("device{device}")).collect();
        fit(recordings, &FitOptions { sources, ..options("forest-none") }).unwrap().model.features
    };
    assert_eq!(fit(&one), fit(&other));
    let split = Split { train: (0..40).collect(), test: (40..60).collect() };
    let features = |recordings: &Recordings| {
        let evaluation = evaluate(recordings, &split, &EvaluateOptions::default()).unwrap();
        evaluation.devices[last].auto_model.features.clone()
    };
    assert_eq!(features(&one), features(&other));
}

#[test]
fn more_variants_than_a_selection_tells_apart_are_refused() {
    let mut recordings = recordings(4, 20);
    recordings.variants.extend((0..62).map(|variant| format!("v{variant}")));
    let error = fit(&recordings, &options("static")).unwrap_err();
    assert!(matches!(error, LearnError::TooManyVariants { variants: 65, .. }), "{error:?}");
    let split = Split { train: (0..10).collect(), test: (10..20).collect() };
    let error = evaluate(&recordings, &split, &EvaluateOptions::default()).unwrap_err().to_string();
    assert!(error.contains("`f` has 65 variants, and may have 64"), "{error}");
}

/// Values that single precision does not hold would make thresholds that no reader takes.
#[test]
fn features_of_extreme_values_are_not_used() {
    let mut recordings = recordings(4, 60);
    for (input, extreme) in
        recordings.inputs.iter_mut().zip([1e300, -1e300, f64::MAX, f64::MIN].into_iter().cycle())
    {
        input.features[3] = extreme;
    }
    for (device, extreme) in recordings.devices.iter_mut().zip([1e300, -1e300, f64::MAX]) {
        device.features.insert("extreme".into(), extreme);
    }
    for strategy in ["forest-all", "svm-all", "svm-weighted-none"] {
        let fitted = fit(&recordings, &options(strategy)).unwrap();
        assert!(!fitted.model.features.contains(&"f3".to_owned()), "{strategy}");
        assert!(!fitted.model.device_features.contains(&"extreme".to_owned()), "{strategy}");
        assert!(
            fitted.notes.iter().any(|note| note.contains("`f3` has values beyond ±3.4e38")),
            "{:?}",
            fitted.notes
        );
    }
}

/// The most that an import takes; some seconds, not minutes.
#[test]
fn the_most_features_that_recordings_have() {
    let fitted = fit(&recordings(MAX_FEATURES, 40), &options("svm-none")).unwrap();
    assert_eq!(fitted.model.features.len(), 32);
}
