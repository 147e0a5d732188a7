//! `NITRO_MODELS` that names no folder is told of once, and the calls go on.
//!
//! The test runs itself once more, since the variable and stderr are the process's.

use std::process::Command;

use nitro::code_variant;

#[code_variant(features(size = x), variants(same), default = same)]
fn first(x: f64) -> f64;

#[code_variant(features(size = x), variants(same), default = same)]
fn second(x: f64) -> f64;

fn same(x: f64) -> f64 {
    x
}

/// What the second process does.
#[test]
#[ignore = "run by the other test"]
fn child() {
    (0..3).for_each(|_| assert_eq!((first(1.0), second(2.0)), (1.0, 2.0)));
}

#[test]
fn a_folder_that_is_not_there_is_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nowhere");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("NITRO_MODELS", &missing)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    let told: Vec<&str> = stderr.lines().filter(|line| line.contains("NITRO_MODELS")).collect();
    assert!(told.len() == 1 && told[0].contains(missing.to_str().unwrap()), "{stderr}");
}
