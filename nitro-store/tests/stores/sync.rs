//! Two stores that are synchronised hold everything that either had, whatever they are kept in, and nothing is lost
//! or copied by halves.

use std::path::Path;

use nitro_core::recording::PartTime;
use nitro_core::{Artifact, Unit};
use nitro_store::recordings::{DeviceRecord, Input, Meanings, Outcome, Recordings, SpaceRecord};
use nitro_store::store::{
    self, CopyCounts, Evaluated, EvaluationKey, FunctionSchema, Row, Store, StoreError, SyncReport, sync,
};

fn file(folder: &Path, name: &str) -> Box<dyn Store> {
    store::open(folder.join(name).to_str().unwrap()).unwrap()
}

/// Registers a function of variants `a` and `b`.
fn register(store: &mut dyn Store, function: &str, features: &[&str]) {
    let variants = &["a", "b"];
    store
        .register(&FunctionSchema {
            function,
            variants,
            default_variant: Some("a"),
            default_configuration: "",
            features,
        })
        .unwrap();
}

fn put(store: &mut dyn Store, function: &str, device: &str, input: &Input, rows: &[(&str, f64)]) {
    let features = [("gbps".to_owned(), device.len() as f64)].into();
    store.put_device(&DeviceRecord { id: device.into(), features }).unwrap();
    let rows: Vec<Row<'_>> = rows.iter().map(|&(variant, ns)| Row::new(variant, Outcome::Time(ns))).collect();
    store.put(function, device, input, &rows).unwrap();
}

fn input(name: &str, size: f64) -> Input {
    Input { name: name.into(), features: vec![size] }
}

/// Each has what the other lacks, and `y` on `K40` with another time of `b`.
fn fill(first: &mut dyn Store, second: &mut dyn Store) {
    register(first, "sort", &["size"]);
    register(second, "sort", &["size"]);
    register(second, "spmv", &["rows"]);
    put(first, "sort", "K40", &input("x", 1.0), &[("a", 1.0), ("b", 2.0)]);
    put(first, "sort", "K40", &input("y", 2.0), &[("a", 3.0), ("b", 4.0)]);
    put(second, "sort", "K40", &input("y", 2.0), &[("b", 40.0)]);
    put(second, "sort", "V100", &input("z", 3.0), &[("a", 5.0)]);
    first.put_feature_times("sort", "K40", &input("x", 1.0), &[0.5]).unwrap();
    second.put_feature_times("sort", "V100", &input("z", 3.0), &[0.25]).unwrap();
    put(second, "spmv", "V100", &input("m", 4.0), &[("a", 6.0), ("b", 7.0)]);
    evaluate(first, "K40", "tile=1", 8.0);
    evaluate(first, "K40", "tile=2", 9.0);
    evaluate(second, "K40", "tile=2", 90.0);
    evaluate(second, "V100", "tile=1", 10.0);
    first.begin_search("sort on K40", "nothing").unwrap();
    first.put_artifact("sort", CODE).unwrap();
    first.put_artifact("sort", "both").unwrap();
    second.put_artifact("sort", "both").unwrap();
}

/// What `first` has generated.
const CODE: &str = "block=32\n";

/// What a search has found variant `a` and its one part to take.
fn evaluate(store: &mut dyn Store, device: &str, configuration: &str, ns: f64) {
    let parts = [PartTime { name: "all".into(), time_ns: ns, metrics: vec![("occupancy".into(), 0.5)] }];
    let row = Row { configuration, parts: &parts, ..Row::new("a", Outcome::Time(ns)) };
    store.put_evaluation("sort", device, "x", &row).unwrap();
}

/// Device, configuration and time of every evaluation, whose one part took as much.
fn evaluations(store: &mut dyn Store) -> Vec<(String, String, f64)> {
    let all = store.searches().unwrap().evaluations.into_iter();
    let of = |(key, one): (EvaluationKey, Evaluated)| {
        let time_ns = one.outcome.time_ns().unwrap();
        let parts = one.parts.iter().map(|part| (part.name.as_str(), part.time_ns, part.metrics.len()));
        assert_eq!(parts.collect::<Vec<_>>(), [("all", time_ns, 1)]);
        (key.device, key.configuration, time_ns)
    };
    all.map(of).collect()
}

