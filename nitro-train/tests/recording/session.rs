//! A session records through ordinary calls: which variant runs, what is timed, what is kept of variants that fail
//! or answer wrong. Time is scripted: the device's stopwatch says what the test wants.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use crate::scripted::{Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::measure::{
    FailedInputs, Inputs, Plan, Progress, RecordError, Repeats, Share, record_inputs,
};
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::store::{self, SharedStore};
use nitro_train::{BoxError, Session};

thread_local! {
    /// The variants that ran, in order.
    static RAN: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

#[code_variant(
    name = "double",
    device = Scripted,
    features(size = n, half = f64::from(n) / 2.0),
    variants(steady, slow, wrong, fails if size > 0, panics, forbidden if n > 1000),
    default = steady,
)]
fn double(n: u32) -> Result<u32, String>;

fn ran(variant: &'static str, time_ns: f64) {
    RAN.with_borrow_mut(|ran| ran.push(variant));
    TIME_NS.set(time_ns);
}

fn steady(n: u32) -> Result<u32, String> {
    ran("steady", 1e5 + f64::from(n));
    Ok(2 * n)
}

fn slow(n: u32) -> Result<u32, String> {
    ran("slow", 5e9);
    Ok(n + n)
}

fn wrong(n: u32) -> Result<u32, String> {
    ran("wrong", 1.0);
    Ok(n)
}

fn fails(_: u32) -> Result<u32, String> {
    ran("fails", 1.0);
    Err("always".into())
}

fn panics(_: u32) -> Result<u32, String> {
    panic!("on purpose")
}

fn forbidden(_: u32) -> Result<u32, String> {
    unreachable!("its constraint forbids it")
}

struct Silent;

impl Progress for Silent {
    fn expect(&self, _: usize, _: usize) {}
    fn begin(&self, _: &str) {}
    fn end(&self, _: &str) {}
}

const REPEATS: Repeats = Repeats { least: 5, most: 40, half_width: 0.01, budget_ns: 1e9 };

fn recorded(store: &mut dyn SharedStore) -> Recordings {
    store.load("double").unwrap()
}

fn outcome(recordings: &Recordings, input: &str, variant: &str) -> (Outcome, u32) {
    let (input, variant) =
        (recordings.input_index(input).unwrap(), recordings.variant_index(variant).unwrap());
    let found = recordings.measurements.iter().find(|m| m.input == input && m.variant == variant).unwrap();
    (found.outcome, found.repeats)
}

/// Records `double` on built-in inputs of these names.
fn record(
    store: &mut dyn SharedStore,
    names: &[String],
    closure: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<usize, RecordError> {
    shared(("here", Duration::from_secs(3600)), store, names, closure)
}

/// As [`record`], as one of several recorders whose claims last so long.
fn shared(
    (owner, lease): (&str, Duration),
    store: &mut dyn SharedStore,
    names: &[String],
    closure: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<usize, RecordError> {
    let share = Share { owner: owner.into(), lease };
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(names), REPEATS, share) };
    let recorded = record_inputs(double::function(), &Scripted, &plan, store, &Silent, closure)?;
    assert_eq!(recorded.failed, FailedInputs::default());
    Ok(recorded.measured)
}

#[test]
fn every_variant_is_recorded_as_it_behaves() {
    let mut store = store::memory().unwrap();
    record(&mut *store, &[], |session| {
        let before = RAN.with_borrow(Vec::len);
        session.checked_input("a", || double(7), |expected, found| expected == found)?;
        assert!(RAN.with_borrow(Vec::len) > before, "the closure's calls ran variants");
        Ok(())
    })
    .unwrap();
    let recordings = recorded(&mut *store);
    assert_eq!(recordings.inputs[0].features, [7.0, 3.5]);
    assert_eq!(
        outcome(&recordings, "a", "steady"),
        (Outcome::Time(1e5 + 7.0), 5),
        "a steady variant ends early"
    );
    assert_eq!(outcome(&recordings, "a", "slow"), (Outcome::Time(5e9), 1), "one run spends five budgets");
    assert_eq!(outcome(&recordings, "a", "wrong").0, Outcome::Wrong);
    assert_eq!(outcome(&recordings, "a", "fails").0, Outcome::Failed);
    assert_eq!(outcome(&recordings, "a", "panics").0, Outcome::Failed);
    assert_eq!(outcome(&recordings, "a", "forbidden").0, Outcome::Inadmissible);
}

