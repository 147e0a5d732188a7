//! Every back end keeps the same promises: one suite, run against SQLite in a file, SQLite in memory and Redis.
//!
//! The Redis tests start a `redis-server` of their own on a free port of the loopback interface. Where that program
//! is missing they are left out, unless `NITRO_REQUIRE_REDIS` is set, as in continuous integration.

mod imports;
mod limits;
mod selected;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use nitro_core::recording::PartTime;
use nitro_store::recordings::{DeviceRecord, Incomplete, Input, Outcome, Recordings};
use nitro_store::store::{self, ChoiceName, FunctionSchema, Row, SharedStore, Store, StoreError};

use self::imports::{
    a_conflicting_import_leaves_nothing, an_unknown_load_contradicts_none_and_takes_none_away,
    generated_code_is_kept_once_by_function, import_adds_to_what_is_there, import_brings_back_what_load_gave,
    import_of_the_same_again_changes_nothing, recordings,
    times_of_features_are_replaced_and_go_with_their_input,
};
use self::limits::{
    names_that_nothing_is_called_are_refused, no_more_features_than_recordings_have,
    no_more_variants_than_a_selection_tells_apart, odd_names_are_names,
};

use self::selected::{
    a_failure_that_is_to_be_measured_again_is_tried_again,
    a_feature_of_another_meaning_is_computed_again_and_times_stay,
    a_function_and_a_variant_go_with_their_last_recording, a_variant_keeps_its_measurements_under_a_new_name,
    a_variant_of_another_constraint_is_due, units_are_kept, what_is_forgotten_is_gone_and_nothing_else,
    what_is_to_be_measured_again_stays_until_it_is,
};

/// Each name is a function of this module that takes an empty store.
macro_rules! suite {
    ($($test:ident),* $(,)?) => {
        mod sqlite_file { $(#[test] fn $test() { super::$test(&mut *super::file_store(stringify!($test))); })* }
        mod sqlite_memory {
            $(#[test] fn $test() { super::$test(&mut *nitro_store::store::memory().unwrap()); })*
        }
        #[cfg(feature = "redis")]
        mod redis {
            $(#[test] fn $test() {
                let Some(server) = nitro_test_support::redis_server::Server::start(None) else { return };
                super::$test(&mut *nitro_store::store::open(&server.url()).unwrap());
            })*
        }
    };
}

suite! {
    a_new_store_is_empty,
    what_is_put_is_loaded_sorted,
    every_outcome_and_every_bit_of_a_number_is_kept,
    a_row_of_the_same_key_is_replaced,
    an_input_is_recorded_once_all_variants_are,
    a_new_variant_makes_inputs_due_again,
    a_new_feature_makes_inputs_due_again,
    features_may_change_places_and_go,
    a_put_that_is_refused_leaves_nothing,
    another_input_under_a_known_name_is_refused,
    rounding_is_no_other_input,
    numbers_nothing_can_be_learned_from_are_refused,
    bad_schemas_are_refused,
    a_device_is_replaced,
    import_brings_back_what_load_gave,
    import_adds_to_what_is_there,
    an_unknown_load_contradicts_none_and_takes_none_away,
    import_of_the_same_again_changes_nothing,
    a_conflicting_import_leaves_nothing,
    times_of_features_are_replaced_and_go_with_their_input,
    functions_do_not_mix,
    generated_code_is_kept_once_by_function,
    of_a_choice_the_first_evaluation_stays,
    evaluations_are_no_measurements,
    a_search_begins_once,
    what_searches_left_is_added_elsewhere,
    a_claim_keeps_others_away_until_it_expires,
    odd_names_are_names,
    names_that_nothing_is_called_are_refused,
    no_more_variants_than_a_selection_tells_apart,
    no_more_features_than_recordings_have,
    what_is_forgotten_is_gone_and_nothing_else,
    a_function_and_a_variant_go_with_their_last_recording,
    what_is_to_be_measured_again_stays_until_it_is,
    a_failure_that_is_to_be_measured_again_is_tried_again,
    a_feature_of_another_meaning_is_computed_again_and_times_stay,
    units_are_kept,
    a_variant_of_another_constraint_is_due,
    a_variant_keeps_its_measurements_under_a_new_name,
}

fn file_store(test: &str) -> Box<dyn SharedStore> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("backend-{test}.db"));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    store::open(path.to_str().unwrap()).unwrap()
}

