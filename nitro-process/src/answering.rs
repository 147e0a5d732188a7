//! A worker that answers requests.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::death::Death;
use crate::frame::{FrameError, encode, pass_on};
use crate::worker::{ProcessError, Worker};

/// A worker that answers requests, and is killed when the value is dropped.
pub struct AnsweringWorker<Answer> {
    worker: Worker,
    /// Requests for the thread that writes them: a worker that does not read would hold up its parent.
    requests: Sender<Vec<u8>>,
    answers: Receiver<Result<Answer, FrameError>>,
}

impl<Answer: DeserializeOwned + Send + 'static> AnsweringWorker<Answer> {
    /// Starts a worker whose standard input and output carry frames.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start(command: &mut Command) -> Result<Self, ProcessError> {
        // An interruption by the keyboard is for the parent, with which the worker ends.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut worker = Worker::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
        let (requests, asked) = channel::<Vec<u8>>();
        if let Some(mut stdin) = worker.process.as_mut().and_then(|process| process.stdin.take()) {
            thread::spawn(move || {
                // When the sender is dropped the pipe is closed, by which the worker ends too.
                for request in asked {
                    if stdin.write_all(&request).is_err() {
                        break;
                    }
                }
            });
        }
        let (answered, answers) = channel();
        let mut tail = worker.tail.clone();
        worker.read(
            move |stdout| {
                pass_on(stdout, &answered, || {});
            },
            move |mut stderr| drop(io::copy(&mut stderr, &mut tail)),
        );
        Ok(Self { worker, requests, answers })
    }

    /// Sends a request. Only its answer shows that the worker listens.
    ///
    /// # Errors
    /// When the request is too long for a frame.
    pub fn ask(&self, request: &impl Serialize) -> Result<(), FrameError> {
        let _ = self.requests.send(encode(request)?);
        Ok(())
    }

    /// Waits for the next answer with so much patience; `deadline` is for the message.
    ///
    /// # Errors
    /// When there is none. Then the worker has to be killed.
    pub fn answer(&mut self, patience: Duration, deadline: Duration) -> Result<Answer, Death> {
        match self.answers.recv_timeout(patience) {
            Ok(answer) => answer.map_err(Death::Garbled),
            Err(RecvTimeoutError::Timeout) => Err(Death::Late { deadline }),
            Err(RecvTimeoutError::Disconnected) => Err(self.worker.last_words()),
        }
    }

    /// Returns true for a worker that has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.worker.ended(), Ok(None))
    }

    /// Kills it, and waits until it is gone.
    ///
    /// # Errors
    /// When it is not gone by then.
    pub fn kill(self, patience: Duration) -> Result<(), ProcessError> {
        let Self { worker, requests, .. } = self;
        // What it has left behind ends too, if it reads: then its outputs are closed.
        drop(requests);
        worker.kill(patience)
    }
}
