//! Ends of workers, by shells that do what a worker may do.
#![cfg(unix)]

use std::process::Command;
use std::time::Duration;

use nitro_process::{AnsweringWorker, Death, FrameError, Worker};

/// More than anything here takes.
const MINUTE: Duration = Duration::from_secs(60);

/// Starts a worker of this script.
fn worker(script: &str) -> AnsweringWorker<String> {
    AnsweringWorker::start(Command::new("sh").args(["-c", script])).unwrap()
}

/// Returns the reason for which a worker of this script does not answer.
fn death(script: &str) -> Death {
    worker(script).answer(MINUTE, MINUTE).unwrap_err()
}

#[test]
fn answers_come_in_order_and_whoever_is_killed_is_gone() {
    let mut worker = worker("cat");
    let long = "x".repeat(1 << 20);
    for request in ["first", &long, ""] {
        worker.ask(&request).unwrap();
    }
    for request in ["first", &long, ""] {
        assert_eq!(worker.answer(MINUTE, MINUTE).unwrap(), request);
    }
    assert!(!worker.has_ended());
    worker.kill(MINUTE).unwrap();
}

#[test]
fn a_worker_that_does_not_read_holds_nobody_up() {
    let mut worker = worker("exec sleep 1000");
    worker.ask(&"x".repeat(1 << 20)).unwrap();
    let late = worker.answer(Duration::ZERO, MINUTE).unwrap_err();
    assert!(late.is_in_doubt() && late.to_string() == "did not end within 60 s", "{late}");
    worker.kill(MINUTE).unwrap();
}

#[test]
fn an_end_tells_its_code_and_its_last_line() {
    let death = death("echo first >&2; echo 'last words' >&2; exit 3");
    assert_eq!(death.to_string(), "ended its process (exit status: 3): last words");
    assert!(death.exit_code() == Some(3) && !death.is_in_doubt());
}

#[test]
fn signals_from_outside_are_told_from_a_worker_s_own() {
    for (signal, is_from_outside) in [("KILL", true), ("TERM", true), ("ABRT", false), ("SEGV", false)] {
        let death = death(&format!("kill -{signal} $$"));
        assert!(death.exit_code().is_none() && death.is_in_doubt() == is_from_outside, "{death}");
    }
}

#[test]
fn what_is_no_answer_is_said() {
    let garbled = death("echo 'a program printed this'; cat");
    assert!(matches!(garbled, Death::Garbled(FrameError::NoFrame(_))), "{garbled}");
    assert_eq!(garbled.to_string(), "cannot be understood: it wrote `a program printe`, which is no message");
    let cut_off = death("printf 'ntro'");
    assert!(matches!(cut_off, Death::Garbled(FrameError::CutOff)), "{cut_off}");
}

#[test]
fn a_program_that_is_nowhere_is_named() {
    let error = Worker::start(&mut Command::new("/there/is/no/such/program")).err().unwrap().to_string();
    assert!(error.starts_with("the worker /there/is/no/such/program cannot be started: "), "{error}");
}
