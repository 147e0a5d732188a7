//! Starts workers until one ends in order, and tells the store what the others were ended by.

use std::process::{Child, Command};
use std::thread::Scope;
use std::time::{Duration, Instant};

use nitro_store::exact::Exact;
use nitro_store::recordings::{Input, Outcome};
use nitro_store::store::{self, ChoiceName, Row};

use super::error::WorkerError;
use super::interruption::Interruption;
use super::note::{LeftOut, Note};
use super::process::{End, Worker};
use super::protocol::{GO_ON, PANICKED, RECORDER, SAMPLES, SPENT_MS};
use crate::measure::{Share, evaluation_of};
use crate::terminal::{Output, say};

/// The job that is measured in workers.
#[derive(Clone, Debug)]
pub(crate) struct Supervision {
    /// The store that workers measure into, and that hears what ended them.
    pub(crate) store: String,
    /// The longest time of one run of a variant.
    pub(crate) deadline: Duration,
    /// True where the store has recordings before any worker begins.
    pub(crate) has_recordings: bool,
    /// The devices to record on at the same time; none for one worker at a time, on all that the command line names.
    pub(crate) team: Option<Vec<String>>,
}

/// A member of a team: starts, hears and shows its worker.
pub(super) trait Membership: Sync {
    /// The worker is to work on this device, and to be heard.
    fn prepare(&self, command: &mut Command);

    /// Shows what the worker tells until it ends.
    fn listen<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, worker: &mut Child);

    /// A line about this device.
    fn say(&self, line: &str);
}

/// A supervisor, which starts one worker after the other.
pub(super) struct Supervisor<'a> {
    job: &'a Supervision,
    interruption: &'a Interruption,
    out: &'a Output,
    /// The device of a team that the workers are for; none where they work on all that the command line names.
    member: Option<&'a dyn Membership>,
    /// The name of the workers to those that share the store.
    recorder: String,
    /// When the first run of a variant was noted.
    measuring_since: Option<Instant>,
    /// The run that may have broken the worker before.
    suspect: Option<Note>,
    /// The inputs that fresh workers leave out.
    left_out: Vec<LeftOut>,
    /// True while the recordings are known to be from before the workers began.
    takes_samples: bool,
}

impl<'a> Supervisor<'a> {
    pub(super) fn new(job: &'a Supervision, interruption: &'a Interruption, out: &'a Output) -> Self {
        let (member, measuring_since, suspect, left_out) = Default::default();
        let recorder = Share::unique_owner();
        let takes_samples = job.has_recordings;
        Self { job, interruption, out, member, recorder, measuring_since, suspect, left_out, takes_samples }
    }

    /// Returns the supervisor of workers for one device of a team.
    pub(super) fn for_member(self, member: &'a dyn Membership) -> Self {
        Self { member: Some(member), ..self }
    }

    /// Runs the command line in workers until one ends in order. Returns its exit code.
    pub(super) fn run(mut self) -> Result<u8, WorkerError> {
        loop {
            match self.run_worker()? {
                End::Code(code, left_out) if code == i32::from(GO_ON) => {
                    self.takes_samples = false;
                    self.leave_out(left_out);
                }
                End::Code(PANICKED, _) => return Err(WorkerError::Panicked),
                End::Code(code, _) => return Ok(u8::try_from(code).unwrap_or(1)),
                End::Interrupted { note, code } => {
                    note.iter().for_each(|note| self.release(note));
                    return Ok(code);
                }
                End::Lost { how } => return Err(WorkerError::Lost { how }),
                End::Broken { note, how, in_doubt } => self.broken(note, &how, in_doubt)?,
            }
            self.say("going on in a fresh process");
        }
    }

    fn say(&self, line: &str) {
        match self.member {
            Some(member) => member.say(line),
            None => say!("{line}"),
        }
    }

