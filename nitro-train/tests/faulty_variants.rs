//! A variant that crashes, ends its process, never ends, panics or answers wrong costs that one variant on that one input:
//! it is recorded with the reason, and the recording goes on in a fresh process and ends in order.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use nitro::code_variant;
use nitro_train::recordings::Outcome;
use nitro_train::{BoxError, Session, Trainer, store};

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
        "hang" => loop {
            std::hint::spin_loop();
        },
        "panic" => panic!("out of luck"),
        "wrong" => 8,
        _ => 7,
    }
}

fn last(_: &str) -> u32 {
    7
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        session.checked_input(name, || work(name), |expected, found| expected == found)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        return Trainer::new()
            .function(work::function(), record)
            .generated_inputs(std::env::var("INPUTS").unwrap_or_default().split(' '))
            .main();
    }
    every_fault_is_recorded_with_its_reason_and_the_rest_is_measured();
    a_default_variant_that_crashes_ends_the_recording_with_its_name();
    ExitCode::SUCCESS
}

fn train(folder: &Path, inputs: &str) -> (Output, String) {
    let output = Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(["record", "--store", "s.db", "--deadline", "1"])
        .env("INPUTS", inputs)
        .current_dir(folder)
        .output()
        .expect("the trainer starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

fn every_fault_is_recorded_with_its_reason_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), "none crash exit hang panic wrong end");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("no time of `faulty` on 5 inputs"), "{text}");
    let path = folder.path().join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("work").unwrap();
    assert_eq!(recordings.measurements.len(), 7 * 3);
    let mut reasons = BTreeMap::new();
    for one in &recordings.measurements {
        let (input, variant) =
            (recordings.inputs[one.input].name.as_str(), recordings.variants[one.variant].as_str());
        match (variant, input) {
            ("faulty", "crash" | "exit" | "hang" | "panic") => {
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
    said("hang", "did not end within 1 s");
    said("panic", "out of luck");
    said("wrong", "another output");
    let (_, again) = train(folder.path(), "none crash exit hang panic wrong end");
    assert!(again.contains("0 inputs to measure, 7 measured before"), "{again}");
}

fn a_default_variant_that_crashes_ends_the_recording_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), "none default end");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("input `default`: the default variant `sound` of `work`"), "{text}");
    let path = folder.path().join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("work").unwrap();
    assert_eq!(recordings.inputs.len(), 1, "what was measured is kept");
}
