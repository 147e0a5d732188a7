//! One worker process: starting, watching and ending it.

use std::io::{IsTerminal, stderr};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::error::WorkerError;
use super::interruption::Interruption;
use super::note::{LeftOut, Note, NoteFile};
use super::protocol::WORKER;
use super::pump::Pump;
use crate::measure::{Clock, StopDetector, SystemClock};
use crate::terminal::{Aside, Output};

/// The time between two looks at a worker.
const LOOK: Duration = Duration::from_millis(20);

/// The end of a worker.
pub(super) enum End {
    /// By itself, with this code, and what a fresh one is to leave out.
    Code(i32, Vec<LeftOut>),
    /// While it ran a variant. In doubt, that may not have been the variant's doing.
    Broken { note: Note, how: String, in_doubt: bool },
    /// While it ran none, and not by itself.
    Lost { how: String },
    /// The user interrupted the program; what the worker had noted, and what the program is to end with.
    Interrupted { note: Option<Note>, code: u8 },
}

/// A worker, which ends with the process that holds the value.
pub(super) struct Worker {
    process: Child,
    notes: NoteFile,
    pumps: Vec<Pump>,
}

impl Worker {
    /// Starts a worker with these variables whose standard outputs go to those of this process.
    pub(super) fn start<const N: usize>(
        variables: [(&str, String); N],
        left_out: &[LeftOut],
        out: &Output,
    ) -> Result<Self, WorkerError> {
        let mut worker = Self::start_in_team(variables, left_out, |command| {
            command.stdout(Stdio::piped());
            // On a terminal the worker itself draws its bars.
            if !stderr().is_terminal() {
                command.stderr(Stdio::piped());
            }
        })?;
        let stdout = worker.process.stdout.take().map(|stdout| Pump::start(stdout, out.clone()));
        let stderr = worker.process.stderr.take().map(|stderr| Pump::start(stderr, Aside));
        worker.pumps.extend(stdout.into_iter().chain(stderr));
        Ok(worker)
    }

    /// Starts a worker with these variables, and outputs as they are `prepare`d.
    pub(super) fn start_in_team<const N: usize>(
        variables: [(&str, String); N],
        left_out: &[LeftOut],
        prepare: impl FnOnce(&mut Command),
    ) -> Result<Self, WorkerError> {
        let notes = NoteFile::new(left_out)
            .map_err(WorkerError::system("a temporary file for the worker's notes"))?;
        let program = std::env::current_exe().map_err(WorkerError::system("where this program is"))?;
        let mut command = Command::new(&program);
        command.args(std::env::args_os().skip(1)).env(WORKER, notes.path()).envs(variables);
        command.stdin(Stdio::piped()); // the worker ends when this end of it is gone
        prepare(&mut command);
        let process = command.spawn().map_err(|source| WorkerError::Start { program, source })?;
        Ok(Self { process, notes, pumps: Vec::new() })
    }

    pub(super) fn process(&mut self) -> &mut Child {
        &mut self.process
    }

    /// Looks at the worker until it has ended: by itself, since a run took longer than the deadline, or since the
    /// user wants it to. `begun` hears that a run was noted, be it one that has ended by now.
    pub(super) fn follow(
        mut self,
        deadline: Duration,
        interruption: &Interruption,
        mut begun: impl FnMut(),
    ) -> Result<End, WorkerError> {
        let mut time = RunTime::new(SystemClock.now());
        loop {
            // In this order: the note of a worker that has ended is its last one.
            let status = self.process.try_wait().map_err(WorkerError::system("the worker"))?;
            let note = self.notes.read();
            if note.is_some() {
                begun();
            }
            if let Some(status) = status {
                self.pumps.into_iter().for_each(Pump::finish);
                let left_out = self.notes.handed_over().unwrap_or_default();
                return Ok(ended(status, note, left_out, interruption.exit_code()));
            }
            if let Some(code) = interruption.exit_code() {
                self.end()?;
                return Ok(End::Interrupted { note, code });
            }
            let taken = time.look(SystemClock.now(), note.as_ref());
            if let Some(note) = note.filter(|note| note.is_running && taken > deadline) {
                self.end()?;
                let how = format!("did not end within {} s", deadline.as_secs());
                return Ok(End::Broken { note, how, in_doubt: true });
            }
            std::thread::sleep(LOOK);
        }
    }

