//! What `train evolve` has written, read again.

use std::fs;
use std::path::{Path, PathBuf};

use nitro_core::{MAX_ARTIFACT_BYTES, files};
use serde::Deserialize;

use crate::finding::{Contract, Finding, Verdict};

/// Of the numbers of an evolution: hundreds of generations are some megabytes.
const MOST_BYTES: u64 = 256 << 20;

/// A patch that may be used.
#[derive(Debug)]
pub(super) struct Accepted {
    /// Of its files.
    pub(super) name: String,
    /// Among the findings, from 1.
    pub(super) number: usize,
    pub(super) finding: Finding,
    /// What it was found on.
    pub(super) on: Vec<String>,
    /// The whole patched text.
    pub(super) ptx: String,
}

/// What is asked of the numbers. Of what was refused nothing is: figures of it may be missing.
#[derive(Deserialize)]
struct Numbers {
    on: Vec<String>,
    findings: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Judged {
    verdict: Verdict,
}

/// The accepted patches in a folder with no larger error; a sentence where there is none.
pub(super) fn accepted(folder: &Path, max_error: f64) -> Result<Vec<Accepted>, String> {
    let numbers = folder.join("evolved.json");
    let wrong = |error: &dyn std::fmt::Display| {
        format!("{}: {error}; it is what `train evolve KERNEL.ptx` writes", numbers.display())
    };
    let bytes = files::read(&numbers, MOST_BYTES).map_err(|error| wrong(&error))?;
    let Numbers { on, findings } = serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
    let mut accepted = Vec::new();
    for (number, value) in (1..).zip(findings) {
        let Judged { verdict } = Judged::deserialize(&value).map_err(|error| wrong(&error))?;
        if is_within(&verdict, max_error) {
            let finding = serde_json::from_value(value).map_err(|error| wrong(&error))?;
            let (name, ptx) = text(folder, number)?;
            accepted.push(Accepted { name, number, finding, on: on.clone(), ptx });
        }
    }
    match accepted.is_empty() {
        true => Err(format!("{}: no patch was accepted{}", folder.display(), with_error(max_error))),
        false => Ok(accepted),
    }
}

fn is_within(verdict: &Verdict, most: f64) -> bool {
    match verdict {
        Verdict::Accepted(Contract::Exact) => true,
        Verdict::Accepted(Contract::Approx { max_error, .. }) => *max_error <= most,
        Verdict::Refused(_) => false,
    }
}

fn with_error(max_error: f64) -> String {
    match max_error > 0.0 {
        true => format!(" whose results are off by {max_error} at most"),
        false => " whose results are the original's".to_owned(),
    }
}

/// The file of the patched text without its ending, and the text.
fn text(folder: &Path, number: usize) -> Result<(String, String), String> {
    let file = ptx_file(folder, number)?;
    let text = files::read(&file, MAX_ARTIFACT_BYTES as u64).map_err(|error| error.to_string());
    let ptx = text.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    ptx.map(|ptx| (name, ptx)).map_err(|why| format!("{}: {why}", file.display()))
}

/// The file `NAME-NUMBER.ptx`, where NAME is whatever the kernel's file was called.
fn ptx_file(folder: &Path, number: usize) -> Result<PathBuf, String> {
    let unreadable = |error| format!("{}: {error}", folder.display());
    let ending = format!("-{number}.ptx");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        found.extend(name.ends_with(&ending).then(|| path.clone()));
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
