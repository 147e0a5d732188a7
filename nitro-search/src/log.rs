//! The evaluation log: what a search that was stopped goes on from.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Candidate, Evaluation, Outcome, Search, TellError};

/// Version of the form.
const VERSION: u32 = 1;

/// A file of JSON lines: first what search it is of, then one line an evaluation, in the order in which they were told. It only grows, by whole lines; of
/// one that was torn when its process died, the rest is dropped.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Ask, Evaluation, Log, Outcome, Parameter, Plan, Search, Space, Strategy};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("search.jsonl");
/// let space = Arc::new(Space::constrained(vec![Parameter::linear("unroll", [1.0, 2.0, 3.0, 4.0])], vec![])?);
/// let begin = || Search::new(space.clone(), Plan::new(Strategy::Random));
///
/// let mut search = begin();
/// let mut log = Log::open(&path, &mut search)?;
/// let Ask::Evaluate(first) = search.ask(1) else { unreachable!("nothing was evaluated yet") };
/// log.append(&search, Outcome { candidate: first[0], evaluation: Evaluation::TimeNs(5.0) })?;
/// // Here the process is killed. Another one goes on:
/// let mut search = begin();
/// let log = Log::open(&path, &mut search)?;
/// assert_eq!(search.evaluations(), 1);
/// assert_eq!(search.best().unwrap().candidate, first[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file cannot be read or written.
    #[error("the search log {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A line is none.
    #[error("line {line} of {} is no line of a search log ({reason}); remove it, or name another file", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// It is of another search.
    #[error(
        "{} is the log of a search with {what} {found}, and this one has {own}; name another file, or search as then",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the file has.
        found: String,
        /// What the search has.
        own: String,
    },
    /// Its evaluations are none of this search.
    #[error("the search log {}: {source}; it was made by another version, name another file", path.display())]
    Outcomes {
        /// The file.
        path: PathBuf,
        /// Which one.
        source: TellError,
    },
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    search_log: u32,
    strategy: String,
    seed: u64,
    space: String,
    sources: String,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
struct Entry {
    candidate: Candidate,
    /// For who reads the file.
    configuration: String,
    #[serde(flatten)]
    evaluation: Evaluation,
}

impl Header {
    fn of(search: &Search) -> Self {
        let plan = search.plan();
        Self {
            search_log: VERSION,
            strategy: plan.strategy.to_string(),
            seed: plan.seed,
            space: search.space().digest(),
            sources: plan.sources.digest(),
        }
    }

    /// The first thing in which two searches differ: what it is, here and there.
    fn difference(&self, own: &Self) -> Option<(&'static str, String, String)> {
        [
            ("the log format", self.search_log.to_string(), own.search_log.to_string()),
            ("the space", self.space.clone(), own.space.clone()),
            ("the strategy", self.strategy.clone(), own.strategy.clone()),
            ("the seed", self.seed.to_string(), own.seed.to_string()),
            ("the sources", self.sources.clone(), own.sources.clone()),
        ]
        .into_iter()
        .find(|(_, found, own)| found != own)
    }
}

impl Log {
    /// Opens the log of a search that has not begun, and brings the search to where the log ends; makes the file when there is none.
    ///
    /// # Errors
    /// When the file cannot be read or written, has a line that is none, or is of another search.
    pub fn open(path: impl AsRef<Path>, search: &mut Search) -> Result<Self, LogError> {
        let path = path.as_ref().to_owned();
        let io = |source| LogError::Io { path: path.clone(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(io)?;
        let mut log = Self { path, file };
        let text = log.whole_lines()?;
        let own = Header::of(search);
        let Some((first, rest)) = text.split_once('\n') else {
            log.write(&own)?;
            return Ok(log);
        };
        log.check(first, &own)?;
        let outcomes = rest.lines().enumerate().map(|(at, line)| log.outcome(at + 2, line, search));
        let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
        search.restore(&outcomes).map_err(|source| LogError::Outcomes { path: log.path.clone(), source })?;
        Ok(log)
    }

    /// Writes an outcome of this search. Do it before telling the search: what was told then is never lost.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, search: &Search, outcome: Outcome) -> Result<(), LogError> {
        let Outcome { candidate, evaluation } = outcome;
        self.write(&Entry { candidate, configuration: search.space().text(candidate), evaluation })
    }

    /// The text of the file up to its last end of a line; the rest is cut off.
    fn whole_lines(&mut self) -> Result<String, LogError> {
        let io = |path: &Path, source| LogError::Io { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(|error| io(&self.path, error))?;
        self.file.read_to_end(&mut bytes).map_err(|error| io(&self.path, error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            self.file.set_len(whole as u64).map_err(|error| io(&self.path, error))?;
            bytes.truncate(whole);
        }
        String::from_utf8(bytes).map_err(|error| {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
                .iter()
                .filter(|&&b| b == b'\n')
                .count();
            self.line(line, "it is no UTF-8")
        })
    }

    fn check(&self, line: &str, own: &Header) -> Result<(), LogError> {
        let header: Header = serde_json::from_str(line).map_err(|error| self.line(1, error))?;
        match header.difference(own) {
            None => Ok(()),
            Some((what, found, own)) => Err(LogError::Other { path: self.path.clone(), what, found, own }),
        }
    }

    fn outcome(&self, number: usize, line: &str, search: &Search) -> Result<Outcome, LogError> {
        let entry: Entry = serde_json::from_str(line).map_err(|error| self.line(number, error))?;
        if entry.candidate.index() >= search.space().len() {
            return Err(self.line(number, "the space has no such candidate"));
        }
        Ok(Outcome { candidate: entry.candidate, evaluation: entry.evaluation })
    }

    fn line(&self, line: usize, reason: impl ToString) -> LogError {
        LogError::Line { path: self.path.clone(), line, reason: reason.to_string() }
    }

    /// One line in one write: the file is opened for appending, so that it lands whole whoever else writes.
    fn write(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let text = serde_json::to_string(line).map(|text| text + "\n").map_err(std::io::Error::from);
        text.and_then(|text| self.file.write_all(text.as_bytes()))
            .map_err(|source| LogError::Io { path: self.path.clone(), source })
    }
}
