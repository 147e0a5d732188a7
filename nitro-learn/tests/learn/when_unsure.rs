//! What runs where a selector is unsure is decided on what is held out, or by who fits.

use nitro_learn::{FitOptions, LearnError, WhenUnsure, fit};
use nitro_store::recordings::{Outcome, Recordings};

use crate::synthetic::{Planted, recordings};

fn caution(recordings: &Recordings, when_unsure: WhenUnsure) -> Result<Option<(String, bool)>, LearnError> {
    let strategies = vec!["forest-none".parse().unwrap()];
    let model = fit(recordings, &FitOptions { when_unsure, strategies, ..FitOptions::default() })?.model;
    Ok(model.caution.map(|own| (model.choices[usize::from(own.choice)].clone(), own.far)))
}

/// `parallel`, far ahead on long inputs, is a hundredth ahead of `serial` on short ones, but for every tenth, where
/// it takes three times as long; no feature tells which.
fn treacherous() -> Recordings {
    let mut recordings = recordings(&Planted::default());
    for row in &mut recordings.measurements {
        let size = recordings.inputs[row.input].features[0];
        let ahead = match (size > 500.0, row.input % 10 == 0) {
            (true, _) => 0.3,
            (false, true) => 3.0,
            (false, false) => 0.99,
        };
        row.outcome = Outcome::Time(if row.variant == 0 { size } else { size * ahead });
    }
    recordings
}

#[test]
fn the_default_runs_where_others_are_hardly_ahead_and_that_does_better() {
    assert_eq!(caution(&treacherous(), WhenUnsure::Decided).unwrap(), Some(("serial".into(), false)));
}

#[test]
fn who_fits_may_decide() {
    for recordings in [treacherous(), recordings(&Planted::default())] {
        let decided = |when_unsure| caution(&recordings, when_unsure).unwrap();
        assert_eq!(decided(WhenUnsure::Default), Some(("serial".into(), true)));
        assert_eq!(decided(WhenUnsure::Best), None);
    }
}

#[test]
fn a_default_that_is_not_known_cannot_run() {
    let unknown = Recordings { default_variant: None, ..treacherous() };
    let error = caution(&unknown, WhenUnsure::Default).unwrap_err();
    assert!(error.to_string().contains("the default variant of `planted` is not known"), "{error}");
    assert_eq!(caution(&unknown, WhenUnsure::Decided).unwrap(), None);
}
