//! Starts workers until one ends in order, and tells the store what the others were ended by.

use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::note::{Note, NoteFile};
use super::team::{self, Member};
use super::{DEVICE_LOST, WORKER, name_of};
use crate::cli::args::{self, Cli};
use crate::cli::data::Stores;
use crate::cli::named;
use crate::cli::output::Output;
use crate::recordings::{Input, Outcome};
use crate::store::Row;
use crate::trainer::Trainer;

/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// What a shell says of a program that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// How a worker ended.
enum End {
    /// By itself, with this code.
    Code(i32),
    /// While it ran a variant, or was idle and ended by the system.
    Broken { note: Option<Note>, how: String, from_outside: bool },
    /// The user interrupted the program.
    Interrupted,
}

/// Runs the command line in workers until all has been measured; the exit code of the last.
pub(in crate::cli) fn supervise(trainer: &Trainer, cli: &Cli, out: &Output) -> Result<ExitCode> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("a handler for interruptions")?;
    let code = match named::all(trainer, cli)? {
        Some(devices) => team::run(trainer, cli, &devices, &interrupted, out)?,
        None => Supervisor { trainer, cli, interrupted: &interrupted, member: None }.run()?,
    };
    if code == INTERRUPTED {
        say!("stopped; what was measured is kept, and the same command goes on from there");
    }
    Ok(ExitCode::from(code))
}

/// Who starts one worker after the other.
#[derive(Clone, Copy)]
pub(super) struct Supervisor<'a> {
    pub(super) trainer: &'a Trainer,
    pub(super) cli: &'a Cli,
    pub(super) interrupted: &'a AtomicBool,
    /// The device of a team that the workers are for; none where they work on all that the command line names.
    pub(super) member: Option<&'a Member<'a>>,
}

impl Supervisor<'_> {
    /// Runs the command line in workers until one ends in order; its exit code.
    pub(super) fn run(self) -> Result<u8> {
        let notes = NoteFile::new().context("a temporary file for the worker's notes")?;
        let mut suspect: Option<Note> = None;
        loop {
            notes.clear().context("the worker's notes")?;
            match std::thread::scope(|scope| self.run_worker(scope, &notes))? {
                End::Code(code) if code == i32::from(DEVICE_LOST) => {}
                End::Code(code) => return Ok(u8::try_from(code).unwrap_or(1)),
                End::Interrupted => return Ok(INTERRUPTED),
                End::Broken { note: None, how, .. } => {
                    bail!("the worker {how} between two inputs; what was measured is kept")
                }
                // Whoever ends a process from outside seldom means the variant, unless it is the system, short of memory.
                End::Broken { note: Some(note), from_outside: true, .. }
                    if !suspect.as_ref().is_some_and(|before| before.is_about(&note)) =>
                {
                    suspect = Some(note);
                }
                End::Broken { note: Some(note), how, .. } => self.blame(&note, &how)?,
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

    fn start(&self, notes: &NoteFile) -> Result<Child> {
        let program = std::env::current_exe().context("where this program is")?;
        let mut worker = Command::new(&program);
        worker.args(std::env::args_os().skip(1)).env(WORKER, notes.path()).stdin(Stdio::piped());
        self.member.iter().for_each(|member| member.prepare(&mut worker));
        worker.spawn().with_context(|| format!("{}: the worker could not be started", program.display()))
    }

    fn run_worker<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, notes: &NoteFile) -> Result<End> {
        let deadline = deadline(self.cli);
        let mut worker = self.start(notes)?;
        self.member.iter().for_each(|member| member.listen(scope, &mut worker));
        let (mut note, mut since) = (None, Instant::now());
        loop {
            if let Some(status) = worker.try_wait().context("the worker")? {
                return Ok(ended(status, notes.read(), self.interrupted.load(Ordering::Relaxed)));
            }
            if self.interrupted.load(Ordering::Relaxed) {
                end(&mut worker)?;
                self.release(notes);
                return Ok(End::Interrupted);
            }
            let now = notes.read();
            if now != note {
                (note, since) = (now, Instant::now());
            } else if note.is_some() && since.elapsed() > deadline {
                end(&mut worker)?;
                let how = format!("did not end within {} s", deadline.as_secs());
                return Ok(End::Broken { note, how, from_outside: false });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Records the variant as failed on the input.
    fn blame(&self, note: &Note, how: &str) -> Result<()> {
        let Note { function, device, input, features, variant, .. } = note;
        let Some(features) = features.clone() else {
            bail!(
                "input `{input}`: the default variant `{variant}` of `{function}` {how}; it has to run on every input"
            );
        };
        self.say(&format!(
            "input `{input}`: variant `{variant}` of `{function}` {how}; it is recorded as failed there"
        ));
        let input = Input { name: input.clone(), features };
        let row = Row { reason: how, ..Row::new(variant, Outcome::Failed) };
        self.stores()?.writable()?.put(function, device, &input, &[row])?;
        Ok(())
    }

    /// Gives back the input that the worker was measuring, so that the next recording need not wait for its claim to expire.
    fn release(&self, notes: &NoteFile) {
        let Some(Note { function, device, input, .. }) = notes.read() else { return };
        let owner = name_of(notes.path().as_os_str());
        // Where that fails, it waits.
        if let Ok(mut stores) = self.stores()
            && let Ok(store) = stores.writable()
        {
            let _ = store.claim(&function, &device, &input, &owner, Duration::ZERO);
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

fn end(worker: &mut Child) -> Result<()> {
    worker.kill().and_then(|()| worker.wait()).context("the worker could not be ended")?;
    Ok(())
}

fn ended(status: ExitStatus, note: Option<Note>, interrupted: bool) -> End {
    match status.code() {
        _ if interrupted && !status.success() => End::Interrupted,
        Some(code) if note.is_none() || code == i32::from(DEVICE_LOST) => End::Code(code),
        _ => {
            let from_outside = is_from_outside(status);
            End::Broken { note, how: format!("ended its process ({status})"), from_outside }
        }
    }
}

/// Whether the process was ended by a signal that no variant raises by mistake.
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
