//! What a sandbox promises.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nitro_cuda::nvrtc_version;
use nitro_evolve::Effort;
use nitro_evolve::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use nitro_evolve::sandbox::{Clock, Limits, Sandbox};
use nitro_evolve::{Set, Workload};
use nitro_search::Failure;
use nitro_test_support::tools::NVRTC;

use crate::device::{ptx, relax_apart};
use crate::fake::{ADDRESS, FILE};

pub type Scenario = (&'static str, fn());

pub const ALL: [Scenario; 14] = [
    ("what_a_bench_answers_arrives", what_a_bench_answers_arrives),
    ("floors_that_are_not_known_end_nothing", floors_that_are_not_known_end_nothing),
    (
        "what_ends_a_worker_is_a_crash_and_the_next_one_runs",
        what_ends_a_worker_is_a_crash_and_the_next_one_runs,
    ),
    ("what_does_not_end_is_ended", what_does_not_end_is_ended),
    ("what_cost_a_worker_is_not_run_again", what_cost_a_worker_is_not_run_again),
    ("a_set_that_was_not_begun_with_is_begun_with", a_set_that_was_not_begun_with_is_begun_with),
    ("candidates_may_crash_as_often_as_they_like", candidates_may_crash_as_often_as_they_like),
    (
        "once_a_worker_was_lost_another_one_makes_the_inputs_meanwhile",
        once_a_worker_was_lost_another_one_makes_the_inputs_meanwhile,
    ),
    ("a_device_that_is_gone_ends_it", a_device_that_is_gone_ends_it),
    ("an_original_that_does_not_run_is_an_error", an_original_that_does_not_run_is_an_error),
    ("a_worker_that_cannot_be_used_is_an_error", a_worker_that_cannot_be_used_is_an_error),
    (
        "who_ended_an_idle_worker_is_not_the_next_candidate",
        who_ended_an_idle_worker_is_not_the_next_candidate,
    ),
    ("workers_end_with_their_parent", workers_end_with_their_parent),
    ("planted_faults_compile", planted_faults_compile),
];

/// Time goes on as the test says; what is waited for comes, unless the test says that it does not.
#[derive(Clone, Default)]
struct Time(Arc<State>);

#[derive(Default)]
struct State {
    now_ms: AtomicU64,
    is_over: AtomicBool,
    deadlines: Mutex<Vec<Duration>>,
}

impl Clock for Time {
    /// Every look takes a millisecond.
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.now_ms.fetch_add(1, Ordering::SeqCst))
    }

    fn patience(&self, deadline: Duration) -> Duration {
        self.0.deadlines.lock().unwrap().push(deadline);
        // So that a mistake fails instead of hanging.
        if self.0.is_over.swap(false, Ordering::SeqCst) { Duration::ZERO } else { Duration::from_secs(30) }
    }
}

impl Time {
    /// The next deadline passes.
    fn ends_next(&self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }

    fn last_deadlines<const N: usize>(&self) -> [Duration; N] {
        *self.0.deadlines.lock().unwrap().last_chunk().unwrap()
    }
}

const EFFORT: Effort = Effort::new(3, 2);

fn command(kind: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["worker", kind]);
    command
}

fn sandbox(limits: Limits) -> (Sandbox, Time) {
    let time = Time::default();
    (Sandbox::with_clock(command("fake"), limits, Box::new(time.clone())).unwrap(), time)
}

/// One that has begun.
fn begun(limits: Limits) -> (Sandbox, Time) {
    let (mut sandbox, time) = sandbox(limits);
    sandbox.begin(&workload(), &code("takes 5"), &[Set::Search, Set::Test]).unwrap();
    (sandbox, time)
}

fn workload() -> Workload {
    const TEXT: &str = r#"
        buffer = [{ name = "x", type = "f32", length = "n", role = "inout" }]
        step = [{ kernel = "k", grid = [1], block = [32], arguments = ["x"] }]
        search = [{ n = 1 }, { n = 2 }]
        validation = [{ n = 3 }]
        test = [{ n = 4 }]
    "#;
    Workload::parse(Path::new("fake.toml"), TEXT).unwrap()
}

