//! Runs that cannot be compared are not: an input that its closure changes, several inputs under one name, an answer
//! that is `Err`. One such input costs itself, with a sentence that says what to do. Time is scripted.

use std::cell::{Cell, RefCell};

use crate::scripted::{Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::measure::{Inputs, Plan, RecordedInputs, Repeats, Share, Silent, record_inputs};
use nitro_train::recordings::{Measurement, Outcome, Recordings};
use nitro_train::store;
use nitro_train::{BoxError, Session};

const REPEATS: Repeats = Repeats { least: 5, most: 40, half_width: 0.01, budget_ns: 1e9 };

#[code_variant(
    name = "sorted",
    device = Scripted,
    features(n = keys.len(), in_order = keys.is_sorted()),
    variants(unstable, stable, untidy),
    default = stable,
)]
fn sorted(keys: &mut [u32]) -> Result<u32, String>;

fn unstable(keys: &mut [u32]) -> Result<u32, String> {
    TIME_NS.set(2e5);
    keys.sort_unstable();
    first(keys)
}

fn stable(keys: &mut [u32]) -> Result<u32, String> {
    TIME_NS.set(1e5);
    keys.sort();
    first(keys)
}

/// Leaves the keys as they are, and no error where there are none.
fn untidy(keys: &mut [u32]) -> Result<u32, String> {
    TIME_NS.set(3e5);
    Ok(keys.iter().min().copied().unwrap_or(0))
}

fn first(keys: &[u32]) -> Result<u32, String> {
    keys.first().copied().ok_or_else(|| "no keys".to_owned())
}

fn keys() -> Vec<u32> {
    (0..50).rev().collect()
}

/// What came of a recording, and what is in the store.
fn record(closure: impl Fn(&mut Session<'_>) -> Result<(), BoxError>) -> (RecordedInputs, Recordings) {
    let mut store = store::memory().unwrap();
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, Share::default()) };
    let recorded =
        record_inputs(sorted::function(), &Scripted, &plan, &mut *store, &Silent, closure).unwrap();
    (recorded, store.load("sorted").unwrap())
}

/// Records the input `odd` between two others, which are measured; what is said of it.
fn why_left_out(odd: impl Fn(&Session<'_>) -> Result<(), BoxError>) -> String {
    let (recorded, recordings) = record(|session| {
        session.input("before", || sorted(&mut keys()))?;
        odd(session)?;
        Ok(session.input("after", || sorted(&mut keys()))?)
    });
    assert_eq!(recorded.measured, 2);
    let names: Vec<&str> = recordings.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["after", "before"], "nothing is kept of the other: {:?}", recorded.failed);
    assert_eq!(recordings.measurements.len(), 2 * 3);
    assert_eq!(recorded.failed.keys().collect::<Vec<_>>(), ["odd"]);
    recorded.failed["odd"].clone()
}

const WHAT_TO_DO: &str =
    "copy it inside the closure or make it with `session.input_with_setup`; what is random must be seeded";

#[test]
fn an_input_that_is_changed_in_place_is_told_and_not_kept() {
    let why = why_left_out(|session| {
        let mut own = keys();
        Ok(session.input("odd", || sorted(&mut own))?)
    });
    assert!(
        why.starts_with("feature `in_order` is 0 at first and 1 in a later run, so runs of `sorted`"),
        "{why}"
    );
    assert!(why.ends_with(WHAT_TO_DO), "{why}");
}

#[test]
fn an_input_that_grows_late_is_told() {
    for grows_in_run in [2, 5, 19, 20] {
        let why = why_left_out(|session| {
            let run = Cell::new(0);
            let grown = || {
                run.set(run.get() + 1);
                sorted(&mut vec![1; 50 + usize::from(run.get() >= grows_in_run)])
            };
            Ok(session.input("odd", grown)?)
        });
        assert!(
            why.contains("feature `n` is 50 at first and 51 in a later run"),
            "run {grows_in_run}: {why}"
        );
    }
}

