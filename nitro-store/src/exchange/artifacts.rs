//! The file of generated code: a JSON object a line, with digest and text.

use std::fmt::Write as _;

use nitro_core::{Artifact, MAX_ARTIFACT_BYTES};
use serde::{Deserialize, Serialize};

use super::error::{ImportError, Problem};
use crate::recordings::Recordings;

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    artifact: String,
    text: String,
}

/// Reads the file into recordings.
pub(super) fn read(file: &str, text: &str, into: &mut Recordings) -> Result<(), ImportError> {
    for (line, own) in (1..).zip(text.lines()).filter(|(_, own)| !own.trim().is_empty()) {
        let wrong = |problem| ImportError::Row { file: file.to_owned(), line, problem };
        let (artifact, text) = parse(own).map_err(wrong)?;
        if into.artifacts.insert(artifact, text).is_some() {
            return Err(wrong(Problem::Repeated { key: format!("artifact `{artifact}`") }));
        }
    }
    Ok(())
}

fn parse(line: &str) -> Result<(Artifact, String), Problem> {
    let Line { artifact, text } =
        serde_json::from_str(line).map_err(|error| Problem::NotAnArtifact { why: error.to_string() })?;
    if text.len() > MAX_ARTIFACT_BYTES {
        return Err(Problem::LongArtifact { bytes: text.len() });
    }
    let found = Artifact::of(&text);
    match artifact == found.to_string() {
        true => Ok((found, text)),
        false => Err(Problem::OtherArtifact { artifact, found }),
    }
}

/// The file.
pub(super) fn text(recordings: &Recordings) -> String {
    let mut lines = String::new();
    for (artifact, text) in &recordings.artifacts {
        let line = serde_json::json!(Line { artifact: artifact.to_string(), text: text.clone() });
        let _ = writeln!(lines, "{line}"); // to a string, which takes everything
    }
    lines
}