/// Device, input, variant and time of every measurement.
fn rows(recordings: &Recordings) -> Vec<(&str, &str, &str, f64)> {
    let row = |one: &nitro_store::recordings::Measurement| {
        let device = recordings.devices[one.device].id.as_str();
        let (input, variant) = (&recordings.inputs[one.input].name, &recordings.variants[one.variant]);
        (device, input.as_str(), variant.as_str(), one.outcome.time_ns().unwrap())
    };
    recordings.measurements.iter().map(row).collect()
}

fn both_have_all_afterwards(first: &mut dyn Store, second: &mut dyn Store) {
    fill(first, second);
    let synced = sync(first, second).unwrap();
    let into_first =
        CopyCounts { functions: 1, devices: 1, inputs: 2, measurements: 3, evaluations: 1, artifacts: 0 };
    let into_second =
        CopyCounts { functions: 0, devices: 0, inputs: 1, measurements: 3, evaluations: 1, artifacts: 1 };
    assert_eq!((synced.into_first, synced.into_second, synced.differing), (into_first, into_second, 1));

    let (in_first, in_second) = (first.load("sort").unwrap(), second.load("sort").unwrap());
    let own = |ns| {
        vec![
            ("K40", "x", "a", 1.0),
            ("K40", "x", "b", 2.0),
            ("K40", "y", "a", 3.0),
            ("K40", "y", "b", ns),
            ("V100", "z", "a", 5.0),
        ]
    };
    assert_eq!(rows(&in_first), own(4.0), "what both had stays");
    assert_eq!(rows(&in_second), own(40.0));
    assert_eq!(in_first.inputs, in_second.inputs);
    assert_eq!(in_first.devices, in_second.devices);
    assert_eq!(in_first.feature_times, in_second.feature_times);
    assert_eq!(in_first.feature_times.len(), 2);
    assert_eq!(in_first.artifacts, in_second.artifacts);
    assert_eq!(in_second.artifacts[&Artifact::of(CODE)], CODE);
    assert_eq!(first.load("spmv").unwrap(), second.load("spmv").unwrap());

    let own = |ns| {
        let all = [("K40", "tile=1", 8.0), ("K40", "tile=2", ns), ("V100", "tile=1", 10.0)];
        all.map(|(device, configuration, ns)| (device.to_owned(), configuration.to_owned(), ns))
    };
    assert_eq!(evaluations(first), own(9.0), "what both had stays");
    assert_eq!(evaluations(second), own(90.0));
    assert_eq!(
        second.begin_search("sort on K40", "more").unwrap(),
        "nothing",
        "the search goes on there too"
    );

    let again = sync(first, second).unwrap();
    assert_eq!(again, SyncReport { differing: 1, ..SyncReport::default() }, "nothing is left to copy");
}

#[test]
fn two_files() {
    let folder = tempfile::tempdir().unwrap();
    both_have_all_afterwards(&mut *file(folder.path(), "a.db"), &mut *file(folder.path(), "b.db"));
}

#[cfg(feature = "redis")]
#[test]
fn a_file_and_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = nitro_test_support::redis_server::Server::start(None) else { return };
    both_have_all_afterwards(&mut *file(folder.path(), "a.db"), &mut *store::open(&server.url()).unwrap());
}

#[cfg(feature = "redis")]
#[test]
fn a_server_and_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = nitro_test_support::redis_server::Server::start(None) else { return };
    both_have_all_afterwards(&mut *store::open(&server.url()).unwrap(), &mut *file(folder.path(), "a.db"));
}

#[test]
fn an_empty_store_becomes_a_copy() {
    let (mut full, mut empty) = (store::memory().unwrap(), store::memory().unwrap());
    register(&mut *full, "sort", &["size"]);
    put(&mut *full, "sort", "K40", &input("x", 1.0), &[("a", 1.0), ("b", 2.0)]);
    sync(&mut *empty, &mut *full).unwrap();
    assert_eq!(empty.load("sort").unwrap(), full.load("sort").unwrap());
}

