//! The files of `train evolve`, read again.

use std::fs;
use std::path::{Path, PathBuf};

use nitro_core::{MAX_ARTIFACT_BYTES, files};
use serde::Deserialize;

use crate::finding::{Contract, Finding, Verdict};

/// The most bytes of the numbers of an evolution: hundreds of generations take some megabytes.
const MOST_BYTES: u64 = 256 << 20;

/// A patch that may be used.
#[derive(Debug)]
pub(super) struct AcceptedPatch {
    /// The name of its files.
    pub(super) name: String,
    /// Its number among the findings, from 1.
    pub(super) number: usize,
    pub(super) finding: Finding,
    /// The devices that it was found on.
    pub(super) on: Vec<String>,
    /// The whole patched text.
    pub(super) ptx: String,
}

/// The numbers of an evolution. A refused finding may lack figures, so that its verdict alone is read.
#[derive(Deserialize)]
struct EvolvedFile {
    on: Vec<String>,
    findings: Vec<serde_json::Value>,
}

/// The verdict of a finding.
#[derive(Deserialize)]
struct FindingVerdict {
    verdict: Verdict,
}

/// Reads the accepted patches in a folder with no larger error.
///
/// # Errors
/// When there is none; with a sentence.
pub(super) fn accepted(folder: &Path, max_error: f64) -> Result<Vec<AcceptedPatch>, String> {
    let numbers = folder.join("evolved.json");
    let bytes = files::read(&numbers, MOST_BYTES).map_err(|error| wrong(&numbers, &error))?;
    let EvolvedFile { on, findings } =
        serde_json::from_slice(&bytes).map_err(|error| wrong(&numbers, &error))?;
    let mut accepted = Vec::new();
    for (number, value) in (1..).zip(findings) {
        let FindingVerdict { verdict } =
            FindingVerdict::deserialize(&value).map_err(|error| wrong(&numbers, &error))?;
        if is_within(&verdict, max_error) {
            let finding = serde_json::from_value(value).map_err(|error| wrong(&numbers, &error))?;
            let (name, ptx) = text(folder, number)?;
            accepted.push(AcceptedPatch { name, number, finding, on: on.clone(), ptx });
        }
    }
    match accepted.is_empty() {
        true => Err(format!("{}: no patch was accepted{}", folder.display(), with_error(max_error))),
        false => Ok(accepted),
    }
}

/// Says what the numbers of an evolution should be.
fn wrong(numbers: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}; it is what `train evolve KERNEL.ptx` writes", numbers.display())
}

/// Tells whether a patch was accepted with at most this error.
fn is_within(verdict: &Verdict, most: f64) -> bool {
    match verdict {
        Verdict::Accepted(Contract::Exact) => true,
        Verdict::Accepted(Contract::Approx { max_error, .. }) => *max_error <= most,
        Verdict::Refused(_) => false,
    }
}

/// Names an error in a sentence.
fn with_error(max_error: f64) -> String {
    match max_error > 0.0 {
        true => format!(" whose results are off by {max_error} at most"),
        false => " whose results are the original's".to_owned(),
    }
}

/// Reads the patched text. Returns also the name of its file without the ending.
fn text(folder: &Path, number: usize) -> Result<(String, String), String> {
    let file = ptx_file(folder, number)?;
    let text = files::read(&file, MAX_ARTIFACT_BYTES as u64).map_err(|error| error.to_string());
    let ptx = text.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    ptx.map(|ptx| (name, ptx)).map_err(|why| format!("{}: {why}", file.display()))
}

/// Finds the file `NAME-NUMBER.ptx`, where NAME is whatever the kernel's file was called.
fn ptx_file(folder: &Path, number: usize) -> Result<PathBuf, String> {
    let ending = format!("-{number}.ptx");
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    for entry in entries.map_err(|error| format!("{}: {error}", folder.display()))? {
        if entry.file_name().to_string_lossy().ends_with(&ending) {
            found.push(entry.path());
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([file]) => Ok(file),
        Err(found) => Err(format!(
            "{} has {} files *{ending}, and one is needed: let `train evolve` write the folder again",
            folder.display(),
            found.len()
        )),
    }
}
