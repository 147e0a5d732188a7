//! Supervision from the beginning to the end, with one worker at a time or a team of them.

use super::error::WorkerError;
use super::interruption::Interruption;
use super::supervisor::{Supervision, Supervisor};
use super::team;
use crate::terminal::{Output, say};

/// Runs this program's command line in workers until all has been measured.
///
/// Returns the exit code of the last, or that of the signal that has ended it.
pub(crate) fn supervise(job: &Supervision, out: &Output) -> Result<u8, WorkerError> {
    let interruption = Interruption::listen().map_err(WorkerError::system("a handler for interruptions"))?;
    let code = match &job.team {
        Some(devices) => team::run(job, devices, &interruption, out)?,
        None => Supervisor::new(job, &interruption, out).run()?,
    };
    if interruption.exit_code() == Some(code) {
        say!("stopped; what was measured is kept, and the same command goes on from there");
    }
    Ok(code)
}