fn code(text: &str) -> Code {
    Code::text(text)
}

fn search(sandbox: &mut Sandbox, text: &str) -> RunOutcome {
    sandbox.run(&code(text), Set::Search, EFFORT).unwrap()
}

fn ran(times_ns: &[f64]) -> RunOutcome {
    RunOutcome::Ran(times_ns.iter().map(|&time_ns| CaseResult { time_ns, error: 2.0 }).collect())
}

fn what_a_bench_answers_arrives() {
    let (mut sandbox, _) = sandbox(Limits::default());
    assert_eq!((sandbox.name().as_str(), sandbox.architecture()), ("fake", Some(75)));
    let times = sandbox.begin(&workload(), &code("takes 5"), &[Set::Search, Set::Test]).unwrap();
    let expected = |time_ns| CaseResult { time_ns, error: f64::INFINITY };
    assert_eq!(times, [vec![expected(5.0), expected(10.0)], vec![expected(5.0)]]);
    assert_eq!(search(&mut sandbox, "takes 7.5"), ran(&[7.5, 15.0]));
    let refused = RunOutcome::Failed(Failure::Launch, "too many threads".to_owned());
    assert_eq!(search(&mut sandbox, "wrong"), refused);
    assert_eq!(sandbox.statistics().workers, 1);
}

fn floors_that_are_not_known_end_nothing() {
    let (mut sandbox, _) = begun(Limits::default());
    let floors = |sandbox: &mut Sandbox, idle| sandbox.floors(&code(idle), Set::Search);
    let known = floors(&mut sandbox, "takes 3").unwrap();
    assert_eq!(known.iter().map(|floor| floor.ns).collect::<Vec<_>>(), [3.0, 6.0]);
    assert_eq!(known[0].reason, "7 bytes");
    let why = floors(&mut sandbox, "takes long").unwrap_err().0;
    assert_eq!(why, "`takes long` does not run");
    assert_eq!((search(&mut sandbox, "takes 1"), sandbox.statistics().workers), (ran(&[1.0, 2.0]), 1));
    floors(&mut sandbox, "abort").unwrap_err();
    assert_eq!((search(&mut sandbox, "takes 1"), sandbox.statistics().workers), (ran(&[1.0, 2.0]), 2));
}

fn what_ends_a_worker_is_a_crash_and_the_next_one_runs() {
    let (mut sandbox, _) = begun(Limits::default());
    let known = [
        ("abort", "about to abort"),
        ("lost", "the device answers 700"),
        ("garbage", "it wrote `a kernel printed"),
        ("giant", "a message has 18446744073709551615 bytes"),
    ];
    for (text, expected) in known {
        let RunOutcome::Failed(Failure::Crash, how) = search(&mut sandbox, text) else { panic!("{text}") };
        assert!(how.contains(expected) && how.len() < 200, "{how}");
        assert_eq!(search(&mut sandbox, "takes 1"), ran(&[1.0, 2.0]), "after {text}");
    }
    let statistics = sandbox.statistics();
    assert_eq!((statistics.workers, statistics.crashes, statistics.timeouts), (5, 4, 0));
    assert!(statistics.restarting > Duration::ZERO);
}

fn what_does_not_end_is_ended() {
    let (mut sandbox, time) = begun(Limits { loading: Duration::from_secs(7), ..Limits::default() });
    search(&mut sandbox, "takes 1");
    let [deadline] = time.last_deadlines();
    assert_eq!(deadline, Duration::from_millis(7500), "the original took a millisecond");
    time.ends_next();
    let RunOutcome::Failed(Failure::Timeout, how) = search(&mut sandbox, "hang") else { panic!() };
    assert_eq!(how, "it did not end within 7.500 s");
    let [_, ending] = time.last_deadlines();
    assert_eq!(ending, Limits::default().end);
    assert_eq!(search(&mut sandbox, "takes 1"), ran(&[1.0, 2.0]));
    assert_eq!((sandbox.statistics().workers, sandbox.statistics().timeouts), (2, 1));
}

