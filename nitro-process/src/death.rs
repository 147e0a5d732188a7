//! The end of a worker.

use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use crate::frame::FrameError;

/// The end of a worker, or the reason to end it. Its text is what a sentence says of the worker.
#[derive(Debug, Error)]
pub enum Death {
    /// It took too long.
    #[error("did not end within {}", seconds(*deadline))]
    Late {
        /// The longest time that it might take.
        deadline: Duration,
    },
    /// Its process ended by itself or by a signal.
    #[error("ended its process ({status}){}", quoted(last_line))]
    Ended {
        /// The exit code or the signal.
        status: ExitStatus,
        /// The last line on its standard error; empty if there is none, or nobody kept it.
        last_line: String,
    },
    /// It closed its standard output and went on.
    #[error("closed its output{}", quoted(last_line))]
    Closed {
        /// The last line on its standard error.
        last_line: String,
    },
    /// It wrote what is no answer.
    #[error("cannot be understood: {0}")]
    Garbled(FrameError),
}

impl Death {
    /// Returns the exit code of a process that ended by itself.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        if let Self::Ended { status, .. } = self { status.code() } else { None }
    }

    /// Returns true where others than the worker may be to blame.
    ///
    /// It was late, and may have waited for them, or it was ended by a signal that no program raises by mistake.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        match self {
            Self::Late { .. } => true,
            Self::Ended { status, .. } => is_from_outside(*status),
            Self::Closed { .. } | Self::Garbled(_) => false,
        }
    }
}

/// Returns true for a process that was ended by a signal that no program raises by mistake.
#[cfg(unix)]
fn is_from_outside(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const HANGUP_INTERRUPT_KILL_TERMINATE: [i32; 4] = [1, 2, 9, 15];
    status.signal().is_some_and(|signal| HANGUP_INTERRUPT_KILL_TERMINATE.contains(&signal))
}

#[cfg(not(unix))]
fn is_from_outside(_: ExitStatus) -> bool {
    false
}

/// Returns a time in seconds, with milliseconds where it has some.
fn seconds(time: Duration) -> String {
    match time.subsec_nanos() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{:.3} s", time.as_secs_f64()),
    }
}

/// Returns a last line behind a colon, if there is one.
fn quoted(last_line: &str) -> String {
    if last_line.is_empty() { String::new() } else { format!(": {last_line}") }
}
