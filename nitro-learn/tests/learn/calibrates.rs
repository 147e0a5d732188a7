//! What a few measurements on a device change, and what they leave alone.

use nitro_learn::evaluate::{DeviceEvaluation, EvaluateOptions, LeaveOut, Split, evaluate, evaluate_on};
use nitro_learn::{FitOptions, fit};
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

/// Two variants, of which the first is twice as fast where `x` is below the device's threshold. Every third input
/// is a test.
fn recordings(devices: &[(&str, f64)]) -> Recordings {
    recordings_of(240, devices)
}

fn recordings_of(count: u32, devices: &[(&str, f64)]) -> Recordings {
    let inputs = (0..count).map(|input| {
        let side = if input % 3 == 0 { "test" } else { "train" };
        // A second feature that says nothing.
        let features = vec![f64::from(input) / f64::from(count), f64::from(input * 7 % 11)];
        Input { name: format!("{side}/{input}"), features }
    });
    let inputs: Vec<Input> = inputs.collect();
    let mut measurements = Vec::new();
    for (device, (_, threshold)) in devices.iter().enumerate() {
        for (input, Input { features, .. }) in inputs.iter().enumerate() {
            for variant in 0..2 {
                let is_best = (features[0] < *threshold) == (variant == 0);
                measurements.push(Measurement {
                    device,
                    input,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(if is_best { 1e3 } else { 2e3 }),
                    spread_ns: 0.0,
                    repeats: 3,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    Recordings {
        function: "f".into(),
        variants: vec!["low".into(), "high".into()],
        features: vec!["x".into(), "noise".into()],
        inputs,
        devices: devices
            .iter()
            .map(|(id, _)| DeviceRecord { id: (*id).into(), features: Default::default() })
            .collect(),
        measurements,
        ..Recordings::default()
    }
}

fn evaluated(recordings: &Recordings, leave_out: LeaveOut, calibration: &[usize]) -> Vec<DeviceEvaluation> {
    let options =
        EvaluateOptions { leave_out, calibration: calibration.to_vec(), ..EvaluateOptions::default() };
    evaluate(recordings, &Split::by_name(recordings), &options).unwrap().devices
}

/// Number of seeds over which a gain is a mean: a forest finds a threshold by chance.
const SEEDS: u64 = 3;

const ALIKE_AND_FOREIGN: [(&str, f64); 4] = [("a", 0.3), ("b", 0.32), ("c", 0.28), ("foreign", 0.7)];

#[test]
fn a_foreign_device_needs_few_measurements() {
    let (recordings, mut gained) = (recordings(&ALIKE_AND_FOREIGN), 0.0);
    for seed in 0..SEEDS {
        let (split, sources) = (Split::by_name(&recordings), ["a", "b", "c"].map(String::from));
        let strategies = vec!["forest-none".parse().unwrap()];
        let inputs = Some(split.train.clone());
        let asked =
            FitOptions { sources: sources.to_vec(), inputs, strategies, seed, ..FitOptions::default() };
        let model = fit(&recordings, &asked).unwrap().model;
        let options = EvaluateOptions { calibration: vec![10, 20, 30], seed, ..EvaluateOptions::default() };
        let foreign = evaluate_on(&recordings, &split, "foreign", &sources, &model, &options).unwrap();
        let auto = foreign.selectors.get("auto").unwrap().mean;
        assert!(auto < 0.82, "four in ten inputs are chosen wrong: {auto}");
        let mean = |count: usize| foreign.calibrated[&count].mean;
        assert!(mean(20) > 0.95 && mean(30) > 0.98, "{seed}: {} {}", mean(20), mean(30));
        gained += (mean(10) - auto) / SEEDS as f64;
    }
    // Ten inputs tell where the threshold lies by luck alone.
    assert!(gained > 0.04, "{gained}");
}

/// Each variant of an input takes a tenth of a millisecond to measure at least, so a second is enough for all.
#[test]
fn seconds_are_as_good_as_the_inputs_that_they_are_enough_for() {
    let recordings = recordings(&ALIKE_AND_FOREIGN);
    let options = EvaluateOptions {
        calibration: vec![160],
        calibration_seconds: vec![1],
        ..EvaluateOptions::default()
    };
    let devices = evaluate(&recordings, &Split::by_name(&recordings), &options).unwrap().devices;
    assert_eq!(devices[3].calibrated[&160], devices[3].calibrated_seconds[&1]);
    assert!(devices[3].calibrated_seconds[&1].mean > 0.99);

    // Times of seconds: not one input is measured within a second, and the model stays as it is.
    let mut slow = recordings.clone();
    for one in &mut slow.measurements {
        one.outcome = Outcome::Time(1e6 * one.outcome.time_ns().unwrap());
    }
    let devices = evaluate(&slow, &Split::by_name(&slow), &options).unwrap().devices;
    let auto = devices[3].selectors.get("auto").unwrap();
    assert_eq!(devices[3].calibrated_seconds[&1], auto);
}

/// Seconds measure at most 300 inputs, which says nothing of a number that is asked for.
#[test]
fn seconds_beside_it_do_not_bound_a_number_of_inputs() {
    let mut recordings = recordings_of(600, &ALIKE_AND_FOREIGN);
    // On one input in four the foreign device has it the other way round, so that each measured one changes something.
    for one in recordings.measurements.iter_mut().filter(|one| one.device == 3 && one.input * 7919 % 97 < 24)
    {
        one.variant = 1 - one.variant;
    }
    let calibrated = |calibration_seconds: Vec<usize>| {
        let options =
            EvaluateOptions { calibration: vec![400], calibration_seconds, ..EvaluateOptions::default() };
        let split = Split::by_name(&recordings);
        evaluate(&recordings, &split, &options).unwrap().devices.remove(3).calibrated
    };
    assert_eq!(calibrated(vec![1]), calibrated(vec![]));
}

#[test]
fn a_device_like_the_others_is_left_as_it_is() {
    for device in &evaluated(&recordings(&ALIKE_AND_FOREIGN), LeaveOut::Device, &[10])[..3] {
        let (auto, calibrated) = (device.selectors.get("auto").unwrap().mean, device.calibrated[&10].mean);
        assert!(calibrated > auto - 0.01, "{}: {auto} became {calibrated}", device.held_out);
    }
}

/// Were a test input measured, the choice for it would follow.
#[test]
fn test_inputs_are_never_measured() {
    let plain = recordings(&ALIKE_AND_FOREIGN);
    let mut swapped = plain.clone();
    for one in &mut swapped.measurements {
        if one.device == 3 && plain.inputs[one.input].name.starts_with("test/") {
            one.variant = 1 - one.variant;
        }
    }
    let mean = |recordings| evaluated(recordings, LeaveOut::Device, &[30])[3].calibrated[&30].mean;
    // What was best, with a share of 1, is now worst, with one half, and the other way round.
    assert!((mean(&plain) + mean(&swapped) - 1.5).abs() < 1e-9);
}

#[test]
fn the_same_measurements_give_the_same_figures() {
    let recordings = recordings(&ALIKE_AND_FOREIGN);
    let once = evaluated(&recordings, LeaveOut::Device, &[10]);
    assert_eq!(once, evaluated(&recordings, LeaveOut::Device, &[10]));
}

#[test]
fn a_machine_is_left_out_with_all_its_parts() {
    let recordings =
        recordings(&[("host:1@a", 0.3), ("host:2@a", 0.3), ("host:4@b", 0.5), ("lab", 0.5), ("desk", 0.5)]);
    let sources: Vec<Vec<String>> =
        evaluated(&recordings, LeaveOut::Machine, &[]).into_iter().map(|device| device.sources).collect();
    assert_eq!(sources[0], ["host:4@b", "lab", "desk"]);
    assert_eq!(sources[1], sources[0]);
    assert_eq!(sources[2], ["host:1@a", "host:2@a", "lab", "desk"]);
    assert_eq!(
        sources[3],
        ["host:1@a", "host:2@a", "host:4@b", "desk"],
        "without a machine it is one by itself"
    );
}

#[test]
fn one_machine_alone_cannot_be_left_out() {
    let recordings = recordings(&[("host:1@a", 0.3), ("host:2@a", 0.3)]);
    let options = EvaluateOptions { leave_out: LeaveOut::Machine, ..EvaluateOptions::default() };
    let error = evaluate(&recordings, &Split::by_name(&recordings), &options).unwrap_err();
    assert!(error.to_string().contains("on one machine alone"), "{error}");
}
