//! The supervisor as its worker sees it: what it has told, and what is noted for it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use nitro_process::{NoteFile, when_parent_ends};

use super::note::{Briefing, LeftOut, Note, Run};
use crate::measure::{Attempt, Share};

/// Says to a process that it is a worker, and where its note is.
pub(super) const WORKER: &str = "NITRO_TRAIN_WORKER";
/// The exit code of a worker that lost its device, or in which something panicked: the number that sysexits.h has for
/// "try again".
pub(crate) const GO_ON: u8 = 75;

/// This worker's supervisor, whose note can be opened once.
static SUPERVISOR: OnceLock<OwnSupervisor> = OnceLock::new();

/// The supervisor of this process.
struct OwnSupervisor {
    briefing: Briefing,
    notes: Mutex<Notes>,
}

/// The worker's side of its note.
struct Notes {
    file: NoteFile<Note>,
    /// What stands in the file.
    note: Note,
    runs: u64,
}

/// Returns true in a worker process.
pub(crate) fn is_worker() -> bool {
    std::env::var_os(WORKER).is_some()
}

/// Opens this process's note, if it is a worker, and ends it with its supervisor: otherwise two would measure on
/// one device as soon as the user starts another.
pub(crate) fn follow_supervisor() {
    if let Some(name) = std::env::var_os(WORKER) {
        if let Ok(opened) = OwnSupervisor::open(Path::new(&name)) {
            SUPERVISOR.get_or_init(|| opened);
        }
        when_parent_ends(|| process::exit(i32::from(GO_ON)));
    }
}

/// Returns the device that this worker has to itself, if it is one of a team. Its supervisor shows its progress.
pub(crate) fn own_device() -> Option<String> {
    SUPERVISOR.get()?.briefing.device.clone()
}

/// Notes a run that begins; none if the last one has ended.
pub(super) fn note_run(attempt: Option<&Attempt<'_>>) {
    change_note(|notes| notes.set_run(attempt));
}

/// Notes that no input is being measured.
pub(super) fn note_idle() {
    change_note(|notes| notes.set(Note::Idle));
}

/// Tells the supervisor what a fresh worker is to leave out.
pub(crate) fn hand_over(left_out: &[LeftOut]) {
    change_note(|notes| notes.set(Note::HandOver(left_out.to_vec())));
}

