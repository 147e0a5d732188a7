//! Claims of recorders that share a store: one that ends leaves none behind, and what one has measured and given back
//! no other measures again. Time is scripted.

use std::cell::Cell;
use std::time::Duration;

use nitro::code_variant;
use nitro_train::Session;
use nitro_train::measure::{
    Inputs, Plan, RecordError, RecordedInputs, Repeats, Share, Silent, record_inputs,
};
use nitro_train::store::{self, SharedStore};

use crate::scripted::{Scripted, TIME_NS};

#[code_variant(name = "claimed", device = Scripted, features(size = n), variants(first, second), default = first)]
fn claimed(n: usize) -> usize;

fn first(n: usize) -> usize {
    TIME_NS.set(1e6);
    n
}

fn second(n: usize) -> usize {
    TIME_NS.set(2e6);
    n
}

const ALL: [&str; 6] = ["0", "1", "2", "3", "4", "5"];

fn names() -> Vec<String> {
    ALL.map(str::to_owned).into()
}

fn record(
    owner: &str,
    store: &mut dyn SharedStore,
    only: &[&str],
    before_each: &dyn Fn(&str),
) -> Result<RecordedInputs, RecordError> {
    let names = names();
    // Longer than any test: what is not given back is claimed for good.
    let share = Share { owner: owner.to_owned(), lease: Duration::from_secs(3600) };
    let only = Some(only.iter().map(|name| (*name).to_owned()).collect());
    let plan = Plan { only, ..Plan::new(Inputs::Generated(&names), Repeats::default(), share) };
    record_inputs(claimed::function(), &Scripted, &plan, store, &Silent, |session: &mut Session<'_>| {
        for name in session.inputs("") {
            before_each(name);
            session.input(name, || claimed(name.len()))?;
        }
        Ok(())
    })
}

/// The inputs that another recorder may claim.
fn free(store: &mut dyn SharedStore) -> usize {
    let lease = Duration::from_secs(1);
    names().iter().filter(|name| store.claim("claimed", "scripted", name, "another", lease).unwrap()).count()
}

#[test]
fn a_recorder_that_ends_leaves_no_claim() {
    let mut store = store::memory().unwrap();
    assert_eq!(record("one", &mut *store, &ALL, &|_| {}).unwrap().measured, 6);
    assert_eq!(free(&mut *store), 6);
    // Nor does one whose closure leaves out what it was given, or fails beside its inputs.
    let mut store = store::memory().unwrap();
    let (names, plan_of) = (names(), |names| {
        let share = Share { owner: "one".into(), lease: Duration::from_secs(3600) };
        Plan::new(Inputs::Generated(names), Repeats::default(), share)
    });
    let all = |session: &mut Session<'_>| {
        let given: Vec<String> = session.inputs("").map(str::to_owned).collect();
        assert_eq!(given.len(), 6);
        Err("beside its inputs".into())
    };
    record_inputs(claimed::function(), &Scripted, &plan_of(&names), &mut *store, &Silent, all).unwrap_err();
    assert_eq!(free(&mut *store), 6);
}

#[test]
fn what_another_has_measured_meanwhile_is_not_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db").display().to_string();
    let (mut own, is_begun) = (store::open(&path).unwrap(), Cell::new(false));
    let other_records = |_: &str| {
        if !is_begun.replace(true) {
            // All but the one that is claimed, which it would wait for.
            let other = record("other", &mut *store::open(&path).unwrap(), &ALL[1..], &|_| {});
            assert_eq!(other.unwrap().measured, 5);
        }
    };
    let recorded = record("own", &mut *own, &ALL, &other_records).unwrap();
    assert_eq!(recorded.measured, 1);
    assert_eq!(own.load("claimed").unwrap().measurements.len(), 12);
    assert_eq!(free(&mut *own), 6);
}
