//! The worker: a process that runs candidates on request.

use std::io::{self, Read, Write};

use nitro_process::{Requests, write_frame};

use super::message::{Answer, Request};
use crate::runner::{Runner, RunnerError};

/// Runs what a [`Sandbox`](super::Sandbox) asks for, until that is gone.
///
/// A worker process does this with its standard input and output, to which nobody else may write. The runner is opened
/// once the parent is listened to, so that the parent hears why there is none. A process whose parent goes away ends
/// at once, by aborting if something runs.
///
/// ```no_run
/// use nitro_evolve::Runner;
/// use nitro_evolve::runner::RunnerError;
/// use nitro_evolve::sandbox::serve;
///
/// /// The work of a program that was started as a worker.
/// fn work<B: Runner>(open: fn() -> Result<B, RunnerError>) -> std::io::Result<()> {
///     serve(open, std::io::stdin(), std::io::stdout())
/// }
/// ```
///
/// # Errors
/// When the parent does not listen any more, or asks for what is no request.
pub fn serve<B: Runner>(
    open: impl FnOnce() -> Result<B, RunnerError>,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let requests = Requests::listen(input);
    let mut runner = match open() {
        Ok(runner) => runner,
        Err(error) => return send(&mut output, &Answer::Lost(error.0)),
    };
    let ready = Answer::Ready { name: runner.name(), architecture: runner.architecture() };
    send(&mut output, &ready)?;
    for request in requests {
        match answer(&mut runner, request.map_err(io::Error::other)?) {
            Ok(answer) => send(&mut output, &answer)?,
            // The process can do nothing for another candidate.
            Err(why) => return send(&mut output, &Answer::Lost(why)),
        }
    }
    Ok(())
}

/// Does what a request asks for.
fn answer(runner: &mut impl Runner, request: Request) -> Result<Answer, String> {
    let answer = match request {
        Request::Prepare(workload, sets) => {
            runner.prepare(&workload.workload()?, &sets).map(|()| Answer::Prepared)
        }
        Request::Begin(workload, code, sets) => {
            runner.begin(&workload.workload()?, &code, &sets).map(Answer::Begun)
        }
        Request::Run(code, set, effort) => runner.run(&code, set, effort).map(Answer::Ran),
        Request::Floors(idle, set) => Ok(Answer::Floors(runner.floors(&idle, set).map_err(|error| error.0))),
    };
    answer.map_err(|error| error.0)
}

/// Writes an answer.
fn send(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    write_frame(output, answer).map_err(io::Error::other)
}
