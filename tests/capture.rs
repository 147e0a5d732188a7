//! With `NITRO_CAPTURE=FILE` programs add samples of their calls to a file: whole lines of features and choices,
//! fewer and fewer of them, never beyond a size. The calls go on as without.
//!
//! The variable is a process's, so that each test runs this program again as the one that is captured.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use nitro::code_variant;

const THREADS: usize = 2;
const CALLS: usize = 2000;

#[code_variant(
    name = "app::sum",
    features(length = values.len(), ratio = values.len() as f64 / values.first().copied().unwrap_or(0.0)),
    variants(forward, backward),
    default = forward,
)]
fn sum(values: &[f64]) -> f64;

fn forward(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn backward(values: &[f64]) -> f64 {
    values.iter().rev().sum()
}

/// What is captured: not a test unless one of the tests below starts it.
#[test]
fn program() {
    if std::env::var_os("CAPTURED").is_none() {
        return;
    }
    assert_eq!(sum(&[]), 0.0);
    let calls = || (0..CALLS).for_each(|n| assert_eq!(sum(&[1.0, n as f64]), 1.0 + n as f64));
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(calls))));
}

fn start(capture: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(["--exact", "program", "--nocapture"])
        .env("CAPTURED", "1")
        .env("NITRO_CAPTURE", capture)
        .env_remove("NITRO_MODELS")
        .env_remove("NITRO_FORCE")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// Standard error of programs that ran at the same time.
fn run(programs: usize, capture: &Path) -> Vec<String> {
    let started: Vec<Child> = (0..programs).map(|_| start(capture)).collect();
    let ended = started.into_iter().map(|program| program.wait_with_output().expect("it ends"));
    let told = |Output { status, stderr, .. }: Output| {
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        assert!(status.success(), "{stderr}");
        stderr
    };
    ended.map(told).collect()
}

fn number(line: &str, key: &str) -> usize {
    let rest = line.split(&format!("\"{key}\":")).nth(1).unwrap_or_else(|| panic!("{key} in {line}"));
    rest.split([',', '}'])
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("{key} in {line}"))
}

#[test]
fn several_programs_write_whole_lines_into_one_file() {
    const PROGRAMS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    run(PROGRAMS, &file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.ends_with('\n'));

    // The first call of each program, whose second feature is 0 / 0.
    let device = nitro::host::current();
    let first = format!(
        "{{\"function\":\"app::sum\",\"device\":\"{}\",\"variant\":\"forward\",\"reason\":\"default, there is no model\",\
         \"calls\":1,\"features\":{{\"length\":0.0,\"ratio\":null}},\"time_ns\":",
        nitro::Device::entry(&device).id(),
    );
    assert_eq!(text.lines().filter(|line| line.starts_with(&first)).count(), PROGRAMS, "{text:.500}");
    let common = &first[..first.find("calls").unwrap()];
    let is_whole =
        |line: &str| line.starts_with(common) && line.ends_with('}') && line.matches('{').count() == 2;
    let lines = || text.lines().filter(|line| !line.is_empty()); // one may stand where a line was taken for torn
    assert!(lines().all(is_whole), "{:?}", lines().find(|line| !is_whole(line)));
    assert!(lines().all(|line| number(line, "time_ns") < 1_000_000_000));

    let calls = PROGRAMS * (1 + THREADS * CALLS);
    let stands_for: usize = lines().map(|line| number(line, "calls")).sum();
    assert!((calls * 9 / 10..=calls).contains(&stands_for), "{stands_for} of {calls}");
    let samples = lines().count();
    assert!((PROGRAMS * 256..calls / 2).contains(&samples), "{samples} samples of {calls} calls");
}

#[test]
fn a_file_does_not_grow_beyond_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    let (most, full) = (16 << 20, (16 << 20) - (256 << 10));
    fs::write(&file, vec![b'\n'; full - 1000]).unwrap();
    run(2, &file);
    let length = fs::metadata(&file).unwrap().len() as usize;
    assert!((full - 1000 + 1..=most).contains(&length), "{length}");
}

#[test]
fn behind_a_line_that_was_torn_a_new_one_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    fs::write(&file, r#"{"function":"app::sum","device":"ho"#).unwrap();
    run(3, &file);
    let text = fs::read_to_string(&file).unwrap();
    let (torn, others) = text.split_once('\n').unwrap();
    assert_eq!(torn, r#"{"function":"app::sum","device":"ho"#);
    let mut lines = others.lines().filter(|line| !line.is_empty());
    assert!(lines.all(|line| line.starts_with("{\"function\":\"app::sum\"") && line.ends_with('}')));
}

/// Nobody reads from the pipe, and to open it would wait for somebody who does.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_for_calls() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let told = run(1, &pipe).remove(0);
    assert!(told.contains("NITRO_CAPTURE") && told.contains("no regular file"), "{told}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_once_and_the_calls_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(1, &folder.path().join("missing/calls.jsonl")).remove(0);
    assert_eq!(told.matches("NITRO_CAPTURE").count(), 1, "{told}");
    assert!(told.contains("missing/calls.jsonl"), "{told}");
}
