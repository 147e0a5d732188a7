//! Load: what others take of the processors while variants are timed is noted beside each time; what was disturbed is
//! timed again, and what stays disturbed is said at the end. The machine is scripted.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::measure::{Clock, Inputs, Plan, Processors, Repeats, Share, Silent, record_inputs};
use nitro_train::recordings::{DOUBTFUL_LOAD, Outcome, Recordings};
use nitro_train::store::{self, SharedStore};
use nitro_train::{DataRequest, Observer, ProcessorTime, RecordRequest, Session, Trainer};

/// Ticks on the wall that a run takes.
const RUN_TICKS: u64 = 10;

thread_local! {
    /// The time of a machine of two processors, on which each run takes one.
    static MACHINE: Cell<ProcessorTime> = const {
        Cell::new(ProcessorTime { processors: 2, total: 0, busy: 0, stolen: 0, own: 0 })
    };
    /// What others take of the processor that a run needs, in tenths, by the number of the run.
    static LEVEL: Cell<fn(usize) -> u64> = const { Cell::new(quiet) };
    /// How often a variant ran.
    static RUNS: Cell<usize> = const { Cell::new(0) };
    /// The run in which `second` fails, by its number.
    static FAILS_IN: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn quiet(_: usize) -> u64 {
    0
}

fn busy(_: usize) -> u64 {
    5
}

/// The machine of the thread that asks.
#[derive(Debug)]
struct Machine;

impl Processors for Machine {
    fn time(&self) -> Option<ProcessorTime> {
        Some(MACHINE.get())
    }
}

/// A clock that stands.
#[derive(Debug)]
struct Standing;

impl Clock for Standing {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

#[code_variant(name = "loaded", device = Scripted, features(size = n), variants(first, second), default = first)]
fn work(n: u32) -> Result<u32, String>;

/// Runs on the machine, of which others take one processor and their share of the other.
fn run(n: u32, time_ns: f64) -> u32 {
    RUNS.set(RUNS.get() + 1);
    let level = LEVEL.get()(RUNS.get());
    TIME_NS.set(time_ns * (1 + level) as f64);
    let own = RUN_TICKS - level;
    let mut machine = MACHINE.get();
    machine.total += 2 * RUN_TICKS;
    machine.busy += 2 * RUN_TICKS;
    machine.own += own;
    MACHINE.set(machine);
    n
}

fn first(n: u32) -> Result<u32, String> {
    Ok(run(n, 1e5))
}

fn second(n: u32) -> Result<u32, String> {
    let n = run(n, 2e5);
    if RUNS.get() == FAILS_IN.get() { Err("no more".to_owned()) } else { Ok(n) }
}

fn record(
    processors: &dyn Processors,
    inputs: usize,
    level: fn(usize) -> u64,
    store: &mut dyn SharedStore,
) -> Recordings {
    let names: Vec<String> = (0..inputs).map(|n| n.to_string()).collect();
    let repeats = Repeats { least: 5, most: 40, half_width: 0.01, budget_ns: 1e9 };
    let plan = Plan::new(Inputs::Generated(&names), repeats, Share::default());
    let plan = Plan { processors, clock: &Standing, ..plan };
    LEVEL.set(level);
    RUNS.set(0);
    let each = |session: &mut Session<'_>| {
        Ok(session.inputs("").try_for_each(|name| session.input(name, || work(name.len() as u32)))?)
    };
    record_inputs(work::function(), &Scripted, &plan, store, &Silent, each).unwrap();
    store.load("loaded").unwrap()
}

/// Times and loads on an input.
fn rows(recordings: &Recordings, input: &str) -> Vec<(f64, Option<f64>)> {
    let input = recordings.input_index(input).unwrap();
    let own = recordings.measurements.iter().filter(|one| one.input == input);
    own.filter_map(|one| Some((one.outcome.time_ns()?, one.load))).collect()
}

/// Runs after which an input was timed once: three that check and warm up, and five of each variant.
const TIMED_ONCE: usize = 3 + 10;

const IN_QUIET: [(f64, Option<f64>); 2] = [(1e5, Some(0.0)), (2e5, Some(0.0))];

/// Runs of one input in quiet: two that check and warm up, five of each variant, and those for features.
fn runs_in_quiet() -> usize {
    record(&Machine, 1, quiet, &mut *store::memory().unwrap());
    RUNS.get()
}

#[test]
fn in_quiet_the_load_is_nothing_though_others_work_on_a_free_processor() {
    let recordings = record(&Machine, 2, quiet, &mut *store::memory().unwrap());
    assert_eq!((rows(&recordings, "0"), rows(&recordings, "1")), (IN_QUIET.to_vec(), IN_QUIET.to_vec()));
}

#[test]
fn what_was_disturbed_is_timed_again_and_the_quiet_times_are_kept() {
    let in_quiet = runs_in_quiet();
    let at_first = |run| if run <= TIMED_ONCE { 5 } else { 0 };
    let recordings = record(&Machine, 2, at_first, &mut *store::memory().unwrap());
    assert_eq!((rows(&recordings, "0"), rows(&recordings, "1")), (IN_QUIET.to_vec(), IN_QUIET.to_vec()));
    assert_eq!(RUNS.get(), 2 * in_quiet + 10, "five of each variant again, once");
}

#[test]
fn the_times_under_the_least_load_are_kept() {
    let less_in_the_middle = |run| match run {
        0..=TIMED_ONCE => 5,
        _ if run <= TIMED_ONCE + 10 => 2,
        _ => 5,
    };
    let recordings = record(&Machine, 1, less_in_the_middle, &mut *store::memory().unwrap());
    assert_eq!(rows(&recordings, "0"), [(3e5, Some(0.2)), (6e5, Some(0.2))]);
}

#[test]
fn load_that_lasts_is_noted_and_not_waited_for() {
    let in_quiet = runs_in_quiet();
    let recordings = record(&Machine, 3, busy, &mut *store::memory().unwrap());
    for input in ["0", "1", "2"] {
        assert_eq!(rows(&recordings, input), [(6e5, Some(0.5)), (1.2e6, Some(0.5))], "{input}");
    }
    assert!(recordings.measurements.iter().all(|one| one.is_doubtful()));
    assert_eq!(RUNS.get(), 3 * in_quiet + 20, "twice again on the first input, and no more");
}

#[test]
fn what_is_not_known_is_not_taken_for_quiet_and_nothing_is_made_again() {
    let in_quiet = runs_in_quiet();
    let recordings = record(&Hidden, 1, busy, &mut *store::memory().unwrap());
    assert_eq!(rows(&recordings, "0"), [(6e5, None), (1.2e6, None)]);
    assert_eq!(RUNS.get(), in_quiet);
    assert!(!recordings.measurements.iter().any(|one| one.is_doubtful()));
}

#[test]
fn time_that_a_hypervisor_took_counts() {
    /// The machine, of which a tenth more was taken away than it had.
    #[derive(Debug)]
    struct Stolen;
    impl Processors for Stolen {
        fn time(&self) -> Option<ProcessorTime> {
            let time = MACHINE.get();
            let stolen = time.busy / 4;
            Some(ProcessorTime { total: time.total + stolen, busy: time.busy + stolen, stolen, ..time })
        }
    }
    let recordings = record(&Stolen, 1, quiet, &mut *store::memory().unwrap());
    for (time_ns, load) in rows(&recordings, "0") {
        assert!(load.unwrap() > DOUBTFUL_LOAD && time_ns <= 2e5, "{load:?}");
    }
}

#[test]
fn a_variant_that_fails_when_it_is_timed_again_has_failed() {
    FAILS_IN.set(TIMED_ONCE + 4);
    let recordings = record(&Machine, 1, busy, &mut *store::memory().unwrap());
    FAILS_IN.set(usize::MAX);
    assert_eq!(recordings.measurements[1].outcome, Outcome::Failed, "{recordings:?}");
    assert_eq!((recordings.measurements[1].load, rows(&recordings, "0")), (None, vec![(6e5, Some(0.5))]));
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// What `record` says and returns of a store that holds everything.
fn told(level: fn(usize) -> u64, inputs: usize) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("my.db").display().to_string();
    record(&Machine, inputs, level, &mut *store::open(&location).unwrap());
    let heard = Heard::default();
    let trainer =
        Trainer::new().devices(Devices).observer(heard.clone()).function(work::function(), |_| Ok(()));
    let data = DataRequest { store: Some(location), ..DataRequest::default() };
    let devices = vec!["scripted:0".to_owned()];
    let summary = trainer.record(&RecordRequest { data, devices, ..RecordRequest::default() }).unwrap();
    let doubtful = summary.recorded[0].doubtful_inputs.iter().cloned().collect();
    let heard = heard.0.lock().unwrap().clone();
    (heard, doubtful)
}

#[test]
fn what_is_doubtful_is_said_at_the_end_with_what_to_do() {
    assert_eq!(told(quiet, 2), (vec![], vec![]));
    let (heard, doubtful) = told(busy, 2);
    assert_eq!(
        heard,
        ["loaded on scripted:0: 4 times on inputs `0`, `1` were taken while others used up to 50 % of the \
          processors needed; `record --again --function loaded --device scripted:0 --input '{0,1}'` takes them anew"]
    );
    assert_eq!(doubtful, ["0", "1"]);
    let (heard, doubtful) = told(busy, 7);
    assert!(heard[0].contains("and 2 more") && heard[0].contains("--device scripted:0` takes"), "{heard:?}");
    assert_eq!(doubtful.len(), 7);
}
