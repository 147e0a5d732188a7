//! Recordings that are taken out or due again, and what names stand for.

use nitro_core::Unit;
use nitro_store::recordings::{Meanings, MeasurementKey, Outcome};
use nitro_store::store::{Forgotten, FunctionSchema, Row, Selected, Store, StoreError};

use super::{SORT, input, prepared, put_both, recorded, time};

fn which(variant: Option<&str>, inputs: Option<&str>, device: Option<&str>) -> Selected {
    Selected::new(variant, inputs, device).unwrap()
}

/// Device, input and variant of each measurement.
fn keys(store: &mut dyn Store) -> Vec<String> {
    let loaded = store.load("sort").unwrap();
    let key = |one: &nitro_store::recordings::Measurement| {
        let (device, input) = (&loaded.devices[one.device].id, &loaded.inputs[one.input].name);
        format!("{device} {input} {}", loaded.variants[one.variant])
    };
    loaded.measurements.iter().map(key).collect()
}

/// Both variants on two inputs of two devices, and an evaluation of each variant.
fn filled(store: &mut dyn Store) -> &mut dyn Store {
    let store = prepared(store);
    for device in ["host:1", "host:4"] {
        put_both(store, device, "dense/a");
        put_both(store, device, "sparse/a");
    }
    store.put_feature_times("sort", "host:4", &input("dense/a", &[9.0, 32.0]), &[1.0, 2.0]).unwrap();
    for variant in ["merge", "radix"] {
        store.put_evaluation("sort", "host:4", "dense/a", &time(variant, 7.0)).unwrap();
    }
    store
}

pub fn what_is_forgotten_is_gone_and_nothing_else(store: &mut dyn Store) {
    let store = filled(store);
    let nothing = store.forget("sort", &which(Some("quick"), None, None)).unwrap();
    assert_eq!(nothing, Forgotten::default());
    let nothing = store.forget("sort", &which(None, Some("dense"), None)).unwrap();
    assert_eq!(nothing, Forgotten::default(), "a pattern is of the whole name");
    let one = store.forget("sort", &which(Some("radix"), Some("dense/*"), Some("host:4"))).unwrap();
    assert_eq!(one, Forgotten { measurements: 1, evaluations: 1, inputs: 0 });
    assert_eq!(keys(store).len(), 7);
    assert!(!keys(store).contains(&"host:4 dense/a radix".to_owned()));
    assert_eq!(store.load("sort").unwrap().feature_times.len(), 1, "another variant is known there");
    assert_eq!(recorded(store, SORT.variants), ["sparse/a"]);
    let rest = store.forget("sort", &which(None, Some("{dense,thick}/?"), None)).unwrap();
    assert_eq!(rest, Forgotten { measurements: 3, evaluations: 1, inputs: 1 });
    let loaded = store.load("sort").unwrap();
    assert_eq!((loaded.inputs.len(), loaded.feature_times.len(), loaded.variants.len()), (1, 0, 2));
    // What is forgotten may come again, and be another input.
    store.put("sort", "host:4", &input("dense/a", &[1.0, 2.0]), &[time("merge", 1.0)]).unwrap();
    let error = Selected::new(None, Some("{a"), None).unwrap_err();
    assert!(matches!(&error, StoreError::Pattern { pattern, .. } if pattern == "{a"), "{error:?}");
    let unknown = store.forget("sorts", &Selected::default()).unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownFunction { .. }), "{unknown:?}");
}

pub fn a_function_and_a_variant_go_with_their_last_recording(store: &mut dyn Store) {
    let store = filled(store);
    store.forget("sort", &which(Some("radix"), None, None)).unwrap();
    assert_eq!(store.load("sort").unwrap().variants, ["merge"]);
    store.forget("sort", &which(Some("merge"), None, None)).unwrap();
    assert_eq!(store.load("sort").unwrap().variants, ["merge"], "the default stays");
    store.register(&SORT).unwrap();
    put_both(store, "host:4", "dense/a");
    let all = store.forget("sort", &Selected::default()).unwrap();
    assert_eq!((all.measurements, all.inputs), (2, 1));
    assert!(store.functions().unwrap().is_empty());
    assert_eq!(store.devices().unwrap().len(), 2);
    store.register(&FunctionSchema { features: &["other"], ..SORT }).unwrap();
    assert!(store.load("sort").unwrap().inputs.is_empty());
}

