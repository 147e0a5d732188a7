//! Starts workers until one ends in order, and tells the store what the others were ended by.

use std::io::{self, IsTerminal};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nitro_process::{Death, NoteFile, Worker};
use nitro_store::recordings::{Input, Outcome};
use nitro_store::store::{self, ChoiceName, Row};

use super::error::WorkerError;
use super::interruption::Interruption;
use super::member::Member;
use super::note::{Briefing, LeftOut, Note, Run};
use super::own_supervisor::{GO_ON, WORKER};
use super::watch::{End, watch};
use crate::measure::{Share, evaluation_of};
use crate::terminal::{Aside, Output, say};

/// The exit code of a Rust program that panicked.
const PANICKED: i32 = 101;

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

/// A supervisor, which starts one worker after the other.
pub(super) struct Supervisor<'a> {
    job: &'a Supervision,
    interruption: &'a Interruption,
    out: &'a Output,
    /// The device of a team that the workers are for; none where they work on all that the command line names.
    member: Option<Arc<Member>>,
    /// The name of the workers to those that share the store.
    recorder: String,
    /// When the first run of a variant was noted.
    measuring_since: Option<Instant>,
    /// The run that may have broken the worker before.
    suspect: Option<Run>,
    /// The inputs that fresh workers leave out.
    left_out: Vec<LeftOut>,
    /// True while the recordings are known to be from before the workers began.
    takes_samples: bool,
}

impl<'a> Supervisor<'a> {
    pub(super) fn new(
        job: &'a Supervision,
        interruption: &'a Interruption,
        out: &'a Output,
        member: Option<Arc<Member>>,
    ) -> Self {
        let (measuring_since, suspect, left_out) = Default::default();
        let recorder = Share::unique_owner();
        let takes_samples = job.has_recordings;
        Self { job, interruption, out, member, recorder, measuring_since, suspect, left_out, takes_samples }
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
                End::Interrupted { run, code } => {
                    run.iter().for_each(|run| self.release(run));
                    return Ok(code);
                }
                End::Lost(death) => return Err(WorkerError::Lost(death)),
                End::Broken { run, death } => self.broken(run, &death)?,
            }
            self.say("going on in a fresh process");
        }
    }

    fn say(&self, line: &str) {
        match &self.member {
            Some(member) => member.say(line),
            None => say!("{line}"),
        }
    }

    /// Runs one worker to its end.
    fn run_worker(&mut self) -> Result<End, WorkerError> {
        let briefing = Briefing {
            recorder: self.recorder.clone(),
            spent: self.measuring_since.map_or(Duration::ZERO, |since| since.elapsed()),
            takes_samples: self.takes_samples,
            device: self.member.as_ref().map(|member| member.device.clone()),
            left_out: self.left_out.clone(),
        };
        let (mut notes, name) = NoteFile::create(&Note::Briefing(briefing))
            .map_err(WorkerError::system("a temporary file for the worker's notes"))?;
        let program = std::env::current_exe().map_err(WorkerError::system("where this program is"))?;
        let mut command = Command::new(program);
        command.args(std::env::args_os().skip(1)).env(WORKER, &name);
        let worker = self.start(&mut command)?;
        let measuring_since = &mut self.measuring_since;
        watch(worker, &mut notes, self.job.deadline, self.interruption, || {
            measuring_since.get_or_insert_with(Instant::now);
        })
    }

    /// Starts a worker whose outputs are passed on, or shown as those of a member.
    ///
    /// So nothing that becomes of the supervisor's own outputs reaches a variant.
    fn start(&self, command: &mut Command) -> Result<Worker, WorkerError> {
        command.stdout(Stdio::piped());
        // On a terminal a single worker draws its bars itself.
        if self.member.is_some() || !io::stderr().is_terminal() {
            command.stderr(Stdio::piped());
        }
        let mut worker = Worker::start(command)?;
        if let Some(member) = &self.member {
            let (shows, says) = (Arc::clone(member), Arc::clone(member));
            worker.read(move |stdout| shows.follow(stdout), move |stderr| says.follow_errors(stderr));
        } else {
            let mut out = self.out.clone();
            worker.read(
                move |mut stdout| drop(io::copy(&mut stdout, &mut out)),
                |mut stderr| drop(io::copy(&mut stderr, &mut Aside)),
            );
        }
        Ok(worker)
    }

    /// Handles a run of a variant that has broken the worker.
    ///
    /// In doubt the variant gets another try. Whoever ends a process from outside seldom means the variant, unless it
    /// is the system, short of memory. And a variant that took too long may have waited for others.
    fn broken(&mut self, run: Run, death: &Death) -> Result<(), WorkerError> {
        // Samples come last: a worker that broke before has recorded what the next would take for older.
        self.takes_samples &= run.is_sample;
        if death.is_in_doubt() && !self.suspect.as_ref().is_some_and(|before| before.is_like(&run)) {
            self.say(&format!("{run} {death}; it gets another try"));
            self.suspect = Some(run);
            return Ok(());
        }
        self.blame(&run, &death.to_string())
    }

    /// Adds inputs for fresh workers to leave out, each once.
    fn leave_out(&mut self, inputs: Vec<LeftOut>) {
        for one in inputs {
            if !self.left_out.contains(&one) {
                self.left_out.push(one);
            }
        }
    }

    /// Leaves out the input of a run, or one variant of it from the sample of what is recorded.
    fn leave_out_input(&mut self, run: &Run, variant: Option<String>, why: String) {
        let Run { function, device, input, .. } = run.clone();
        self.leave_out(vec![LeftOut { function, device, input, variant, why }]);
    }

    /// Records the variant as failed on the input.
    ///
    /// Without the default variant nothing is known of an input: that is left out. In a sample the variant is left
    /// out, and what is recorded of it stays.
    fn blame(&mut self, run: &Run, how: &str) -> Result<(), WorkerError> {
        let Run { function, device, input, variant, configuration, .. } = run;
        if run.is_sample {
            self.say(&format!("{run} {how}, when what is recorded of it was measured again"));
            self.leave_out_input(run, Some(variant.clone()), how.to_owned());
            return Ok(());
        }
        let Some(features) = run.features.clone() else {
            let why = format!(
                "the default variant `{variant}` of `{function}` {how}; it has to run on every input"
            );
            self.say(&format!("input `{input}`: {why}"));
            self.leave_out_input(run, None, why);
            return Ok(());
        };
        self.say(&format!("{run} {how}; it is recorded as failed there"));
        let row = Row { configuration, reason: how, ..Row::new(variant, Outcome::Failed) };
        let mut store = store::open(&self.job.store)?;
        match run.is_evaluation {
            true => store.put_evaluation(function, device, input, &row)?,
            false => store.put(function, device, &Input { name: input.clone(), features }, &[row])?,
        }
        Ok(())
    }

    /// Gives back the claims of an interrupted run: the input, and the evaluation if it was one.
    ///
    /// So the next recording need not wait until they expire.
    fn release(&self, run: &Run) {
        let Run { function, device, input, variant, configuration, .. } = run;
        let evaluation = evaluation_of(input, ChoiceName { variant, configuration });
        // Where that fails, it waits.
        if let Ok(mut store) = store::open(&self.job.store) {
            for claimed in [input, &evaluation] {
                let _ = store.claim(function, device, claimed, &self.recorder, Duration::ZERO);
            }
        }
    }
}