const SORT: FunctionSchema<'_> = FunctionSchema {
    function: "sort",
    variants: &["merge", "radix"],
    default_variant: Some("merge"),
    default_configuration: "",
    features: &["length", "bits"],
};

fn device(id: &str, threads: f64) -> DeviceRecord {
    DeviceRecord { id: id.to_owned(), features: BTreeMap::from([("threads".to_owned(), threads)]) }
}

fn input(name: &str, features: &[f64]) -> Input {
    Input { name: name.to_owned(), features: features.to_vec() }
}

fn time(variant: &str, ns: f64) -> Row<'_> {
    Row::new(variant, Outcome::Time(ns))
}

/// Registers `sort` and two devices.
fn prepared(store: &mut dyn Store) -> &mut dyn Store {
    store.register(&SORT).unwrap();
    store.put_device(&device("host:4", 4.0)).unwrap();
    store.put_device(&device("host:1", 1.0)).unwrap();
    store
}

fn put_both(store: &mut dyn Store, device: &str, name: &str) {
    store.put("sort", device, &input(name, &[9.0, 32.0]), &[time("merge", 5.0), time("radix", 4.0)]).unwrap();
}

fn recorded(store: &mut dyn Store, variants: &[&str]) -> Vec<String> {
    let choices: Vec<_> = variants.iter().map(|variant| ChoiceName::variant(variant)).collect();
    let all = store.recorded("sort", "host:4", &choices).unwrap();
    for input in ["a", "b", "dense/a", "dense/b", "sparse/a", "sparse/b", "none"] {
        let is_recorded = store.is_recorded("sort", "host:4", input, &choices).unwrap();
        assert_eq!(is_recorded, all.contains(input), "of `{input}` alone the same is said as of all");
    }
    all.into_iter().collect()
}

fn a_new_store_is_empty(store: &mut dyn Store) {
    assert!(store.functions().unwrap().is_empty());
    assert!(store.devices().unwrap().is_empty());
    assert!(recorded(store, &["merge"]).is_empty());
    let message = store.load("sort").unwrap_err().to_string();
    assert!(message.contains("`sort` (it is empty)"), "{message}");
}

fn what_is_put_is_loaded_sorted(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "b");
    put_both(store, "host:4", "a");
    put_both(store, "host:1", "b");
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.variants, ["merge", "radix"]);
    assert_eq!(loaded.default_variant, Some(0));
    assert_eq!(loaded.features, ["length", "bits"]);
    assert_eq!(loaded.inputs, [input("a", &[9.0, 32.0]), input("b", &[9.0, 32.0])]);
    assert_eq!(loaded.devices, [device("host:1", 1.0), device("host:4", 4.0)]);
    let keys: Vec<_> = loaded.measurements.iter().map(|m| (m.device, m.input, m.variant)).collect();
    assert_eq!(keys, [(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]);
}

