//! Whose time it is: what a recording does beside the runs of variants is never a variant's, time in which nothing
//! ran counts for nobody, claims are kept whatever a run takes, and a recording ends when its time has passed. Time
//! is scripted.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::scripted::{Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::measure::{Attempt, Clock, Inputs, Plan, Progress, Repeats, Share, record_inputs};
use nitro_train::recordings::{DeviceRecord, Input, Meanings, Outcome, Recordings};
use nitro_train::store::{
    self, ChoiceName, Evaluated, Forgotten, FunctionSchema, Leases, Row, Searches, Selected, SharedStore,
    Store, StoreError,
};
use nitro_train::{Artifact, Session};

/// A clock that is set, in seconds.
#[derive(Debug)]
struct SetClock(AtomicU64);

impl SetClock {
    /// One of the test's own, for the life of the process.
    fn new() -> &'static Self {
        Box::leak(Box::new(Self(AtomicU64::new(0))))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// What happens in the run of this number, counted down.
type InRun = (usize, Box<dyn FnOnce()>);

thread_local! {
    static IN_RUN: RefCell<Option<InRun>> = const { RefCell::new(None) };
}

#[code_variant(name = "work", device = Scripted, features(size = n), variants(first, second), default = first)]
fn work(n: u32) -> u32;

fn run(n: u32, time_ns: f64) -> u32 {
    TIME_NS.set(time_ns);
    let happens = IN_RUN.take();
    match happens {
        Some((1, happens)) => happens(),
        Some((runs, happens)) => IN_RUN.set(Some((runs - 1, happens))),
        None => {}
    }
    n
}

fn first(n: u32) -> u32 {
    run(n, 1e5)
}

fn second(n: u32) -> u32 {
    run(n, 2e5)
}

/// Keeps recordings in memory and tells of each question first.
struct Told<'a> {
    store: Box<dyn SharedStore>,
    tell: &'a (dyn Fn(&'static str) + Sync),
}

impl Store for Told<'_> {
    fn location(&self) -> &str {
        self.store.location()
    }
    fn functions(&mut self) -> Result<Vec<String>, StoreError> {
        self.store.functions()
    }
    fn devices(&mut self) -> Result<Vec<DeviceRecord>, StoreError> {
        self.store.devices()
    }
    fn load(&mut self, function: &str) -> Result<Recordings, StoreError> {
        (self.tell)("load");
        self.store.load(function)
    }
    fn register(&mut self, schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
        (self.tell)("register");
        self.store.register(schema)
    }
    fn put_device(&mut self, device: &DeviceRecord) -> Result<(), StoreError> {
        (self.tell)("put_device");
        self.store.put_device(device)
    }
    fn recorded(
        &mut self,
        f: &str,
        d: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        (self.tell)("recorded");
        self.store.recorded(f, d, choices)
    }
    fn measured(
        &mut self,
        f: &str,
        d: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.store.measured(f, d, choices)
    }
    fn put_meanings(&mut self, f: &str, meanings: &Meanings) -> Result<(), StoreError> {
        self.store.put_meanings(f, meanings)
    }
    fn measure_again(&mut self, f: &str, which: &Selected) -> Result<usize, StoreError> {
        self.store.measure_again(f, which)
    }
    fn forget(&mut self, f: &str, which: &Selected) -> Result<Forgotten, StoreError> {
        self.store.forget(f, which)
    }
    fn rename_variant(&mut self, f: &str, old: &str, new: &str) -> Result<(), StoreError> {
        self.store.rename_variant(f, old, new)
    }
    fn put(&mut self, f: &str, d: &str, input: &Input, rows: &[Row<'_>]) -> Result<(), StoreError> {
        (self.tell)("put");
        self.store.put(f, d, input, rows)
    }
    fn put_artifact(&mut self, f: &str, text: &str) -> Result<Artifact, StoreError> {
        (self.tell)("put_artifact");
        self.store.put_artifact(f, text)
    }
    fn put_feature_times(&mut self, f: &str, d: &str, i: &Input, times_ns: &[f64]) -> Result<(), StoreError> {
        (self.tell)("put_feature_times");
        self.store.put_feature_times(f, d, i, times_ns)
    }
    fn evaluations(
        &mut self,
        f: &str,
        d: &str,
        i: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<Vec<Option<Evaluated>>, StoreError> {
        self.store.evaluations(f, d, i, choices)
    }
    fn put_evaluation(&mut self, f: &str, d: &str, i: &str, row: &Row<'_>) -> Result<(), StoreError> {
        self.store.put_evaluation(f, d, i, row)
    }
    fn begin_search(&mut self, name: &str, with: &str) -> Result<String, StoreError> {
        self.store.begin_search(name, with)
    }
    fn searches(&mut self) -> Result<Searches, StoreError> {
        self.store.searches()
    }
    fn add_searches(&mut self, searches: &Searches) -> Result<(), StoreError> {
        self.store.add_searches(searches)
    }
    fn import(&mut self, recordings: &Recordings) -> Result<(), StoreError> {
        self.store.import(recordings)
    }
}

impl Leases for Told<'_> {
    fn claim(&mut self, f: &str, d: &str, i: &str, by: &str, lease: Duration) -> Result<bool, StoreError> {
        (self.tell)("claim");
        self.store.claim(f, d, i, by, lease)
    }
}

