//! A variant that takes the device away from the process, as an illegal access on a GPU does, is recorded as failed
//! on that input, and the recording goes on in a fresh process. The device here is a flag: once lost, it refuses
//! everything.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use nitro::{Device, DeviceEntry, Stopwatch, code_variant};
use nitro_core::provide::{DeviceProvider, OpenDevice};
use nitro_train::recordings::Outcome;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

static LOST: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy)]
struct Flimsy;

impl Device for Flimsy {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern("flimsy:0", Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Watch;
        impl Stopwatch for Watch {
            fn start(&mut self) {}
            fn stop(&mut self) -> f64 {
                if LOST.load(Ordering::Relaxed) { f64::NAN } else { 100.0 }
            }
        }
        Box::new(Watch)
    }

    fn is_lost(&self) -> bool {
        LOST.load(Ordering::Relaxed)
    }
}

impl OpenDevice for Flimsy {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        work();
        Ok(())
    }
}

struct Devices;

impl DeviceProvider for Devices {
    fn kind(&self) -> &'static str {
        "flimsy"
    }

    fn forms(&self) -> &'static str {
        "flimsy:0"
    }

    fn check(&self, text: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        if text == "flimsy:0" { Ok(()) } else { Err("write flimsy:0".into()) }
    }

    fn open(&self, _: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(Flimsy))
    }
}

/// Breaks the device where bit 0 of `faults` is set for `plain`, bit 1 for `quiet`, bit 2 for `loud`.
#[code_variant(
    name = "touch",
    device = Flimsy,
    features(fault_bits = faults),
    variants(plain, quiet, loud, last),
    default = plain,
)]
fn touch(faults: u32) -> Result<u32, String>;

fn answer(lose: bool) -> u32 {
    LOST.fetch_or(lose, Ordering::Relaxed);
    7
}

fn plain(faults: u32) -> Result<u32, String> {
    Ok(answer(faults & 1 != 0))
}

/// Returns before the device has failed, as a launch does.
fn quiet(faults: u32) -> Result<u32, String> {
    Ok(answer(faults & 2 != 0))
}

fn loud(faults: u32) -> Result<u32, String> {
    answer(faults & 4 != 0);
    if faults & 4 != 0 { Err("illegal access".into()) } else { Ok(7) }
}

fn last(_: u32) -> Result<u32, String> {
    Ok(answer(false))
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let faults = name.rsplit('-').next().unwrap_or_default().parse()?;
        // A closure that keeps its errors to itself does not hide a loss.
        let _ = session.checked_input(name, || touch(faults), |expected, found| expected == found);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        return Trainer::new()
            .devices(Devices)
            .tunable(
                Tunable::new(touch::function(), record)
                    .generated_inputs(std::env::var("INPUTS").unwrap_or_default().split(' ')),
            )
            .main();
    }
    variants_that_lose_the_device_fail_and_the_rest_is_measured();
    a_default_variant_that_loses_the_device_costs_the_input();
    a_wrong_device_is_wrong_usage();
    ExitCode::SUCCESS
}

fn train(folder: &Path, inputs: &str, device: &str) -> Output {
    let program = std::env::current_exe().expect("this program is somewhere");
    Command::new(program)
        .args(["record", "--device", device, "--store", "s.db"])
        .env("INPUTS", inputs)
        .current_dir(folder)
        .output()
        .expect("the trainer starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn variants_that_lose_the_device_fail_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let output = train(folder.path(), "a-0 b-2 c-6 d-0", "flimsy:0");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        text(&output).matches("going on in a fresh process").count(),
        3,
        "one after each loss: {}",
        text(&output)
    );
    let path = folder.path().join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("touch").unwrap();
    assert_eq!(recordings.measurements.len(), 16);
    for measurement in &recordings.measurements {
        let (input, variant) =
            (&recordings.inputs[measurement.input].name, &recordings.variants[measurement.variant]);
        let failed = matches!((input.as_str(), variant.as_str()), ("b-2" | "c-6", "quiet") | ("c-6", "loud"));
        let expected = if failed { Outcome::Failed } else { Outcome::Time(100.0) };
        assert_eq!(measurement.outcome, expected, "{variant} on {input}");
    }
    let again = train(folder.path(), "a-0 b-2 c-6 d-0", "flimsy:0");
    assert!(text(&again).contains("0 inputs to measure, 4 measured before"), "{}", text(&again));
}

fn a_default_variant_that_loses_the_device_costs_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let output = train(folder.path(), "a-0 b-1 c-0", "flimsy:0");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    // The closure of this trainer passes over errors, and still nothing is kept of the input.
    let path = folder.path().join("s.db");
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("touch").unwrap();
    let inputs: Vec<&str> = recordings.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(inputs, ["a-0", "c-0"], "{}", text(&output));
    assert_eq!(text(&output).matches("fresh process").count(), 1, "after the loss: {}", text(&output));
    assert!(text(&output).contains("error: input `b-1` of touch on flimsy:0"), "{}", text(&output));
}

fn a_wrong_device_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    for device in ["flimsy:1", "other:0"] {
        let output = train(folder.path(), "a-0", device);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("write"), "{}", text(&output));
    }
}