pub fn what_is_to_be_measured_again_stays_until_it_is(store: &mut dyn Store) {
    let store = filled(store);
    let before = store.load("sort").unwrap().measurements;
    assert_eq!(
        store.measure_again("sort", &which(Some("radix"), Some("dense/*"), Some("host:4"))).unwrap(),
        1
    );
    let loaded = store.load("sort").unwrap();
    assert_eq!((loaded.measurements, loaded.due.len()), (before, 1));
    assert_eq!(recorded(store, SORT.variants), ["sparse/a"]);
    assert_eq!(recorded(store, &["merge"]), ["dense/a", "sparse/a"]);
    store.put("sort", "host:1", &input("dense/a", &[9.0, 32.0]), &[time("radix", 2.0)]).unwrap();
    assert_eq!(store.load("sort").unwrap().due.len(), 1, "that was on another device");
    store.put("sort", "host:4", &input("dense/a", &[9.0, 32.0]), &[time("radix", 2.0)]).unwrap();
    assert_eq!(store.load("sort").unwrap().due.len(), 0);
    assert_eq!(recorded(store, SORT.variants), ["dense/a", "sparse/a"]);
    assert_eq!(store.measure_again("sort", &Selected::default()).unwrap(), 8);
    store.forget("sort", &which(None, None, Some("host:4"))).unwrap();
    assert_eq!(store.load("sort").unwrap().due.len(), 4, "what is forgotten is not due");
}

pub fn a_failure_that_is_to_be_measured_again_is_tried_again(store: &mut dyn Store) {
    let store = filled(store);
    let failed = Row { reason: "it crashed", ..Row::new("radix", Outcome::Failed) };
    store.put("sort", "host:4", &input("dense/a", &[9.0, 32.0]), &[failed]).unwrap();
    assert_eq!(store.measure_again("sort", &which(Some("radix"), None, Some("host:4"))).unwrap(), 2);
    let loaded = store.load("sort").unwrap();
    assert_eq!((loaded.measurements.len(), loaded.due.len()), (8, 2));
    // Until it is tried again it has failed: whoever learns meanwhile must not take it for one that nobody measured.
    let failed = loaded.measurements.iter().find(|one| one.outcome == Outcome::Failed).unwrap();
    assert_eq!(failed.reason, "it crashed");
    let is_of_failed = |key: &&MeasurementKey| (&*key.input, &*key.variant) == ("dense/a", "radix");
    assert_eq!(loaded.due.iter().filter(is_of_failed).count(), 1);
    assert!(recorded(store, SORT.variants).is_empty());
}

fn meanings(features: &[(&str, &str)], variants: &[(&str, &str)]) -> Meanings {
    let owned = |all: &[(&str, &str)]| all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    Meanings { features: owned(features), variants: owned(variants), ..Meanings::default() }
}

pub fn a_feature_of_another_meaning_is_computed_again_and_times_stay(store: &mut dyn Store) {
    let store = filled(store);
    store.put_meanings("sort", &meanings(&[("length", "1")], &[])).unwrap();
    assert_eq!(recorded(store, SORT.variants).len(), 2, "nothing was known before");
    store.put_meanings("sort", &meanings(&[("bits", "7")], &[])).unwrap();
    store.put_meanings("sort", &meanings(&[("length", "1"), ("bits", "7")], &[])).unwrap();
    assert_eq!(recorded(store, SORT.variants).len(), 2);
    store.put_meanings("sort", &meanings(&[("length", "2")], &[])).unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!((loaded.inputs.len(), loaded.incomplete.inputs), (0, 2));
    assert_eq!(loaded.incomplete.features, ["length".to_owned()].into());
    assert_eq!(loaded.meanings, meanings(&[("length", "2"), ("bits", "7")], &[]));
    assert!(recorded(store, SORT.variants).is_empty());
    let choices = SORT.variants.iter().map(|name| nitro_store::store::ChoiceName::variant(name));
    assert_eq!(store.measured("sort", "host:4", &choices.collect::<Vec<_>>()).unwrap().len(), 2);
    store.put("sort", "host:4", &input("dense/a", &[72.0, 32.0]), &[]).unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.inputs, [input("dense/a", &[72.0, 32.0])]);
    assert_eq!(loaded.measurements.len(), 4, "times stay, on both devices");
}

