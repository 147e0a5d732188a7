//! The trainer's commands. Results go to stdout, everything else to stderr.

#[macro_use]
mod output;

mod args;
mod budget;
mod check;
mod coverage;
mod data;
mod devices;
mod evaluate;
mod explain;
mod files;
mod fit;
mod inspect;
mod job;
mod named;
mod next;
mod profile;
mod profile_worker;
mod profiler;
mod progress;
mod record;
mod report;
mod split;
mod sync;
mod worker;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Cli, Command};
use self::output::{Aside, Output};
use crate::printable::printable;
use crate::trainer::Trainer;

impl Trainer {
    /// Runs the command line of the process: 0 on success, 2 on wrong usage, 1 on failure with a sentence on stderr.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let mut cli = Cli::parse(); // ends the process with 2 on wrong usage
        worker::take_device(&mut cli);
        named::check_usage(&self, &cli);
        listen();
        worker::follow_supervisor();
        let mut out = Output::new(prints_result(&cli));
        let ended = match worker::is_needed(&cli) {
            true => worker::supervise(&self, &cli, &out),
            false => run(&self, &cli, &mut out),
        };
        match out.judge(ended) {
            Ok(code) => code,
            Err(error) => {
                say!("error: {}", printable(&sentence(&error)));
                worker::exit_code(&error)
            }
        }
    }
}

/// Whether what the command prints is its result, and not beside it.
fn prints_result(cli: &Cli) -> bool {
    use Command::{Coverage, Devices, Evaluate, Explain, Inspect};
    matches!(cli.command, Some(Evaluate(_) | Devices(_) | Inspect(_) | Explain(_) | Coverage(_)))
}

fn run(trainer: &Trainer, cli: &Cli, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Some(Command::Check(args)) => return check::run(trainer, args, out),
        None => job::run(trainer, &cli.job, out),
        Some(Command::Record(args)) => record::run(trainer, args),
        Some(Command::Profile(args)) => profile::run(trainer, args, out),
        Some(Command::ProfileWorker(args)) => profile_worker::run(trainer, args),
        Some(Command::Fit(args)) => fit::run(trainer, args, out),
        Some(Command::Evaluate(args)) => evaluate::run(trainer, args, out),
        Some(Command::Report(args)) => report::run(trainer, args, out),
        Some(Command::Devices(args)) => devices::run(trainer, args, out),
        Some(Command::Inspect(args)) => inspect::run(args, out),
        Some(Command::Explain(args)) => explain::run(trainer, args, out),
        Some(Command::Import(args)) => files::import(trainer, args, out),
        Some(Command::Export(args)) => files::export(trainer, args, out),
        Some(Command::Sync(args)) => sync::run(args, out),
        Some(Command::Coverage(args)) => coverage::run(args, out),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The chain of causes as one sentence; a cause that the one before has said already is left out.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.ends_with(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

/// Warnings of the run time and of the measurements appear on stderr; `RUST_LOG`-like filters are not needed here.
fn listen() {
    // A subscriber of the embedding program stays.
    let _ = tracing_subscriber::fmt()
        .with_writer(|| Aside)
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .try_init();
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_cause_is_said_once() {
        let cause = std::io::Error::other("no such host");
        let told =
            anyhow::Error::new(cause).context("the server at x: no such host").context("recording stopped");
        assert_eq!(sentence(&told), "recording stopped: the server at x: no such host");
    }
}
