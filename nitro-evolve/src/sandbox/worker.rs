//! The worker: a process that runs candidates on request.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::message::{Answer, Request};
use super::process::read;
use crate::runner::{Runner, RunnerError};
use crate::workload::Workload;

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
    let under_way = Arc::new(AtomicUsize::new(1)); // opening is
    let requests = listen(input, under_way.clone());
    let mut runner = match open() {
        Ok(runner) => runner,
        Err(error) => return send(&mut output, Answer::Lost(error.0).other()),
    };
    let ready = Answer::Ready { name: runner.name(), architecture: runner.architecture() };
    send(&mut output, ready.other())?;
    under_way.fetch_sub(1, Ordering::SeqCst);
    for request in requests {
        let (request, payload) = request.map_err(io::Error::other)?;
        match answer(&mut runner, request, &payload) {
            Ok(bytes) => send(&mut output, Ok(bytes))?,
            // The process can do nothing for another candidate.
            Err(why) => return send(&mut output, Answer::Lost(why).other()),
        }
        under_way.fetch_sub(1, Ordering::SeqCst);
    }
    Ok(())
}

type Requests = Receiver<Result<(Request, Vec<u8>), String>>;

/// Reads requests as they come.
///
/// When no more can come while something is under way, nobody waits for it: it may never end.
fn listen(mut input: impl Read + Send + 'static, under_way: Arc<AtomicUsize>) -> Requests {
    let (asked, requests) = channel();
    thread::spawn(move || {
        while let Some(request) = read(&mut input).transpose() {
            under_way.fetch_add(1, Ordering::SeqCst);
            let is_understood = request.is_ok();
            if asked.send(request).is_err() || !is_understood {
                return;
            }
        }
        if under_way.load(Ordering::SeqCst) > 0 {
            // Not `exit`, which may wait for the device.
            std::process::abort();
        }
    });
    requests
}

/// Does what a request asks for, and writes the answer.
fn answer(runner: &mut impl Runner, request: Request, payload: &[u8]) -> Result<Vec<u8>, String> {
    match request {
        Request::Prepare { file, workload, sets } => {
            let workload = parsed(&file, &workload)?;
            runner.prepare(&workload, &sets).map_err(|error| error.0)?;
            Answer::Prepared.other()
        }
        Request::Begin { file, workload, sets, code } => {
            let workload = parsed(&file, &workload)?;
            let begun = runner.begin(&workload, &code.code(payload)?, &sets).map_err(|error| error.0)?;
            Answer::begun(&begun)
        }
        Request::Run { set, effort, code } => {
            let outcome = runner.run(&code.code(payload)?, set, effort).map_err(|error| error.0)?;
            Answer::ran(outcome)
        }
    }
}

/// Reads a workload that a request brings.
fn parsed(file: &Path, text: &str) -> Result<Workload, String> {
    Workload::parse(file, text).map_err(|error| error.to_string())
}

/// Writes an answer.
fn send(output: &mut impl Write, bytes: Result<Vec<u8>, String>) -> io::Result<()> {
    output.write_all(&bytes.map_err(io::Error::other)?)?;
    output.flush()
}
