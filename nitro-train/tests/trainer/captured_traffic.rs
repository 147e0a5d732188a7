//! What a program captures of its real calls, `train coverage` reads: how many calls are far from the training
//! inputs, what was chosen, and which inputs to record next.
//!
//! Without arguments this program is the test; the test runs it again as the program and as the trainer.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use nitro::code_variant;
use nitro::model::{Coverage, Model, Offset, Provenance, Region, Scale, Selector, Transform, file_name};
use nitro_train::Trainer;
use serde_json::Value;

#[code_variant(
    name = "work",
    features(size = n, input_depth = depth),
    variants(plain, quick if n < 500),
    default = plain,
)]
fn work(n: u32, depth: u32) -> u32;

fn plain(n: u32, depth: u32) -> u32 {
    n + depth
}

fn quick(n: u32, depth: u32) -> u32 {
    n + depth
}

#[code_variant(name = "other", features(size = n), variants(plain_other), default = plain_other)]
fn other(n: u32) -> u32;

fn plain_other(n: u32) -> u32 {
    n
}

/// Sizes that were trained on lie from 0 to 100: of 100 calls 60 are like them, 30 are about 1000 and 10 are at 5000.
const CALLS: [(u32, u32); 3] = [(50, 60), (1000, 30), (5000, 10)];

pub fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("program") => {
            for (size, count) in CALLS {
                (0..count).for_each(|n| assert_eq!(work(size + n % 3, 1), size + n % 3 + 1));
            }
            assert_eq!(other(3), 3);
            return ExitCode::SUCCESS;
        }
        Some("coverage") => return Trainer::new().main(),
        _ => {}
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    capture(folder.path());
    far_calls_and_what_to_record_next_are_told(folder.path());
    the_same_is_told_as_a_table(folder.path());
    without_a_model_the_choices_are_told(folder.path());
    a_bad_file_is_told_with_its_line(folder.path());
    ExitCode::SUCCESS
}

fn run(folder: &Path, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(arguments)
        .env("NITRO_CAPTURE", "calls.jsonl")
        .env("NITRO_MODELS", "models")
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, told)
}

fn success(folder: &Path, arguments: &[&str]) -> String {
    let (output, told) = run(folder, arguments);
    assert!(output.status.success(), "{told}");
    String::from_utf8(output.stdout).expect("text")
}

/// Lets the program run with a model that prefers `quick`, trained on sizes from 0 to 100 and depths from 0 to 10.
fn capture(folder: &Path) {
    let scale = |max| Scale { transform: Transform::Identity, min: 0.0, max };
    let centers: [&[f64]; 3] = [&[-1.0, -1.0], &[0.0, 0.0], &[1.0, 1.0]];
    let region = Region::new(vec![scale(100.0), scale(10.0)], centers, Offset { gap: 1.0, excess: 0.2 });
    let model = Model {
        function: "work".into(),
        choices: vec!["plain".into(), "quick".into()],
        features: vec!["size".into(), "input_depth".into()],
        device_features: Vec::new(),
        selector: Selector::Constant { choice: 1 },
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage { inputs: Some(region), devices: None },
        provenance: Provenance::default(),
    };
    fs::create_dir(folder.join("models")).unwrap();
    model.write(&folder.join("models").join(file_name("work"))).unwrap();
    success(folder, &["program"]);
}

fn far_calls_and_what_to_record_next_are_told(folder: &Path) {
    let text = success(folder, &["coverage", "calls.jsonl", "--json"]);
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [other, work] = found.as_slice() else { panic!("two functions: {text}") };
    assert_eq!(other["function"], "other");
    assert!(other["unknown"].as_str().unwrap().contains("other.model"), "{other}");

    let [device] = work["devices"].as_array().unwrap().as_slice() else { panic!("one device: {work}") };
    assert!(device["device"].as_str().unwrap().starts_with("host:"));
    assert_eq!((&device["calls"], &device["far_calls"]), (&100.into(), &40.into()), "{work}");
    let choices: Vec<(&str, &str, u64)> = device["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            assert!(one["mean_time_ns"].as_f64().unwrap() >= 0.0);
            let text = |key: &str| one[key].as_str().unwrap();
            (text("variant"), text("reason"), one["calls"].as_u64().unwrap())
        })
        .collect();
    let forbidden = "best admissible choice, a constraint forbids `quick`";
    assert_eq!(choices, [("quick", "predicted by the model", 60), ("plain", forbidden, 40)]);

    let next: Vec<(f64, u64)> = work["record_next"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["features"]["size"].as_f64().unwrap(), one["calls"].as_u64().unwrap()))
        .collect();
    let [(first, 30), (second, 10)] = next.as_slice() else { panic!("{next:?}") };
    assert!((1000.0..=1002.0).contains(first) && (5000.0..=5002.0).contains(second), "{next:?}");
}

fn the_same_is_told_as_a_table(folder: &Path) {
    let text = success(folder, &["coverage", "calls.jsonl", "--models", "models"]);
    for expected in ["40.0", "75.0", "25.0", "predicted by the model", "Record inputs like these next"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

fn without_a_model_the_choices_are_told(folder: &Path) {
    let text = success(folder, &["coverage", "calls.jsonl", "--models", "nowhere"]);
    assert!(text.contains("What is far cannot be told: there is no model nowhere"), "{text}");
    assert!(text.contains("quick") && text.contains("60.0"), "{text}");
}

fn a_bad_file_is_told_with_its_line(folder: &Path) {
    let lines = fs::read_to_string(folder.join("calls.jsonl")).unwrap();
    let first = lines.lines().next().unwrap();
    let bad = [
        (format!("{first}\nnonsense\n"), "bad.jsonl:2: "),
        (first.replace("\"calls\":1", "\"calls\":0") + "\n", "bad.jsonl:1: "),
        (format!("{}\n", "x".repeat(100_000)), "bad.jsonl:1: "),
        (String::new(), "bad.jsonl has no calls"),
    ];
    for (content, expected) in bad {
        fs::write(folder.join("bad.jsonl"), content).unwrap();
        let (output, told) = run(folder, &["coverage", "bad.jsonl"]);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(expected) && told.lines().count() == 1, "{expected}: {told}");
    }
    fs::write(folder.join("cut.jsonl"), format!("{first}\n{}", &first[..first.len() / 2])).unwrap();
    let (output, told) = run(folder, &["coverage", "cut.jsonl"]);
    assert!(output.status.success() && told.contains("cut.jsonl:2: the line is cut off"), "{told}");
    let (output, told) = run(folder, &["coverage", "missing.jsonl"]);
    assert!(output.status.code() == Some(1) && told.contains("missing.jsonl cannot be read"), "{told}");
}