/// Changes the note, in a worker.
///
/// Without the note a fault ends the recording, or a fresh worker comes to the same inputs again. That is no reason to
/// end the recording now.
fn change_note(change: impl FnOnce(&mut Notes) -> io::Result<()>) {
    if let Some(supervisor) = SUPERVISOR.get() {
        let _ = change(&mut supervisor.notes.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Returns the inputs that the workers before this one have left out, each with the reason.
///
/// None where this process is no worker that a fresh one can take the place of.
pub(crate) fn left_out(function: &str, device: &str) -> Option<BTreeMap<String, String>> {
    let supervisor = SUPERVISOR.get()?;
    let own = supervisor.left_out(function, device).filter(|one| one.variant.is_none());
    Some(own.map(|one| (one.input.clone(), one.why.clone())).collect())
}

/// Returns true where this process may measure a sample of the recordings.
///
/// A worker may where these were recorded before its run.
pub(crate) fn takes_samples() -> bool {
    SUPERVISOR.get().is_none_or(|supervisor| supervisor.briefing.takes_samples)
}

/// A variant that has ended a worker before this one, when what is recorded of it was measured again.
pub(crate) struct EndedSample {
    pub(crate) variant: String,
    pub(crate) input: String,
    pub(crate) why: String,
}

/// Returns the variants that have ended a worker before this one in the sample of the recordings.
pub(crate) fn ended_samples(function: &str, device: &str) -> Vec<EndedSample> {
    let Some(supervisor) = SUPERVISOR.get() else { return Vec::new() };
    let mut ended = Vec::new();
    for LeftOut { variant, input, why, .. } in supervisor.left_out(function, device).cloned() {
        ended.extend(variant.map(|variant| EndedSample { variant, input, why }));
    }
    ended
}

/// Returns the name that tells this recorder from all others, also after its worker was replaced.
pub(crate) fn recorder_name() -> String {
    SUPERVISOR.get().map_or_else(Share::unique_owner, |supervisor| supervisor.briefing.recorder.clone())
}

/// Returns the time that the workers before this one have measured, of which it takes the place.
pub(crate) fn time_spent() -> Duration {
    SUPERVISOR.get().map_or(Duration::ZERO, |supervisor| supervisor.briefing.spent)
}

impl OwnSupervisor {
    /// Opens the note of this name, in which the briefing stands.
    fn open(name: &Path) -> io::Result<Self> {
        let mut file = NoteFile::open(name)?;
        let Note::Briefing(briefing) = file.read()? else { return Err(io::ErrorKind::InvalidData.into()) };
        Ok(Self { briefing, notes: Mutex::new(Notes { file, note: Note::Idle, runs: 0 }) })
    }

    /// Returns what was left out of a function's recordings on a device.
    fn left_out<'a>(&'a self, function: &'a str, device: &'a str) -> impl Iterator<Item = &'a LeftOut> {
        self.briefing.left_out.iter().filter(move |one| one.function == function && one.device == device)
    }
}

impl Notes {
    /// Writes another note.
    fn set(&mut self, note: Note) -> io::Result<()> {
        self.note = note;
        self.file.write(&self.note)
    }

    /// Writes a run that begins; none if the last one has ended.
    fn set_run(&mut self, attempt: Option<&Attempt<'_>>) -> io::Result<()> {
        match (attempt, &mut self.note) {
            (Some(attempt), note) => {
                self.runs += 1;
                *note = Note::Run(Run::of(attempt, self.runs));
            }
            (None, Note::Run(run)) => run.is_under_way = false,
            (None, _) => {}
        }
        self.file.write(&self.note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::note::tests::attempt;

    fn run(supervisor: &mut NoteFile<Note>) -> Run {
        match supervisor.read().unwrap() {
            Note::Run(run) => run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_note_tells_which_run_and_whether_it_is_under_way() {
        let (recorder, spent, device) = ("r".to_owned(), Duration::from_millis(1), None);
        let left_out = LeftOut {
            function: "spmv".into(),
            device: "host:4".into(),
            input: "c".into(),
            variant: None,
            why: "it panicked".into(),
        };
        let briefing =
            Briefing { recorder, spent, takes_samples: true, device, left_out: vec![left_out.clone()] };
        let (mut supervisor, name) = NoteFile::create(&Note::Briefing(briefing)).unwrap();
        let own = OwnSupervisor::open(&name).unwrap();
        assert_eq!(own.left_out("spmv", "host:4").collect::<Vec<_>>(), [&left_out]);
        assert_eq!(own.left_out("spmv", "host:8").count(), 0);
        let mut notes = own.notes.into_inner().unwrap();
        notes.set_run(Some(&attempt("a_long_name"))).unwrap();
        let first = run(&mut supervisor);
        assert!(first.is_under_way && first.variant == "a_long_name" && first.input == "a\nb");
        notes.set_run(None).unwrap();
        assert_eq!(run(&mut supervisor), Run { is_under_way: false, ..first.clone() });
        notes.set_run(Some(&attempt("short"))).unwrap();
        let second = run(&mut supervisor);
        assert!(second.is_under_way && second.variant == "short" && !second.is_like(&first));
        notes.set_run(Some(&attempt("short"))).unwrap();
        let third = run(&mut supervisor);
        assert!(third != second && third.is_like(&second), "another run of the same");
        notes.set(Note::Idle).unwrap();
        assert!(matches!(supervisor.read().unwrap(), Note::Idle));
        notes.set(Note::HandOver(vec![left_out.clone()])).unwrap();
        let Note::HandOver(handed_over) = supervisor.read().unwrap() else { panic!("another note") };
        assert_eq!(handed_over, [left_out]);
    }
}
