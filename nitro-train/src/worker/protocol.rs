//! The variables that a worker gets by its environment, and the meaning of its exit codes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use super::note::{LeftOut, Notes};
use crate::measure::Share;

/// Says to a process that it is a worker, and where it notes what it is doing.
pub(super) const WORKER: &str = "NITRO_TRAIN_WORKER";
/// Tells a worker the name of its recorder, which stays when it is replaced.
pub(super) const RECORDER: &str = "NITRO_TRAIN_RECORDER";
/// Tells a worker for how many milliseconds the workers before it have measured.
pub(super) const SPENT_MS: &str = "NITRO_TRAIN_SPENT_MS";
/// Tells a worker whether to measure a sample of what is recorded: `0` where others of its run may have recorded that.
pub(super) const SAMPLES: &str = "NITRO_TRAIN_SAMPLES";
/// Says to a worker which of all devices is its.
pub(super) const DEVICE: &str = "NITRO_TRAIN_DEVICE";
/// The exit code of a worker that lost its device, or in which something panicked: the number that sysexits.h has for
/// "try again".
pub(crate) const GO_ON: u8 = 75;
/// The exit code of a Rust program that panicked.
pub(super) const PANICKED: i32 = 101;

/// This worker's notes, whose file can be opened once, and what the workers before it have left out.
static NOTES: OnceLock<(File, Vec<LeftOut>)> = OnceLock::new();

/// Returns true in a worker process.
pub(crate) fn is_worker() -> bool {
    note_path().is_some()
}

/// Opens this process's notes, if it is a worker, and ends it with its supervisor: otherwise two would measure on
/// one device as soon as the user starts another.
pub(crate) fn follow_supervisor() {
    if let Some(path) = note_path() {
        if let Ok(opened) = Notes::open(Path::new(&path)) {
            NOTES.get_or_init(|| opened);
        }
        std::thread::spawn(|| {
            // The supervisor holds the other end and writes nothing.
            let _ = std::io::stdin().read(&mut [0]);
            std::process::exit(i32::from(GO_ON));
        });
    }
}

/// Returns the device that this worker has to itself, if it is one of a team. Its supervisor shows its progress.
pub(crate) fn own_device() -> Option<String> {
    note_path().and_then(|_| std::env::var(DEVICE).ok())
}

/// Returns the notes of this process; none unless it is a worker.
pub(super) fn notes() -> Option<Notes> {
    NOTES.get()?.0.try_clone().ok().map(Notes::new)
}

/// Returns the inputs that the workers before this one have left out, each with the reason.
///
/// None where this process is no worker that a fresh one can take the place of.
pub(crate) fn left_out(function: &str, device: &str) -> Option<BTreeMap<String, String>> {
    let (_, all) = NOTES.get()?;
    let own = all.iter().filter(|one| one.function == function && one.device == device);
    let own = own.filter(|one| one.variant.is_none());
    Some(own.map(|one| (one.input.clone(), one.why.clone())).collect())
}

/// Returns true where this process may measure a sample of the recordings.
///
/// A worker may where these were recorded before its run.
pub(crate) fn takes_samples() -> bool {
    !is_worker() || std::env::var(SAMPLES).as_deref() != Ok("0")
}

/// A variant that has ended a worker before this one, when what is recorded of it was measured again.
pub(crate) struct EndedSample {
    pub(crate) variant: String,
    pub(crate) input: String,
    pub(crate) why: String,
}

/// Returns the variants that have ended a worker before this one in the sample of the recordings.
pub(crate) fn ended_samples(function: &str, device: &str) -> Vec<EndedSample> {
    let all = NOTES.get().map_or(&[][..], |(_, all)| all);
    let own = all.iter().filter(|one| one.function == function && one.device == device);
    own.filter_map(|one| {
        let (variant, input, why) = (one.variant.clone()?, one.input.clone(), one.why.clone());
        Some(EndedSample { variant, input, why })
    })
    .collect()
}

/// Tells the supervisor what a fresh worker is to leave out.
pub(crate) fn hand_over(left_out: &[LeftOut]) {
    if let Some(mut notes) = notes() {
        // Where that fails, the fresh worker comes to the same inputs again, as whoever starts the command anew.
        let _ = notes.hand_over(left_out);
    }
}

/// Returns the name that tells this recorder from all others, also after its worker was replaced.
pub(crate) fn recorder_name() -> String {
    std::env::var(RECORDER).unwrap_or_else(|_| Share::unique_owner())
}

/// Returns the time that the workers before this one have measured, of which it takes the place.
pub(crate) fn time_spent() -> Duration {
    let spent = note_path().and_then(|_| std::env::var(SPENT_MS).ok()?.parse().ok());
    Duration::from_millis(spent.unwrap_or(0))
}

fn note_path() -> Option<OsString> {
    std::env::var_os(WORKER)
}
