//! The trainer as a user types it, without settings of the surrounding environment.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::path::Path;
use std::process::{Command, Output};

/// Runs the trainer in a folder.
pub fn train(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the trainer runs")
}

/// The trainer, to be run in a folder.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    command.args(arguments).current_dir(folder);
    command.env_remove("NITRO_STORE").env_remove("NITRO_MODELS").env_remove("NITRO_FORCE");
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The standard output of a run that succeeds.
#[track_caller]
pub fn success(folder: &Path, arguments: &[&str]) -> String {
    let output = train(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}
