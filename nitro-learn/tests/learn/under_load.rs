//! What was measured under load weighs less: where it was wrong it does not turn the choice, and the gate does not
//! count it.

use nitro_learn::check::{CheckReport, Expected, Problem, check};
use nitro_learn::evaluate::Split;
use nitro_learn::{FitOptions, fit};
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

const SIZES: usize = 40;
/// From this size on `many` is the faster one; it lies between two training sizes.
const BOUNDARY: usize = 18;

/// Three inputs of each size. Below a boundary `few` is the faster one, by a quarter, above it is `many`. On two of
/// the three inputs of each size below it the time of `few` was taken while others had nearly everything, and is
/// wrong.
fn recordings(load: Option<f64>) -> Recordings {
    let input = |at: usize| {
        let part = if (at / 3).is_multiple_of(4) { "test" } else { "train" };
        Input { name: format!("{part}/{}-{}", at / 3, at % 3), features: vec![(at / 3) as f64] }
    };
    let rows = (0..3 * SIZES).flat_map(|input| {
        let is_disturbed = input / 3 < BOUNDARY && input % 3 > 0;
        let times = match input / 3 < BOUNDARY {
            true if is_disturbed => [3.75e5, 1.25e5],
            true => [1e5, 1.25e5],
            false => [2e5, 1e5],
        };
        (0..2).map(move |variant| Measurement {
            device: 0,
            input,
            variant,
            configuration: String::new(),
            outcome: Outcome::Time(times[variant]),
            spread_ns: 0.0,
            repeats: 5,
            load: if is_disturbed { load } else { Some(0.0) },
            reason: String::new(),
        })
    });
    Recordings {
        function: "f".into(),
        variants: vec!["few".into(), "many".into()],
        default_variant: Some(0),
        features: vec!["size".into()],
        inputs: (0..3 * SIZES).map(input).collect(),
        devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
        measurements: rows.collect(),
        ..Recordings::default()
    }
}

/// The choices of what a strategy learns for a size below the boundary and one above.
fn choices(recordings: &Recordings, strategy: Option<&str>) -> [String; 2] {
    let strategies = strategy.map(|name| name.parse().unwrap()).into_iter().collect();
    let model = fit(recordings, &FitOptions { strategies, ..FitOptions::default() }).unwrap().model;
    let row = |size: f64| vec![size; model.features.len()];
    [8.0, 33.0].map(|size| model.choices[model.rank(&row(size), &[])[0]].clone())
}

const STRATEGIES: [Option<&str>; 4] =
    [None, Some("svm-none"), Some("svm-weighted-none"), Some("forest-none")];

#[test]
fn disturbed_times_turn_no_choice_of_any_learner() {
    for strategy in STRATEGIES {
        assert_eq!(choices(&recordings(Some(1.0)), strategy), ["few", "many"], "{strategy:?}");
        let unmarked = choices(&recordings(None), strategy);
        assert_eq!(unmarked, ["many", "many"], "{strategy:?}: without the mark they count whole");
    }
}

#[test]
fn disturbed_times_turn_no_choice_for_everything() {
    let below = |load| {
        let mut recordings = recordings(load);
        recordings.measurements.retain(|one| one.input / 3 < BOUNDARY);
        recordings
    };
    assert_eq!(choices(&below(Some(1.0)), Some("static"))[0], "few");
    assert_eq!(choices(&below(None), Some("static"))[0], "many");
}

#[test]
fn where_everything_was_measured_under_load_it_counts_as_if_nothing_was() {
    let under = |load: Option<f64>| {
        let mut recordings = recordings(load);
        recordings.measurements.iter_mut().for_each(|one| one.load = load);
        fit(&recordings, &FitOptions::default()).unwrap()
    };
    let (busy, unknown) = (under(Some(0.4)), under(None));
    assert_eq!((busy.model.selector, busy.scores), (unknown.model.selector, unknown.scores));
}

#[test]
fn a_little_load_changes_nothing_and_a_failure_under_load_is_one() {
    let with = |load: Option<f64>, outcome: Option<Outcome>| {
        let mut recordings = recordings(load);
        let disturbed =
            recordings.measurements.iter_mut().filter(|one| one.input % 3 > 0 && one.variant == 0);
        disturbed.for_each(|one| one.outcome = outcome.unwrap_or(one.outcome));
        fit(&recordings, &FitOptions::default()).unwrap().model
    };
    assert_eq!(with(Some(0.05), None).to_bytes(), with(None, None).to_bytes());
    let failed = with(Some(1.0), Some(Outcome::Failed));
    assert_eq!(failed.choices[failed.rank(&vec![8.0; failed.features.len()], &[])[0]], "many");
}

/// Checks a model that is fitted from some recordings of `d` against others.
fn checked_against(fitted: &Recordings, recordings: &Recordings) -> CheckReport {
    let split = Split::by_name(recordings);
    let (inputs, sources) = (Some(split.train.clone()), vec!["d".to_owned()]);
    let options = FitOptions { inputs, sources, ..FitOptions::default() };
    let model = fit(fitted, &options).unwrap().model;
    let expected = Expected { function: None, recordings, split: &split, devices: &[], max_regret: 0.05 };
    check(&model, &expected)
}

fn checked(recordings: &Recordings) -> CheckReport {
    checked_against(recordings, recordings)
}

#[test]
fn the_gate_does_not_count_what_was_disturbed_and_says_how_much_that_is() {
    let passed = checked(&recordings(Some(1.0)));
    assert!(passed.problems.is_empty(), "{:?}", passed.problems);
    assert_eq!(passed.doubtful, 10, "two of three inputs of five test sizes");
    let unmarked = checked_against(&recordings(Some(1.0)), &recordings(None));
    let is_regret = |problem: &Problem| matches!(problem, Problem::Regret { .. });
    assert!(unmarked.doubtful == 0 && unmarked.problems.iter().any(is_regret), "{:?}", unmarked.problems);
    let mut on_two = recordings(Some(1.0));
    on_two.devices.push(DeviceRecord { id: "busy".into(), features: Default::default() });
    let of_busy: Vec<_> = on_two
        .measurements
        .iter()
        .map(|one| Measurement { device: 1, load: Some(0.9), ..one.clone() })
        .collect();
    on_two.measurements.extend(of_busy);
    let passed = checked(&on_two);
    assert!(passed.problems.is_empty(), "{:?}", passed.problems);
    assert_eq!((passed.doubtful, passed.regrets.len()), (10 + 30, 1), "the other device judges");
}

#[test]
fn a_gate_without_any_certain_input_does_not_open() {
    let mut recordings = recordings(Some(1.0));
    let disturbed = |one: &mut Measurement| one.load = Some(0.5);
    recordings.measurements.iter_mut().for_each(disturbed);
    let problems = checked(&recordings).problems;
    assert!(matches!(problems[..], [Problem::AllDoubtful { inputs: 30, .. }]), "{problems:?}");
}
