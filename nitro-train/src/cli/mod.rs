//! The trainer's commands. Results go to stdout, everything else to stderr.

mod args;
mod budget;
mod check;
mod constraint;
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
mod table;
mod worker;

use std::process::ExitCode;

use clap::Parser;

use self::args::{Cli, Command};
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
        let ended = if worker::is_needed(&cli) { worker::supervise(&self, &cli) } else { run(&self, &cli) };
        match ended {
            Ok(code) => code,
            // Whoever reads our output has gone away, as in `train devices | head -1`: nothing is wrong.
            Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {}", printable(&sentence(&error)));
                worker::exit_code(&error)
            }
        }
    }
}

fn run(trainer: &Trainer, cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Some(Command::Check(args)) => return check::run(trainer, args),
        None => job::run(trainer, &cli.job),
        Some(Command::Record(args)) => record::run(trainer, args),
        Some(Command::Profile(args)) => profile::run(trainer, args),
        Some(Command::ProfileWorker(args)) => profile_worker::run(trainer, args),
        Some(Command::Fit(args)) => fit::run(trainer, args),
        Some(Command::Evaluate(args)) => evaluate::run(trainer, args),
        Some(Command::Report(args)) => report::run(trainer, args),
        Some(Command::Devices(args)) => devices::run(trainer, args),
        Some(Command::Inspect(args)) => inspect::run(args),
        Some(Command::Explain(args)) => explain::run(trainer, args),
        Some(Command::Import(args)) => files::import(trainer, args),
        Some(Command::Export(args)) => files::export(trainer, args),
        Some(Command::Sync(args)) => sync::run(args),
        Some(Command::Coverage(args)) => coverage::run(args),
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
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .try_init();
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
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
