//! A thread that ends has lost its storage when the destructors of its last thread-locals run. What they call goes
//! on without.
//!
//! A panic there ends the process, so that each test runs this program again as the one that calls.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use nitro::code_variant;

#[code_variant(features(n = values.len()), variants(forwards, backwards), default = forwards)]
fn total(values: &[f64]) -> f64;

fn forwards(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn backwards(values: &[f64]) -> f64 {
    values.iter().rev().sum()
}

/// Called before, so that the thread knows Nitro.
#[code_variant(features(n = values.len()), variants(first), default = first)]
fn head(values: &[f64]) -> f64;

fn first(values: &[f64]) -> f64 {
    values[0]
}

/// What each way into the library says when it is called last.
const WAYS: [&str; 7] = ["call", "reload", "reload_all", "select", "prepare", "stats", "record"];

fn go(way: &str) {
    match way {
        "call" => assert_eq!(total(&[1.0; 50]), 50.0),
        "reload" => total::function().reload().expect("no model is fine"),
        "reload_all" => nitro::reload().expect("no model is fine"),
        "select" => assert_eq!(total::select(&[1.0; 50]).variant(), total::Variant::Forwards),
        "prepare" => total::prepare().expect("there is nothing to prepare"),
        "stats" => drop(nitro::stats().to_string()),
        "record" => assert!(!nitro::recording::wants_parts()),
        other => unreachable!("{other} is no way"),
    }
}

static FLUSHED: AtomicUsize = AtomicUsize::new(0);

/// Calls when it is dropped.
struct Flush;

impl Drop for Flush {
    fn drop(&mut self) {
        let way = std::env::var("FLUSH").expect("set by the test");
        go(&way);
        go("call");
        FLUSHED.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    static BEFORE: Flush = const { Flush };
    static AFTER: Flush = const { Flush };
}

/// A listener with storage of the thread's, as that of `tracing-subscriber`.
struct Listener;

thread_local! {
    static BUFFER: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        BUFFER.with_borrow_mut(|buffer| buffer.push_str(event.metadata().name()));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// What calls last: not a test unless one of the tests below starts it.
#[test]
fn program() {
    if std::env::var_os("FLUSH").is_none() {
        return;
    }
    if std::env::var_os("LISTEN").is_some() {
        tracing::subscriber::set_global_default(Listener).expect("it is the first");
    }
    let work = || {
        BEFORE.with(|_| {});
        assert_eq!(head(&[1.0; 50]), 1.0);
        AFTER.with(|_| {});
    };
    std::thread::spawn(work).join().expect("the thread ends well");
    let at_once = || BEFORE.with(|_| {}); // to which Nitro is new
    std::thread::spawn(at_once).join().expect("the thread ends well");
    assert_eq!(FLUSHED.load(Ordering::Relaxed), 3);
}

fn run(way: &str, set: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(["--exact", "program", "--nocapture"]).env("FLUSH", way);
    for name in ["NITRO_MODELS", "NITRO_FORCE", "NITRO_CAPTURE"] {
        command.env_remove(name);
    }
    set(&mut command).output().expect("it starts")
}

fn assert_well(way: &str, output: &Output) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{way}: {}\n{told}", output.status);
}

#[test]
fn every_way_in_is_open_to_the_last() {
    for way in WAYS {
        assert_well(way, &run(way, |command| command));
    }
}

#[test]
fn also_what_has_something_to_tell_or_to_capture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    for way in WAYS {
        let captured = |path: &Path| run(way, |command| command.env("NITRO_CAPTURE", path));
        assert_well(way, &captured(&file));
        assert_well(way, &captured(&folder.path().join("missing/calls.jsonl")));
        assert_well(way, &run(way, |command| command.env("NITRO_FORCE", "total=none,nonsense")));
        let listened = |command: &mut Command| {
            command.env("LISTEN", "1").env("NITRO_FORCE", "total=none,head=none,nonsense");
        };
        assert_well(
            way,
            &run(way, |command| {
                listened(command);
                command
            }),
        );
    }
    let lines = std::fs::read_to_string(&file).unwrap();
    assert!(lines.lines().count() >= 3 * WAYS.len(), "calls of storage that is still there are captured");
}
