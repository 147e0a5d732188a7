//! An approximate variant is measured only on inputs whose calls accept its error.

use std::cell::Cell;
use std::time::Duration;

use nitro::code_variant;
use nitro_train::measure::{Inputs, Plan, Progress, Repeats, Share, record_inputs};
use nitro_train::recordings::Outcome;
use nitro_train::store;

use crate::scripted::{Hidden, Scripted, TIME_NS};

thread_local! {
    /// The least that a call accepted in which the approximate variant ran.
    static LEAST: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

#[code_variant(
    name = "reciprocal",
    device = Scripted,
    variants(divided, estimated),
    default = divided,
    approximate(estimated = 0.01 over "1 to 1000"),
    tolerance = tolerance,
)]
fn reciprocal(n: f64, tolerance: f64) -> f64;

fn divided(n: f64, _: f64) -> f64 {
    TIME_NS.set(2e5);
    1.0 / n
}

fn estimated(n: f64, tolerance: f64) -> f64 {
    TIME_NS.set(1e5);
    LEAST.set(LEAST.get().min(tolerance));
    1.005 / n
}

struct Silent;

impl Progress for Silent {
    fn expect(&self, _: usize, _: usize) {}
    fn begin(&self, _: &str) {}
    fn end(&self, _: &str) {}
}

#[test]
fn what_a_call_does_not_tolerate_is_not_measured() {
    let inputs: [(&str, &[f64]); 5] = [
        ("loose", &[0.05]),
        ("just", &[0.01]),
        ("strict", &[0.001]),
        ("nan", &[f64::NAN]),
        ("mixed", &[0.05, 0.0]),
    ];
    let mut store = store::memory().unwrap();
    let share = Share { owner: "here".into(), lease: Duration::from_secs(3600) };
    let repeats = Repeats { least: 5, most: 40, half_width: 0.01, budget_ns: 1e9 };
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), repeats, share) };
    record_inputs(reciprocal::function(), &Scripted, &plan, &mut *store, &Silent, |session| {
        for (name, tolerances) in inputs {
            let call = || tolerances.iter().map(|&tolerance| reciprocal(7.0, tolerance)).sum::<f64>();
            session.checked_input(name, call, |expected, found| (found / expected - 1.0).abs() <= 0.01)?;
        }
        Ok(())
    })
    .unwrap();
    let recordings = store.load("reciprocal").unwrap();
    let variant = recordings.variant_index("estimated").unwrap();
    let outcome = |input: &str| {
        let input = recordings.input_index(input).unwrap();
        let found = recordings.measurements.iter().find(|own| own.input == input && own.variant == variant);
        found.unwrap().outcome
    };
    let (measured, forbidden) = (Outcome::Time(1e5), Outcome::Inadmissible);
    assert_eq!(inputs.map(|(name, _)| outcome(name)), [measured, measured, forbidden, forbidden, forbidden]);
    assert_eq!(LEAST.get(), 0.01, "nor run to find out");
}