#[test]
fn a_feature_that_is_drawn_at_random_is_told() {
    let seed = Cell::new(1_u32);
    let why = why_left_out(|session| {
        let drawn = || {
            seed.set(seed.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
            sorted(&mut vec![0; 1 + seed.get() as usize % 1000])
        };
        Ok(session.input("odd", drawn)?)
    });
    assert!(why.contains("feature `n` is") && why.ends_with(WHAT_TO_DO), "{why}");
}

/// The features stay, what is computed does not: no variant is wrong there.
#[test]
fn an_output_that_the_default_gives_only_once_is_no_fault_of_variants() {
    let why = why_left_out(|session| {
        let mut sum = 0;
        let accumulated = || {
            sum += sorted(&mut [7]).unwrap_or(0);
            sum
        };
        Ok(session.checked_input("odd", accumulated, |expected, found| expected == found)?)
    });
    assert!(why.starts_with("the default variant gives another output in each run"), "{why}");
    assert!(why.ends_with(WHAT_TO_DO), "{why}");
}

#[test]
fn an_input_that_is_used_up_is_no_fault_of_variants() {
    for runs in [1, 7] {
        let why = why_left_out(|session| {
            let mut left = vec![keys(); runs];
            Ok(session.input("odd", || sorted(&mut left.pop().expect("one is left")))?)
        });
        assert!(why.contains("the default variant ran at first and panicked: one is left"), "{why}");
        let why = why_left_out(|session| {
            let mut left = vec![9; runs];
            let one = || left.pop().map_or(Err("none is left".to_owned()), |one| sorted(&mut [one]));
            Ok(session.input("odd", one)?)
        });
        assert!(why.contains("one run calls the function 1 times and another 0 times"), "{why}");
    }
}

#[test]
fn calls_of_another_number_or_of_other_inputs_in_one_closure_are_told() {
    let why = why_left_out(|session| {
        let run = Cell::new(0);
        let more = || {
            run.set(run.get() + 1);
            (0..run.get()).for_each(|_| drop(sorted(&mut keys())));
        };
        Ok(session.input("odd", more)?)
    });
    assert!(why.contains("one run calls the function 1 times and another 2 times"), "{why}");
    let why =
        why_left_out(|session| Ok(session.input("odd", || [10, 1000].map(|n| sorted(&mut vec![0; n])))?));
    assert!(
        why.starts_with(
            "one closure calls `sorted` on several inputs (feature `n` is 10 at first and 1000 in call 2)"
        ),
        "{why}"
    );
}

#[test]
fn one_name_for_two_inputs_is_told_and_the_first_is_kept() {
    let (recorded, recordings) = record(|session| {
        session.input("one", || sorted(&mut [1]))?;
        session.input("one", || sorted(&mut [1, 2]))?;
        Ok(session.input("two", || sorted(&mut [1, 2, 3]))?)
    });
    assert_eq!((recorded.measured, recordings.inputs[0].features[0]), (2, 1.0));
    assert!(recorded.failed["one"].contains("is given two inputs of this name"), "{:?}", recorded.failed);
    assert!(recorded.failed["one"].contains("name each apart"), "{:?}", recorded.failed);
}

#[test]
fn an_input_is_made_anew_for_each_run_and_no_call_of_that_is_recorded() {
    let (made, taken) = (Cell::new(0), RefCell::new(Vec::new()));
    let (recorded, recordings) = record(|session| {
        let make = || {
            made.set(made.get() + 1);
            let mut own = vec![3, 1, 2];
            sorted(&mut own).expect("there are keys"); // of another input, and of no account
            own.reverse();
            TIME_NS.set(9e9);
            own
        };
        let run = |mut own: Vec<u32>| {
            taken.borrow_mut().push(own.clone());
            sorted(&mut own).map(|first| (first, own))
        };
        session.checked_input_with_setup("made", make, run, |expected, found| expected == found)?;
        Ok(session.input_with_setup("made unchecked", keys, |mut own| sorted(&mut own))?)
    });
    assert_eq!((recorded.measured, recorded.failed.len()), (2, 0), "{:?}", recorded.failed);
    let taken = taken.into_inner();
    assert_eq!(taken.len(), made.get(), "one for each run");
    assert!(taken.len() > 2 * 5 && taken.iter().all(|own| *own == [3, 2, 1]), "{taken:?}");
    let outcome = |input: usize, variant: &str| {
        let variant = recordings.variant_index(variant);
        let is_it = |one: &&Measurement| (one.input, Some(one.variant)) == (input, variant);
        recordings.measurements.iter().find(is_it).expect("it was measured").outcome
    };
    assert_eq!(outcome(0, "stable"), Outcome::Time(1e5));
    assert_eq!(outcome(0, "untidy"), Outcome::Wrong);
    assert_eq!((outcome(1, "unstable"), outcome(1, "untidy")), (Outcome::Time(2e5), Outcome::Time(3e5)));
}

#[test]
fn a_setup_that_panics_costs_its_input() {
    let why = why_left_out(|session| {
        Ok(session.input_with_setup(
            "odd",
            || panic!("no such file"),
            |mut own: Vec<u32>| sorted(&mut own),
        )?)
    });
    assert_eq!(why, "panicked: no such file");
}

#[test]
fn where_the_default_returns_an_error_that_is_the_answer() {
    let (recorded, recordings) = record(|session| {
        session.input("a plain", || sorted(&mut Vec::new()))?;
        session.checked_input("checked", || sorted(&mut Vec::new()), |_, found| found != &Ok(5))?;
        Ok(session.checked_input("refused", || sorted(&mut Vec::new()), |_, found| found.is_ok())?)
    });
    assert_eq!(recorded.errors.iter().collect::<Vec<_>>(), ["a plain", "checked"]);
    let of = |input: usize| {
        let own = recordings.measurements.iter().filter(|one| one.input == input);
        own.map(|one| (recordings.variants[one.variant].as_str(), one.outcome, one.reason.as_str()))
            .collect::<Vec<_>>()
    };
    let right = [("unstable", Outcome::Time(2e5), ""), ("stable", Outcome::Time(1e5), "")];
    assert_eq!(of(0)[..2], right);
    assert_eq!(of(0)[2], ("untidy", Outcome::Wrong, "returned no error where the default variant does"));
    assert_eq!(of(1)[..2], right);
    assert_eq!(of(1)[2], ("untidy", Outcome::Time(3e5), ""), "the check says that it may");
    assert_eq!(recorded.failed.keys().collect::<Vec<_>>(), ["refused"]);
    assert!(recorded.failed["refused"].contains("the check does not accept that"), "{:?}", recorded.failed);
}

#[test]
fn instances_that_take_turns_are_one_input_and_each_has_to_stay_what_it_is() {
    let turns = RefCell::new(Vec::new());
    let instances = [vec![3, 1], vec![1, 2, 3], vec![5]];
    let (recorded, recordings) = record(|session| {
        let run = |turn: usize| {
            turns.borrow_mut().push(turn);
            (turn, sorted(&mut instances[turn].clone()))
        };
        let same = |_: &_, (turn, found): &(usize, _)| *found == Ok(*instances[*turn].iter().min().unwrap());
        session.checked_input_in_turns("in turns", 3, run, same)?;
        let mut own = instances.clone();
        Ok(session.input_in_turns("changed", 3, |turn| sorted(&mut own[turn]))?)
    });
    assert_eq!((recorded.measured, recordings.inputs.len()), (1, 1));
    assert_eq!(recordings.inputs[0].features, [2.0, 0.0], "of the first instance");
    assert!(
        recorded.failed["changed"].starts_with("feature `in_order` is 0 at first and 1"),
        "{:?}",
        recorded.failed
    );
    let turns = turns.into_inner();
    // An instance may run a second time, for the times of its features, before the next one does.
    let mut in_order = turns.clone();
    in_order.dedup();
    assert!(in_order.len() > 15, "{turns:?}");
    assert!(in_order.iter().enumerate().all(|(run, turn)| run % 3 == *turn), "{turns:?}");
    assert!(turns.windows(2).any(|pair| pair[0] == pair[1]), "{turns:?}");
    assert!(turns.windows(3).all(|runs| runs[0] != runs[1] || runs[1] != runs[2]), "{turns:?}");
}

#[code_variant(
    name = "largest",
    device = Scripted,
    features(n = keys.len()),
    variants(of_all, of_last if keys.is_sorted()),
    default = of_all,
)]
fn largest(keys: &[u32]) -> Option<u32>;