    fn end(mut self) -> Result<(), WorkerError> {
        let ended = self.process.kill().and_then(|()| self.process.wait());
        ended.map_err(WorkerError::system("the worker could not be ended"))?;
        self.pumps.into_iter().for_each(Pump::finish);
        Ok(())
    }
}

/// The time of a run, without the time in which nobody looked. What stops a supervisor, such as Ctrl-Z, stops its
/// worker too.
struct RunTime {
    stops: StopDetector,
    run: Option<Note>,
    taken: Duration,
}

impl RunTime {
    fn new(now: Duration) -> Self {
        Self { stops: StopDetector::new(LOOK, now), run: None, taken: Duration::ZERO }
    }

    /// Returns the time that the noted run has taken, if it is under way.
    fn look(&mut self, now: Duration, note: Option<&Note>) -> Duration {
        let passed = self.stops.look(now).watched;
        match note.filter(|note| note.is_running) {
            Some(run) if self.run.as_ref() == Some(run) => self.taken += passed,
            run => (self.run, self.taken) = (run.cloned(), Duration::ZERO),
        }
        self.taken
    }
}

fn ended(status: ExitStatus, note: Option<Note>, left_out: Vec<LeftOut>, interrupted: Option<u8>) -> End {
    let how = || format!("ended its process ({status})");
    if let Some(code) = interrupted.filter(|_| !status.success()) {
        return End::Interrupted { note, code };
    }
    match (note, status.code()) {
        (Some(note), _) if note.is_running => {
            End::Broken { note, how: how(), in_doubt: is_from_outside(status) }
        }
        (_, Some(code)) => End::Code(code, left_out),
        (_, None) => End::Lost { how: how() },
    }
}

/// Returns true for a process that was ended by a signal that no variant raises by mistake.
#[cfg(unix)]
fn is_from_outside(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const HANGUP_INTERRUPT_KILL_TERMINATE: [i32; 4] = [1, 2, 9, 15];
    status.signal().is_some_and(|signal| HANGUP_INTERRUPT_KILL_TERMINATE.contains(&signal))
}

#[cfg(not(unix))]
fn is_from_outside(_: ExitStatus) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEADLINE: Duration = Duration::from_secs(2);

    /// What is seen of a run at each look, so long after the last one.
    fn taken(looks: impl IntoIterator<Item = (Duration, Option<Note>)>) -> Duration {
        let (mut now, mut taken) = (Duration::from_secs(1000), Duration::ZERO);
        let mut time = RunTime::new(now);
        for (passed, note) in looks {
            now += passed;
            taken = time.look(now, note.as_ref());
        }
        taken
    }

    fn looks(count: usize, run: u64) -> impl Iterator<Item = (Duration, Option<Note>)> {
        std::iter::repeat_n((LOOK, Some(Note::of_run(run))), count)
    }

    #[test]
    fn a_run_takes_the_time_between_looks_that_find_it_under_way() {
        assert_eq!(taken(looks(101, 1)), 100 * LOOK);
        assert!(taken(looks(102, 1)) > DEADLINE);
        assert_eq!(taken(looks(99, 1).chain(looks(3, 2))), 2 * LOOK, "each run has its own time");
    }

    #[test]
    fn time_in_which_nobody_looked_is_not_the_run_s() {
        let stopped = (Duration::from_secs(3600), Some(Note::of_run(1)));
        assert!(taken(looks(10, 1).chain([stopped]).chain(looks(10, 1))) < DEADLINE);
    }

    #[test]
    fn between_runs_no_time_is_taken() {
        let mut between = Note::of_run(1);
        between.is_running = false;
        let store = std::iter::repeat_n((LOOK, Some(between)), 1000);
        assert_eq!(taken(looks(50, 1).chain(store)), Duration::ZERO);
    }
}