#[test]
fn device_features_that_were_measured_twice_stay_and_new_ones_add_up() {
    let (mut first, mut second) = (store::memory().unwrap(), store::memory().unwrap());
    for (store, features) in
        [(&mut first, [("gbps", 1.0), ("cores", 8.0)]), (&mut second, [("gbps", 1.1), ("l2", 3.0)])]
    {
        register(&mut **store, "sort", &["size"]);
        put(&mut **store, "sort", "K40", &input("x", 1.0), &[("a", 1.0)]);
        let features = features.map(|(name, value)| (name.to_owned(), value)).into();
        store.put_device(&DeviceRecord { id: "K40".into(), features }).unwrap();
    }
    put_more(&mut *second);
    sync(&mut *first, &mut *second).unwrap();
    let features = |store: &mut dyn Store| store.devices().unwrap().remove(0).features;
    assert_eq!(features(&mut *first)["gbps"], 1.0);
    assert_eq!(features(&mut *first)["l2"], 3.0);
    assert_eq!(features(&mut *second)["gbps"], 1.1);
}

/// Another input on `K40`, whose features stay as they are.
fn put_more(store: &mut dyn Store) {
    store.put("sort", "K40", &input("y", 2.0), &[Row::new("a", Outcome::Time(2.0))]).unwrap();
}

#[test]
fn stores_that_contradict_each_other_stay_as_they_are() {
    let (mut first, mut second) = (store::memory().unwrap(), store::memory().unwrap());
    fill(&mut *first, &mut *second);
    // Of a function that comes after others which could be copied.
    register(&mut *first, "zip", &["size"]);
    register(&mut *second, "zip", &["size"]);
    put(&mut *first, "zip", "K40", &input("x", 1.0), &[("a", 1.0)]);
    put(&mut *second, "zip", "V100", &input("x", 2.0), &[("a", 1.0)]);
    let functions = ["sort", "zip"];
    let before = functions.map(|function| (first.load(function).unwrap(), second.load(function).unwrap()));
    let error = sync(&mut *first, &mut *second).unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }) && error.to_string().contains("size"), "{error}");
    let after = functions.map(|function| (first.load(function).unwrap(), second.load(function).unwrap()));
    assert_eq!(before, after);
    assert_eq!(first.functions().unwrap(), functions, "nothing of another function either");

    register(&mut *second, "zip", &["length"]);
    let error = sync(&mut *first, &mut *second).unwrap_err();
    assert!(matches!(error, StoreError::OtherFeatures { .. }), "{error}");
}

/// Also where nothing else is new.
#[test]
fn listed_configurations_are_copied() {
    let list = |names: &[&str]| Recordings {
        function: "sort".into(),
        variants: vec!["a".into()],
        spaces: vec![SpaceRecord {
            variant: 0,
            parameters: vec!["x".into()],
            configurations: names.iter().map(|&name| (name.into(), vec![name.into()])).collect(),
        }],
        ..Recordings::default()
    };
    let (mut first, mut second) = (store::memory().unwrap(), store::memory().unwrap());
    first.import(&list(&["1", "2"])).unwrap();
    second.import(&list(&["2", "3"])).unwrap();
    sync(&mut *first, &mut *second).unwrap();
    for store in [&mut first, &mut second] {
        assert_eq!(store.load("sort").unwrap().spaces, list(&["1", "2", "3"]).spaces);
    }
}

/// Also where nothing else is new.
#[test]
fn units_are_copied() {
    let of = |units: &[(&str, Unit)]| Recordings {
        function: "sort".into(),
        variants: vec!["a".into()],
        features: vec!["size".into(), "work".into()],
        meanings: Meanings {
            units: units.iter().map(|(name, unit)| ((*name).to_owned(), *unit)).collect(),
            ..Meanings::default()
        },
        ..Recordings::default()
    };
    let (mut first, mut second) = (store::memory().unwrap(), store::memory().unwrap());
    first.import(&of(&[("size", Unit::Bytes)])).unwrap();
    second.import(&of(&[("work", Unit::Operations)])).unwrap();
    sync(&mut *first, &mut *second).unwrap();
    for store in [&mut first, &mut second] {
        let both = of(&[("size", Unit::Bytes), ("work", Unit::Operations)]);
        assert_eq!(store.load("sort").unwrap().meanings, both.meanings);
    }
}
