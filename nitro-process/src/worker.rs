//! One worker process.

use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
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
    pub(crate) process: Option<Child>,
    /// A channel for each thread that reads an output, closed when that has ended.
    readers: Vec<Receiver<()>>,
    /// The end of its standard error, if somebody keeps it.
    pub(crate) tail: Tail,
}

/// A worker that cannot be started, or not be ended.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// The program cannot be run.
    #[error("the worker {program} cannot be started: {1}", program = .0.display())]
    Start(PathBuf, io::Error),
    /// The process of this number was killed and is still there. Then its device is not free either.
    #[error("the worker (process {0}) was killed and is still there: the driver does not let it go")]
    StillThere(u32),
}

impl Worker {
    /// Starts a worker. Its outputs are as the command says.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start(command: &mut Command) -> Result<Self, ProcessError> {
        match command.stdin(Stdio::piped()).spawn() {
            Ok(process) => Ok(Self { process: Some(process), readers: Vec::new(), tail: Tail::default() }),
            Err(error) => Err(ProcessError::Start(command.get_program().into(), error)),
        }
    }

    /// Reads its outputs, as far as they are piped, in a thread each, which its end waits for.
    pub fn read(
        &mut self,
        stdout: impl FnOnce(ChildStdout) + Send + 'static,
        stderr: impl FnOnce(ChildStderr) + Send + 'static,
    ) {
        let Some(process) = &mut self.process else { return };
        let streams = (process.stdout.take(), process.stderr.take());
        self.readers.extend(streams.0.map(|stream| in_thread(move || stdout(stream))));
        self.readers.extend(streams.1.map(|stream| in_thread(move || stderr(stream))));
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
        match self.wait(LAST_WORDS) {
            Some(status) => Death::Ended { status, last_line: self.last_line() },
            None => Death::Closed { last_line: self.last_line() },
        }
    }

    /// Kills it, and waits until it is gone and all that it wrote has been read.
    ///
    /// # Errors
    /// When it is not gone by then.
    pub fn kill(mut self, patience: Duration) -> Result<(), ProcessError> {
        let Some(process) = &mut self.process else { return Ok(()) };
        let id = process.id();
        // One that is gone already cannot be killed, which waiting shows.
        let _ = process.kill();
        self.wait(patience).ok_or(ProcessError::StillThere(id))?;
        self.last_line();
        Ok(())
    }

    /// Returns the last line that it wrote, once all that it wrote has been read.
    fn last_line(&mut self) -> String {
        for reader in self.readers.drain(..) {
            let _ = reader.recv_timeout(LAST_WORDS);
        }
        self.tail.last_line()
    }

    /// Waits until it is gone.
    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now().checked_add(patience);
        loop {
            match self.process.as_mut()?.try_wait() {
                Ok(None) if until.is_none_or(|until| Instant::now() < until) => thread::sleep(LOOK),
                Ok(Some(status)) => {
                    self.process = None;
                    return Some(status);
                }
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

/// Reads in a thread whose end closes the channel.
fn in_thread(read: impl FnOnce() + Send + 'static) -> Receiver<()> {
    let (reading, has_read) = channel();
    thread::spawn(move || {
        read();
        drop(reading);
    });
    has_read
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