fn every_outcome_and_every_bit_of_a_number_is_kept(store: &mut dyn Store) {
    let store = prepared(store);
    let third = 1.0 / 3.0;
    let load = Some(third);
    let row = Row { spread_ns: 1e-300, repeats: u32::MAX, load, ..time("merge", f64::MAX) };
    store.put("sort", "host:4", &input("a", &[third, -5e-324]), &[row]).unwrap();
    store
        .put("sort", "host:4", &input("a", &[third, -5e-324]), &[Row::new("radix", Outcome::Wrong)])
        .unwrap();
    store
        .put(
            "sort",
            "host:1",
            &input("a", &[third, -5e-324]),
            &[
                Row { reason: "panicked: \"x\"", ..Row::new("merge", Outcome::Failed) },
                Row::new("radix", Outcome::Inadmissible),
            ],
        )
        .unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.inputs[0].features, [third, -5e-324]);
    let outcomes: Vec<Outcome> = loaded.measurements.iter().map(|m| m.outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Inadmissible, Outcome::Time(f64::MAX), Outcome::Wrong]);
    let reasons: Vec<&str> = loaded.measurements.iter().map(|m| m.reason.as_str()).collect();
    assert_eq!(reasons, ["panicked: \"x\"", "", "", ""]);
    assert_eq!((loaded.measurements[2].spread_ns, loaded.measurements[2].repeats), (1e-300, u32::MAX));
    let loads: Vec<Option<f64>> = loaded.measurements.iter().map(|one| one.load).collect();
    assert_eq!(loads, [None, None, load, None], "unknown is not zero");
}

fn a_row_of_the_same_key_is_replaced(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    store.put("sort", "host:4", &input("a", &[9.0, 32.0]), &[time("radix", 7.0)]).unwrap();
    let tuned = Row { configuration: "digit=8", ..time("radix", 6.0) };
    store.put("sort", "host:4", &input("a", &[9.0, 32.0]), &[tuned]).unwrap();
    let loaded = store.load("sort").unwrap();
    let rows: Vec<_> =
        loaded.measurements.iter().map(|m| (m.variant, m.configuration.as_str(), m.outcome)).collect();
    let expected =
        [(0, "", Outcome::Time(5.0)), (1, "", Outcome::Time(7.0)), (1, "digit=8", Outcome::Time(6.0))];
    assert_eq!(rows, expected);
}

fn an_input_is_recorded_once_all_variants_are(store: &mut dyn Store) {
    let store = prepared(store);
    store.put("sort", "host:4", &input("a", &[9.0, 32.0]), &[time("merge", 5.0)]).unwrap();
    put_both(store, "host:1", "b");
    assert!(recorded(store, &["merge", "radix"]).is_empty());
    assert_eq!(recorded(store, &["merge"]), ["a"]);
    let failed = Row::new("radix", Outcome::Inadmissible);
    store.put("sort", "host:4", &input("a", &[9.0, 32.0]), &[failed]).unwrap();
    assert_eq!(recorded(store, &["radix", "merge", "radix"]), ["a"]);
    assert!(store.recorded("sort", "host:9", &[ChoiceName::variant("merge")]).unwrap().is_empty());
}

fn a_new_variant_makes_inputs_due_again(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    let variants: &[&str] = &["nearly_sorted", "radix"];
    store.register(&FunctionSchema { variants, default_variant: None, ..SORT }).unwrap();
    assert!(recorded(store, variants).is_empty());
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.variants, ["merge", "radix", "nearly_sorted"]);
    assert_eq!(loaded.default_variant, Some(0));
    assert_eq!(loaded.measurements.len(), 2);
}

fn a_new_feature_makes_inputs_due_again(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    put_both(store, "host:4", "b");
    store.register(&FunctionSchema { features: &["runs", "length", "bits"], ..SORT }).unwrap();
    assert!(recorded(store, SORT.variants).is_empty());
    let loaded = store.load("sort").unwrap();
    assert!(loaded.inputs.is_empty());
    assert_eq!(loaded.incomplete, Incomplete { inputs: 2, features: ["runs".to_owned()].into() });
    let rows = [time("merge", 5.0), time("radix", 4.0)];
    store.put("sort", "host:4", &input("b", &[3.0, 9.0, 32.0]), &rows).unwrap();
    assert_eq!(recorded(store, SORT.variants), ["b"]);
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.inputs, [input("b", &[3.0, 9.0, 32.0])]);
    assert_eq!(loaded.measurements.len(), 2);
    assert_eq!(loaded.incomplete.inputs, 1);
}