fn of_all(keys: &[u32]) -> Option<u32> {
    TIME_NS.set(2e5);
    keys.iter().max().copied()
}

fn of_last(keys: &[u32]) -> Option<u32> {
    assert!(keys.is_sorted(), "nobody may call it with such keys");
    TIME_NS.set(1e5);
    keys.last().copied()
}

#[test]
fn a_variant_runs_where_its_constraint_admits_all_instances() {
    let instances = [vec![1, 2, 3], vec![1, 4, 5], vec![2, 1, 0]];
    let mut store = store::memory().unwrap();
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, Share::default()) };
    let closure = |session: &mut Session<'_>| {
        session.input_in_turns("sorted", 2, |turn| largest(&instances[turn]))?;
        Ok(session.input_in_turns("mixed", 3, |turn| largest(&instances[turn]))?)
    };
    record_inputs(largest::function(), &Scripted, &plan, &mut *store, &Silent, closure).unwrap();
    let recordings = store.load("largest").unwrap();
    let of_last = |input: &str| {
        let found = recordings.measurements.iter().find(|one| {
            recordings.inputs[one.input].name == input && recordings.variants[one.variant] == "of_last"
        });
        found.map(|one| one.outcome)
    };
    assert_eq!(of_last("sorted"), Some(Outcome::Time(1e5)));
    assert_eq!(of_last("mixed"), Some(Outcome::Inadmissible));
}

/// In a process that nobody replaces, whoever reads of a failure learns what may be behind it.
#[test]
fn a_failure_after_a_panic_names_the_panic() {
    let mut store = store::memory().unwrap();
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, Share::default()) };
    let closure = |session: &mut Session<'_>| {
        Ok([1, 2].iter().try_for_each(|n| session.input(&format!("n{n}"), || poisoned(*n)))?)
    };
    record_inputs(poisoned::function(), &Scripted, &plan, &mut *store, &Silent, closure).unwrap();
    let measurements = store.load("poisoned").unwrap().measurements;
    let reasons: Vec<&str> =
        measurements.iter().map(|one| one.reason.as_str()).filter(|own| !own.is_empty()).collect();
    assert_eq!(reasons[0], "panicked: the first is too much");
    let cause = "(in the process in which input `n1`: variant `locking` of `poisoned` panicked: the first is too much, which may be why)";
    assert!(reasons[1].starts_with("panicked: ") && reasons[1].ends_with(cause), "{}", reasons[1]);
}

#[code_variant(name = "poisoned", device = Scripted, features(size = n), variants(free, locking), default = free)]
fn poisoned(n: u32);

fn free(_: u32) {
    TIME_NS.set(1e5);
}

fn locking(n: u32) {
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TIME_NS.set(1e5);
    let _locked = LOCK.lock().unwrap();
    assert!(n > 1, "the first is too much");
}
