//! One worker process, as its parent has it.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use nitro_search::Failure;

use super::frame;
use super::message::Answer;
use super::tail::Tail;

/// How long after the end of a worker its last words may take: a process that it has left behind may hold its
/// outputs open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A worker, which is ended when the value is dropped.
pub(super) struct Worker {
    /// None once it was ended.
    process: Option<Child>,
    /// What it is asked is written by a thread of its own: one that does not read would hold up its parent.
    requests: Sender<Vec<u8>>,
    answers: Receiver<Result<(Answer, Vec<u8>), String>>,
    errors: Tail,
}

/// A worker that has to be ended, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub failure: Failure,
    pub how: String,
}

impl Broken {
    pub(super) fn crash(how: impl Into<String>) -> Self {
        Self { failure: Failure::Crash, how: how.into() }
    }
}

impl Worker {
    pub(super) fn start(command: &mut Command) -> Result<Self, String> {
        // What runs once need not be kept in the driver's folder of compiled PTX.
        command.env("CUDA_CACHE_DISABLE", "1");
        // An interruption by the keyboard is for the parent, with which the worker ends: no candidate is to blame.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            format!("the worker {} cannot be started: {error}", command.get_program().display())
        })?;
        // All three are piped.
        let missing = || "the worker has no standard streams".to_owned();
        let stdin = process.stdin.take().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let stderr = process.stderr.take().ok_or_else(missing)?;
        Ok(Self {
            process: Some(process),
            requests: writer(stdin),
            answers: reader(stdout),
            errors: Tail::of(stderr),
        })
    }

    /// Asks for something; whoever does not listen is found by what it answers.
    pub(super) fn ask(&self, request: Vec<u8>) {
        let _ = self.requests.send(request);
    }

    /// The next answer, for which so much patience is left; `deadline` is for the message.
    pub(super) fn answer(
        &mut self,
        patience: Duration,
        deadline: Duration,
    ) -> Result<(Answer, Vec<u8>), Broken> {
        match self.answers.recv_timeout(patience) {
            Ok(Ok((Answer::Lost(why), _))) => Err(Broken::crash(why)),
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(garbage)) => Err(Broken::crash(format!("its worker cannot be understood: {garbage}"))),
            Err(RecvTimeoutError::Timeout) => {
                let how = format!("it did not end within {:.3} s", deadline.as_secs_f64());
                Err(Broken { failure: Failure::Timeout, how })
            }
            Err(RecvTimeoutError::Disconnected) => Err(Broken::crash(self.last_words())),
        }
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_none_or(|process| !matches!(process.try_wait(), Ok(None)))
    }

    /// How it ended by itself, and the last that it said.
    fn last_words(&mut self) -> String {
        let waiting = self.process.take().map(wait);
        let status = waiting.and_then(|waiting| waiting.recv_timeout(LAST_WORDS).ok().flatten());
        let how = status.map_or("its worker closed its output".to_owned(), |status| {
            format!("its worker ended ({status})")
        });
        match self.errors.finish(LAST_WORDS) {
            line if line.is_empty() => how,
            line => format!("{how}: {line}"),
        }
    }

    /// Ends it, and waits until it is gone.
    ///
    /// # Errors
    /// When it is not gone by then; then its device is not free either.
    pub(super) fn end(mut self, patience: Duration) -> Result<(), String> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        let id = process.id();
        // One that is gone already cannot be ended, which waiting shows.
        let _ = process.kill();
        match wait(process).recv_timeout(patience) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!(
                "the worker (process {id}) was killed and is still there: the driver does not let it go"
            )),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            // So that it does not stay as a zombie; nobody waits for it.
            drop(wait(process));
        }
    }
}

/// Waits for the end of a process in a thread of its own; none if it cannot be waited for.
fn wait(mut process: Child) -> Receiver<Option<std::process::ExitStatus>> {
    let (ended, ends) = channel();
    thread::spawn(move || {
        let _ = ended.send(process.wait().ok());
    });
    ends
}

fn writer(mut to: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (requests, asked) = channel::<Vec<u8>>();
    thread::spawn(move || {
        // When the sender is dropped the pipe is closed, by which the worker ends too.
        for request in asked {
            if to.write_all(&request).and_then(|()| to.flush()).is_err() {
                break;
            }
        }
    });
    requests
}

/// Reads until the end, or until something is no answer.
fn reader(mut from: impl Read + Send + 'static) -> Receiver<Result<(Answer, Vec<u8>), String>> {
    let (answered, answers) = channel();
    thread::spawn(move || {
        while let Some(answer) = frame::read(&mut from).transpose() {
            let is_understood = answer.is_ok();
            if answered.send(answer).is_err() || !is_understood {
                break;
            }
        }
    });
    answers
}
