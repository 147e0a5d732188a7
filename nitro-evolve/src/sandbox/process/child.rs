//! A child process that answers requests.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::frame;
use super::tail::Tail;

/// The time that last words may take after the end of a child.
///
/// A process that it has left behind may hold its outputs open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A child process, which is ended when the value is dropped.
pub(in super::super) struct Child<Answer> {
    /// The process; none once it was ended.
    process: Option<std::process::Child>,
    /// Requests for the thread that writes them: a child that does not read would hold up its parent.
    requests: Sender<Vec<u8>>,
    answers: Receiver<Result<(Answer, Vec<u8>), String>>,
    errors: Tail,
}

/// A failure after which a child has to be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct ChildFailure {
    /// Set if it did not answer in time. Otherwise it ended, or cannot be understood.
    pub is_late: bool,
    pub how: String,
}

impl ChildFailure {
    /// Creates the failure of a child that was in time.
    pub(in super::super) fn crash(how: impl Into<String>) -> Self {
        Self { is_late: false, how: how.into() }
    }
}

impl<Answer: DeserializeOwned + Send + 'static> Child<Answer> {
    /// Starts a child whose standard streams carry frames.
    pub(in super::super) fn start(command: &mut Command) -> Result<Self, String> {
        // An interruption by the keyboard is for the parent, with which the child ends.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            format!("the worker {} cannot be started: {error}", command.get_program().display())
        })?;
        // All three are piped.
        let streams = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err("the worker has no standard streams".to_owned());
        };
        Ok(Self {
            process: Some(process),
            requests: writer(stdin),
            answers: reader(stdout),
            errors: Tail::of(stderr),
        })
    }

    /// Sends a request. Whether the child listens shows in its answer.
    pub(in super::super) fn ask(&self, request: Vec<u8>) {
        let _ = self.requests.send(request);
    }

    /// Waits for the next answer with so much patience; `deadline` is for the message.
    pub(in super::super) fn answer(
        &mut self,
        patience: Duration,
        deadline: Duration,
    ) -> Result<(Answer, Vec<u8>), ChildFailure> {
        match self.answers.recv_timeout(patience) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(garbage)) => {
                Err(ChildFailure::crash(format!("its worker cannot be understood: {garbage}")))
            }
            Err(RecvTimeoutError::Timeout) => {
                let how = format!("it did not end within {:.3} s", deadline.as_secs_f64());
                Err(ChildFailure { is_late: true, how })
            }
            Err(RecvTimeoutError::Disconnected) => Err(ChildFailure::crash(self.last_words())),
        }
    }

    /// Tells whether it has ended by itself.
    pub(in super::super) fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_none_or(|process| !matches!(process.try_wait(), Ok(None)))
    }

    /// Says how it ended by itself, with the last line that it wrote.
    fn last_words(&mut self) -> String {
        let waiting = self.process.take().map(wait);
        let how = match waiting.and_then(|waiting| waiting.recv_timeout(LAST_WORDS).ok().flatten()) {
            Some(status) => format!("its worker ended ({status})"),
            None => "its worker closed its output".to_owned(),
        };
        let last = self.errors.finish(LAST_WORDS);
        if last.is_empty() { how } else { format!("{how}: {last}") }
    }

    /// Ends it, and waits until it is gone.
    ///
    /// # Errors
    /// When it is not gone by then; then its device is not free either.
    pub(in super::super) fn end(mut self, patience: Duration) -> Result<(), String> {
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

impl<Answer> Drop for Child<Answer> {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            // So that it does not stay as a zombie; nobody waits for it.
            drop(wait(process));
        }
    }
}

/// Waits for the end of a process in a thread of its own; none if it cannot be waited for.
fn wait(mut process: std::process::Child) -> Receiver<Option<std::process::ExitStatus>> {
    let (ended, ends) = channel();
    thread::spawn(move || {
        let _ = ended.send(process.wait().ok());
    });
    ends
}

/// Writes requests in a thread of its own.
fn writer(mut to: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (requests, asked) = channel::<Vec<u8>>();
    thread::spawn(move || {
        // When the sender is dropped the pipe is closed, by which the child ends too.
        for request in asked {
            if to.write_all(&request).and_then(|()| to.flush()).is_err() {
                break;
            }
        }
    });
    requests
}

/// Reads answers in a thread of its own, until the end or until something is no answer.
fn reader<Answer: DeserializeOwned + Send + 'static>(
    mut from: impl Read + Send + 'static,
) -> Receiver<Result<(Answer, Vec<u8>), String>> {
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
