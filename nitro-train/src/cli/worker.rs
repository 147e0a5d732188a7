//! Measuring in a process of its own, where a variant's mistake can take the device away: after an illegal memory access
//! a process cannot use the GPU any more, a fresh one can.
//!
//! This process then only runs itself again with the same command line, and once more after each loss. What lost the device is in
//! the store, so every worker gets further than the one before.

use std::ffi::OsStr;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::args::{self, Cli};
use super::named;
use crate::measure::RecordError;
use crate::trainer::Trainer;

/// Says to a process that it is the worker.
const WORKER: &str = "NITRO_TRAIN_WORKER";
/// What a worker ends with after a loss: the number that sysexits.h has for "try again".
const DEVICE_LOST: u8 = 75;

/// Whether the command is to run in a worker, and this process is none.
pub(super) fn is_needed(trainer: &Trainer, cli: &Cli) -> bool {
    let measures = matches!(cli.command, None | Some(args::Command::Record(_)));
    let devices = named::wanted(cli).unwrap_or_default();
    measures
        && std::env::var_os(WORKER).is_none()
        && devices.iter().any(|device| named::can_be_lost(trainer, device))
}

/// Runs the command line in workers until one ends in another way than by a loss; its exit code.
pub(super) fn supervise() -> Result<ExitCode> {
    let program = std::env::current_exe().context("where this program is")?;
    loop {
        let status = Command::new(&program)
            .args(std::env::args_os().skip(1))
            .env(WORKER, OsStr::new("1"))
            .status()
            .with_context(|| format!("{}: the worker could not be started", program.display()))?;
        match status.code() {
            Some(code) if code == i32::from(DEVICE_LOST) => eprintln!("going on in a fresh process"),
            Some(code) => return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
            None => anyhow::bail!("the worker was ended by the system ({status}); what was measured is kept"),
        }
    }
}

/// The exit code for an error: a worker's loss has its own.
pub(super) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let is_loss = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref::<RecordError>(), Some(RecordError::DeviceLost { .. }))
    };
    if std::env::var_os(WORKER).is_some() && error.chain().any(is_loss) {
        ExitCode::from(DEVICE_LOST)
    } else {
        ExitCode::FAILURE
    }
}
