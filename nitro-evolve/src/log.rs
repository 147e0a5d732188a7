//! What was evaluated, kept line by line: an evolution that was stopped goes on as if it had not been.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nitro_codegen::ptx::{Edit, Patch};
use nitro_search::evolve::{EvolvePlan, Fitness, Report, Told, Trial};
use serde::{Deserialize, Serialize};

use crate::island::{Exchanged, Migrant};

/// Of a line; patches have at most some hundred edits.
const MOST_LINE_BYTES: u64 = 1 << 20;
const FORMAT: u32 = 4;

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
}

impl Header {
    pub(crate) fn new(
        base: String,
        workload: String,
        on: Vec<String>,
        plan: &EvolvePlan,
        proposed: String,
        is_filtered: bool,
    ) -> Self {
        let EvolvePlan { seed, population, max_error, .. } = *plan;
        Self { format: FORMAT, base, workload, on, seed, population, max_error, proposed, is_filtered }
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

/// What was taken in from other islands, also where that is nothing.
#[derive(Serialize, Deserialize)]
struct ExchangeLine {
    exchange: ExchangeMade,
}

#[derive(Serialize, Deserialize)]
struct ExchangeMade {
    at_ms: u64,
    generation: usize,
    migrants: Vec<MigrantMade>,
}

#[derive(Serialize, Deserialize)]
struct MigrantMade {
    from: String,
    edits: Vec<String>,
    claim: Fitness,
}

/// How a line about an exchange begins.
const EXCHANGE: &str = "{\"exchange\":";

/// What was kept of an evolution.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub entries: Vec<Entry>,
    pub exchanges: Vec<Exchanged>,
}

/// A trial that was told, with when.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub at: Duration,
    pub generation: usize,
    pub told: Told<Edit>,
}

/// The file, open for more.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    base: String,
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
    pub(crate) fn open(path: &Path, header: &Header) -> Result<(Self, Kept), LogError> {
        let failed = |source| LogError::Io { path: path.to_owned(), source };
        let options = |file: &mut OpenOptions| file.read(true).append(true).create(true).open(path);
        let file = options(&mut OpenOptions::new()).map_err(failed)?;
        let mut log = Self { path: path.to_owned(), file, base: header.base.clone() };
        if log.file.metadata().map_err(failed)?.len() == 0 {
            log.write(header)?;
            return Ok((log, Kept::default()));
        }
        let kept = log.read(header)?;
        Ok((log, kept))
    }

    /// All whole lines; one that a crash has cut off at the end is taken away.
    fn read(&mut self, header: &Header) -> Result<Kept, LogError> {
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
                1 => self.check(&line, header)?,
                _ if line.starts_with(EXCHANGE) => kept.exchanges.push(self.exchange(number, &line)?),
                _ => kept.entries.push(self.entry(number, &line)?),
            }
            whole += length as u64;
        }
        self.file.set_len(whole).map_err(failed)?;
        Ok(kept)
    }

    fn check(&self, line: &str, header: &Header) -> Result<(), LogError> {
        let wrong = |what: String| LogError::Line { path: self.path.clone(), line: 1, what };
        let found: Header = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        match &found == header {
            true => Ok(()),
            false => Err(wrong("this is the log of another evolution (PTX, workload, device, seed, island, population, error or what is proposed differ)".to_owned())),
        }
    }

    fn entry(&self, number: usize, line: &str) -> Result<Entry, LogError> {
        let wrong = |what: String| LogError::Line { path: self.path.clone(), line: number, what };
        let Line { at_ms, generation, trial, report } =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let edits = self.edits(number, &trial.edits)?;
        let trial = Trial { id: trial.id, purpose: trial.purpose, edits };
        Ok(Entry { at: Duration::from_millis(at_ms), generation, told: Told { trial, report } })
    }

    fn exchange(&self, number: usize, line: &str) -> Result<Exchanged, LogError> {
        let wrong = |what: String| LogError::Line { path: self.path.clone(), line: number, what };
        let ExchangeLine { exchange: ExchangeMade { at_ms, generation, migrants } } =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let read = |MigrantMade { from, edits, claim }| {
            Ok(Migrant { from, edits: self.edits(number, &edits)?, claim })
        };
        let migrants = migrants.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Exchanged { at: Duration::from_millis(at_ms), generation, migrants })
    }

    fn edits(&self, number: usize, lines: &[String]) -> Result<Vec<Edit>, LogError> {
        let text = format!("patch of {}\n{}", self.base, lines.concat());
        let patch: Result<Patch, _> = text.parse();
        let wrong = |what: String| LogError::Line { path: self.path.clone(), line: number, what };
        Ok(patch.map_err(|error| wrong(error.to_string()))?.edits)
    }

    /// Adds what was taken in from other islands: one line, which is there or not.
    pub(crate) fn add_exchange(&mut self, exchanged: &Exchanged) -> Result<(), LogError> {
        let written = |migrant: &Migrant| MigrantMade {
            from: migrant.from.clone(),
            edits: migrant.edits.iter().map(Edit::to_string).collect(),
            claim: migrant.claim,
        };
        let migrants = exchanged.migrants.iter().map(written).collect();
        let at_ms = exchanged.at.as_millis().try_into().unwrap_or(u64::MAX);
        self.write(&ExchangeLine {
            exchange: ExchangeMade { at_ms, generation: exchanged.generation, migrants },
        })
    }

    /// Adds what was told.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), LogError> {
        entries.iter().try_for_each(|Entry { at, generation, told }| {
            let Trial { id, purpose, ref edits } = told.trial;
            let edits = edits.iter().map(Edit::to_string).collect();
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
