//! Features that hardly vary beside their size: noise of rounding is nothing to learn from, and a small range may
//! be real.

use nitro_core::model::Model;
use nitro_learn::{FitOptions, Fitted, Strategy, fit};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

/// Two devices; variant `a` is three times as fast as `b` where the first of two drawn numbers is the larger one.
/// `features` makes the input's features of these two.
fn recordings(names: &[&str], features: impl Fn(&mut Random, [f64; 2]) -> Vec<f64>) -> Recordings {
    let mut random = Random::new(11);
    let device = |number: usize| DeviceRecord { id: format!("d{number}"), features: Default::default() };
    let mut recordings = Recordings {
        function: "f".into(),
        variants: vec!["a".into(), "b".into()],
        default_variant: Some(0),
        features: names.iter().map(|&name| name.to_owned()).collect(),
        devices: vec![device(0), device(1)],
        ..Recordings::default()
    };
    for input in 0..80 {
        let drawn = [random.unit(), random.unit()];
        let times = if drawn[0] > drawn[1] { [1e6, 3e6] } else { [3e6, 1e6] };
        let features = features(&mut random, drawn);
        recordings.inputs.push(Input { name: format!("train/{input}"), features });
        for (device, variant) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (configuration, reason) = Default::default();
            let outcome = Outcome::Time(times[variant]);
            let repeats = 5;
            let row = Measurement {
                device,
                input,
                variant,
                configuration,
                outcome,
                spread_ns: 0.0,
                repeats,
                load: None,
                reason,
            };
            recordings.measurements.push(row);
        }
    }
    recordings
}

/// Fits with a strategy; `auto` chooses among all.
fn fitted(recordings: &Recordings, strategy: &str) -> Fitted {
    let strategies = if strategy == "auto" { vec![] } else { vec![strategy.parse().unwrap()] };
    fit(recordings, &FitOptions { strategies, ..FitOptions::default() }).unwrap()
}

fn choice<'m>(model: &'m Model, features: &[f64]) -> &'m str {
    &model.choices[model.rank(features, &[])[0]]
}

/// Selectors that look at features.
const SELECTORS: [&str; 4] = ["svm-none", "forest-none", "tree-none", "auto"];

#[test]
fn a_feature_that_varies_by_rounding_alone_is_left_out() {
    let sum_of_shares = |random: &mut Random| {
        let parts: Vec<f64> = (0..7).map(|_| random.unit()).collect();
        let all: f64 = parts.iter().sum();
        parts.iter().map(|part| part / all).sum()
    };
    let step = |random: &mut Random| 14.62 * (1.0 + (random.unit() * 4.0).floor() * f64::EPSILON);
    let large = |random: &mut Random| -3e17 + (random.unit() * 20.0).floor() * 64.0;
    for noise in [sum_of_shares, step, large] {
        let recordings = recordings(&["x", "y", "noise"], |random, [x, y]| vec![x, y, noise(random)]);
        assert!(recordings.inputs.iter().any(|one| one.features[2] != recordings.inputs[0].features[2]));
        for strategy in Strategy::all().filter(|strategy| !strategy.name().contains("profile")) {
            let Fitted { model, notes, .. } = fitted(&recordings, strategy.name());
            assert!(!model.features.iter().any(|name| name == "noise"), "{}", strategy.name());
            assert!(
                notes.iter().any(|note| note.contains("`noise`") && note.contains("rounding")),
                "{notes:?}"
            );
        }
    }
}

/// With every selector a fold may lack the inputs in which a feature varies: what is left of it there is noise.
#[test]
fn a_feature_that_one_input_shows_to_vary_takes_nothing_from_the_others() {
    let recordings = recordings(&["x", "y", "rare"], |random, [x, y]| {
        let rounding = (random.unit() * 4.0).floor() * f64::EPSILON;
        vec![x, y, if x > 0.995 { 2.0 } else { 1.0 + rounding }]
    });
    for selector in SELECTORS {
        let model = fitted(&recordings, selector).model;
        for rare in [1.0, 1.0 + 3.0 * f64::EPSILON, 1.0 + 1e-12] {
            let all = [0.9, 0.1, rare];
            assert_eq!(choice(&model, &all[..model.features.len()]), "a", "{selector} {rare}");
        }
    }
}

#[test]
fn a_small_range_far_from_zero_is_learned_from_by_every_selector() {
    for (origin, range) in [(1.7e9, 1.0), (-1.7e9, 1.0), (1e15, 100.0), (14.62, 1e-9), (3e30, 1e18)] {
        let recordings =
            recordings(&["begin", "end"], |_, pair| pair.map(|own| origin + own * range).to_vec());
        for selector in SELECTORS {
            let model = Model::from_bytes(&fitted(&recordings, selector).model.to_bytes()).unwrap();
            let at = |begin: f64, end: f64| choice(&model, &[origin + begin * range, origin + end * range]);
            assert_eq!([at(0.9, 0.1), at(0.1, 0.9)], ["a", "b"], "{selector} at {origin}");
        }
    }
}

/// Trees cut one feature at a time, and take many inputs for a slanting border, wherever the range lies.
#[test]
fn a_selector_that_did_better_than_the_one_that_is_taken_is_named() {
    for origin in [0.0, 1.7e9] {
        let mut recordings = recordings(&["begin", "end"], |_, pair| pair.map(|own| origin + own).to_vec());
        recordings.inputs.truncate(40);
        recordings.measurements.retain(|one| one.input < 40);
        let Fitted { strategy, scores, notes, .. } = fitted(&recordings, "auto");
        let score = |name: &str| scores.iter().find(|(own, _)| own.name() == name).unwrap().1;
        let is_told =
            notes.iter().any(|note| note.contains("`svm-none` reached") && note.contains("--selector svm"));
        let is_better = score("svm-none") - score("forest-none") >= 0.02;
        assert_eq!(
            (strategy.name(), is_better, is_told),
            ("forest-none", true, true),
            "{scores:?} {notes:?}"
        );
    }
}

/// An outlier widens the range, and takes nothing from the values that lie together.
#[test]
fn values_that_lie_together_are_told_apart_beside_an_outlier() {
    let recordings = recordings(&["begin", "end"], |random, pair| match random.unit() < 0.05 {
        true => vec![0.0, 0.0],
        false => pair.map(|own| 1.7e9 + own).to_vec(),
    });
    let model = fitted(&recordings, "forest-none").model;
    assert_eq!(choice(&model, &[1.7e9 + 0.9, 1.7e9 + 0.1]), "a");
    assert_eq!(choice(&model, &[1.7e9 + 0.1, 1.7e9 + 0.9]), "b");
}

/// Two clusters that single precision cannot tell apart at once: the forest's blindness is said.
#[test]
fn what_trees_cannot_tell_apart_is_said() {
    let recordings = recordings(&["begin", "end"], |random, pair| {
        let cluster = (random.unit() * 4.0).floor() * 1e12;
        pair.map(|own| cluster + 1e13 + own).to_vec()
    });
    let notes = fitted(&recordings, "forest-none").notes;
    assert!(
        notes.iter().any(|note| note.contains("`begin`") && note.contains("single precision")),
        "{notes:?}"
    );
}
