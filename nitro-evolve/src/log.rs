//! What was evaluated, kept line by line: an evolution that was stopped goes on as if it had not been.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nitro_core::Artifact;
use nitro_ptx::{Base, Edit, Patch};
use nitro_search::Observation;
use nitro_search::evolve::{EvolvePlan, Report, Trial};
use serde::{Deserialize, Serialize};

use crate::begin_with;
use crate::evolve::patches;

/// Of a line; patches have at most some hundred edits.
const MOST_LINE_BYTES: u64 = 1 << 20;
const FORMAT: u32 = 5;

/// What has to be the same for an evolution to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub format: u32,
    /// Digest of the PTX.
    pub base: String,
    /// Digest of the workload.
    pub workload: String,
    pub on: Vec<String>,
    pub seed: u64,
    pub population: usize,
    pub max_error: f64,
    /// Digest of the edits that were proposed, since they are among those that are drawn.
    pub proposed: String,
    /// Whether what fails with small inputs that nobody wrote is not bred.
    pub is_filtered: bool,
    /// The patches that it began with.
    pub begun_with: Vec<Vec<String>>,
}

/// The part of a header that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Header {
    pub(crate) fn new(
        base: String,
        workload: String,
        on: Vec<String>,
        plan: &EvolvePlan,
        proposed: String,
        is_filtered: bool,
        begin_with: &[Vec<Edit>],
    ) -> Self {
        let EvolvePlan { seed, population, max_error, .. } = *plan;
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
        }
    }
}

/// One trial.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Time spent when it was told, over all sessions.
    at_ms: u64,
    generation: usize,
    trial: Trial<String>,
    report: Report,
}

/// What was kept of an evolution.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub entries: Vec<Entry>,
    /// The patches that it began with.
    pub begun_with: Vec<Vec<Edit>>,
}

/// A trial that was told, with when.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub at: Duration,
    pub generation: usize,
    pub told: Observation<Trial<Edit>, Report>,
}

/// The file, open for more.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    base: Artifact,
}

/// What is wrong with what was kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file cannot be read or written.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is none of this program.
    #[error("{}:{line}: {what}; give another folder by --out, or remove the file to begin anew", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl Log {
    /// Opens the log of an evolution: with what was told before, if there is one.
    ///
    /// One that goes on begins with the patches of its log, where the header names none.
    pub(crate) fn open(path: &Path, header: &Header, base: &Base) -> Result<(Self, Kept), LogError> {
        let failed = |source| LogError::Io { path: path.to_owned(), source };
        let options = |file: &mut OpenOptions| file.read(true).append(true).create(true).open(path);
        let file = options(&mut OpenOptions::new()).map_err(failed)?;
        let mut log = Self { path: path.to_owned(), file, base: base.module().digest() };
        let kept = log.read(header, base)?;
        // Also where a crash has cut off the header.
        if log.file.metadata().map_err(failed)?.len() == 0 {
            log.write(header)?;
            let begun_with = log.begun_with(header, base)?;
            return Ok((log, Kept { begun_with, ..kept }));
        }
        Ok((log, kept))
    }

    /// All whole lines; one that a crash has cut off at the end is taken away.
    fn read(&mut self, header: &Header, base: &Base) -> Result<Kept, LogError> {
        let failed = |source| LogError::Io { path: self.path.clone(), source };
        let mut reader = BufReader::new(self.file.try_clone().map_err(failed)?);
        let (mut kept, mut whole) = (Kept::default(), 0);
        for number in 1.. {
            let mut line = String::new();
            let length = reader.by_ref().take(MOST_LINE_BYTES).read_line(&mut line).map_err(failed)?;
            if !line.ends_with('\n') {
                break;
            }
            match number {
                1 => kept.begun_with = self.begun_with(&self.check(&line, header)?, base)?,
                _ => kept.entries.push(self.entry(number, &line)?),
            }
            whole += length as u64;
        }
        self.file.set_len(whole).map_err(failed)?;
        Ok(kept)
    }

    /// Returns the header of the log, if this evolution may go on with it.
    fn check(&self, line: &str, header: &Header) -> Result<Header, LogError> {
        let wrong = |what: String| self.wrong(1, what);
        let Format { format } = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if format != FORMAT {
            return Err(wrong(format!("the log is of format {format}, and this program has {FORMAT}")));
        }
        let found: Header = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let other_patches = !header.begun_with.is_empty() && header.begun_with != found.begun_with;
        if (Header { begun_with: found.begun_with.clone(), ..header.clone() }) != found {
            let what = "this is the log of another evolution (PTX, workload, device, seed, population, error or what is \
                        proposed differ)";
            return Err(wrong(what.to_owned()));
        }
        if other_patches {
            let begun = match found.begun_with.len() {
                0 => "no patch".to_owned(),
                count => patches(count),
            };
            return Err(wrong(format!(
                "this evolution began with {begun}, and --begin-with names others (left out, it goes on as it began)"
            )));
        }
        Ok(found)
    }

    /// Returns the patches of a header, which fit the base.
    fn begun_with(&self, header: &Header, base: &Base) -> Result<Vec<Vec<Edit>>, LogError> {
        let read = |lines: &Vec<String>| Ok(Patch { base: self.base, edits: self.edits(1, lines)? });
        let patches = header.begun_with.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        begin_with::all(base, &patches).map_err(|error| self.wrong(1, error.to_string()))
    }

    fn wrong(&self, line: usize, what: String) -> LogError {
        LogError::Line { path: self.path.clone(), line, what }
    }

    fn entry(&self, number: usize, line: &str) -> Result<Entry, LogError> {
        let wrong = |what: String| self.wrong(number, what);
        let Line { at_ms, generation, trial, report } =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let edits = self.edits(number, &trial.edits)?;
        let trial = Trial { id: trial.id, purpose: trial.purpose, edits };
        Ok(Entry {
            at: Duration::from_millis(at_ms),
            generation,
            told: Observation { proposal: trial, report },
        })
    }

    fn edits(&self, number: usize, lines: &[String]) -> Result<Vec<Edit>, LogError> {
        let text = format!("patch of {}\n{}", self.base, lines.concat());
        let patch: Result<Patch, _> = text.parse();
        Ok(patch.map_err(|error| self.wrong(number, error.to_string()))?.edits)
    }

    /// Adds what was told.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), LogError> {
        entries.iter().try_for_each(|Entry { at, generation, told }| {
            let Trial { id, purpose, ref edits } = told.proposal;
            let edits = lines(edits);
            let at_ms = at.as_millis().try_into().unwrap_or(u64::MAX);
            let (generation, report) = (*generation, told.report);
            self.write(&Line { at_ms, generation, trial: Trial { id, purpose, edits }, report })
        })
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), LogError> {
        let failed = |source| LogError::Io { path: self.path.clone(), source };
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(failed)
    }
}

/// Returns edits as the log has them.
fn lines(edits: &[Edit]) -> Vec<String> {
    edits.iter().map(Edit::to_string).collect()
}
