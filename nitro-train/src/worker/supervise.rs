//! Supervision from the beginning to the end, with one worker at a time or a team of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::WorkerError;
use super::protocol::INTERRUPTED;

use super::supervisor::{Supervision, Supervisor};
use super::team;
use crate::terminal::{Output, say};

/// Runs this program's command line in workers until all has been measured; the exit code of the last.
pub(crate) fn supervise(job: &Supervision, out: &Output) -> Result<u8, WorkerError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    let code = match &job.team {
        Some(devices) => team::run(job, devices, &interrupted, out)?,
        None => Supervisor::new(job, &interrupted, out).run()?,
    };
    if code == INTERRUPTED {
        say!("stopped; what was measured is kept, and the same command goes on from there");
    }
    Ok(code)
}
