//! Recording on several devices at the same time: a worker for each, with a supervisor of its own, and one place
//! that shows how they go on. Devices of one kind share their inputs through the store.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Scope;

use indicatif::MultiProgress;
use nitro_store::printable::sentence;
use nitro_store::store;

use super::error::WorkerError;
use super::event::Event;
use super::interruption::Interruption;
use super::protocol::DEVICE;
use super::supervisor::{Membership, Supervision, Supervisor};
use crate::terminal::{Output, ProgressDisplay, say};

/// One device of several, as its supervisor sees it.
struct Member<'a> {
    device: &'a str,
    bars: &'a MultiProgress,
    out: &'a Output,
    /// Inputs measured.
    measured: AtomicUsize,
}

/// Records on all devices. Returns the exit code, that of a failure if there is one.
pub(super) fn run(
    job: &Supervision,
    devices: &[String],
    interruption: &Interruption,
    out: &Output,
) -> Result<u8, WorkerError> {
    // Made once, by one: and a store that cannot be used is told once.
    store::open(&job.store)?;
    let bars = MultiProgress::new();
    let member = |device| Member { device, bars: &bars, out, measured: AtomicUsize::new(0) };
    let members: Vec<Member<'_>> = devices.iter().map(|device| member(device.as_str())).collect();
    let ended: Vec<Result<u8, WorkerError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = members
            .iter()
            .map(|member| {
                let supervisor = Supervisor::new(job, interruption, out).for_member(member);
                scope.spawn(move || supervisor.run())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a supervisor does not panic")).collect()
    });
    let shares = members.iter().map(|one| format!("{} {}", one.device, one.measured.load(Ordering::Relaxed)));
    say!("inputs measured: {}", shares.collect::<Vec<_>>().join(", "));
    summary(&members, ended, interruption.exit_code())
}

/// Returns the code of an interruption, else that of a failure.
fn summary(
    members: &[Member<'_>],
    ended: Vec<Result<u8, WorkerError>>,
    interrupted: Option<u8>,
) -> Result<u8, WorkerError> {
    let (mut codes, mut failures) = (Vec::new(), Vec::new());
    for (member, ended) in members.iter().zip(ended) {
        match ended {
            Ok(code) => codes.push(code),
            Err(error) => failures.push(format!("{}: {}", member.device, sentence(&error))),
        }
    }
    if !failures.is_empty() {
        return Err(WorkerError::Members(failures));
    }
    let interrupted = interrupted.filter(|code| codes.contains(code));
    Ok(interrupted.or_else(|| codes.into_iter().max()).unwrap_or(0))
}

impl Membership for Member<'_> {
    /// The worker is to work on this device, and to be heard.
    fn prepare(&self, command: &mut Command) {
        command.env(DEVICE, self.device).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Shows what the worker tells until it ends.
    fn listen<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, worker: &mut Child) {
        if let Some(stdout) = worker.stdout.take() {
            scope.spawn(move || self.follow(stdout));
        }
        if let Some(stderr) = worker.stderr.take() {
            scope.spawn(move || lines(stderr).for_each(|line| self.say(&line)));
        }
    }

    /// A line about this device.
    fn say(&self, line: &str) {
        self.bars.suspend(|| match line.contains(self.device) {
            true => say!("{line}"),
            false => say!("{}: {line}", self.device),
        });
    }
}

impl Member<'_> {
    fn follow(&self, stdout: impl Read) {
        let mut display: Option<ProgressDisplay> = None;
        for line in lines(stdout) {
            match serde_json::from_str(&line) {
                Ok(Event::Start(label)) => display = Some(ProgressDisplay::among(label, self.bars)),
                Ok(Event::Finish) => display = None,
                Ok(event) => {
                    self.measured.fetch_add(usize::from(matches!(event, Event::End)), Ordering::Relaxed);
                    display.iter().for_each(|display| event.show(display));
                }
                // Of the application's own.
                Err(_) => self.bars.suspend(|| drop(writeln!(self.out.clone(), "{line}"))),
            }
        }
    }
}

/// Returns the lines until the worker ends, whatever their bytes.
fn lines(from: impl Read) -> impl Iterator<Item = String> {
    let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
    lines.map(|line| String::from_utf8_lossy(&line).into_owned())
}