#[test]
fn several_calls_in_one_closure_are_one_measurement() {
    let mut store = store::memory().unwrap();
    record(&mut *store, &[], |session| {
        session.input("sum", || (1..=3).map(|_| double(2).unwrap_or(0)).sum::<u32>())?;
        Ok(())
    })
    .unwrap();
    let recordings = recorded(&mut *store);
    assert_eq!(outcome(&recordings, "sum", "steady").0, Outcome::Time(3e5 + 6.0));
    assert_eq!(recordings.inputs[0].features, [2.0, 1.0]);
}

#[test]
fn a_run_as_long_as_all_repeats_is_made_twice_on_the_first_input_and_once_on_the_next() {
    let mut store = store::memory().unwrap();
    record(&mut *store, &[], |session| {
        for (input, runs) in [("one", 2), ("two", 1)] {
            RAN.take();
            session.input(input, || double(0))?;
            let slow = RAN.take().into_iter().filter(|ran| *ran == "slow").count();
            assert_eq!(slow, runs, "{input}");
        }
        Ok(())
    })
    .unwrap();
    let recordings = recorded(&mut *store);
    for input in ["one", "two"] {
        assert_eq!(outcome(&recordings, input, "slow"), (Outcome::Time(5e9), 1));
    }
}

#[test]
fn what_is_in_the_store_is_not_measured_again() {
    let mut store = store::memory().unwrap();
    let names: Vec<String> = ["x", "y"].map(String::from).into();
    let run = |store: &mut dyn SharedStore, limit: usize| {
        let measured = Cell::new(0);
        record(store, &names, |session| {
            let (first, second) = (session.inputs("*.a"), session.inputs("*.b"));
            assert_eq!(second.count(), 0, "an input is handed out once");
            for name in first.take(limit) {
                measured.set(measured.get() + 1);
                session.input(name, || double(1))?;
            }
            Ok(())
        })
        .unwrap();
        measured.get()
    };
    assert_eq!(run(&mut *store, 1), 1, "a run that ends early");
    assert_eq!(run(&mut *store, 9), 1, "goes on where it was");
    assert_eq!(run(&mut *store, 9), 0, "and has nothing left to do");
}

#[test]
fn what_another_has_recorded_meanwhile_is_not_measured_again_after_its_claim() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let open = || store::open(path.to_str().unwrap()).unwrap();
    let names: Vec<String> = ["x", "y", "z"].map(String::from).into();
    let measured = RefCell::new(Vec::new());
    let measure = |owner: &'static str, session: &Session<'_>, name: &str| {
        measured.borrow_mut().push((owner, name.to_owned()));
        session.input(name, || double(1))
    };
    // Claims that expire at once, as those of long ago have.
    shared(("here", Duration::ZERO), &mut *open(), &names, |session| {
        for name in session.inputs("") {
            measure("here", session, name)?;
            if name == "x" {
                shared(("there", Duration::ZERO), &mut *open(), &names[1..2], |other| {
                    Ok(other.inputs("").try_for_each(|name| measure("there", other, name))?)
                })?;
            }
        }
        Ok(())
    })
    .unwrap();
    let measured = measured.into_inner();
    let measured: Vec<(&str, &str)> = measured.iter().map(|(by, name)| (*by, name.as_str())).collect();
    assert_eq!(measured, [("here", "x"), ("there", "y"), ("here", "z")]);
}

/// What was told, in words.
#[derive(Default)]
struct Told(RefCell<Vec<String>>);

impl Progress for Told {
    fn expect(&self, inputs: usize, recorded: usize) {
        self.0.borrow_mut().push(format!("expect {inputs}, {recorded}"));
    }
    fn find(&self, input: &str, recorded: bool) {
        self.0.borrow_mut().push(format!("find {input}, {recorded}"));
    }
    fn begin(&self, _: &str) {}
    fn end(&self, input: &str) {
        self.0.borrow_mut().push(format!("end {input}"));
    }
    fn wait(&self, inputs: usize) {
        self.0.borrow_mut().push(format!("wait {inputs}"));
    }
}