fn what_cost_a_worker_is_not_run_again() {
    let (mut sandbox, _) = begun(Limits::default());
    let first = search(&mut sandbox, "abort");
    assert_eq!(sandbox.run(&code("abort"), Set::Test, EFFORT).unwrap(), first);
    assert_eq!((sandbox.statistics().workers, sandbox.statistics().quarantined), (1, 1));
}

fn a_set_that_was_not_begun_with_is_begun_with() {
    let (mut sandbox, time) = begun(Limits::default());
    sandbox.run(&code("takes 1"), Set::Validation, EFFORT).unwrap();
    let [begin, original, candidate] = time.last_deadlines();
    let limits = Limits::default();
    assert_eq!([begin, original], [limits.begin; 2]);
    assert_eq!(candidate, limits.least + limits.loading);
    search(&mut sandbox, "takes 1");
    let begun = [Set::Search, Set::Test, Set::Validation];
    for set in begun {
        sandbox.run(&code("takes 2"), set, EFFORT).unwrap();
    }
    let [_, changed] = time.last_deadlines();
    assert_eq!(changed, limits.least + limits.loading + Duration::from_millis(1), "inputs may be made again");
    assert_eq!(sandbox.statistics().workers, 1);
}

fn lose(sandbox: &mut Sandbox, text: &str) {
    let outcome = search(sandbox, text);
    assert!(matches!(outcome, RunOutcome::Failed(Failure::Crash, _)), "{text}: {outcome:?}");
}

fn once_a_worker_was_lost_another_one_makes_the_inputs_meanwhile() {
    let (mut sandbox, _) = begun(Limits::default());
    let mut prepared = || {
        let RunOutcome::Failed(Failure::Launch, sets) = search(&mut sandbox, "prepared") else { panic!() };
        lose(&mut sandbox, "abort");
        sandbox.begin(&workload(), &code("takes 5"), &[Set::Search, Set::Test]).unwrap();
        sets
    };
    assert_eq!(prepared(), "[]", "as long as none is lost there is one");
    // A beginning is with other inputs.
    assert_eq!(prepared(), "[]");
    let (mut sandbox, _) = begun(Limits::default());
    for text in ["lost", "lost again"] {
        lose(&mut sandbox, text);
        assert_eq!(search(&mut sandbox, "takes 1"), ran(&[1.0, 2.0]), "after {text}");
    }
    let RunOutcome::Failed(Failure::Launch, sets) = search(&mut sandbox, "prepared") else { panic!() };
    assert_eq!((sets.as_str(), sandbox.statistics().workers), ("[Search]", 3)); // what was asked for since
}

fn candidates_may_crash_as_often_as_they_like() {
    let (mut sandbox, _) = begun(Limits { restarts_in_a_row: 2, ..Limits::default() });
    ["lost", "abort", "garbage", "giant", "lost again"].iter().for_each(|text| lose(&mut sandbox, text));
    assert_eq!(search(&mut sandbox, "takes 1"), ran(&[1.0, 2.0]));
    let (mut sandbox, _) = begun(Limits { restarts_per_minute: 2, ..Limits::default() });
    ["lost", "abort"].iter().for_each(|text| lose(&mut sandbox, text));
    let RunnerError(why) = sandbox.run(&code("takes 1"), Set::Search, EFFORT).unwrap_err();
    assert!(
        why.starts_with("2 workers were lost within a minute, the last one so: its worker ended"),
        "{why}"
    );
}

fn a_device_that_is_gone_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command("once");
    command.env(FILE, folder.path().join("there"));
    let limits = Limits { restarts_in_a_row: 3, ..Limits::default() };
    let mut sandbox = Sandbox::start(command, limits).unwrap();
    sandbox.begin(&workload(), &code("takes 5"), &[Set::Search]).unwrap();
    lose(&mut sandbox, "lost");
    let RunnerError(why) = sandbox.run(&code("takes 1"), Set::Search, EFFORT).unwrap_err();
    assert_eq!(
        why,
        "3 workers in a row were lost, the last one so: there is no device; fake may be used by others or broken"
    );
}