fn features_may_change_places_and_go(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    store.register(&FunctionSchema { features: &["bits", "length"], ..SORT }).unwrap();
    assert_eq!(store.load("sort").unwrap().inputs, [input("a", &[32.0, 9.0])]);
    store.register(&FunctionSchema { features: &["bits"], ..SORT }).unwrap();
    assert_eq!(store.load("sort").unwrap().inputs, [input("a", &[32.0])]);
    assert_eq!(recorded(store, SORT.variants), ["a"]);
    store.register(&FunctionSchema { features: &[], ..SORT }).unwrap();
    assert_eq!(store.load("sort").unwrap().inputs, [input("a", &[])]);
    store.register(&SORT).unwrap();
    assert_eq!(store.load("sort").unwrap().inputs, [input("a", &[9.0, 32.0])]);
}

fn a_put_that_is_refused_leaves_nothing(store: &mut dyn Store) {
    let store = prepared(store);
    let before = store.load("sort").unwrap();
    let good = input("a", &[9.0, 32.0]);
    let row = [time("merge", 5.0)];
    let refusals = [
        store.put("sort", "host:9", &good, &row).unwrap_err(),
        store.put("sort", "host:4", &good, &[time("merge", 5.0), time("bogo", 1.0)]).unwrap_err(),
        store.put("sorts", "host:4", &good, &row).unwrap_err(),
        store.put("sort", "host:4", &input("a", &[9.0]), &row).unwrap_err(),
        store.put("sort", "host:4", &input("", &[9.0, 32.0]), &row).unwrap_err(),
    ];
    let messages = refusals.map(|error| error.to_string());
    let expected = ["device `host:9`", "variant `bogo`", "it has sort", "1 features, 2 are", "is empty"];
    for (message, part) in messages.iter().zip(expected) {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(store.load("sort").unwrap(), before);
}

fn another_input_under_a_known_name_is_refused(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    let other = input("a", &[9.0, 64.0]);
    let error = store.put("sort", "host:1", &other, &[time("merge", 1.0)]).unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.starts_with("feature `bits` of input `a` is 32 in store `"), "{message}");
    assert_eq!(store.load("sort").unwrap().measurements.len(), 2);
}

fn rounding_is_no_other_input(store: &mut dyn Store) {
    let store = prepared(store);
    let sum = 0.1 + 0.2;
    store.put("sort", "host:4", &input("a", &[0.3, 32.0]), &[time("merge", 1.0)]).unwrap();
    store.put("sort", "host:1", &input("a", &[sum, 32.0]), &[time("merge", 1.0)]).unwrap();
    assert_eq!(store.load("sort").unwrap().inputs, [input("a", &[0.3, 32.0])]);
}

fn numbers_nothing_can_be_learned_from_are_refused(store: &mut dyn Store) {
    let store = prepared(store);
    let good = input("a", &[9.0, 32.0]);
    for ns in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = store.put("sort", "host:4", &good, &[time("merge", ns)]).unwrap_err();
        assert!(matches!(error, StoreError::Number { .. }), "{error:?}");
    }
    for value in [f64::NAN, f64::NEG_INFINITY] {
        let row = Row { spread_ns: value, ..time("merge", 1.0) };
        store.put("sort", "host:4", &good, &[row]).unwrap_err();
        let row = Row { load: Some(value), ..time("merge", 1.0) };
        store.put("sort", "host:4", &good, &[row]).unwrap_err();
        store.put_evaluation("sort", "host:4", "a", &row).unwrap_err();
        store.put("sort", "host:4", &input("a", &[1.0, value]), &[]).unwrap_err();
        store.put_device(&device("host:4", value)).unwrap_err();
    }
    assert!(store.load("sort").unwrap().inputs.is_empty());
}

