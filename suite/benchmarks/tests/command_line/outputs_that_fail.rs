//! Standard output whose reader has gone away, as behind `| head -1`, or that is full: no command panics, work is
//! done all the same, and its exit code is that of the work.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use crate::trainer::{command, success, text};
use tempfile::TempDir;

/// Recordings of a function on two devices, and a model of it.
fn prepared() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "m.csv",
        "device,input,variant,time_ns\n\
         A,train/x,slow,200\nA,train/x,fast,100\nA,train/y,slow,100\nA,train/y,fast,300\nA,test/z,slow,500\nA,test/z,fast,250\n\
         B,train/x,slow,220\nB,train/x,fast,110\nB,train/y,slow,110\nB,train/y,fast,310\nB,test/z,slow,510\nB,test/z,fast,\n",
    );
    write("i.csv", "input,size\ntrain/x,10\ntrain/y,1000\ntest/z,20\n");
    write("d.csv", "device,gbps\nA,100\nB,200\n");
    success(folder.path(), &import("s.db"));
    success(folder.path(), &["fit", "--store", "s.db", "--models", "models"]);
    folder
}

fn import(store: &str) -> Vec<&str> {
    let files = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    [&["import", "--function", "f"][..], &files, &["--store", store]].concat()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

/// A disk that is full.
fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// The exit code and what is said beside.
#[track_caller]
fn into(stdout: Stdio, folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = command(folder, arguments).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
    let said = text(&ended.stderr);
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    (ended.status.code(), said)
}

/// Commands that show something, and do nothing else.
const SHOW: [&[&str]; 5] = [
    &["devices", "--device", "host:1", "--store", "s.db"],
    &["devices", "--next", "--store", "s.db"],
    &["evaluate", "--store", "s.db", "--json"],
    &["inspect", "models/f.model"],
    &["explain", "f", "size=990", "--device", "A", "--store", "s.db"],
];

/// Commands that do something and tell of it, and what they leave behind.
fn work() -> [(Vec<&'static str>, &'static str); 5] {
    let export =
        ["export", "--function", "f", "--measurements", "M.csv", "--inputs", "I.csv", "--devices", "D.csv"];
    [
        (vec!["fit", "--store", "s.db", "--models", "new"], "new/f.model"),
        (vec!["report", "--store", "s.db", "--out", "new.html"], "new.html"),
        (import("new.db"), "new.db"),
        ([&export[..], &["--store", "s.db"]].concat(), "M.csv"),
        (vec!["sync", "s.db", "other.db"], "other.db"),
    ]
}

#[test]
fn whoever_reads_no_further_has_seen_enough() {
    let folder = prepared();
    for arguments in SHOW {
        let (code, said) = into(closed(), folder.path(), arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("error"), "{arguments:?}: {said}");
    }
}

#[test]
fn work_goes_on_when_nobody_reads_what_it_tells() {
    let folder = prepared();
    for (arguments, made) in work() {
        let (code, said) = into(closed(), folder.path(), &arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        assert!(folder.path().join(made).exists(), "{arguments:?}");
    }
}

#[test]
fn a_gate_that_nobody_reads_is_still_a_gate() {
    let folder = prepared();
    let check = ["check", "--json", "--store", "s.db", "--models", "models", "--max-regret"];
    let (code, said) = into(closed(), folder.path(), &[&check[..], &["100"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = into(closed(), folder.path(), &[&check[..], &["0"]].concat());
    assert!(code == Some(1) && said.contains("error: "), "{said}");
    let mut unheard = command(folder.path(), &[&check[..], &["0"]].concat());
    assert_eq!(unheard.stdout(closed()).stderr(closed()).status().unwrap().code(), Some(1));
}

#[test]
fn what_cannot_be_printed_is_an_error_after_the_work() {
    let folder = prepared();
    let work = work();
    let shown = SHOW.iter().map(|arguments| (*arguments, None));
    let worked = work.iter().map(|(arguments, made)| (arguments.as_slice(), Some(*made)));
    for (arguments, made) in shown.chain(worked) {
        let (code, said) = into(full(), folder.path(), arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: standard output cannot be written: "), "{arguments:?}: {said}");
        assert!(made.is_none_or(|made| folder.path().join(made).exists()), "{arguments:?}");
    }
}

#[test]
fn work_goes_on_when_nobody_hears_what_is_said_beside() {
    let folder = prepared();
    for (arguments, made) in work() {
        let mut command = command(folder.path(), &arguments);
        let status = command.stdout(closed()).stderr(closed()).status().unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
        assert!(folder.path().join(made).exists(), "{arguments:?}");
    }
}
