//! An illegal access in one variant: the variant is recorded as failed on that input, what else fails is told
//! apart, and the recording goes on in a fresh process. `cargo test -p nitro-variants-cuda --test lost_device --
//! --ignored`.
//!
//! With `--ignored` this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode};

use nitro::{Device, code_variant};
use nitro_cuda::{Buffer, CudaError, Devices, Grid, Program};
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

static KERNELS: Program = Program::new("device.cu", include_str!("device.cu"));

#[code_variant(
    name = "add_one",
    device = nitro_cuda::current(),
    features(length = x.len()),
    variants(right, illegal_access, too_much_memory, too_much_shared_memory, wrong, late),
    default = right,
)]
fn add_one(x: &mut Buffer<u32>, spoil: bool) -> Result<(), CudaError>;

fn add(x: &mut Buffer<u32>, value: u32, shared_bytes: u32) -> Result<(), CudaError> {
    let grid = Grid::covering(x.len(), 256).with_shared_bytes(shared_bytes);
    let length = x.len() as u32;
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe { KERNELS.kernel("add")?.launch(grid, &[x.into(), length.into(), value.into()]) }
}

fn right(x: &mut Buffer<u32>, _: bool) -> Result<(), CudaError> {
    add(x, 1, 0)
}

fn illegal_access(x: &mut Buffer<u32>, spoil: bool) -> Result<(), CudaError> {
    if spoil {
        // SAFETY: none: this is what a variant with a mistake does. The launch itself succeeds.
        return unsafe { KERNELS.kernel("illegal")?.launch(Grid::linear(1, 1), &[(&*x).into()]) };
    }
    add(x, 1, 0)
}

fn too_much_memory(x: &mut Buffer<u32>, spoil: bool) -> Result<(), CudaError> {
    if spoil {
        Buffer::<u8>::uninit(1 << 50)?;
    }
    add(x, 1, 0)
}

fn too_much_shared_memory(x: &mut Buffer<u32>, spoil: bool) -> Result<(), CudaError> {
    add(x, 1, if spoil { 10 << 20 } else { 0 })
}

fn wrong(x: &mut Buffer<u32>, spoil: bool) -> Result<(), CudaError> {
    add(x, if spoil { 2 } else { 1 }, 0)
}

fn late(x: &mut Buffer<u32>, _: bool) -> Result<(), CudaError> {
    add(x, 1, 0)
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let spoil = name.contains("spoilt");
        let run = || {
            let mut x = Buffer::from_slice(&[41; 1000])?;
            add_one(&mut x, spoil)?;
            x.to_vec()
        };
        let same = |expected: &Result<Vec<u32>, CudaError>, found: &Result<Vec<u32>, CudaError>| matches!((expected, found), (Ok(expected), Ok(found)) if expected == found);
        session.checked_input(name, run, same)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    match argument.as_deref() {
        Some("record") => {
            return Trainer::new()
                .devices(Devices::new())
                .tunable(
                    Tunable::new(add_one::function(), record)
                        .runs_on("cuda")
                        .generated_inputs(["plain-1", "spoilt-1", "plain-2", "spoilt-2"]),
                )
                .main();
        }
        Some("lose") => return lose(),
        _ => {}
    }
    if !std::env::args().any(|argument| argument == "--ignored" || argument == "--include-ignored") {
        println!("test ignored, needs a CUDA device");
        return ExitCode::SUCCESS;
    }
    an_illegal_access_is_fatal_to_its_process_alone();
    each_failure_is_recorded_as_what_it_is();
    println!("test result: ok. 2 passed");
    ExitCode::SUCCESS
}

/// Loses the device of this process, and shows that nothing panics afterwards, destructors included.
fn lose() -> ExitCode {
    let device = nitro_cuda::device(0).unwrap();
    let mut x = Buffer::from_slice(&[1u32; 1000]).unwrap();
    let mut stopwatch = device.stopwatch();
    stopwatch.start();
    illegal_access(&mut x, true).unwrap();
    assert!(stopwatch.stop().is_nan(), "work that failed has no time");
    assert!(device.is_lost());
    let error = x.to_vec().unwrap_err();
    assert!(error.is_fatal(), "{error}");
    assert!(Buffer::<u8>::zeroed(10).is_err());
    ExitCode::SUCCESS
}

fn run(arguments: &[&str], folder: &Path) -> String {
    let program = std::env::current_exe().expect("this program is somewhere");
    let output =
        Command::new(program).args(arguments).current_dir(folder).output().expect("this program starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {text}", output.status);
    text
}

fn an_illegal_access_is_fatal_to_its_process_alone() {
    let folder = tempfile::tempdir().unwrap();
    run(&["lose"], folder.path());
    run(&["lose"], folder.path());
}

fn each_failure_is_recorded_as_what_it_is() {
    for device in ["cuda:0", "cuda:0/8sm"] {
        let folder = tempfile::tempdir().unwrap();
        let text = run(&["record", "--device", device, "--store", "s.db"], folder.path());
        assert_eq!(text.matches("going on in a fresh process").count(), 2, "{text}");
        let path = folder.path().join("s.db");
        let recordings = store::open(path.to_str().unwrap()).unwrap().load("add_one").unwrap();
        assert_eq!(recordings.measurements.len(), 24, "{device}");
        check(&recordings);
    }
}

fn check(recordings: &Recordings) {
    for measurement in &recordings.measurements {
        let input = recordings.inputs[measurement.input].name.as_str();
        let variant = recordings.variants[measurement.variant].as_str();
        let spoilt = input.starts_with("spoilt");
        let as_expected = match variant {
            "illegal_access" | "too_much_memory" | "too_much_shared_memory" if spoilt => {
                measurement.outcome == Outcome::Failed
            }
            "wrong" if spoilt => measurement.outcome == Outcome::Wrong,
            _ => matches!(measurement.outcome, Outcome::Time(time_ns) if time_ns >= 100.0),
        };
        assert!(as_expected, "{variant} on {input}: {:?}", measurement.outcome);
    }
}
