//! The log of all trials, line by line.
//!
//! An evolution that was stopped goes on with it as if it had not been.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nitro_core::Artifact;
use nitro_ptx::{Base, Edit, Patch};
use nitro_search::Observation;
use nitro_search::evolve::{EvolvePlan, Report, Rules, Trial};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::begin_with;
use crate::words::patches;

/// The most bytes of a line; patches have at most some hundred edits.
const MOST_LINE_BYTES: u64 = 1 << 20;
/// The number of this format.
const FORMAT: u32 = 5;

/// The header, which has to be the same for an evolution to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub format: u32,
    /// The digest of the PTX.
    pub base: String,
    /// The digest of the workload.
    pub workload: String,
    pub on: Vec<String>,
    pub seed: u64,
    pub population: usize,
    pub max_error: f64,
    /// The digest of the proposed edits, which are among those that are drawn.
    pub proposed: String,
    /// Set if candidates that fail with small inputs are not bred.
    pub is_filtered: bool,
    /// The patches that it began with.
    pub begun_with: Vec<Vec<String>>,
    /// The rules that it began with; logs of earlier releases do not name theirs.
    #[serde(default = "rules_of_earlier_releases")]
    pub rules: Rules,
    /// The share of a time within which two were the same when it began; logs of earlier releases do not name theirs.
    #[serde(default = "margin_of_earlier_releases")]
    pub margin: f64,
}

/// Returns the rules of a log that does not name them.
fn rules_of_earlier_releases() -> Rules {
    Rules::Paper
}

/// Returns the margin of a log that does not name it.
fn margin_of_earlier_releases() -> f64 {
    0.01
}

/// The part of a header that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Header {
    /// Creates the header of an evolution.
    pub(crate) fn new(
        base: String,
        workload: String,
        on: Vec<String>,
        plan: &EvolvePlan,
        proposed: String,
        is_filtered: bool,
        begin_with: &[Vec<Edit>],
    ) -> Self {
        let EvolvePlan { seed, population, max_error, rules, margin, .. } = *plan;
        let begun_with = begin_with.iter().map(|edits| lines(edits)).collect();
        Self {
            format: FORMAT,
            base,
            workload,
            on,
            seed,
            population,
            max_error,
            proposed,
            is_filtered,
            begun_with,
            rules,
            margin,
        }
    }
}

/// A line of a trial.
#[derive(Serialize, Deserialize)]
struct Line {
    /// The time of all sessions when it was told.
    at_ms: u64,
    generation: usize,
    trial: Trial<String>,
    report: Report,
}

/// The content of a log.
#[derive(Debug, Default)]
pub(crate) struct LogContent {
    pub entries: Vec<Entry>,
    /// The patches, the rules and the margin that it began with.
    pub begun_with: Vec<Vec<Edit>>,
    pub rules: Rules,
    pub margin: f64,
}

/// A trial that was told, with its moment.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub at: Duration,
    pub generation: usize,
    pub told: Observation<Trial<Edit>, Report>,
}

/// The file of a log, open for more.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    base: Artifact,
}

/// An error of a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file cannot be read or written.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A line does not fit this program or evolution.
    #[error("{}:{line}: {what}; give another folder by --out, or remove the file to begin anew", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The mistake.
        what: String,
    },
}

