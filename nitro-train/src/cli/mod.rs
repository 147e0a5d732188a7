//! The trainer's commands: arguments become a request, the library answers it, and the answer is printed. Results go to
//! stdout, everything else to stderr.

mod args;
mod calibrate;
mod check;
mod coverage;
mod devices;
mod evaluate;
mod explain;
mod files;
mod fit;
mod forget;
mod functions;
mod hint;
mod inspect;
mod job;
mod json;
mod nest;
mod observer;
mod profile;
mod record;
mod report;
mod search;
mod supervision;
mod sync;
mod usage;

use std::io::Write;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use nitro_store::printable::{printable, sentence};

use self::args::{Cli, Command, HELP_COLUMNS};
use crate::measure::RecordError;
use crate::terminal::{Aside, Output, say};
use crate::trainer::{TrainError, Trainer, TrainerCommand, UsageError, is_watched};
use crate::worker::{self, LeftOut};

impl Trainer {
    /// Runs the command line of the process.
    ///
    /// Returns 0 on success, 2 on wrong usage, and 1 on failure, with a sentence on stderr.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let trainer = self.observer(observer::Terminal);
        // Wrong usage ends the process with 2.
        let matches = commands(&trainer.commands).get_matches();
        if let Some((command, arguments)) = extension(&trainer.commands, &matches) {
            listen();
            let mut out = Output::new(true);
            let ended = command.run(arguments, &mut out);
            // What it is shows before it is boxed anew.
            let is_usage = ended.as_ref().is_err_and(|error| error.is::<UsageError>());
            let code = end(&out, ended.map_err(anyhow::Error::from_boxed));
            return if is_usage { ExitCode::from(2) } else { code };
        }
        let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        // Whoever a profiler watches is no worker, though it has a worker's environment.
        if !is_watched() {
            worker::follow_supervisor();
        }
        supervision::take_device(&mut cli);
        usage::check(&trainer, &cli);
        listen();
        let mut out = Output::new(prints_result(&cli));
        let ended = match (names(&trainer, &cli), supervision::is_needed(&cli)) {
            (Err(error), _) => Err(error.into()),
            (Ok(()), true) => supervision::supervise(&trainer, &cli, &out),
            (Ok(()), false) => run(&trainer, &cli, &mut out),
        };
        end(&out, ended)
    }
}

/// Looks whether each function has a name of its own, where the command has to do with functions.
fn names(trainer: &Trainer, cli: &Cli) -> Result<(), TrainError> {
    match &cli.command {
        Some(Command::Sync(_) | Command::Coverage(_)) => Ok(()),
        _ => trainer.check_names(),
    }
}

/// Returns all commands, those of other crates last.
fn commands(others: &[Box<dyn TrainerCommand>]) -> clap::Command {
    Cli::command().subcommands(others.iter().map(|other| other.command().max_term_width(HELP_COLUMNS)))
}

/// Returns the command of another crate that was called, if it is one.
fn extension<'a, 'b>(
    others: &'a [Box<dyn TrainerCommand>],
    matches: &'b ArgMatches,
) -> Option<(&'a dyn TrainerCommand, &'b ArgMatches)> {
    let (name, arguments) = matches.subcommand()?;
    let other = others.iter().find(|other| other.command().get_name() == name)?;
    Some((other.as_ref(), arguments))
}

/// Returns the exit code of a command, and says what went wrong.
fn end(out: &Output, ended: anyhow::Result<ExitCode>) -> ExitCode {
    match out.clone().judge(ended) {
        Ok(code) => code,
        Err(error) => {
            match error.downcast_ref().and_then(TrainError::of_recording) {
                Some(RecordError::Panicked { what, .. }) if worker::is_worker() => {
                    say!("{}", printable(what))
                }
                _ => say!("error: {}{}", printable(&sentence(error.as_ref())), hint::of(&error)),
            }
            exit_code(&error)
        }
    }
}

/// Returns true if what the command prints is its result, and not a by-product.
fn prints_result(cli: &Cli) -> bool {
    use Command::{Coverage, Devices, Evaluate, Explain, Forget, Inspect, Nest, Search};
    matches!(
        cli.command,
        Some(
            Evaluate(_)
                | Forget(_)
                | Devices(_)
                | Inspect(_)
                | Explain(_)
                | Coverage(_)
                | Search(_)
                | Nest(_)
        )
    )
}

fn run(trainer: &Trainer, cli: &Cli, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if trainer.show_profiler()? {
        return Ok(ExitCode::SUCCESS);
    }
    match &cli.command {
        Some(Command::Check(args)) => return check::run(trainer, args, out),
        None => job::run(trainer, &cli.job, out),
        Some(Command::Record(args)) => record::run(trainer, args, out),
        Some(Command::Profile(args)) => profile::run(trainer, args, out),
        Some(Command::Calibrate(args)) => calibrate::run(trainer, args, out),
        Some(Command::Fit(args)) => fit::run(trainer, args, out),
        Some(Command::Evaluate(args)) => evaluate::run(trainer, args, out),
        Some(Command::Report(args)) => report::run(trainer, args, out),
        Some(Command::Devices(args)) => devices::run(trainer, args, out),
        Some(Command::Inspect(args)) => inspect::run(trainer, args, out),
        Some(Command::Explain(args)) => explain::run(trainer, args, out),
        Some(Command::Search(args)) => search::run(trainer, args, out),
        Some(Command::Nest(args)) => nest::run(trainer, &args.command, out),
        Some(Command::Forget(args)) => forget::run(trainer, args, out),
        Some(Command::Import(args)) => files::import(trainer, args, out),
        Some(Command::Export(args)) => files::export(trainer, args, out),
        Some(Command::Sync(args)) => sync::run(args, out),
        Some(Command::Coverage(args)) => coverage::run(args, out),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the exit code for an error: where a fresh worker goes on there is one of its own.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref().filter(|_| worker::is_worker()).and_then(TrainError::of_recording) {
        Some(RecordError::Panicked { function, device, left_out, .. }) => {
            let (function, mut rows) = ((*function).to_owned(), Vec::new());
            for (input, why) in left_out {
                rows.push(LeftOut {
                    function: function.clone(),
                    device: device.clone(),
                    input: input.clone(),
                    variant: None,
                    why: why.clone(),
                });
            }
            worker::hand_over(&rows);
            ExitCode::from(worker::GO_ON)
        }
        Some(RecordError::DeviceLost { .. }) => ExitCode::from(worker::GO_ON),
        _ => ExitCode::FAILURE,
    }
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
