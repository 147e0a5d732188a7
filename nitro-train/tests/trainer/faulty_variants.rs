//! A variant that crashes, ends its process, never ends, panics or answers wrong costs that one variant on that one
//! input: it is recorded with the reason, and the recording goes on in a fresh process and ends in order. What is
//! not its doing is never laid to it: the time that a locked store takes, a panic of whoever measures, a process
//! that only once took too long.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use nitro::code_variant;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

/// What `faulty` does is in the name of the input.
#[code_variant(
    name = "work",
    features(size = fault.len()),
    variants(sound, faulty, last),
    default = sound,
)]
fn work(fault: &str) -> u32;

fn sound(fault: &str) -> u32 {
    if fault == "default" { std::process::abort() } else { 7 }
}

fn faulty(fault: &str) -> u32 {
    match fault {
        "crash" => std::process::abort(),
        "exit" => std::process::exit(0),
        // What a worker itself ends with that lost its device, or panicked.
        "exit75" => std::process::exit(75),
        "exit101" => std::process::exit(101),
        "hang" => hang(),
        "stall" => {
            if fs::File::create_new("stalled").is_ok() {
                hang();
            }
            7
        }
        "hang-for-good" => {
            fs::write("hanging", "").expect("a file");
            hang()
        }
        "panic" => panic!("out of luck"),
        "wrong" => 8,
        _ => 7,
    }
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// Says what the body of `last` has become.
const BODY: &str = "BODY";

fn last(fault: &str) -> u32 {
    match std::env::var(BODY).as_deref() {
        Ok("crash") => std::process::abort(),
        Ok("hang") => hang(),
        _ => {}
    }
    static LOCKED: Once = Once::new();
    if fault == "locked" {
        LOCKED.call_once(lock_the_store_beyond_the_deadline);
    }
    7
}

/// Another program holds the store when this variant's measurements are to go there.
fn lock_the_store_beyond_the_deadline() {
    let (locked, is_locked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let store = rusqlite::Connection::open("s.db").expect("the store is there");
        store.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
        locked.send(()).expect("somebody waits");
        std::thread::sleep(DEADLINE + Duration::from_millis(700));
        store.execute_batch("COMMIT").expect("nothing was changed");
    });
    is_locked.recv().expect("it is locked");
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    let mut is_last = false;
    for name in session.inputs("") {
        assert_ne!(name, "closure", "on purpose");
        let same = |expected: &u32, found: &u32| {
            assert_ne!(name, "comparison", "on purpose");
            expected == found
        };
        session.checked_input(name, || work(name), same)?;
        is_last |= name == "afterwards";
    }
    assert!(!is_last, "on purpose");
    Ok(())
}

const DEADLINE: Duration = Duration::from_secs(1);

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        return Trainer::new()
            .tunable(
                Tunable::new(work::function(), record)
                    .generated_inputs(std::env::var("INPUTS").unwrap_or_default().split(' ')),
            )
            .main();
    }
    every_fault_is_recorded_with_its_reason_and_the_rest_is_measured();
    a_body_that_breaks_the_sample_is_named_and_its_recordings_stay();
    a_default_variant_that_crashes_costs_the_input();
    time_that_was_not_the_variant_s_is_not_laid_to_it();
    a_panic_of_who_measures_costs_the_input_and_is_no_fault_of_a_variant();
    a_panic_beside_any_input_ends_the_recording();
    #[cfg(unix)]
    a_signal_ends_the_recording_as_it_says();
    a_supervisor_that_is_killed_leaves_no_file();
    ExitCode::SUCCESS
}

fn command(folder: &Path, inputs: &str, deadline_s: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(["record", "--store", "s.db", "--device", "host:1", "--deadline", &deadline_s.to_string()]);
    command.env("INPUTS", inputs).current_dir(folder);
    command
}

fn train(folder: &Path, inputs: &str) -> (Output, String) {
    let output = command(folder, inputs, DEADLINE.as_secs()).output().expect("the trainer starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

fn recorded(folder: &Path) -> Recordings {
    store::open(folder.join("s.db").to_str().unwrap()).unwrap().load("work").unwrap()
}

fn every_fault_is_recorded_with_its_reason_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = "none crash exit exit75 exit101 hang panic wrong end";
    let (output, text) = train(folder.path(), inputs);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("no time of `faulty` on 7 inputs"), "{text}");
    let recordings = recorded(folder.path());
    assert_eq!(recordings.measurements.len(), 9 * 3);
    let mut reasons = BTreeMap::new();
    for one in &recordings.measurements {
        let (input, variant) =
            (recordings.inputs[one.input].name.as_str(), recordings.variants[one.variant].as_str());
        match (variant, input) {
            ("faulty", "crash" | "exit" | "exit75" | "exit101" | "hang" | "panic") => {
                assert_eq!(one.outcome, Outcome::Failed, "{input}")
            }
            ("faulty", "wrong") => assert_eq!(one.outcome, Outcome::Wrong),
            _ => assert!(one.outcome.time_ns().is_some(), "{variant} on {input}: {}", one.reason),
        }
        if !one.reason.is_empty() {
            reasons.insert(input, one.reason.as_str());
        }
    }
    let said =
        |input: &str, what: &str| assert!(reasons[input].contains(what), "{input}: {}", reasons[input]);
    said("crash", "ended its process (signal: 6");
    said("exit", "ended its process (exit status: 0)");
    said("exit75", "ended its process (exit status: 75)");
    said("exit101", "ended its process (exit status: 101)");
    said("hang", "did not end within 1 s");
    said("panic", "out of luck");
    said("wrong", "another output");
    let tries = text.matches("did not end within 1 s").count();
    assert_eq!(tries, 2, "the variant got another try: {text}");
    let (_, again) = train(folder.path(), inputs);
    assert!(again.contains("0 inputs to measure, 9 measured before"), "{again}");
}