    fn run_worker(&mut self) -> Result<End, WorkerError> {
        let spent = self.measuring_since.map_or(Duration::ZERO, |since| since.elapsed());
        let deadline = self.job.deadline;
        let (member, out, interruption) = (self.member, self.out, self.interruption);
        let (measuring_since, left_out) = (&mut self.measuring_since, &self.left_out);
        let variables = [
            (RECORDER, self.recorder.clone()),
            (SPENT_MS, spent.as_millis().to_string()),
            (SAMPLES, u8::from(self.takes_samples).to_string()),
        ];
        std::thread::scope(|scope| {
            let mut worker = match member {
                Some(member) => {
                    Worker::start_in_team(variables, left_out, |command| member.prepare(command))?
                }
                None => Worker::start(variables, left_out, out)?,
            };
            member.iter().for_each(|member| member.listen(scope, worker.process()));
            worker.follow(deadline, interruption, || {
                measuring_since.get_or_insert_with(Instant::now);
            })
        })
    }

    /// Handles a run of a variant that has broken the worker.
    ///
    /// In doubt the variant gets another try. Whoever ends a process from outside seldom means the variant, unless it
    /// is the system, short of memory. And a variant that took too long may have waited for others.
    fn broken(&mut self, note: Note, how: &str, in_doubt: bool) -> Result<(), WorkerError> {
        // Samples come last: a worker that broke before has recorded what the next would take for older.
        self.takes_samples &= note.is_sample;
        if in_doubt && !self.suspect.as_ref().is_some_and(|before| before.is_about(&note)) {
            self.say(&format!("{note} {how}; it gets another try"));
            self.suspect = Some(note);
            return Ok(());
        }
        self.blame(&note, how)
    }

    /// Adds inputs for fresh workers to leave out, each once.
    fn leave_out(&mut self, inputs: Vec<LeftOut>) {
        inputs.into_iter().for_each(|one| {
            if !self.left_out.contains(&one) {
                self.left_out.push(one);
            }
        });
    }

    /// Records the variant as failed on the input. Without the default variant nothing is known of an input: that is
    /// left out.
    fn blame(&mut self, note: &Note, how: &str) -> Result<(), WorkerError> {
        if note.is_sample {
            self.end_sample(note, how);
            return Ok(());
        }
        let Note { function, device, input, features, variant, configuration, .. } = note;
        let Some(features) = features.clone() else {
            let why = format!(
                "the default variant `{variant}` of `{function}` {how}; it has to run on every input"
            );
            self.say(&format!("input `{input}`: {why}"));
            let (function, device, input) = (function.clone(), device.clone(), input.clone());
            self.leave_out(vec![LeftOut { function, device, input, variant: None, why }]);
            return Ok(());
        };
        self.say(&format!("{note} {how}; it is recorded as failed there"));
        let features = features.into_iter().map(|Exact(value)| value).collect();
        let row = Row { configuration, reason: how, ..Row::new(variant, Outcome::Failed) };
        let mut store = store::open(&self.job.store)?;
        match note.is_evaluation {
            true => store.put_evaluation(function, device, input, &row)?,
            false => store.put(function, device, &Input { name: input.clone(), features }, &[row])?,
        }
        Ok(())
    }

    /// Leaves the variant out of the sample of what is recorded: what is recorded of it stays.
    fn end_sample(&mut self, note: &Note, how: &str) {
        self.say(&format!("{note} {how}, when what is recorded of it was measured again"));
        let Note { function, device, input, variant, .. } = note.clone();
        self.leave_out(vec![LeftOut {
            function,
            device,
            input,
            variant: Some(variant),
            why: how.to_owned(),
        }]);
    }

    /// Gives back the input that the worker was measuring, and the evaluation if that was one, so that the next
    /// recording need not wait for their claims to expire.
    fn release(&self, note: &Note) {
        let Note { function, device, input, variant, configuration, .. } = note;
        let evaluation = evaluation_of(input, ChoiceName { variant, configuration });
        // Where that fails, it waits.
        if let Ok(mut store) = store::open(&self.job.store) {
            for claimed in [input, &evaluation] {
                let _ = store.claim(function, device, claimed, &self.recorder, Duration::ZERO);
            }
        }
    }
}
