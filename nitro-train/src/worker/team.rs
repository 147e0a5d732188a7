//! Supervision from the beginning to the end, with one worker at a time or a team of them.
//!
//! A team records on several devices at the same time: a worker for each, with a supervisor of its own, and one place
//! that shows how they go on. Devices of one kind share their inputs through the store.

use std::sync::Arc;

use indicatif::MultiProgress;
use nitro_store::printable::sentence;
use nitro_store::store;

use super::error::WorkerError;
use super::interruption::Interruption;
use super::member::Member;
use super::supervisor::{Supervision, Supervisor};
use crate::terminal::{Output, say};

/// Runs this program's command line in workers until all has been measured.
///
/// Returns the exit code of the last, or that of the signal that has ended it.
pub(crate) fn supervise(job: &Supervision, out: &Output) -> Result<u8, WorkerError> {
    let interruption = Interruption::listen().map_err(WorkerError::system("a handler for interruptions"))?;
    let code = match &job.team {
        Some(devices) => run_team(job, devices, &interruption, out)?,
        None => Supervisor::new(job, &interruption, out, None).run()?,
    };
    if interruption.exit_code() == Some(code) {
        say!("stopped; what was measured is kept, and the same command goes on from there");
    }
    Ok(code)
}

/// Records on all devices. Returns the exit code, that of a failure if there is one.
fn run_team(
    job: &Supervision,
    devices: &[String],
    interruption: &Interruption,
    out: &Output,
) -> Result<u8, WorkerError> {
    // Made once, by one: and a store that cannot be used is told once.
    store::open(&job.store)?;
    let bars = MultiProgress::new();
    let members: Vec<Arc<Member>> =
        devices.iter().map(|device| Arc::new(Member::new(device, &bars, out))).collect();
    let ended: Vec<Result<u8, WorkerError>> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for member in &members {
            let supervisor = Supervisor::new(job, interruption, out, Some(Arc::clone(member)));
            threads.push(scope.spawn(move || supervisor.run()));
        }
        threads.into_iter().map(|thread| thread.join().expect("a supervisor does not panic")).collect()
    });
    let shares = members.iter().map(|member| format!("{} {}", member.device, member.measured()));
    say!("inputs measured: {}", shares.collect::<Vec<_>>().join(", "));
    summary(&members, ended, interruption.exit_code())
}

/// Returns the code of an interruption, else that of a failure.
fn summary(
    members: &[Arc<Member>],
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
