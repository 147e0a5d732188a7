//! One worker until its end.

use std::time::Duration;

use nitro_process::{Death, NoteFile, Worker};

use super::error::WorkerError;
use super::interruption::Interruption;
use super::note::{LeftOut, Note, Run};
use crate::measure::{Clock, StopDetector, SystemClock};

/// The time between two looks at a worker.
const LOOK: Duration = Duration::from_millis(20);

/// The end of a worker.
pub(super) enum End {
    /// By itself, with this code, and what a fresh one is to leave out.
    Code(i32, Vec<LeftOut>),
    /// While it ran a variant.
    Broken { run: Run, death: Death },
    /// While it ran none, and not by itself.
    Lost(Death),
    /// The user interrupted the program; what the worker had noted, and what the program is to end with.
    Interrupted { run: Option<Run>, code: u8 },
}

/// Looks at a worker until it has ended: by itself, since a run took longer than the deadline, or since the user
/// wants it to. `begun` hears that a run was noted, be it one that has ended by now.
pub(super) fn watch(
    mut worker: Worker,
    notes: &mut NoteFile<Note>,
    deadline: Duration,
    interruption: &Interruption,
    mut begun: impl FnMut(),
) -> Result<End, WorkerError> {
    let mut time = RunTime::new(SystemClock.now());
    loop {
        // In this order: the note of a worker that has ended is its last one.
        let death = worker.ended().map_err(WorkerError::system("the worker"))?;
        let (run, left_out) = match notes.read() {
            Ok(Note::Run(run)) => (Some(run), Vec::new()),
            Ok(Note::HandOver(left_out)) => (None, left_out),
            Ok(Note::Idle | Note::Briefing(_)) | Err(_) => (None, Vec::new()),
        };
        if run.is_some() {
            begun();
        }
        if let Some(death) = death {
            return Ok(ended(death, run, left_out, interruption.exit_code()));
        }
        if let Some(code) = interruption.exit_code() {
            worker.kill(Duration::MAX)?;
            return Ok(End::Interrupted { run, code });
        }
        let taken = time.look(SystemClock.now(), run.as_ref());
        if let Some(run) = run.filter(|run| run.is_under_way && taken > deadline) {
            worker.kill(Duration::MAX)?;
            return Ok(End::Broken { run, death: Death::Late { deadline } });
        }
        std::thread::sleep(LOOK);
    }
}

/// Returns the end of a worker that ended by itself, with what it noted last.
fn ended(death: Death, run: Option<Run>, left_out: Vec<LeftOut>, interrupted: Option<u8>) -> End {
    if let Some(code) = interrupted.filter(|_| death.exit_code() != Some(0)) {
        return End::Interrupted { run, code };
    }
    match (run, death.exit_code()) {
        (Some(run), _) if run.is_under_way => End::Broken { run, death },
        (_, Some(code)) => End::Code(code, left_out),
        (_, None) => End::Lost(death),
    }
}

/// The time of a run, without the time in which nobody looked. What stops a supervisor, such as Ctrl-Z, stops its
/// worker too.
struct RunTime {
    stops: StopDetector,
    /// The number of the run that is under way.
    run: Option<u64>,
    taken: Duration,
}

impl RunTime {
    fn new(now: Duration) -> Self {
        Self { stops: StopDetector::new(LOOK, now), run: None, taken: Duration::ZERO }
    }

    /// Returns the time that the noted run has taken, if it is under way.
    fn look(&mut self, now: Duration, noted: Option<&Run>) -> Duration {
        let passed = self.stops.look(now).watched;
        let run = noted.filter(|run| run.is_under_way).map(|run| run.number);
        self.taken = if run.is_some() && run == self.run { self.taken + passed } else { Duration::ZERO };
        self.run = run;
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::note::tests::attempt;

    const DEADLINE: Duration = Duration::from_secs(2);

    /// The run of this number.
    fn numbered(number: u64) -> Run {
        Run::of(&attempt("v"), number)
    }

    /// What is seen of a run at each look, so long after the last one.
    fn taken(looks: impl IntoIterator<Item = (Duration, Option<Run>)>) -> Duration {
        let (mut now, mut taken) = (Duration::from_secs(1000), Duration::ZERO);
        let mut time = RunTime::new(now);
        for (passed, run) in looks {
            now += passed;
            taken = time.look(now, run.as_ref());
        }
        taken
    }

    fn looks(count: usize, number: u64) -> impl Iterator<Item = (Duration, Option<Run>)> {
        std::iter::repeat_n((LOOK, Some(numbered(number))), count)
    }

    #[test]
    fn a_run_takes_the_time_between_looks_that_find_it_under_way() {
        assert_eq!(taken(looks(101, 1)), 100 * LOOK);
        assert!(taken(looks(102, 1)) > DEADLINE);
        assert_eq!(taken(looks(99, 1).chain(looks(3, 2))), 2 * LOOK, "each run has its own time");
    }

    #[test]
    fn time_in_which_nobody_looked_is_not_the_run_s() {
        let stopped = (Duration::from_secs(3600), Some(numbered(1)));
        assert!(taken(looks(10, 1).chain([stopped]).chain(looks(10, 1))) < DEADLINE);
    }

    #[test]
    fn between_runs_no_time_is_taken() {
        let between = Run { is_under_way: false, ..numbered(1) };
        let store = std::iter::repeat_n((LOOK, Some(between)), 1000);
        assert_eq!(taken(looks(50, 1).chain(store)), Duration::ZERO);
    }
}
