//! `train explain` says what drove a choice, also for devices that this machine lacks.

use serde_json::Value;

use crate::trainer::success;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

const SORT: [&str; 5] =
    ["length=1e5", "bits=32", "sample_runs_log2=8", "sample_descents_log2=2", "sample_distinct=1"];
/// Where both length and number of bits have a say.
const SORT_ON_H200: [&str; 6] = [
    "length=1e6",
    "bits=32",
    "sample_runs_log2=8",
    "sample_descents_log2=2",
    "sample_distinct=1",
    "--device=cuda:0@nvidia-h200-140gb",
];
const SPMV: [&str; 6] = [
    "nonzeros=1e6",
    "mean_row_length=10",
    "row_length_sd=3",
    "max_row_deviation=5",
    "ell_fill=20",
    "dia_fill=2",
];

/// In an empty folder: nothing but what the trainer carries.
fn explain(function: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), &[&["explain", function, "--wide", "--models", MODELS][..], arguments].concat())
}

fn explain_json(function: &str, arguments: &[&str]) -> Value {
    serde_json::from_str(&explain(function, &[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn a_function_of_another_kind_of_device_is_explained_on_such_a_device() {
    let shown = explain("cuda_sort", &SORT);
    let device = shown.lines().find(|line| line.starts_with("device  ")).unwrap();
    assert!(device.contains(" cuda:0@"), "a whole GPU, here or recorded: {device}");
    let has_gpu = nitro_cuda::device(0).is_ok();
    assert_eq!(device.contains("assumed") && device.contains("--device"), !has_gpu, "{device}");
    let shown = explain("sort", &SORT);
    assert!(shown.contains("\ndevice    host:") && !shown.contains("assumed"), "{shown}");
}

#[test]
fn constraints_over_given_features_are_decided() {
    for function in ["spmv", "cuda_spmv"] {
        let ranking = &explain_json(function, &SPMV)["ranking"];
        let admitted = |variant: &str| {
            let places = ranking.as_array().unwrap();
            places.iter().find(|place| place["variant"] == variant).map(|place| place["admitted"].clone())
        };
        // Of 20 stored elements one is not zero: above the limit, which is a constant of the program; of 2 one is not.
        assert_eq!(admitted("ell"), Some(false.into()), "{ranking}");
        assert_eq!(admitted("dia"), Some(true.into()), "{ranking}");
    }
    let system = [
        "nonzeros=1e5",
        "rows=1e4",
        "trace=4e4",
        "diagonal_mean=4",
        "diagonal_variance=0",
        "diagonal_dominance=1",
        "left_bandwidth=100",
        "norm_1=8",
    ];
    let shown = explain("cuda_solver", &system);
    assert!(shown.contains("is_symmetric_positive_definite()` cannot be told"), "{shown}");
}

/// The given features with one of them changed.
fn changed(features: &[&str], name: &str, value: &Value) -> Vec<String> {
    let change = |pair: &&str| match pair.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
        true => format!("{name}={value}"),
        false => (*pair).to_owned(),
    };
    features.iter().map(change).collect()
}

#[track_caller]
fn check_changes(function: &str, features: &[&str]) {
    let explained = explain_json(function, features);
    let changes = explained["changes"].as_array().unwrap();
    let sizes: Vec<f64> = changes.iter().map(|change| change["share_of_range"].as_f64().unwrap()).collect();
    assert!(!sizes.is_empty() && sizes.is_sorted() && sizes[0] > 0.0, "{explained}");
    for change in changes.iter().filter(|change| change["is_of_device"] == false) {
        let name = change["feature"].as_str().unwrap();
        let others = changed(features, name, &change["to"]);
        let after = explain_json(function, &others.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(after["choice"], change["variant"], "{function}, {change}");
        assert_ne!(after["choice"], explained["choice"], "{function}, {change}");
    }
}

#[test]
fn what_is_said_to_change_the_choice_does() {
    check_changes("cuda_sort", &SORT_ON_H200);
    // What is measured of the device here differs a little from process to process.
    let device = "--device=host:2@intel-xeon-16cpu-69c24e";
    check_changes("sort", &[&SORT[..], &[device]].concat());
    check_changes("cuda_sort", &SORT);
    check_changes("cuda_spmv", &SPMV);
    check_changes("transpose", &["m=1000", "n=2000", "skinny=0", "coprime=0", device]);
    // Here the constraint of `ell` has a say.
    let dense = [
        "nonzeros=1e6",
        "mean_row_length=10",
        "row_length_sd=0",
        "max_row_deviation=0",
        "ell_fill=1",
        "dia_fill=20",
    ];
    check_changes("cuda_spmv", &dense);
}

#[test]
fn a_change_is_to_a_value_that_the_feature_can_have() {
    let change = |function: &str, features: &[&str], name: &str| {
        let explained = explain_json(function, features);
        let changes = explained["changes"].as_array().unwrap();
        let change = changes.iter().find(|change| change["feature"] == name);
        change.and_then(|change| change["to"].as_f64()).unwrap_or_else(|| panic!("{name}: {explained}"))
    };
    assert_eq!(change("cuda_sort", &SORT_ON_H200, "bits"), 64.0, "nothing lies between 32 and 64 bits");
    let length = change("cuda_sort", &SORT_ON_H200, "length");
    assert_eq!(length.fract(), 0.0, "there is no half key: {length}");
}

#[test]
fn the_nearest_training_input_of_a_training_input_is_itself() {
    let folder = tempfile::tempdir().unwrap();
    let tables = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    success(folder.path(), &[&["export", "--function", "transpose"][..], &tables].concat());
    let inputs = std::fs::read_to_string(folder.path().join("i.csv")).unwrap();
    let names: Vec<&str> = inputs.lines().next().unwrap().split(',').skip(1).collect();
    for row in inputs.lines().filter(|row| row.starts_with("train/")).step_by(40) {
        let mut cells = row.split(',');
        let input = cells.next().unwrap();
        let features: Vec<String> =
            names.iter().zip(cells).map(|(name, value)| format!("{name}={value}")).collect();
        let features: Vec<&str> = features.iter().map(String::as_str).collect();
        let explained = explain_json("transpose", &features);
        let nearest = explained["nearest"].as_array().unwrap();
        assert_eq!(nearest.len(), 3, "{explained}");
        assert!(
            nearest.iter().any(|one| one["input"] == input && one["distance"] == 0.0),
            "{input}: {explained}"
        );
        let distances = nearest.iter().map(|one| one["distance"].as_f64().unwrap());
        assert!(distances.is_sorted(), "{explained}");
    }
}

#[test]
fn what_was_best_is_that_of_the_named_device() {
    let on = |device: &str| explain_json("cuda_sort", &[&SORT[..], &["--device", device]].concat());
    for device in ["cuda:0/8sm@nvidia-h200-140gb", "cuda:0@nvidia-h100-80gb-hbm3-79gb"] {
        let explained = on(device);
        for near in explained["nearest"].as_array().unwrap() {
            assert_eq!(near["device"], device);
            if near["best"] == explained["choice"] {
                assert_eq!(near["share_of_choice"], 1.0, "{near}");
            }
        }
    }
}

#[test]
fn without_recordings_the_choice_is_explained_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["explain", "sort", "--models", MODELS, "--store", "none.db"][..], &SORT].concat();
    let shown = success(folder.path(), &arguments);
    assert!(
        shown.contains("What would change the choice") && shown.contains("--store names another"),
        "{shown}"
    );
    assert!(!folder.path().join("none.db").exists(), "nothing is left behind");
}
