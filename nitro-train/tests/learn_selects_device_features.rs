//! CV-DFS finds the device feature that matters, and `auto` ships it.

mod learn_synthetic;

use learn_synthetic::{Planted, recordings};
use nitro_core::model::Selector;
use nitro_train::learn::grid::Grid;
use nitro_train::learn::{FitOptions, LearnError, Strategy, fit};

/// A small grid: these tests are about devices, not about C and γ.
fn options(strategy: Option<Strategy>) -> FitOptions {
    let grid = Grid { costs: vec![2.0, 32.0], gammas: vec![0.03125, 0.5], ..Grid::default() };
    FitOptions { strategy, grid, ..FitOptions::default() }
}

#[test]
fn the_planted_feature_is_selected_and_noise_is_not() {
    let mut alone = 0;
    for seed in 1..=5 {
        let recordings = recordings(&Planted { seed, ..Planted::default() });
        let fitted = fit(&recordings, &options(Some(Strategy::SvmCrossValidation))).unwrap();
        let selected = fitted.model.device_features;
        assert!(selected.contains(&"width".to_owned()), "seed {seed}: {selected:?}");
        alone += usize::from(selected == ["width"]);
    }
    // Of three noise features on six devices one helps by chance now and then.
    assert!(alone >= 4, "the feature is selected alone for {alone} of 5 seeds");
}

#[test]
fn auto_prefers_the_strategy_that_carries_over() {
    let fitted = fit(&recordings(&Planted::default()), &options(None)).unwrap();
    assert_eq!(fitted.strategy, Strategy::SvmCrossValidation, "{:?}", fitted.scores);
    assert_eq!(fitted.model.provenance.strategy, "svm-cross-validation");
    assert!(fitted.scores.is_sorted_by(|a, b| a.1 >= b.1));
}

#[test]
fn a_feature_that_the_target_does_not_know_is_not_used() {
    let known = ["noise_a", "noise_b"].map(String::from).into();
    let options = FitOptions { known_on_target: Some(known), ..options(Some(Strategy::SvmAll)) };
    let fitted = fit(&recordings(&Planted::default()), &options).unwrap();
    assert_eq!(fitted.model.device_features, ["noise_a", "noise_b"]);
}

#[test]
fn too_few_sources_select_nothing_and_say_so() {
    let recordings = recordings(&Planted { devices: 2, ..Planted::default() });
    let fitted = fit(&recordings, &options(Some(Strategy::SvmCrossValidation))).unwrap();
    assert!(fitted.model.device_features.is_empty());
    assert!(
        fitted.notes[0].starts_with("2 source devices cannot tell device features apart"),
        "{:?}",
        fitted.notes
    );
}

#[test]
fn one_source_makes_auto_an_svm_over_input_features() {
    let sources = vec!["d3".to_owned()];
    let fitted = fit(&recordings(&Planted::default()), &FitOptions { sources, ..options(None) }).unwrap();
    assert_eq!(
        (fitted.strategy, fitted.model.provenance.sources),
        (Strategy::SvmNone, vec!["d3".to_owned()])
    );
}

#[test]
fn the_static_strategy_is_the_variant_best_on_average() {
    let fitted = fit(&recordings(&Planted::default()), &options(Some(Strategy::Static))).unwrap();
    assert!(matches!(fitted.model.selector, Selector::Constant { .. }));
    assert_eq!(fitted.hyperparameters, None);
}

#[test]
fn what_cannot_be_fitted_is_an_error_that_names_it() {
    let mut recordings = recordings(&Planted::default());
    let unknown = FitOptions { sources: vec!["K40".into()], ..options(None) };
    let error = fit(&recordings, &unknown).unwrap_err();
    assert!(matches!(&error, LearnError::UnknownDevice { device, .. } if device == "K40"), "{error}");
    let outside = FitOptions { inputs: Some(vec![80]), ..options(None) };
    assert!(matches!(
        fit(&recordings, &outside),
        Err(LearnError::UnknownInput { input: 80, inputs: 80, .. })
    ));
    recordings.measurements.clear();
    assert!(matches!(fit(&recordings, &options(None)), Err(LearnError::NoSamples { inputs: 80, .. })));
    recordings.devices.clear();
    assert!(matches!(fit(&recordings, &options(None)), Err(LearnError::NoSources { .. })));
}
