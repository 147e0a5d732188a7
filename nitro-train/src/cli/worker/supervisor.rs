//! Starts workers until one ends in order, and tells the store what the others were ended by.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};

use super::note::Note;
use super::process::{End, Worker};
use super::team::{self, Member};
use super::{DEVICE_LOST, RECORDER, SPENT_MS};
use crate::cli::args::{self, Cli};
use crate::cli::data::Stores;
use crate::cli::named;
use crate::cli::output::Output;
use crate::exact::Exact;
use crate::recordings::{Input, Outcome};
use crate::store::Row;
use crate::trainer::Trainer;

/// What a shell says of a program that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;
/// What a Rust program ends with that panicked.
const PANICKED: i32 = 101;

/// Runs the command line in workers until all has been measured; the exit code of the last.
pub(in crate::cli) fn supervise(trainer: &Trainer, cli: &Cli, out: &Output) -> Result<ExitCode> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("a handler for interruptions")?;
    let code = match named::all(trainer, cli)? {
        Some(devices) => team::run(trainer, cli, &devices, &interrupted, out)?,
        None => Supervisor::new(trainer, cli, &interrupted, out).run()?,
    };
    if code == INTERRUPTED {
        say!("stopped; what was measured is kept, and the same command goes on from there");
    }
    Ok(ExitCode::from(code))
}

/// A name that no other recorder has, on this machine or another, now or before.
pub(super) fn new_recorder_name() -> String {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (process, thread) = (std::process::id(), std::thread::current().id());
    format!("{}/{process}/{thread:?}/{}", nitro_core::host::machine().id(), since_1970.as_nanos())
}

/// Who starts one worker after the other.
pub(super) struct Supervisor<'a> {
    trainer: &'a Trainer,
    cli: &'a Cli,
    interrupted: &'a AtomicBool,
    out: &'a Output,
    /// The device of a team that the workers are for; none where they work on all that the command line names.
    member: Option<&'a Member<'a>>,
    /// Who the workers are to those that share the store.
    recorder: String,
    /// When the first run of a variant was noted.
    measuring_since: Option<Instant>,
    /// The run that may have broken the worker before.
    suspect: Option<Note>,
}

impl<'a> Supervisor<'a> {
    fn new(trainer: &'a Trainer, cli: &'a Cli, interrupted: &'a AtomicBool, out: &'a Output) -> Self {
        let (member, measuring_since, suspect) = Default::default();
        let recorder = new_recorder_name();
        Self { trainer, cli, interrupted, out, member, recorder, measuring_since, suspect }
    }

    /// One of several, for this device of a team.
    pub(super) fn of_member(
        trainer: &'a Trainer,
        cli: &'a Cli,
        interrupted: &'a AtomicBool,
        out: &'a Output,
        member: &'a Member<'a>,
    ) -> Self {
        Self { member: Some(member), ..Self::new(trainer, cli, interrupted, out) }
    }

    /// Runs the command line in workers until one ends in order; its exit code.
    pub(super) fn run(mut self) -> Result<u8> {
        loop {
            match self.run_worker()? {
                End::Code(code) if code == i32::from(DEVICE_LOST) => {}
                End::Code(PANICKED) => {
                    bail!("the worker panicked, but not in a variant; what was measured is kept")
                }
                End::Code(code) => return Ok(u8::try_from(code).unwrap_or(1)),
                End::Interrupted(note) => {
                    note.iter().for_each(|note| self.release(note));
                    return Ok(INTERRUPTED);
                }
                End::Lost { how } => {
                    bail!("the worker {how} while no variant ran; what was measured is kept")
                }
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

    fn run_worker(&mut self) -> Result<End> {
        let spent = self.measuring_since.map_or(Duration::ZERO, |since| since.elapsed());
        let deadline = deadline(self.cli);
        let (member, out, interrupted) = (self.member, self.out, self.interrupted);
        let measuring_since = &mut self.measuring_since;
        let variables = [(RECORDER, self.recorder.clone()), (SPENT_MS, spent.as_millis().to_string())];
        std::thread::scope(|scope| {
            let mut worker = match member {
                Some(member) => Worker::start_in_team(variables, |command| member.prepare(command))?,
                None => Worker::start(variables, out)?,
            };
            member.iter().for_each(|member| member.listen(scope, worker.process()));
            worker.watch(deadline, interrupted, || {
                measuring_since.get_or_insert_with(Instant::now);
            })
        })
    }

    /// A run of a variant has broken the worker. In doubt whether the variant is at fault it gets another try, for whoever ends a
    /// process from outside seldom means the variant (unless it is the system, short of memory), and a variant that took too long
    /// may have waited for others.
    fn broken(&mut self, note: Note, how: &str, in_doubt: bool) -> Result<()> {
        if in_doubt && !self.suspect.as_ref().is_some_and(|before| before.is_about(&note)) {
            self.say(&format!("{note} {how}; it gets another try"));
            self.suspect = Some(note);
            return Ok(());
        }
        self.blame(&note, how)
    }

    /// Records the variant as failed on the input.
    fn blame(&self, note: &Note, how: &str) -> Result<()> {
        let Note { function, device, input, features, variant, .. } = note;
        let Some(features) = features.clone() else {
            bail!(
                "input `{input}`: the default variant `{variant}` of `{function}` {how}; it has to run on every input"
            );
        };
        self.say(&format!("{note} {how}; it is recorded as failed there"));
        let features = features.into_iter().map(|Exact(value)| value).collect();
        let input = Input { name: input.clone(), features };
        let row = Row { reason: how, ..Row::new(variant, Outcome::Failed) };
        self.stores()?.writable()?.put(function, device, &input, &[row])?;
        Ok(())
    }

    /// Gives back the input that the worker was measuring, so that the next recording need not wait for its claim to expire.
    fn release(&self, note: &Note) {
        // Where that fails, it waits.
        if let Ok(mut stores) = self.stores()
            && let Ok(store) = stores.writable()
        {
            let _ = store.claim(&note.function, &note.device, &note.input, &self.recorder, Duration::ZERO);
        }
    }

    fn stores(&self) -> Result<Stores<'_>> {
        let args = match &self.cli.command {
            Some(args::Command::Record(args)) => &args.data.store,
            _ => &self.cli.job.data.store,
        };
        Stores::open(self.trainer, args)
    }
}

fn deadline(cli: &Cli) -> Duration {
    let seconds = match &cli.command {
        Some(args::Command::Record(args)) => args.deadline,
        _ => args::DEADLINE_SECONDS,
    };
    Duration::from_secs(seconds.into())
}