fn bad_schemas_are_refused(store: &mut dyn Store) {
    let bad = [
        FunctionSchema { function: "", ..SORT },
        FunctionSchema { variants: &["merge", "merge"], ..SORT },
        FunctionSchema { variants: &["merge", ""], ..SORT },
        FunctionSchema { features: &["bits", "bits"], ..SORT },
        FunctionSchema { default_variant: Some("bogo"), ..SORT },
    ];
    for schema in bad {
        let error = store.register(&schema).unwrap_err();
        assert!(matches!(error, StoreError::Name { .. }), "{error:?}");
    }
    assert!(store.functions().unwrap().is_empty());
}

fn a_device_is_replaced(store: &mut dyn Store) {
    let store = prepared(store);
    let features = BTreeMap::from([("cores".to_owned(), 2.0)]);
    let other = DeviceRecord { id: "host:4".to_owned(), features };
    store.put_device(&other).unwrap();
    assert_eq!(store.devices().unwrap(), [device("host:1", 1.0), other]);
}

fn of_a_choice_the_first_evaluation_stays(store: &mut dyn Store) {
    let tile = |configuration| ChoiceName { variant: "tiled", configuration };
    let parts = parts();
    let rows = [
        Row {
            configuration: "tile=1",
            spread_ns: 1e-300,
            repeats: 9,
            load: Some(0.25),
            parts: &parts,
            ..time("tiled", 1.0 / 3.0)
        },
        Row { configuration: "tile=2", reason: "panicked: \"x\"", ..Row::new("tiled", Outcome::Failed) },
        Row { configuration: "tile=1", ..Row::new("tiled", Outcome::Wrong) },
    ];
    rows.iter().for_each(|row| store.put_evaluation("mm", "host:4", "a", row).unwrap());
    let choices = [tile("tile=2"), tile("tile=3"), tile("tile=1")];
    let mut found = |device, input, choices| {
        let found = store.evaluations("mm", device, input, choices).unwrap();
        found.into_iter().zip(choices).map(|(one, choice)| Some((one?, choice))).collect::<Vec<_>>()
    };
    let kept = found("host:4", "a", &choices);
    let kept: Vec<_> = kept.iter().map(|one| one.as_ref().map(|(one, choice)| one.row(**choice))).collect();
    assert_eq!(kept, [Some(rows[1]), None, Some(rows[0])]);
    assert_eq!(found("host:1", "a", &choices), [None, None, None]);
    assert_eq!(found("host:4", "b", &choices), [None, None, None]);
    assert_eq!(found("host:4", "a", &[]), []);
    let none = [PartTime { time_ns: f64::NAN, ..parts[0].clone() }];
    for bad in [time("tiled", 0.0), Row { parts: &none, ..time("tiled", 1.0) }] {
        let error = store.put_evaluation("mm", "host:4", "a", &bad).unwrap_err();
        assert!(matches!(error, StoreError::Number { .. }), "{error:?}");
    }
}

/// In whatever order they were noted.
fn parts() -> [PartTime; 2] {
    let part = |name: &str, time_ns, metrics: &[(&str, f64)]| PartTime {
        name: name.to_owned(),
        time_ns,
        metrics: metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
    };
    [part("kernel \"\u{e9}\"", 1.0 / 3.0, &[("occupancy", 0.1), ("L2 hits", 2.0 / 3.0)]), part("a", 0.0, &[])]
}

fn evaluations_are_no_measurements(store: &mut dyn Store) {
    let store = prepared(store);
    put_both(store, "host:4", "a");
    let before = store.load("sort").unwrap();
    store.put_evaluation("sort", "host:1", "b", &time("radix", 3.0)).unwrap();
    assert_eq!(store.load("sort").unwrap(), before);
    assert_eq!(recorded(store, &["radix"]), ["a"]);
}

fn a_search_begins_once(store: &mut dyn Store) {
    let mut begin = |name, with| store.begin_search(name, with).unwrap();
    assert_eq!(begin("a", "first\n\"\u{e9}\""), "first\n\"\u{e9}\"");
    assert_eq!(begin("a", "second"), "first\n\"\u{e9}\"");
    assert_eq!(begin("b", "second"), "second");
}

