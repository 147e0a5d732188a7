//! `record --device all` records on every GPU of a machine at the same time, and identical ones share the inputs.
//! The two devices here are scripted twins.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use crate::scripted::{Devices, Hidden};
use crate::twins::{in_every_run, shared, time_ns};
use nitro_train::recordings::Outcome;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

const INPUTS: u32 = 60;
/// The input on which a variant ends its process.
const FAULTY: u32 = 40;

/// Ends its process on one input.
fn fail(n: u32, variant: &str) {
    if n == FAULTY && variant == "twice" {
        std::process::abort();
    }
}

/// Each process notes its inputs in a file of its own. It begins with its first once both have one.
fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    let own = format!("{}.inputs", std::process::id());
    for name in session.inputs("") {
        writeln!(File::options().create(true).append(true).open(&own)?, "{name}")?;
        while noted(Path::new(".")).len() < 2 {
            std::thread::yield_now();
        }
        let n = name.parse()?;
        session.checked_input(name, || shared(n), |expected, found| expected == found)?;
    }
    Ok(())
}

/// The inputs of each process that had some.
fn noted(folder: &Path) -> Vec<Vec<String>> {
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let notes = files.filter(|path| path.extension().is_some_and(|extension| extension == "inputs"));
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    notes.map(|path| lines(fs::read_to_string(path).expect("a text"))).collect()
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        in_every_run(fail);
        let trainer = Trainer::new();
        let trainer = if std::env::var_os("NO_GPU").is_some() {
            trainer
        } else {
            trainer.devices(Devices).processors(Hidden)
        };
        return trainer
            .tunable(
                Tunable::new(shared::function(), record).generated_inputs((0..INPUTS).map(|n| n.to_string())),
            )
            .main();
    }
    twins_share_the_inputs_and_go_on_after_a_fault();
    without_a_gpu_one_sentence_says_so();
    all_stands_alone();
    ExitCode::SUCCESS
}

fn train(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
    let output = Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(["record", "--store", "s.db"])
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .expect("the trainer starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

fn twins_share_the_inputs_and_go_on_after_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), &["--device", "all"], &[]);
    assert!(output.status.success(), "{text}");
    // Two twins, and the one that took the place of the one that ended its process.
    let noted = noted(folder.path());
    assert_eq!(noted.len(), 3, "{text}");
    let mut begun: BTreeMap<&str, usize> = BTreeMap::new();
    noted.iter().flatten().for_each(|name| *begun.entry(name).or_default() += 1);
    assert_eq!(begun.len(), INPUTS as usize);
    for (name, times) in begun {
        // The faulty one was begun again after the fault.
        assert_eq!(times, if name == FAULTY.to_string() { 2 } else { 1 }, "{name}: {text}");
    }

    let path = folder.path().join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("shared").unwrap();
    assert_eq!(recordings.devices.len(), 1, "they are of one kind");
    assert_eq!(recordings.measurements.len(), 2 * INPUTS as usize, "every variant of every input, once");
    for one in &recordings.measurements {
        let n: u32 = recordings.inputs[one.input].name.parse().unwrap();
        let expected = match recordings.variants[one.variant].as_str() {
            "twice" if n == FAULTY => Outcome::Failed,
            variant => Outcome::Time(time_ns(n, variant)),
        };
        assert_eq!(one.outcome, expected, "{n}: {}", one.reason);
    }
    let shares: Vec<u32> = ["scripted:0", "scripted:1"].map(|device| measured(&text, device)).into();
    assert!(shares.iter().all(|&share| share > 0) && shares.iter().sum::<u32>() == INPUTS, "{text}");
    for device in ["scripted:0", "scripted:1"] {
        assert!(text.contains(&format!("shared on {device}: {INPUTS} inputs to measure")), "{text}");
    }

    let (again, text) = train(folder.path(), &["--device", "all"], &[]);
    assert!(again.status.success() && text.contains("0 inputs to measure, 60 measured before"), "{text}");
}

/// The number behind the device in the summary.
fn measured(text: &str, device: &str) -> u32 {
    let summary = text.lines().find_map(|line| line.strip_prefix("inputs measured: ")).expect(text);
    let share = summary.split(", ").find_map(|share| share.strip_prefix(device)).expect(summary);
    share.trim().parse().expect(summary)
}

fn without_a_gpu_one_sentence_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), &["--device", "all"], &[("NO_GPU", "1")]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let is_sentence = text.starts_with("error: no GPU was found") && text.lines().count() == 1;
    assert!(is_sentence && text.contains("for example host:") && text.contains("--device"), "{text}");
}

fn all_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (output, text) = train(folder.path(), &["--device", "all", "--device", "host:1"], &[]);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("leave the other devices out"), "{text}");
}
