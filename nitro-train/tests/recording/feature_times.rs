//! What features take is recorded with the variants, and can be made up for alone.

use std::cell::Cell;

use crate::scripted::{Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::Session;
use nitro_train::measure::{Inputs, Plan, Repeats, Share, Silent, record_inputs};
use nitro_train::recordings::Recordings;
use nitro_train::store::{self, SharedStore};

thread_local! {
    /// How often the second variant ran.
    static SECOND: Cell<usize> = const { Cell::new(0) };
}

#[code_variant(
    name = "timed",
    device = Scripted,
    features(size = n, digits = f64::from(n).log10().ceil()),
    variants(first, second),
    default = first,
)]
fn timed(n: u32);

fn first(_: u32) {
    TIME_NS.set(100.0);
}

fn second(_: u32) {
    TIME_NS.set(200.0);
    SECOND.set(SECOND.get() + 1);
}

const NAMES: [&str; 2] = ["10", "1000"];

/// Records and returns what the store holds then.
fn record(store: &mut dyn SharedStore, feature_times_only: bool) -> (usize, Recordings) {
    let names = NAMES.map(str::to_owned);
    let plan = Plan {
        processors: &Hidden,
        ..Plan::new(Inputs::Generated(&names), Repeats::default(), Share::default())
    };
    let plan = Plan { feature_times_only, ..plan };
    let closure = |session: &mut Session<'_>| {
        for name in session.inputs("") {
            // Two calls of the function are one measurement.
            session.input(name, || {
                timed(name.parse().unwrap());
                timed(name.parse().unwrap());
            })?;
        }
        Ok(())
    };
    let recorded = record_inputs(timed::function(), &Scripted, &plan, store, &Silent, closure).unwrap();
    (recorded.measured, store.load("timed").unwrap())
}

fn assert_timed(recordings: &Recordings) {
    let inputs: Vec<usize> = recordings.feature_times.iter().map(|one| one.input).collect();
    assert_eq!(inputs, [0, 1]);
    for one in &recordings.feature_times {
        assert_eq!(one.times_ns.len(), 2);
        assert!(one.times_ns.iter().flatten().all(|time_ns| time_ns.is_finite() && *time_ns >= 0.0));
        assert!(one.times_ns.iter().all(Option::is_some), "each feature was timed");
    }
}

#[test]
fn a_recording_has_a_time_for_each_feature_and_input() {
    let mut store = store::memory().unwrap();
    let (measured, recordings) = record(&mut *store, false);
    assert_eq!((measured, recordings.measurements.len()), (2, 4));
    assert_timed(&recordings);
}

#[test]
fn what_features_take_is_made_up_for_without_a_run_of_other_variants() {
    let mut whole = store::memory().unwrap();
    let (_, recordings) = record(&mut *whole, false);
    let untimed = Recordings { feature_times: Vec::new(), ..recordings };
    let mut store = store::memory().unwrap();
    store.import(&untimed).unwrap();
    assert_eq!(record(&mut *store, false).0, 0, "its variants are measured");

    SECOND.set(0);
    let (measured, recordings) = record(&mut *store, true);
    assert_eq!((measured, SECOND.get()), (2, 0));
    assert_timed(&recordings);
    assert_eq!(recordings.measurements, untimed.measurements);
    assert_eq!(record(&mut *store, true).0, 0, "once");
}
