//! The first call of a function whose model needs measured device features does not wait for them, also where the
//! process was forked in the middle of another one; `prepare` waits.
//!
//! Each test runs this program again, with a folder for what is kept of devices that is its own.
#![cfg(unix)]

mod macro_support;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use nitro::model::Model;
use nitro::{Device, Reason, code_variant};

#[code_variant(
    name = "total",
    features(n = values.len()),
    variants(forwards, backwards),
    default = forwards,
    model = MODEL.as_slice(),
)]
fn total(values: &[f64]) -> f64;

fn forwards(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn backwards(values: &[f64]) -> f64 {
    values.iter().rev().sum()
}

/// Chooses `backwards` whatever the device, and needs to know how fast it copies.
static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let constant = macro_support::constant("total", &["forwards", "backwards"], "backwards");
    let model = Model::from_bytes(&constant).expect("it was just made");
    Model { device_features: vec!["copy_gbps".into()], ..model }.to_bytes()
});

/// What the program of a test does: not a test itself.
#[test]
fn program() {
    match std::env::var("FIRST_CALL").as_deref() {
        Ok("calls") => calls(),
        Ok("prepares") => prepares(),
        Ok("forks") => forks(),
        _ => {}
    }
}

fn run(does: &str, cache: &Path) -> Output {
    let itself = std::env::current_exe().expect("this program is somewhere");
    let mut command = Command::new(itself);
    command.args(["--exact", "program", "--nocapture"]).env("FIRST_CALL", does).env("XDG_CACHE_HOME", cache);
    for name in ["NITRO_MODELS", "NITRO_FORCE", "NITRO_CAPTURE", "NITRO_DETERMINISTIC"] {
        command.env_remove(name);
    }
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{does}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn calls() {
    let begun = Instant::now();
    assert_eq!(total(&[1.0; 64]), 64.0);
    let took = begun.elapsed();
    println!("the first call took {} us", took.as_micros());
    let reason = total::select(&[1.0; 64]).reason();
    println!("reason: {reason}");
}

fn prepares() {
    total::prepare().expect("nothing is compiled");
    let selection = total::select(&[1.0; 64]);
    assert_eq!((selection.variant(), selection.reason()), (total::Variant::Backwards, Reason::Predicted));
}

#[test]
fn without_a_measurement_the_default_runs_and_with_it_the_model_decides() {
    let folder = tempfile::tempdir().unwrap();
    let told = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let first = told(&run("calls", folder.path()));
    assert!(first.contains(&format!("reason: {}", Reason::DeviceFeaturesPending)), "{first}");
    // What was kept, by a build with optimisation, is read: here it is written as one would.
    let file = nitro::host::current().entry().kept_in().expect("there is a folder");
    let file = folder.path().join("nitro").join(file.file_name().expect("it is a file"));
    std::fs::create_dir_all(folder.path().join("nitro")).unwrap();
    let names = ["copy_gbps", "gflops_sp", "gflops_dp", "atomic_uncontended_mops", "atomic_contended_mops"];
    let lines: String =
        names.into_iter().chain(["random_access_ns"]).map(|name| format!("{name} 9 0 0 1\n")).collect();
    let heading = "nitro device features 2: name value spread load unix_s";
    std::fs::write(&file, format!("{heading}\n{lines}")).unwrap();
    let later = told(&run("calls", folder.path()));
    assert!(later.contains(&format!("reason: {}", Reason::Predicted)), "{later}");
    // Of what is kept in part, the part is used.
    std::fs::write(&file, format!("{heading}\ncopy_gbps 9 0 0 1\n")).unwrap();
    let later = told(&run("calls", folder.path()));
    assert!(later.contains(&format!("reason: {}", Reason::Predicted)), "{later}");
    // What is no such file is none.
    for bytes in [&b"garbage"[..], &[0; 4096], &vec![b'x'; 2 << 20]] {
        std::fs::write(&file, bytes).unwrap();
        let later = told(&run("calls", folder.path()));
        assert!(later.contains(&format!("reason: {}", Reason::DeviceFeaturesPending)), "{later}");
    }
}

#[test]
fn prepare_waits_for_the_measurement() {
    let folder = tempfile::tempdir().unwrap();
    run("prepares", folder.path());
}

/// Ends by the alarm where a call waits for a thread that this process does not have.
fn call_in_child() -> ! {
    // SAFETY: the child makes one call and ends without running what its parent has to run at its end.
    unsafe {
        libc::alarm(20);
        let is_right = total(&[1.0; 64]) == 64.0;
        libc::_exit(i32::from(!is_right));
    }
}

/// Whether a child ended well.
fn ended_well(child: libc::pid_t) -> bool {
    let mut status = 0;
    // SAFETY: `status` is written.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

/// A process without a call so far, whose second thread makes the first call while the first one forks: after so
/// many turns.
fn fork_in_first_call(turns: usize) -> bool {
    static BEGINS: AtomicBool = AtomicBool::new(false);
    // SAFETY: this process has no thread yet but that of the test.
    match unsafe { libc::fork() } {
        0 => {
            std::thread::spawn(|| {
                BEGINS.store(true, Ordering::Release);
                total(&[1.0; 64])
            });
            while !BEGINS.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            (0..turns).for_each(|_| std::hint::spin_loop());
            // SAFETY: as in `call_in_child`.
            unsafe {
                match libc::fork() {
                    0 => call_in_child(),
                    child => libc::_exit(i32::from(!ended_well(child))),
                }
            }
        }
        child => ended_well(child),
    }
}

fn forks() {
    const FORKS: usize = 200;
    LazyLock::force(&MODEL); // a lock of this test's own, that a child must not find taken
    let ended_well = (0..FORKS).filter(|fork| fork_in_first_call(200 * fork)).count();
    assert_eq!(ended_well, FORKS);
}

#[test]
fn no_child_hangs_that_was_forked_inside_a_first_call() {
    let folder = tempfile::tempdir().unwrap();
    run("forks", folder.path());
}