const REPEATS: Repeats = Repeats { least: 5, most: 40, half_width: 0.01, budget_ns: 1e9 };
const LONG: Duration = Duration::from_secs(3600);

/// Hears of attempts alone.
#[derive(Default)]
struct Attempts {
    is_under_way: std::sync::atomic::AtomicBool,
    begun: AtomicUsize,
}

impl Progress for Attempts {
    fn expect(&self, _: usize, _: usize) {}
    fn begin(&self, _: &str) {}
    fn end(&self, _: &str) {}
    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        self.begun.fetch_add(usize::from(attempt.is_some()), Ordering::Relaxed);
        self.is_under_way.store(attempt.is_some(), Ordering::Relaxed);
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| n.to_string()).collect()
}

fn plan(names: &[String], lease: Duration) -> Plan<'_> {
    let share = Share { owner: "here".into(), lease };
    let plan = Plan::new(Inputs::Generated(names), REPEATS, share);
    Plan { clock: SetClock::new(), processors: &Hidden, ..plan }
}

/// Records `work` on all inputs.
fn record(plan: &Plan<'_>, store: &mut dyn SharedStore, progress: &dyn Progress) {
    let each = |session: &mut Session<'_>| {
        Ok(session.inputs("").try_for_each(|name| session.input(name, || work(name.len() as u32)))?)
    };
    record_inputs(work::function(), &Scripted, plan, store, progress, each).unwrap();
}

#[test]
fn no_run_is_under_way_while_the_store_is_asked() {
    let attempts = Attempts::default();
    let asked = AtomicUsize::new(0);
    let tell = |what: &'static str| {
        asked.fetch_add(1, Ordering::Relaxed);
        assert!(!attempts.is_under_way.load(Ordering::Relaxed), "{what}");
    };
    let mut store = Told { store: store::memory().unwrap(), tell: &tell };
    record(&plan(&names(3), LONG), &mut store, &attempts);
    assert!(asked.load(Ordering::Relaxed) >= 3 + 3 + 3, "each input is claimed and put");
    assert!(attempts.begun.load(Ordering::Relaxed) > 3 * 2 * 5);
}

#[test]
fn an_attempt_ends_when_a_comparison_panics() {
    let attempts = Attempts::default();
    let names = names(1);
    let mut store = store::memory().unwrap();
    let closure = |session: &mut Session<'_>| {
        Ok(session.checked_input("x", || work(1), |_, _| panic!("no way to compare"))?)
    };
    let recorded =
        record_inputs(work::function(), &Scripted, &plan(&names, LONG), &mut *store, &attempts, closure);
    let failed = recorded.unwrap().failed;
    assert_eq!(failed["x"], "panicked: no way to compare", "of the closure, not of the variant");
    assert!(!attempts.is_under_way.load(Ordering::Relaxed));
    assert!(store.load("work").unwrap().measurements.is_empty());
}

