//! What is imported into a store.

use nitro_core::Artifact;
use nitro_store::recordings::{FeatureTimes, Measurement, Outcome, Recordings, SpaceRecord};
use nitro_store::store::Store;

use super::{device, input, prepared, put_both};

fn measured(device: usize, input: usize, variant: usize, ns: f64) -> Measurement {
    let outcome = Outcome::Time(ns);
    Measurement {
        device,
        input,
        variant,
        configuration: String::new(),
        outcome,
        spread_ns: 0.5,
        repeats: 9,
        load: None,
        reason: String::new(),
    }
}

/// Two devices, two inputs, with a gap; sorted as `load` sorts.
pub fn recordings() -> Recordings {
    Recordings {
        function: "sort".to_owned(),
        variants: vec!["merge".to_owned(), "radix".to_owned()],
        default_variant: Some(1),
        features: vec!["length".to_owned(), "bits".to_owned()],
        inputs: vec![input("a", &[1.5, 32.0]), input("b", &[2.5, 64.0])],
        devices: vec![device("K40m", 15.0), device("V100", 80.0)],
        measurements: vec![measured(0, 0, 0, 3.0), measured(0, 1, 1, 4.0), measured(1, 0, 1, 5.0)],
        feature_times: vec![FeatureTimes { device: 0, input: 1, times_ns: vec![Some(0.5), None] }],
        spaces: vec![SpaceRecord {
            variant: 1,
            parameters: vec!["digits".to_owned()],
            configurations: [("digits=4".to_owned(), vec!["4".to_owned()])].into(),
        }],
        ..Recordings::default()
    }
}

pub fn import_brings_back_what_load_gave(store: &mut dyn Store) {
    store.import(&recordings()).unwrap();
    assert_eq!(store.load("sort").unwrap(), recordings());
}

pub fn import_adds_to_what_is_there(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    let mut given = recordings();
    given.features.reverse();
    given.feature_times[0].times_ns.reverse();
    given.variants[0] = "bitonic".to_owned();
    given.inputs[0].features = vec![32.0, 9.0];
    given.inputs[1].features.reverse();
    store.import(&given).unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.features, ["length", "bits"]);
    assert_eq!(loaded.variants, ["merge", "radix", "bitonic"]);
    assert_eq!(loaded.inputs, [input("a", &[9.0, 32.0]), input("b", &[2.5, 64.0])]);
    let ids: Vec<&str> = loaded.devices.iter().map(|device| device.id.as_str()).collect();
    assert_eq!(ids, ["K40m", "V100", "host:4"]);
    assert_eq!(loaded.measurements.len(), 5);
    assert_eq!(loaded.feature_times, recordings().feature_times, "by name");
}

pub fn times_of_features_are_replaced_and_go_with_their_input(store: &mut dyn Store) {
    let store = prepared(store);
    store.put_device(&device("host:4", 4.0)).unwrap();
    let mut put =
        |times_ns: &[f64]| store.put_feature_times("sort", "host:4", &input("a", &[9.0, 32.0]), times_ns);
    put(&[7.0, 8.0]).unwrap();
    put(&[1.25, 0.0]).unwrap();
    let few = put(&[1.0]).unwrap_err().to_string();
    assert!(few.contains("`a`"), "{few}");
    let negative = put(&[1.0, -1.0]).unwrap_err().to_string();
    assert!(negative.contains("time of feature `bits` for input `a`"), "{negative}");
    put_both(store, "host:4", "a");
    let times_ns = vec![Some(1.25), Some(0.0)];
    assert_eq!(store.load("sort").unwrap().feature_times, [FeatureTimes { device: 0, input: 0, times_ns }]);
}

pub fn generated_code_is_kept_once_by_function(store: &mut dyn Store) {
    let store = prepared(store);
    let code = "__global__ void f() {}\n\t// \u{e9} \"quoted\" \0";
    let kernel = store.put_artifact("sort", code).unwrap();
    assert_eq!(store.put_artifact("sort", code).unwrap(), kernel);
    assert_eq!(store.load("sort").unwrap().artifacts, [(kernel, code.to_owned())].into());
    let unknown = store.put_artifact("spmv", code).unwrap_err().to_string();
    assert!(unknown.contains("`spmv`"), "{unknown}");
    let long = store.put_artifact("sort", &"x".repeat((1 << 20) + 1)).unwrap_err().to_string();
    assert!(long.contains("1048577 bytes"), "{long}");

    let other = (Artifact::of("block=64"), "block=64".to_owned());
    store.import(&Recordings { artifacts: [other.clone()].into(), ..recordings() }).unwrap();
    let all = [(kernel, code.to_owned()), other];
    assert_eq!(store.load("sort").unwrap().artifacts, all.into());
    let wrong = Recordings { artifacts: [(kernel, "block=64".to_owned())].into(), ..recordings() };
    let error = store.import(&wrong).unwrap_err().to_string();
    assert!(error.contains(&kernel.to_string()), "{error}");
}

pub fn import_of_the_same_again_changes_nothing(store: &mut dyn Store) {
    store.import(&recordings()).unwrap();
    store.import(&recordings()).unwrap();
    assert_eq!(store.load("sort").unwrap(), recordings());
}

pub fn a_conflicting_import_leaves_nothing(store: &mut dyn Store) {
    store.import(&recordings()).unwrap();
    type Change = fn(&mut Recordings);
    let conflicts: [(&str, Change); 6] = [
        ("time of feature `length` for input `b` on device `K40m`", |r| {
            r.feature_times[0].times_ns[0] = Some(0.75);
        }),
        ("measurement of `radix` for input `b` on device `K40m`", |r| {
            r.measurements[1].outcome = Outcome::Wrong
        }),
        ("measurement of `radix` for input `a` on device `V100`", |r| r.measurements[2].repeats = 1),
        ("feature `threads` of device `K40m`", |r| r.devices[0] = device("K40m", 16.0)),
        ("feature `length` of input `a`", |r| r.inputs[0].features[0] = 7.0),
        ("has the features length, bits", |r| r.features[0] = "size".to_owned()),
    ];
    for (expected, change) in conflicts {
        let mut given = recordings();
        given.inputs.push(input("new", &[1.0, 1.0]));
        given.devices.push(device("new", 1.0));
        given.variants.push("new".to_owned());
        change(&mut given);
        let message = store.import(&given).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(store.load("sort").unwrap(), recordings());
    assert_eq!(store.devices().unwrap().len(), 2);
}

pub fn an_unknown_load_contradicts_none_and_takes_none_away(store: &mut dyn Store) {
    let with = |loads: [Option<f64>; 3]| {
        let mut given = recordings();
        given.measurements.iter_mut().zip(loads).for_each(|(one, load)| one.load = load);
        given
    };
    store.import(&with([None, Some(0.5), Some(0.0)])).unwrap();
    store.import(&with([Some(0.25), None, Some(0.0)])).unwrap();
    let all = with([Some(0.25), Some(0.5), Some(0.0)]);
    assert_eq!(store.load("sort").unwrap(), all);
    let error = store.import(&with([Some(0.25), Some(0.75), None])).unwrap_err().to_string();
    assert!(error.contains("load 0.5") && error.contains("load 0.75"), "{error}");
    assert_eq!(store.load("sort").unwrap(), all);
}
