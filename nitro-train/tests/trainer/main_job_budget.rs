//! The main job ends its measuring when its budget has passed, whatever inputs take to make: fewer are judged then,
//! and the table says how many.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::{BoxError, Session, ShippedRecordings, Trainer, Tunable};

/// As many test inputs as others.
const TEST_INPUTS: u32 = 100;
/// Together they take 10 seconds to make.
const MAKING: Duration = Duration::from_millis(50);

#[code_variant(name = "work", device = Scripted, features(size = n), variants(small, large), default = small)]
fn work(n: u32);

fn small(n: u32) {
    TIME_NS.set(f64::from(10 + n));
}

fn large(n: u32) {
    if std::env::var_os("CRASH").is_some() {
        std::process::abort();
    }
    TIME_NS.set(f64::from(10 + TEST_INPUTS - n));
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        std::thread::sleep(MAKING);
        let n = name.rsplit('/').next().unwrap_or_default().parse()?;
        session.input(name, || work(n))?;
    }
    Ok(())
}

fn names() -> impl Iterator<Item = String> {
    ["train", "test"].into_iter().flat_map(|side| (0..TEST_INPUTS).map(move |n| format!("{side}/{n}")))
}

/// What two other devices have recorded.
fn shipped() -> ShippedRecordings {
    let leak = |text: String| -> &'static [u8] { Box::leak(text.into_bytes().into_boxed_slice()) };
    let (mut measurements, mut inputs) =
        ("device,input,variant,time_ns\n".to_owned(), "input,size\n".to_owned());
    for name in names() {
        let n: u32 = name.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        inputs += &format!("{name},{n}\n");
        for device in ["A", "B"] {
            measurements += &format!("{device},{name},small,{}\n", 10 + n);
            measurements += &format!("{device},{name},large,{}\n", 10 + TEST_INPUTS - n);
        }
    }
    let devices = leak("device,gbps\nA,100\nB,200\n".to_owned());
    let (measurements, inputs) = (leak(measurements), leak(inputs));
    ShippedRecordings { measurements, inputs, devices, profiles: None, feature_times: None, artifacts: None }
}

pub fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--budget") {
        return Trainer::new()
            .devices(Devices)
            .processors(Hidden)
            .tunable(Tunable::new(work::function(), record).generated_inputs(names()).shipped(shipped()))
            .main();
    }
    the_table_says_how_many_inputs_the_budget_did_for();
    a_fresh_process_gets_no_fresh_budget();
    ExitCode::SUCCESS
}

/// What the main job says on stdout and on stderr.
fn job(folder: &Path, variables: &[(&str, &str)]) -> (String, String) {
    let output = Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(["--device", "scripted:0", "--budget", "1", "--store", "s.db", "--models", "models"])
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .expect("the trainer starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn the_table_says_how_many_inputs_the_budget_did_for() {
    let folder = tempfile::tempdir().unwrap();
    let (shown, _) = job(folder.path(), &[]);
    let row = shown.lines().find(|line| line.starts_with("work ") && line.ends_with("of 100")).expect(&shown);
    let judged: u32 = row.rsplit(' ').nth(2).and_then(|number| number.parse().ok()).expect(&shown);
    // In 1 second at most 20 inputs are made, of which about half are test inputs.
    assert!((1..=11).contains(&judged), "{shown}");
    assert!(shown.contains("test inputs"), "{shown}");
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains(&format!("{judged} test inputs")), "the page says it too");
}

fn a_fresh_process_gets_no_fresh_budget() {
    let folder = tempfile::tempdir().unwrap();
    // A variant that ends the process on each of 200 inputs.
    let (_, said) = job(folder.path(), &[("CRASH", "1")]);
    let processes = said.matches("going on in a fresh process").count();
    assert!((1..=20).contains(&processes), "{processes}");
}
