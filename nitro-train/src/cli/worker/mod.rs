//! Measuring in a process of its own: a variant may end its process, never end, or take the device away from it, as an illegal
//! memory access does with a GPU. That costs the one variant on the one input, and a fresh process goes on.
//!
//! The process that the user starts then only runs itself again with the same command line, and once more after each
//! fault. What was measured, and what was at fault, is in the store, so every worker gets further than the one before.

mod note;
mod process;
mod pump;
mod supervisor;
mod team;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

pub(super) use note::Notes;
pub(super) use supervisor::supervise;

use super::args::{self, Cli};
use crate::measure::RecordError;

/// Says to a process that it is a worker, and where it notes what it is doing.
const WORKER: &str = "NITRO_TRAIN_WORKER";
/// Tells a worker the name of its recorder, which stays when it is replaced.
const RECORDER: &str = "NITRO_TRAIN_RECORDER";
/// Tells a worker for how many milliseconds the workers before it have measured.
const SPENT_MS: &str = "NITRO_TRAIN_SPENT_MS";
/// Says to a worker which of all devices is its.
const DEVICE: &str = "NITRO_TRAIN_DEVICE";
/// What a worker ends with when it lost its device: the number that sysexits.h has for "try again".
const DEVICE_LOST: u8 = 75;

/// This worker's notes, whose file can be opened once.
static NOTES: OnceLock<File> = OnceLock::new();

/// Whether the command is to run in a worker, and this process is none.
pub(super) fn is_needed(cli: &Cli) -> bool {
    matches!(cli.command, None | Some(args::Command::Record(_))) && note_path().is_none()
}

/// Opens this process's notes, if it is a worker, and ends it with its supervisor: otherwise two would measure on one device as
/// soon as the user starts another.
pub(super) fn follow_supervisor() {
    if let Some(path) = note_path() {
        if let Ok(file) = Notes::open(Path::new(&path)) {
            NOTES.get_or_init(|| file);
        }
        std::thread::spawn(|| {
            // The supervisor holds the other end and writes nothing.
            let _ = std::io::stdin().read(&mut [0]);
            std::process::exit(i32::from(DEVICE_LOST));
        });
    }
}

/// Puts the worker's device in the place of all devices, if it is one of a team.
pub(super) fn take_device(cli: &mut Cli) {
    if let (Some(args::Command::Record(args)), Some(device)) = (&mut cli.command, own_device()) {
        args.devices = vec![device];
    }
}

/// Whether this process is a worker of a team, whose supervisor shows how it goes on.
pub(super) fn is_in_team() -> bool {
    own_device().is_some()
}

fn own_device() -> Option<String> {
    note_path().and_then(|_| std::env::var(DEVICE).ok())
}

/// Where this process notes what it is doing; none unless it is a worker.
pub(super) fn notes() -> Option<Notes> {
    NOTES.get()?.try_clone().ok().map(Notes::new)
}

/// What tells this recorder from all others, also after its worker was replaced.
pub(super) fn recorder_name() -> String {
    std::env::var(RECORDER).unwrap_or_else(|_| supervisor::new_recorder_name())
}

/// For how long the workers before this one have measured, of which it takes the place.
pub(super) fn time_spent() -> Duration {
    let spent = note_path().and_then(|_| std::env::var(SPENT_MS).ok()?.parse().ok());
    Duration::from_millis(spent.unwrap_or(0))
}

/// The exit code for an error: a worker's loss of its device has its own.
pub(super) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let is_loss = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref::<RecordError>(), Some(RecordError::DeviceLost { .. }))
    };
    if note_path().is_some() && error.chain().any(is_loss) {
        ExitCode::from(DEVICE_LOST)
    } else {
        ExitCode::FAILURE
    }
}

fn note_path() -> Option<OsString> {
    std::env::var_os(WORKER)
}
