//! A device in a regime is a device of its own: recorded beside the others, learned from by its device feature, and
//! left out with all others in its regime. Which variant is best hangs on the regime here. Time is scripted.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode, Output};

use nitro::{Regime, code_variant};
use nitro_train::recordings::Outcome;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

use crate::scripted::{Devices, Hidden, ID, Scripted, TIME_NS, WAITS};

#[code_variant(name = "scan", device = Scripted, features(size = n), variants(plain, staged), default = plain)]
fn scan(n: u32) -> u32;

/// The time of a variant: each is best in a regime, by a factor of 4.
fn time_ns(regime: Regime, variant: &str) -> f64 {
    if (regime == Regime::Cold) == (variant == "staged") { 1e8 } else { 4e8 }
}

fn plain(n: u32) -> u32 {
    TIME_NS.set(time_ns(Regime::of_thread(), "plain"));
    n
}

fn staged(n: u32) -> u32 {
    TIME_NS.set(time_ns(Regime::of_thread(), "staged"));
    n
}

/// Its default waits for the device after each of its steps.
#[code_variant(name = "walk", device = Scripted, features(size = n), variants(stepwise, fused), default = stepwise)]
fn walk(n: u32) -> u32;

fn stepwise(n: u32) -> u32 {
    WAITS.set(true);
    TIME_NS.set(1e8);
    n
}

fn fused(n: u32) -> u32 {
    TIME_NS.set(2e8);
    n
}

pub fn main() -> ExitCode {
    if std::env::args().len() > 1 {
        let tunable = Tunable::new(scan::function(), |session| {
            for name in session.inputs("") {
                let n: u32 = name.rsplit('/').next().unwrap_or_default().parse()?;
                session.input(name, || scan(n))?;
            }
            Ok(())
        });
        let names = (0..30).map(|n| format!("{}/{n}", if n % 3 == 0 { "test" } else { "train" }));
        let tunable = tunable.generated_inputs(names);
        let walks = |session: &mut Session<'_>| -> Result<(), BoxError> {
            session.checked_input("steps", || walk(3), |expected, found| expected == found)?;
            Ok(())
        };
        let trainer = Trainer::new().devices(Devices).processors(Hidden);
        return trainer.tunable(tunable).function(walk::function(), walks).main();
    }
    let folder = tempfile::tempdir().expect("a folder");
    both_regimes_are_recorded_beside_each_other(folder.path());
    the_regime_decides_where_it_is_learned_from(folder.path());
    a_default_that_cannot_be_captured_fails_like_others(folder.path());
    what_cannot_be_measured_is_refused_in_one_sentence(folder.path());
    ExitCode::SUCCESS
}