fn an_original_that_does_not_run_is_an_error() {
    let (mut sandbox, _) = sandbox(Limits::default());
    let RunnerError(why) = sandbox.begin(&workload(), &code("nothing"), &[Set::Search]).unwrap_err();
    assert_eq!(why, "the original cannot be run: `nothing` does not run");
    assert!(sandbox.begin(&workload(), &code("takes 5"), &[Set::Search]).is_ok(), "another may");
}

fn a_worker_that_cannot_be_used_is_an_error() {
    let start = |command: Command| {
        let time = Time::default();
        if command.get_args().any(|argument| argument == "deaf") {
            time.ends_next();
        }
        Sandbox::with_clock(command, Limits::default(), Box::new(time)).err().unwrap().0
    };
    assert_eq!(start(command("without device")), "there is no device");
    assert_eq!(start(command("deaf")), "it did not end within 60 s");
    assert!(start(command("garbage")).contains("it wrote `Hello, I am a wo`"));
    let missing = start(Command::new("/there/is/no/such/program"));
    assert!(missing.starts_with("the worker /there/is/no/such/program cannot be started: "), "{missing}");
}

fn who_ended_an_idle_worker_is_not_the_next_candidate() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = command("fake");
    command.env(ADDRESS, listener.local_addr().unwrap().to_string());
    let mut sandbox = Sandbox::start(command, Limits::default()).unwrap();
    sandbox.begin(&workload(), &code("takes 5"), &[Set::Search]).unwrap();
    search(&mut sandbox, "takes 1");
    assert_eq!(search(&mut sandbox, "late end"), ran(&[1.0, 2.0]));
    let (mut worker, _) = listener.accept().unwrap();
    worker.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut id = [0; 4];
    worker.read_exact(&mut id).unwrap();
    worker.write_all(&[1]).unwrap();
    wait_for_zombie(u32::from_le_bytes(id));
    assert_eq!(search(&mut sandbox, "takes 2"), ran(&[2.0, 4.0]));
    assert_eq!((sandbox.statistics().workers, sandbox.statistics().crashes), (2, 0));
}

/// Until the process has ended with all its threads, for which its parent has not asked yet.
fn wait_for_zombie(id: u32) {
    let is_there =
        |text: String| text.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'));
    let threads = || std::fs::read_dir(format!("/proc/{id}/task")).map_or(0, Iterator::count);
    while std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(is_there) || threads() > 1 {
        std::thread::yield_now();
    }
}

/// In a process of its own.
pub fn run_for_ever() {
    let (mut sandbox, _) = begun(Limits::default());
    search(&mut sandbox, "hang");
}

fn workers_end_with_their_parent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut parent = Command::new(std::env::current_exe().unwrap());
    parent.arg("parent").env(ADDRESS, listener.local_addr().unwrap().to_string());
    let mut parent = parent.stdin(Stdio::null()).spawn().unwrap();
    let (mut worker, _) = listener.accept().unwrap();
    worker.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_eq!(worker.read(&mut [0]).unwrap_or(0), 0, "the worker has ended too");
}

/// What runs on a GPU alone is compiled everywhere.
fn planted_faults_compile() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for fault in [
        "RIGHT",
        "JUST_BEHIND",
        "JUST_BEFORE",
        "FAR_BEHIND",
        "INTO_INPUT",
        "WROTE_NOTHING",
        "ENDLESS",
        "TRAP",
    ] {
        assert!(ptx(fault).unwrap().ptx.contains(".entry scale"), "{fault}");
    }
    let right = ptx("RIGHT").unwrap();
    for fault in
        ["SLOWER", "HALF_WRITTEN", "MISALIGNED", "NO_NUMBER", "INEXACT", "TOO_FEW_THREADS", "ACCUMULATES"]
    {
        assert_ne!(ptx(fault).unwrap(), right, "{fault}");
    }
    let workload = Workload::parse(Path::new("faults.toml"), include_str!("faults.toml")).unwrap();
    assert_eq!(workload.inputs(Set::Search, 0).unwrap().judge.len(), 1);
    let apart = relax_apart().inputs(Set::Search, 0).unwrap();
    assert_eq!((apart.buffers.len(), apart.launches.len()), (2, 3));
}