fn what_searches_left_is_added_elsewhere(store: &mut dyn Store) {
    let row = |variant| Row { configuration: "tile=1", ..Row::new(variant, Outcome::Failed) };
    let parts = parts();
    let odd = Row { reason: "panicked: \"x\"", spread_ns: 1e-300, repeats: 9, parts: &parts, ..row("tiled") };
    store.put_evaluation("mm", "host:4", "[\"a\", \u{e9}]", &odd).unwrap();
    store.put_evaluation("mm", "host:1", "a", &time("plain", 1.0 / 3.0)).unwrap();
    store.begin_search("a", "first").unwrap();
    let searches = store.searches().unwrap();
    assert_eq!((searches.evaluations.len(), searches.begun["a"].as_str()), (2, "first"));
    let mut other = store::memory().unwrap();
    other.put_evaluation("mm", "host:1", "a", &time("plain", 7.0)).unwrap();
    other.begin_search("a", "other").unwrap();
    other.begin_search("b", "other").unwrap();
    other.add_searches(&searches).unwrap();
    let joined = other.searches().unwrap();
    let own: Vec<_> = joined.evaluations.iter().map(|(key, one)| (key, one.row(key.choice()))).collect();
    assert_eq!(own.iter().map(|(_, row)| *row).collect::<Vec<_>>(), [time("plain", 7.0), odd]);
    assert_eq!((own[1].0.device.as_str(), own[1].0.input.as_str()), ("host:4", "[\"a\", \u{e9}]"));
    assert_eq!(joined.begun, [("a", "other"), ("b", "other")].map(|(a, b)| (a.into(), b.into())).into());
    store.add_searches(&joined).unwrap();
    let plain = ChoiceName::variant("plain");
    let kept = store.evaluations("mm", "host:1", "a", &[plain]).unwrap().remove(0).unwrap();
    assert_eq!(kept.row(plain), time("plain", 1.0 / 3.0), "of what is known the first stays");
    let found = [store.begin_search("a", "").unwrap(), store.begin_search("b", "").unwrap()];
    assert_eq!(found, ["first", "other"]);

    let mut bad = joined;
    bad.evaluations.values_mut().for_each(|one| one.outcome = Outcome::Time(0.0));
    assert!(matches!(store.add_searches(&bad).unwrap_err(), StoreError::Number { .. }));
}

fn a_claim_keeps_others_away_until_it_expires(store: &mut dyn SharedStore) {
    let (long, short) = (Duration::from_secs(3600), Duration::from_millis(1));
    let mut claim = |input, owner, lease| store.claim("sort", "host:1", input, owner, lease).unwrap();
    assert!(claim("a", "one", long));
    assert!(!claim("a", "two", long), "it is taken");
    assert!(claim("b", "two", long), "another input is not");
    assert!(claim("b", "two", Duration::ZERO), "its owner may give it back");
    assert!(claim("b", "one", long), "then it is free at once");
    assert!(claim("a", "one", short), "its owner may renew it");
    let expires = (0..1_000_000).any(|_| claim("a", "two", long));
    assert!(expires, "nobody renews it");
    assert!(!claim("a", "one", long), "after it expired it is the next owner's");
}

fn functions_do_not_mix(store: &mut dyn Store) {
    store.import(&recordings()).unwrap();
    store.import(&Recordings { function: "app::sort".to_owned(), ..recordings() }).unwrap();
    let row = [time("merge", 8.0)];
    store.put("sort", "K40m", &input("b", &[2.5, 64.0]), &row).unwrap();
    assert_eq!(store.functions().unwrap(), ["app::sort", "sort"]);
    assert_eq!(store.load("app::sort").unwrap().measurements.len(), 3);
    assert_eq!(store.load("sort").unwrap().measurements.len(), 4);
}