/// What was recorded is measured again in processes of their own too: a body that ends one by now fails nothing else.
fn a_body_that_breaks_the_sample_is_named_and_its_recordings_stay() {
    for (body, how) in [("crash", "ended its process (signal: 6"), ("hang", "did not end within 1 s")] {
        let folder = tempfile::tempdir().unwrap();
        assert!(train(folder.path(), "one two three").0.status.success());
        let before = recorded(folder.path());
        let mut again = command(folder.path(), "one two three", DEADLINE.as_secs());
        let output = again.arg("--json").env(BODY, body).output().expect("the trainer starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        let all = |what: &[&str]| what.iter().for_each(|what| assert!(text.contains(what), "{what}: {text}"));
        all(&[
            how,
            "`last`",
            "when what is recorded of it was measured again",
            "on host:1: `last` has no time any more",
        ]);
        all(&["`record --again --variant last --device host:1`"]);
        let after = recorded(folder.path()).measurements;
        assert_eq!(after, before.measurements, "what was recorded stays");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one value");
        let named = json["samples"][0]["changed"].as_array().expect("a list");
        assert!(named.iter().any(|one| one["variant"] == "last" && one["function"] == "work"), "{json}");
    }
}

fn a_default_variant_that_crashes_costs_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), "none default end");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("input `default`: the default variant `sound` of `work`"), "{text}");
    assert_eq!(recorded(folder.path()).measurements.len(), 2 * 3, "the others are measured: {text}");
}

fn time_that_was_not_the_variant_s_is_not_laid_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), "locked stall end");
    assert!(output.status.success(), "{text}");
    let measurements = recorded(folder.path()).measurements;
    assert_eq!(measurements.len(), 3 * 3);
    assert!(measurements.iter().all(|one| one.outcome.time_ns().is_some()), "{text}");
    assert_eq!(text.matches("did not end within").count(), 1, "once `stall` took too long: {text}");
}

fn a_panic_of_who_measures_costs_the_input_and_is_no_fault_of_a_variant() {
    for input in ["closure", "comparison"] {
        let folder = tempfile::tempdir().unwrap();
        let (output, text) = train(folder.path(), &format!("none {input} end"));
        assert_eq!(output.status.code(), Some(1), "{text}");
        let last = text.lines().last().unwrap_or_default();
        let is_named = last.starts_with(&format!("error: input `{input}` of work on host:1"));
        assert!(is_named && last.contains("on purpose"), "{text}");
        let recordings = recorded(folder.path());
        assert_eq!(recordings.measurements.len(), 2 * 3, "the others are measured: {text}");
        assert!(recordings.measurements.iter().all(|one| one.outcome.time_ns().is_some()), "{text}");
    }
}

fn a_panic_beside_any_input_ends_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), "none afterwards");
    assert_eq!(output.status.code(), Some(1), "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: the worker panicked, but not in a variant"), "{text}");
    assert_eq!(recorded(folder.path()).measurements.len(), 2 * 3, "what was measured is kept: {text}");
}

#[cfg(unix)]
fn a_signal_ends_the_recording_as_it_says() {
    for (signal, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = command(folder.path(), "none hang-for-good", 3600);
        let recording = recording.stderr(Stdio::piped()).spawn().expect("the trainer starts");
        until("a variant hangs", || folder.path().join("hanging").exists());
        let id = recording.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let ended = recording.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{signal}: {text}");
        assert!(text.contains("stopped; what was measured is kept"), "{text}");
        assert_eq!(recorded(folder.path()).measurements.len(), 3, "{text}");
    }
}

fn a_supervisor_that_is_killed_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut supervisor = command(folder.path(), "none hang-for-good", 3600)
        .env("TMPDIR", &temporary)
        .stderr(Stdio::null())
        .spawn()
        .expect("the trainer starts");
    until("a variant hangs", || folder.path().join("hanging").exists());
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "nothing is left behind");
}

/// Waits for what happens soon.
fn until(what: &str, happens: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !happens() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