/// Runs the trainer on a machine of this name.
fn train(folder: &Path, machine: &str, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(arguments)
        .args(["--store", "s.db"])
        .env(ID, format!("scripted:0@{machine}"))
        .current_dir(folder)
        .output()
        .expect("the trainer starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

fn both_regimes_are_recorded_beside_each_other(folder: &Path) {
    for machine in ["left", "middle", "right"] {
        let named = ["--device", "scripted:0+cold"];
        let asked = ["--device", "scripted:0", "--regime", "cold"];
        let cold = if machine == "left" { &named[..] } else { &asked };
        for arguments in [&["--device", "scripted:0"], cold] {
            let (output, text) =
                train(folder, machine, &[&["record", "--function", "scan"], arguments].concat());
            assert!(output.status.success(), "{text}");
        }
    }
    // The two ways to say it mean the same device.
    let again =
        ["record", "--function", "scan", "--device", "scripted:0", "--regime", "cold", "--sample", "0"];
    let (_, text) = train(folder, "left", &again);
    assert!(text.contains("scan on scripted:0+cold: 0 inputs to measure, 30 measured before"), "{text}");

    let path = folder.join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("scan").unwrap();
    let mut ids: Vec<&str> = recordings.devices.iter().map(|device| &*device.id).collect();
    ids.sort_unstable();
    let machines = ["left", "middle", "right"];
    let expected = ["scripted:0+cold", "scripted:0"].map(|part| machines.map(|own| format!("{part}@{own}")));
    assert_eq!(ids, expected.as_flattened());
    for device in &recordings.devices {
        // What is not in a regime is kept as it always was.
        let expected = if device.regime() == Regime::Cold { vec!["regime_cold"] } else { vec![] };
        assert_eq!(device.features.keys().collect::<Vec<_>>(), expected, "{}", device.id);
    }
    for one in &recordings.measurements {
        let (device, variant) = (&recordings.devices[one.device], &recordings.variants[one.variant]);
        assert_eq!(one.outcome, Outcome::Time(time_ns(device.regime(), variant)), "{} {variant}", device.id);
    }
}

/// The share of exhaustive search that `auto` achieves on each device that is left out.
fn shares(folder: &Path, leave_out: &str) -> Vec<(String, Vec<String>, f64)> {
    let (output, text) =
        train(folder, "left", &["evaluate", "--function", "scan", "--leave-out", leave_out, "--json"]);
    assert!(output.status.success(), "{text}");
    let evaluation: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    let share = |device: &serde_json::Value| {
        let sources = device["sources"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
        let auto = device["selectors"]["auto"]["mean"].as_f64().unwrap();
        (device["held_out"].as_str().unwrap().to_owned(), sources.collect(), auto)
    };
    evaluation["devices"].as_array().unwrap().iter().map(share).collect()
}

fn the_regime_decides_where_it_is_learned_from(folder: &Path) {
    for (held_out, _, share) in shares(folder, "device") {
        assert_eq!(share, 1.0, "{held_out}: others are in its regime");
    }
    for (held_out, sources, share) in shares(folder, "regime") {
        let is_cold = |id: &str| id.contains("+cold@");
        assert!(
            sources.len() == 3 && sources.iter().all(|id| is_cold(id) != is_cold(&held_out)),
            "{sources:?}"
        );
        assert_eq!(share, 0.25, "{held_out}: its regime was never seen");
    }
    let (output, text) = train(folder, "left", &["fit", "--function", "scan", "--models", "models"]);
    assert!(output.status.success(), "{text}");
    for (device, variant) in [("scripted:0", "plain"), ("scripted:0+cold", "staged")] {
        let arguments = ["explain", "scan", "size=5", "--device", device, "--models", "models", "--json"];
        let (output, text) = train(folder, "elsewhere", &arguments);
        assert!(output.status.success(), "{text}");
        let explained: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!(
            explained["ranking"][0]["variant"], variant,
            "on {device} of another machine: {explained}"
        );
    }
}

fn a_default_that_cannot_be_captured_fails_like_others(folder: &Path) {
    for regime in ["eager", "graph"] {
        let arguments = ["record", "--function", "walk", "--device", "scripted:0", "--regime", regime];
        let (output, text) = train(folder, "left", &arguments);
        assert!(output.status.success(), "{text}");
    }
    let path = folder.join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("walk").unwrap();
    for one in &recordings.measurements {
        let (device, variant) = (&recordings.devices[one.device], &*recordings.variants[one.variant]);
        let expected = match (device.regime(), variant) {
            (Regime::Graph, "stepwise") => (Outcome::Failed, "waits for the device"),
            (_, "stepwise") => (Outcome::Time(1e8), ""),
            _ => (Outcome::Time(2e8), ""),
        };
        assert_eq!((one.outcome, &*one.reason), expected, "{} {variant}", device.id);
    }
    assert_eq!(recordings.measurements.len(), 4);
}

fn what_cannot_be_measured_is_refused_in_one_sentence(folder: &Path) {
    for (arguments, option, expected) in [
        (
            &["--device", "host:1", "--regime", "graph"][..],
            "--regime",
            "kind host are not measured in regime graph: name one of eager, cold",
        ),
        (&["--regime", "graph"], "--regime", "kind host are not measured in regime graph"),
        (&["--device", "host:1+graph"], "--device", "kind host are not measured in regime graph"),
        (
            &["--device", "host:1", "--regime", "warm"],
            "--regime",
            "`warm` is no regime: write eager, graph or cold",
        ),
        (
            &["--device", "host:1+cold", "--regime", "eager"],
            "--regime",
            "host:1+cold names another regime than eager",
        ),
        (&["--device", "host:1+warm"], "--device", "write host:THREADS"),
        (&["--device", "host:0+cold"], "--device", "write host:THREADS"),
    ] {
        let (output, text) = train(folder, "left", &[&["record"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{text}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains(option) && first.contains(expected), "{arguments:?}: {text}");
    }
}
