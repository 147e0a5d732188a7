//! One worker process.

use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::death::Death;
use crate::tail::Tail;

/// The time that last words may take after the end of a worker.
///
/// A process that it has left behind may hold its outputs open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The time between two looks at a worker that is about to end.
const LOOK: Duration = Duration::from_millis(1);

/// A worker process, which is killed when the value is dropped.
///
/// It holds the other end of the worker's standard input, by which the worker notices its end
/// ([`when_parent_ends`](crate::when_parent_ends)).
pub struct Worker {
    /// The process; none once it was killed or its end was seen.
    process: Option<Child>,
    /// A channel for each thread that reads an output, closed when that has ended.
    readers: Vec<Receiver<()>>,
    tail: Tail,
}

/// A worker that cannot be started.
#[derive(Debug, Error)]
#[error("the worker {} cannot be started: {error}", program.display())]
pub struct StartError {
    /// The program that it should run.
    pub program: PathBuf,
    /// The reason.
    pub error: io::Error,
}

/// A worker that was killed and is still there. Then its device is not free either.
#[derive(Debug, Error)]
#[error("the worker (process {id}) was killed and is still there: the driver does not let it go")]
pub struct KillError {
    /// The number of its process.
    pub id: u32,
}

impl Worker {
    /// Starts a worker. Its outputs are as the command says.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start(command: &mut Command) -> Result<Self, StartError> {
        let process = command.stdin(Stdio::piped()).spawn();
        let process =
            process.map_err(|error| StartError { program: PathBuf::from(command.get_program()), error })?;
        Ok(Self { process: Some(process), readers: Vec::new(), tail: Tail::default() })
    }

    /// Returns the other end of its standard input, which is closed when the value is dropped.
    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.process.as_mut()?.stdin.take()
    }

    /// Reads its standard output, if that is piped, in a thread that its end waits for.
    pub fn read_stdout(&mut self, read: impl FnOnce(ChildStdout) + Send + 'static) {
        if let Some(stdout) = self.process.as_mut().and_then(|process| process.stdout.take()) {
            self.in_thread(move || read(stdout));
        }
    }

    /// Reads its standard error, if that is piped, in a thread that its end waits for.
    pub fn read_stderr(&mut self, read: impl FnOnce(ChildStderr) + Send + 'static) {
        if let Some(stderr) = self.process.as_mut().and_then(|process| process.stderr.take()) {
            self.in_thread(move || read(stderr));
        }
    }

    /// Keeps the last line of its standard error for its [`Death`].
    pub(crate) fn keep_last_line(&mut self) {
        let mut tail = self.tail.clone();
        self.read_stderr(move |mut stderr| {
            let _ = io::copy(&mut stderr, &mut tail);
        });
    }

    /// Reads in a thread whose end shows.
    fn in_thread(&mut self, read: impl FnOnce() + Send + 'static) {
        let (reading, has_read) = channel();
        self.readers.push(has_read);
        thread::spawn(move || {
            read();
            drop(reading);
        });
    }

    /// Returns its end, if it has ended by itself, with all that it wrote.
    ///
    /// # Errors
    /// When the system does not know it.
    pub fn ended(&mut self) -> io::Result<Option<Death>> {
        let Some(process) = &mut self.process else { return Err(io::ErrorKind::NotFound.into()) };
        let Some(status) = process.try_wait()? else { return Ok(None) };
        self.process = None;
        Ok(Some(Death::Ended { status, last_line: self.last_line() }))
    }

    /// Returns the end of a worker that has closed its standard output.
    pub(crate) fn last_words(&mut self) -> Death {
        match wait(self.process.as_mut(), LAST_WORDS) {
            Some(status) => {
                self.process = None;
                Death::Ended { status, last_line: self.last_line() }
            }
            None => Death::Closed { last_line: self.last_line() },
        }
    }

    /// Returns the last line that it wrote, once all that it wrote has been read.
    fn last_line(&mut self) -> String {
        for reader in self.readers.drain(..) {
            let _ = reader.recv_timeout(LAST_WORDS);
        }
        self.tail.last_line()
    }

    /// Kills it, and waits until it is gone and all that it wrote has been read.
    ///
    /// # Errors
    /// When it is not gone by then.
    pub fn kill(mut self, patience: Duration) -> Result<(), KillError> {
        let Some(process) = &mut self.process else { return Ok(()) };
        let id = process.id();
        // One that is gone already cannot be killed, which waiting shows.
        let _ = process.kill();
        if wait(Some(process), patience).is_none() {
            return Err(KillError { id });
        }
        self.process = None;
        self.last_line();
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            // So that it does not stay as a zombie; nobody waits for it.
            thread::spawn(move || process.wait());
        }
    }
}

/// Waits for the end of a process with so much patience.
fn wait(mut process: Option<&mut Child>, patience: Duration) -> Option<ExitStatus> {
    let until = Instant::now().checked_add(patience);
    loop {
        match process.as_mut()?.try_wait() {
            Ok(None) if until.is_none_or(|until| Instant::now() < until) => thread::sleep(LOOK),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}
