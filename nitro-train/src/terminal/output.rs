//! Standard output and standard error, written here only.
//!
//! Whoever reads them may go away (`| head -1`) and the disk behind them may be full. What a command prints on the
//! way never ends its work.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use nitro_learn::plain_table::Sentence;

/// The standard output; clones write to the same.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Sink>>);

struct Sink {
    to: Box<dyn Write + Send>,
    /// True if printing is all that the command is for. It ends when nothing can be printed any more; other commands go
    /// on without what they print.
    is_result: bool,
    /// The first failure.
    failure: Option<io::Error>,
}

impl Output {
    /// Creates the output of a command that does nothing but print its result, or that does other work.
    pub(crate) fn new(is_result: bool) -> Self {
        Self::to(Box::new(io::stdout()), is_result)
    }

    fn to(to: Box<dyn Write + Send>, is_result: bool) -> Self {
        Self(Arc::new(Mutex::new(Sink { to, is_result, failure: None })))
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the end of a command that ended so and has printed here.
    ///
    /// A reader who has gone away has seen enough: that is no error, and leaves work its own end.
    pub(crate) fn judge(mut self, ended: Result<ExitCode>) -> Result<ExitCode> {
        let _ = self.flush(); // what goes wrong is kept
        let mut sink = self.sink();
        let Some(failure) = sink.failure.take() else { return ended };
        match (failure.kind(), sink.is_result) {
            (ErrorKind::BrokenPipe, true) => Ok(ExitCode::SUCCESS),
            (ErrorKind::BrokenPipe, false) => ended,
            (_, is_result) => {
                // Of a command that printing has ended, the failure is the error already.
                let code = if is_result { Ok(ExitCode::FAILURE) } else { ended };
                code.and(Err(anyhow::Error::new(failure).context("standard output cannot be written")))
            }
        }
    }
}

impl Sink {
    /// Returns the result of an attempt to write, with `dropped` in the place of failures that end nothing.
    fn heard<T>(&mut self, attempt: io::Result<T>, dropped: T) -> io::Result<T> {
        match attempt {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                let kind = self.failure.get_or_insert(error).kind();
                if self.is_result { Err(kind.into()) } else { Ok(dropped) }
            }
            heard => heard,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut sink = self.sink();
        let attempt = match &sink.failure {
            Some(failure) => Err(failure.kind().into()),
            None => sink.to.write(bytes),
        };
        sink.heard(attempt, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut sink = self.sink();
        let attempt = sink.to.flush();
        sink.heard(attempt, ())
    }
}

/// The standard error, with or without a reader.
#[derive(Clone, Copy)]
pub(crate) struct Aside;

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(io::stderr().write(bytes).unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says a line on standard error.
macro_rules! say {
    ($($argument:tt)*) => { $crate::terminal::output::write_aside(format_args!($($argument)*)) };
}
pub(crate) use say;

/// Writes a line to standard error.
pub(crate) fn write_aside(line: fmt::Arguments<'_>) {
    let line = line.to_string();
    let line = super::columns_aside().map_or(line.clone(), |columns| between_words(&line, columns));
    // In one piece, as other processes write there too.
    let _ = Aside.write_all(format!("{line}\n").as_bytes());
}

/// Returns the lines of a text, each broken between words where it is longer, and indented as it begins.
fn between_words(text: &str, columns: usize) -> String {
    let broken = text.split('\n').map(|line| {
        let words = line.trim_start_matches(' ');
        let indent = &line[..line.len() - words.len()];
        let sentence = format!("{:1$}", Sentence(words), columns.saturating_sub(indent.len()));
        sentence.split('\n').map(|part| format!("{indent}{part}")).collect::<Vec<_>>().join("\n")
    });
    broken.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes, then fails.
    struct Failing(usize, ErrorKind);

    impl Write for Failing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(self.1.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Whether a command could go on after its fourth byte, and the error it ends with, if any.
    fn ended(is_result: bool, kind: ErrorKind) -> (bool, Result<ExitCode, String>) {
        let mut out = Output::to(Box::new(Failing(3, kind)), is_result);
        let printed = writeln!(out, "text").map_err(anyhow::Error::new);
        let went_on = printed.is_ok();
        let ended = out.judge(printed.map(|()| ExitCode::from(7)));
        (went_on, ended.map_err(|error| error.to_string()))
    }

    #[test]
    fn lines_on_a_terminal_are_broken_between_words() {
        let text = "spmv: two words\n  host:1: three words and more\n";
        let broken = "spmv: two\nwords\n  host:1:\n  three\n  words and\n  more\n";
        assert_eq!(between_words(text, 11), broken);
        assert_eq!(between_words(text, 80), text);
    }

    #[test]
    fn a_reader_who_goes_away_ends_what_is_for_reading_and_no_work() {
        assert_eq!(ended(true, ErrorKind::BrokenPipe), (false, Ok(ExitCode::SUCCESS)));
        assert_eq!(ended(false, ErrorKind::BrokenPipe), (true, Ok(ExitCode::from(7))));
    }

    #[test]
    fn a_full_disk_is_an_error_after_the_work() {
        for is_result in [true, false] {
            let (went_on, ended) = ended(is_result, ErrorKind::StorageFull);
            assert_eq!(went_on, !is_result);
            assert_eq!(ended.unwrap_err(), "standard output cannot be written");
        }
    }

    #[test]
    fn an_error_of_the_work_is_told_rather_than_that_of_printing() {
        let mut out = Output::to(Box::new(Failing(0, ErrorKind::StorageFull)), false);
        writeln!(out, "text").unwrap();
        let ended = out.judge(Err(anyhow::Error::msg("the store is away")));
        assert_eq!(ended.unwrap_err().to_string(), "the store is away");
    }
}