impl Log {
    /// Opens the log of an evolution, with what was told before if there is one.
    ///
    /// An evolution that goes on begins with the patches of its log, where the header names none.
    pub(crate) fn open(path: &Path, header: &Header, base: &Base) -> Result<(Self, LogContent), LogError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(|source| LogError::Io { path: path.to_owned(), source })?;
        let mut log = Self { path: path.to_owned(), file, base: base.module().digest() };
        let mut content = log.read(header, base)?;
        // Also where a crash has cut off the header.
        if log.file.metadata().map_err(|source| log.io_error(source))?.len() == 0 {
            log.write(header)?;
            content.begun_with = log.begun_with(header, base)?;
            (content.rules, content.margin) = (header.rules, header.margin);
        }
        Ok((log, content))
    }

    /// Reads all whole lines. One that a crash has cut off at the end is taken away.
    fn read(&mut self, header: &Header, base: &Base) -> Result<LogContent, LogError> {
        let file = self.file.try_clone().map_err(|source| self.io_error(source))?;
        let mut reader = BufReader::new(file);
        let (mut content, mut whole) = (LogContent::default(), 0);
        for number in 1.. {
            let mut line = String::new();
            let length = reader.by_ref().take(MOST_LINE_BYTES).read_line(&mut line);
            let length = length.map_err(|source| self.io_error(source))?;
            if !line.ends_with('\n') {
                break;
            }
            match number {
                1 => {
                    let found = self.check(&line, header)?;
                    content.begun_with = self.begun_with(&found, base)?;
                    (content.rules, content.margin) = (found.rules, found.margin);
                }
                _ => content.entries.push(self.entry(number, &line)?),
            }
            whole += length as u64;
        }
        self.file.set_len(whole).map_err(|source| self.io_error(source))?;
        Ok(content)
    }

    /// Returns the header of the log, if this evolution may go on with it.
    fn check(&self, line: &str, header: &Header) -> Result<Header, LogError> {
        let Format { format } = self.json(1, line)?;
        if format != FORMAT {
            return Err(
                self.wrong(1, format!("the log is of format {format}, and this program has {FORMAT}"))
            );
        }
        let found: Header = self.json(1, line)?;
        let other_patches = !header.begun_with.is_empty() && header.begun_with != found.begun_with;
        // It goes on by the rules and the margin by which it began.
        let Header { begun_with, rules, margin, .. } = found.clone();
        let begun = Header { begun_with, rules, margin, ..header.clone() };
        if begun != found {
            let what = "this is the log of another evolution (PTX, workload, device, seed, population, error or what \
                        is proposed differ)";
            return Err(self.wrong(1, what.to_owned()));
        }
        if other_patches {
            let begun = match found.begun_with.len() {
                0 => "no patch".to_owned(),
                count => patches(count),
            };
            let what = "and --begin-with names others (left out, it goes on as it began)";
            return Err(self.wrong(1, format!("this evolution began with {begun}, {what}")));
        }
        Ok(found)
    }

    /// Returns the patches of a header, which fit the base.
    fn begun_with(&self, header: &Header, base: &Base) -> Result<Vec<Vec<Edit>>, LogError> {
        let mut patches = Vec::with_capacity(header.begun_with.len());
        for lines in &header.begun_with {
            patches.push(Patch { base: self.base, edits: self.edits(1, lines)? });
        }
        begin_with::all(base, &patches).map_err(|error| self.wrong(1, error.to_string()))
    }

    /// Returns the error of a file that cannot be read or written.
    fn io_error(&self, source: std::io::Error) -> LogError {
        LogError::Io { path: self.path.clone(), source }
    }

    /// Reads a line as JSON.
    fn json<T: DeserializeOwned>(&self, number: usize, line: &str) -> Result<T, LogError> {
        serde_json::from_str(line).map_err(|error| self.wrong(number, error.to_string()))
    }

    /// Returns the error of a line.
    fn wrong(&self, line: usize, what: String) -> LogError {
        LogError::Line { path: self.path.clone(), line, what }
    }

    /// Reads the line of a trial.
    fn entry(&self, number: usize, line: &str) -> Result<Entry, LogError> {
        let Line { at_ms, generation, trial, report } = self.json(number, line)?;
        let edits = self.edits(number, &trial.edits)?;
        let trial = Trial { id: trial.id, purpose: trial.purpose, edits };
        Ok(Entry {
            at: Duration::from_millis(at_ms),
            generation,
            told: Observation { proposal: trial, report },
        })
    }

    /// Reads edits as the log has them.
    fn edits(&self, number: usize, lines: &[String]) -> Result<Vec<Edit>, LogError> {
        let text = format!("patch of {}\n{}", self.base, lines.concat());
        let patch: Result<Patch, _> = text.parse();
        Ok(patch.map_err(|error| self.wrong(number, error.to_string()))?.edits)
    }

    /// Adds trials that were told.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), LogError> {
        for Entry { at, generation, told } in entries {
            let Trial { id, purpose, ref edits } = told.proposal;
            let trial = Trial { id, purpose, edits: lines(edits) };
            let at_ms = at.as_millis().try_into().unwrap_or(u64::MAX);
            self.write(&Line { at_ms, generation: *generation, trial, report: told.report })?;
        }
        Ok(())
    }

    /// Adds a line.
    fn write(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let mut text = serde_json::to_vec(line).map_err(|error| self.io_error(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(|source| self.io_error(source))
    }
}

/// Returns edits as the log has them.
fn lines(edits: &[Edit]) -> Vec<String> {
    edits.iter().map(Edit::to_string).collect()
}
