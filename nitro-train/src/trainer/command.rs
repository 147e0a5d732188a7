//! Commands that other crates bring.

use std::io::Write;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::measure::BoxError;

/// A command of the trainer that another crate brings: [`Trainer::command`](crate::Trainer::command) adds it.
///
/// ```
/// use std::io::Write;
/// use std::process::ExitCode;
///
/// use nitro_train::clap::{ArgMatches, Command};
/// use nitro_train::{BoxError, Trainer, TrainerCommand};
///
/// struct Greet;
///
/// impl TrainerCommand for Greet {
///     fn command(&self) -> Command {
///         Command::new("greet").about("Say hello")
///     }
///
///     fn run(&self, _: &ArgMatches, out: &mut dyn Write) -> Result<ExitCode, BoxError> {
///         writeln!(out, "hello")?;
///         Ok(ExitCode::SUCCESS)
///     }
/// }
///
/// let trainer = Trainer::new().command(Greet); // `train greet`
/// # drop(trainer);
/// ```
pub trait TrainerCommand: Send + Sync {
    /// Its name, its arguments and what `--help` says.
    fn command(&self) -> Command;

    /// Runs it. What it prints to `out` is its result; everything else belongs on stderr.
    ///
    /// # Errors
    /// With a sentence for stderr; the process ends with 1 then.
    fn run(&self, arguments: &ArgMatches, out: &mut dyn Write) -> Result<ExitCode, BoxError>;
}