#[test]
fn inputs_that_the_closure_makes_itself_need_no_others() {
    let mut store = store::memory().unwrap();
    let mut told = |only: Option<&str>| {
        let share = Share { owner: "here".into(), lease: Duration::from_secs(3600) };
        let only = only.map(|name| [name.to_owned()].into());
        let plan = Plan { only, processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, share) };
        let told = Told::default();
        let each = |session: &mut Session<'_>| {
            Ok((1..=3).try_for_each(|n| session.input(&format!("n{n}"), || double(n)))?)
        };
        record_inputs(double::function(), &Scripted, &plan, &mut *store, &told, each).unwrap();
        told.0.into_inner()
    };
    assert_eq!(told(Some("n2")), ["find n2, false", "end n2"], "only what is wanted");
    assert_eq!(told(None), ["find n1, false", "end n1", "find n2, true", "find n3, false", "end n3"]);
    assert_eq!(recorded(&mut *store).inputs.len(), 3);
}

#[test]
fn to_ask_for_inputs_where_there_are_none_is_an_error_unless_others_are_at_hand() {
    let mut store = store::memory().unwrap();
    let asked = |own: bool| {
        move |session: &mut Session<'_>| {
            assert_eq!(session.inputs("*.mtx").count(), 0);
            if own { Ok(session.input("own", || double(1))?) } else { Ok(()) }
        }
    };
    let error = record(&mut *store, &[], asked(false)).unwrap_err().to_string();
    assert!(
        error.contains("`double` has no built-in inputs") && error.contains("a folder of inputs"),
        "{error}"
    );
    record(&mut *store, &[], asked(true)).unwrap();
    // Inputs that are all recorded are not none.
    record(&mut *store, &["own".to_owned()], asked(false)).unwrap();
}

#[test]
fn recorders_share_inputs_that_the_closure_makes_itself_and_say_for_how_many_they_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let open = || store::open(path.to_str().unwrap()).unwrap();
    record(&mut *open(), &[], |_| Ok(())).unwrap(); // makes the function known
    let hold = |lease| open().claim("double", "scripted", "n2", "there", lease).unwrap();
    assert!(hold(Duration::from_secs(3600)));
    struct GivenBack<F: Fn()>(Told, F);
    impl<F: Fn()> Progress for GivenBack<F> {
        fn expect(&self, inputs: usize, recorded: usize) {
            self.0.expect(inputs, recorded);
        }
        fn begin(&self, _: &str) {}
        fn end(&self, input: &str) {
            self.0.end(input);
        }
        fn wait(&self, inputs: usize) {
            self.0.wait(inputs);
            self.1();
        }
    }
    let progress = GivenBack(Told::default(), || {
        hold(Duration::ZERO);
    });
    let share = Share { owner: "here".into(), lease: Duration::from_secs(3600) };
    let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, share) };
    let each = |session: &mut Session<'_>| {
        Ok((1..=3).try_for_each(|n| session.input(&format!("n{n}"), || double(n)))?)
    };
    record_inputs(double::function(), &Scripted, &plan, &mut *open(), &progress, each).unwrap();
    assert_eq!(progress.0.0.into_inner(), ["end n1", "end n3", "wait 1", "end n2"]);
}

#[test]
fn a_recording_that_ends_with_an_error_gives_its_input_back() {
    let mut store = store::memory().unwrap();
    let names = ["x".to_owned()];
    let failed = record(&mut *store, &names, |session| {
        session.inputs("").for_each(drop);
        Err("the file is damaged".into())
    });
    assert!(failed.is_err());
    let claimed = store.claim("double", "scripted", "x", "there", Duration::from_secs(3600));
    assert!(claimed.unwrap(), "another recorder may take it at once");
}

#[test]
fn mistakes_of_the_closure_are_named() {
    fn error_of(run: impl FnMut() -> u32) -> String {
        let mut store = store::memory().unwrap();
        let run = RefCell::new(run);
        let plan =
            Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&[]), REPEATS, Share::default()) };
        let closure = |session: &mut Session<'_>| Ok(session.input("bad", || run.borrow_mut()())?);
        let recorded_inputs =
            record_inputs(double::function(), &Scripted, &plan, &mut *store, &Silent, closure).unwrap();
        assert!(recorded(&mut *store).measurements.is_empty(), "nothing is kept of it");
        recorded_inputs.failed["bad"].clone()
    }
    let message = error_of(|| 1);
    assert!(message.contains("never called `double`"), "{message}");
    let message = error_of(|| panic!("no such file"));
    assert!(message.contains("default variant of `double` panicked: no such file"), "{message}");
}
