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
    /// Returns the command: its name, its arguments and what `--help` says.
    fn command(&self) -> Command;

    /// Runs it. What it prints to `out` is its result; everything else belongs on stderr.
    ///
    /// # Errors
    /// With a sentence for stderr; the process ends with 1 then, and with 2 where it is a [`UsageError`].
    fn run(&self, arguments: &ArgMatches, out: &mut dyn Write) -> Result<ExitCode, BoxError>;
}

/// An error in the arguments, or in a file that they name, as a sentence.
///
/// The process ends with 2, as for unknown options, and not with the 1 of what fails on its way.
///
/// ```
/// use nitro_train::{BoxError, UsageError};
///
/// fn greetings(text: &str) -> Result<u32, BoxError> {
///     text.parse().map_err(|_| UsageError(format!("`{text}` is no number of greetings")).into())
/// }
/// assert_eq!(greetings("many").unwrap_err().to_string(), "`many` is no number of greetings");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);
