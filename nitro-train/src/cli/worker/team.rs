//! Recording on several devices at the same time: a worker for each, with a supervisor of its own, and one place that shows how
//! they go on. Devices of one kind share their inputs through the store.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Result, bail};
use indicatif::MultiProgress;

use super::DEVICE;
use super::supervisor::{INTERRUPTED, Supervisor};
use crate::cli::args::{Cli, Command as CliCommand};
use crate::cli::data::Stores;
use crate::cli::output::Output;
use crate::cli::progress::{Event, Reporter};
use crate::cli::sentence;
use crate::trainer::Trainer;

/// One device of several, as its supervisor sees it.
pub(super) struct Member<'a> {
    device: &'a str,
    bars: &'a MultiProgress,
    out: &'a Output,
    /// Inputs measured.
    measured: AtomicUsize,
}

/// Records on all devices; the exit code, that of a failure if there is one.
pub(super) fn run(
    trainer: &Trainer,
    cli: &Cli,
    devices: &[String],
    interrupted: &AtomicBool,
    out: &Output,
) -> Result<u8> {
    if let Some(CliCommand::Record(args)) = &cli.command {
        // Made once, by one: and a store that cannot be used is told once.
        Stores::open(trainer, &args.data.store)?.writable()?;
    }
    let bars = MultiProgress::new();
    let member = |device| Member { device, bars: &bars, out, measured: AtomicUsize::new(0) };
    let members: Vec<Member<'_>> = devices.iter().map(|device| member(device.as_str())).collect();
    let ended: Vec<Result<u8>> = std::thread::scope(|scope| {
        let start = |member| {
            let supervisor = Supervisor::of_member(trainer, cli, interrupted, out, member);
            scope.spawn(move || supervisor.run())
        };
        let threads: Vec<_> = members.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a supervisor does not panic")).collect()
    });
    let shares = members.iter().map(|one| format!("{} {}", one.device, one.measured.load(Ordering::Relaxed)));
    say!("inputs measured: {}", shares.collect::<Vec<_>>().join(", "));
    summary(&members, ended)
}

fn summary(members: &[Member<'_>], ended: Vec<Result<u8>>) -> Result<u8> {
    let (mut code, mut failures) = (0, Vec::new());
    for (member, ended) in members.iter().zip(ended) {
        match ended {
            Ok(INTERRUPTED) => code = INTERRUPTED,
            Ok(own) if code != INTERRUPTED => code = code.max(own),
            Ok(_) => {}
            Err(error) => failures.push(format!("{}: {}", member.device, sentence(&error))),
        }
    }
    match failures.as_slice() {
        [] => Ok(code),
        failures => bail!("{}", failures.join("; ")),
    }
}

impl Member<'_> {
    /// The worker is to work on this device, and to be heard.
    pub(super) fn prepare(&self, command: &mut Command) {
        command.env(DEVICE, self.device).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Shows what the worker tells until it ends.
    pub(super) fn listen<'scope>(
        &'scope self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        worker: &mut Child,
    ) {
        if let Some(stdout) = worker.stdout.take() {
            scope.spawn(move || self.follow(stdout));
        }
        if let Some(stderr) = worker.stderr.take() {
            scope.spawn(move || lines(stderr).for_each(|line| self.say(&line)));
        }
    }

    /// A line about this device.
    pub(super) fn say(&self, line: &str) {
        self.bars.suspend(|| match line.contains(self.device) {
            true => say!("{line}"),
            false => say!("{}: {line}", self.device),
        });
    }

    fn follow(&self, stdout: impl Read) {
        let mut reporter: Option<Reporter> = None;
        for line in lines(stdout) {
            match serde_json::from_str(&line) {
                Ok(Event::Start(label)) => reporter = Some(Reporter::among(label, self.bars)),
                Ok(Event::Finish) => reporter = None,
                Ok(event) => {
                    self.measured.fetch_add(usize::from(matches!(event, Event::End)), Ordering::Relaxed);
                    reporter.iter().for_each(|reporter| reporter.follow(&event));
                }
                // Of the application's own.
                Err(_) => self.bars.suspend(|| drop(writeln!(self.out.clone(), "{line}"))),
            }
        }
    }
}

/// The lines until the worker ends, whatever their bytes.
fn lines(from: impl Read) -> impl Iterator<Item = String> {
    let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
    lines.map(|line| String::from_utf8_lossy(&line).into_owned())
}