#[test]
fn a_variant_whose_output_cannot_be_compared_answers_wrong() {
    let mut store = store::memory().unwrap();
    let outputs = Cell::new(0);
    let same = |expected: &u32, _: &u32| {
        outputs.set(outputs.get() + 1);
        if outputs.get() == 2 { panic!("no such element") } else { *expected == 1 }
    };
    record_inputs(
        work::function(),
        &Scripted,
        &plan(&[], LONG),
        &mut *store,
        &Attempts::default(),
        |session| Ok(session.checked_input("x", || work(1), same)?),
    )
    .unwrap();
    let measurements = store.load("work").unwrap().measurements;
    assert!(measurements[0].outcome.time_ns().is_some());
    assert_eq!(measurements[1].outcome, Outcome::Wrong);
    assert!(measurements[1].reason.contains("no such element"), "{}", measurements[1].reason);
}

#[test]
fn a_claim_is_kept_during_a_run_of_any_length() {
    let claims = AtomicUsize::new(0);
    let tell = |what: &'static str| {
        claims.fetch_add(usize::from(what == "claim"), Ordering::Relaxed);
    };
    let claimed_again = || {
        let end = Instant::now() + Duration::from_secs(20);
        while claims.load(Ordering::Relaxed) < 4 {
            assert!(Instant::now() < end, "the claim is not renewed while a variant runs");
            std::thread::yield_now();
        }
    };
    let mut store = Told { store: store::memory().unwrap(), tell: &tell };
    let names = names(1);
    let plan = plan(&names, Duration::from_millis(300));
    let mut waited = false;
    let waits = RefCell::new(|| {
        if !std::mem::replace(&mut waited, true) {
            claimed_again();
        }
    });
    let each = |session: &mut Session<'_>| {
        let wait_and_work = |name: &str| {
            let n = work(name.len() as u32);
            waits.borrow_mut()();
            n
        };
        Ok(session.inputs("").try_for_each(|name| session.input(name, || wait_and_work(name)))?)
    };
    record_inputs(work::function(), &Scripted, &plan, &mut store, &Attempts::default(), each).unwrap();
}

fn times(store: &mut dyn SharedStore) -> Vec<f64> {
    let recordings = store.load("work").unwrap();
    recordings.measurements.iter().filter_map(|one| one.outcome.time_ns()).collect()
}

#[test]
fn a_run_in_which_time_was_lost_is_made_again() {
    // In the run of this number the process is stopped for an hour: the first run, the two that warm up, and those
    // that are timed.
    for stopped in 1..=6 {
        let mut store = store::memory().unwrap();
        let clock = SetClock::new();
        let hour = || {
            TIME_NS.set(3.6e12);
            clock.pass(3600);
        };
        IN_RUN.set(Some((stopped, Box::new(hour))));
        let names = names(1);
        record(&Plan { clock, ..plan(&names, LONG) }, &mut *store, &Attempts::default());
        assert_eq!(times(&mut *store), [1e5, 2e5], "stopped in run {stopped}");
    }
}

#[test]
fn a_recording_ends_when_its_time_has_passed_and_keeps_what_it_began() {
    let mut store = store::memory().unwrap();
    let names = names(50);
    let clock = SetClock::new();
    let plan = Plan { clock, until: Some(Duration::from_secs(10)), ..plan(&names, LONG) };
    let made = Cell::new(0);
    let each = |session: &mut Session<'_>| {
        for name in session.inputs("") {
            made.set(made.get() + 1);
            clock.pass(4); // an input takes time to make
            session.input(name, || work(1))?;
            session.input(&format!("{name}, again"), || work(2))?;
        }
        Ok(())
    };
    record_inputs(work::function(), &Scripted, &plan, &mut *store, &Attempts::default(), each).unwrap();
    assert_eq!(made.get(), 3, "the fourth would begin after 12 seconds of 10");
    let recordings = store.load("work").unwrap();
    let recorded: Vec<&str> = recordings.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(recorded, ["0", "0, again", "1", "1, again", "2"], "an input of its own is none the less one");
    let repeats = |input: &str| {
        let input = recordings.input_index(input).unwrap();
        let of_input = recordings.measurements.iter().filter(|one| one.input == input);
        of_input.map(|one| one.repeats).collect::<Vec<_>>()
    };
    assert_eq!(repeats("1"), [5, 5]);
    assert_eq!(repeats("2"), [1, 1], "what was under way is not repeated");
}