/// What a program declares replaces what was known; what comes from elsewhere is joined, and may not contradict it.
pub fn units_are_kept(store: &mut dyn Store) {
    let store = filled(store);
    let units =
        |units: &[(&str, Unit)]| units.iter().map(|(name, unit)| ((*name).to_owned(), *unit)).collect();
    let declared = meanings(&[("length", "1"), ("bits", "7")], &[]);
    store
        .put_meanings("sort", &Meanings { units: units(&[("length", Unit::Count)]), ..declared.clone() })
        .unwrap();
    let mut given = store.load("sort").unwrap();
    assert_eq!(given.meanings.units, units(&[("length", Unit::Count)]));
    given.meanings = Meanings {
        units: units(&[("bits", Unit::Bytes)]),
        device_units: units(&[("speed", Unit::OperationsPerSecond)]),
        ..Meanings::default()
    };
    store.import(&given).unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.meanings.units, units(&[("bits", Unit::Bytes), ("length", Unit::Count)]));
    assert_eq!(loaded.meanings.device_units, given.meanings.device_units);
    given.meanings.device_units = units(&[("speed", Unit::BytesPerSecond)]);
    let error = store.import(&given).unwrap_err().to_string();
    assert!(
        error.contains("`speed` of `sort` is in Operations/s") && error.contains("in Bytes/s"),
        "{error}"
    );
    assert_eq!(store.load("sort").unwrap(), loaded);
    store.put_meanings("sort", &Meanings { units: units(&[("bits", Unit::Count)]), ..declared }).unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.meanings.units, units(&[("bits", Unit::Count)]), "`length` has none any more");
    assert_eq!(loaded.inputs.len(), 2, "measurements and features stay");
}

pub fn a_variant_of_another_constraint_is_due(store: &mut dyn Store) {
    let store = filled(store);
    store.put_meanings("sort", &meanings(&[], &[("radix", "1"), ("merge", "1")])).unwrap();
    assert_eq!(store.load("sort").unwrap().due.len(), 0);
    store.put_meanings("sort", &meanings(&[], &[("radix", "2"), ("merge", "1")])).unwrap();
    assert_eq!(store.load("sort").unwrap().due.len(), 4);
    assert_eq!(recorded(store, &["merge"]).len(), 2);
    assert!(recorded(store, &["radix"]).is_empty());
}

pub fn a_variant_keeps_its_measurements_under_a_new_name(store: &mut dyn Store) {
    let store = filled(store);
    store.rename_variant("sort", "quick", "quicker").unwrap();
    store.rename_variant("sort", "merge", "stable").unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(
        (loaded.variants, loaded.default_variant),
        (vec!["stable".to_owned(), "radix".to_owned()], Some(0))
    );
    assert_eq!(recorded(store, &["stable", "radix"]).len(), 2);
    // A program with the old name was there meanwhile.
    store.register(&SORT).unwrap();
    store.put("sort", "host:4", &input("dense/a", &[9.0, 32.0]), &[time("merge", 99.0)]).unwrap();
    store.put("sort", "host:4", &input("new", &[9.0, 32.0]), &[time("merge", 3.0)]).unwrap();
    store.rename_variant("sort", "merge", "stable").unwrap();
    let loaded = store.load("sort").unwrap();
    assert_eq!(loaded.measurements.len(), 9);
    assert!(loaded.measurements.iter().all(|one| one.outcome != Outcome::Time(99.0)), "its own stay");
    assert!(store.rename_variant("sort", "radix", "two\nlines").is_err());
}
