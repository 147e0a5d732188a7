//! A model that was calibrated for a device chooses by that there, and nowhere else; in deterministic mode nowhere
//! at all, since what was measured on one device is nothing that all of its kind have.

use std::sync::LazyLock;

use nitro::model::{Calibration, Coverage, Model, Provenance, Selector};
use nitro::{Device, DeviceEntry, Reason, Stopwatch, code_variant};

/// Two devices of one kind; which of them is current says a thread-local.
struct Scripted;

thread_local!(static NUMBER: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern(&format!("scripted:{}@kind", NUMBER.get()), Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        unreachable!("nothing is recorded")
    }
}

/// Needs a device feature that no device has, but where it is calibrated.
static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let calibration = Calibration {
        device: "scripted:1@kind".into(),
        measured_inputs: 10,
        selector: Selector::Constant { choice: 1 },
    };
    let model = Model {
        function: "work".into(),
        choices: vec!["usual".into(), "here".into()],
        features: vec!["length".into()],
        device_features: vec!["unheard_of".into()],
        selector: Selector::Constant { choice: 0 },
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![calibration],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    model.to_bytes()
});

#[code_variant(
    name = "work",
    device = Scripted,
    features(length = n),
    variants(usual, here),
    default = usual,
    model = MODEL.as_slice(),
)]
fn work(n: usize) -> &'static str;

fn usual(_: usize) -> &'static str {
    "usual"
}

fn here(_: usize) -> &'static str {
    "here"
}

#[test]
fn a_calibration_is_for_its_device() {
    NUMBER.set(1);
    assert_eq!((work(5), work::select(5).reason()), ("here", Reason::Predicted));
    NUMBER.set(2);
    assert_eq!((work(5), work::select(5).reason()), ("usual", Reason::DeviceFeatureMissing));
}

/// In a process of its own: a function takes the setting at its first call.
#[test]
fn where_choices_are_deterministic_nothing_is_calibrated() {
    if std::env::var_os("NITRO_DETERMINISTIC").is_some() {
        NUMBER.set(1);
        assert_eq!((work(5), work::select(5).reason()), ("usual", Reason::DeviceFeatureVaries));
        return;
    }
    let name = "where_choices_are_deterministic_nothing_is_calibrated";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let status = child.args(["--exact", name]).env("NITRO_DETERMINISTIC", "1").status().unwrap();
    assert!(status.success());
}
