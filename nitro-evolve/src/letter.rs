//! What islands leave for each other: patches as text, and what they claim.

use nitro_codegen::ptx::{Base, Edit, Patch};
use nitro_search::evolve::{Evolution, Fitness};
use serde::{Deserialize, Serialize};

use crate::island::Migrant;
use crate::subject::Subject;

/// The most edits of a patch that is taken in.
const MOST_EDITS: usize = 256;
/// The most bytes of one, as text.
const MOST_PATCH_BYTES: usize = 64 << 10;

/// The most bytes of all that are left or taken in at once: those are one post, and these one line of the log.
pub(crate) const MOST_BYTES: usize = 384 << 10;

/// What an island leaves: its best, the best first.
#[derive(Serialize, Deserialize)]
struct Letter {
    generation: usize,
    on: Vec<String>,
    migrants: Vec<Written>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    patch: String,
    time_ns: f64,
    error: f64,
}

/// A patch with its length as text, or why it is refused.
pub(crate) type Read = Result<(Migrant, usize), String>;

/// Up to so many of the best of an evolution.
pub(crate) fn write(subject: &Subject, evolution: &Evolution<&Base>, on: &[String], count: usize) -> String {
    let mut bytes = 0;
    let written = |(edits, Fitness { time_ns, error }): (&[Edit], Fitness)| {
        let patch = subject.base().patch(edits).to_string();
        let is_small = edits.len() <= MOST_EDITS && patch.len() <= MOST_PATCH_BYTES.min(MOST_BYTES - bytes);
        bytes += if is_small { patch.len() } else { 0 };
        is_small.then_some(Written { patch, time_ns, error })
    };
    let migrants = evolution.best(count).into_iter().filter_map(written).collect();
    let letter = Letter { generation: evolution.generation(), on: on.to_vec(), migrants };
    serde_json::to_string(&letter).unwrap_or_default()
}

/// Up to so many patches of what an island has left.
pub(crate) fn read(text: &str, subject: &Subject, island: &str, count: usize) -> Result<Vec<Read>, String> {
    let letter: Letter =
        serde_json::from_str(text).map_err(|error| format!("what it left is no list of patches: {error}"))?;
    let read = |(number, written): (usize, Written)| {
        let length = written.patch.len();
        let migrant = migrant(subject, island, written);
        migrant.map(|own| (own, length)).map_err(|why| format!("patch {number}: {why}"))
    };
    Ok((1..).zip(letter.migrants).take(count).map(read).collect())
}

/// A patch that can be made here.
fn migrant(subject: &Subject, island: &str, written: Written) -> Result<Migrant, String> {
    let Written { patch, time_ns, error } = written;
    if patch.len() > MOST_PATCH_BYTES {
        return Err(format!("it has {} bytes, and {MOST_PATCH_BYTES} are read", patch.len()));
    }
    let patch: Patch = patch.parse().map_err(|error| format!("{error}"))?;
    let mut edits = subject.base().check(&patch).map_err(|error| error.to_string())?.edits.clone();
    if edits.len() > MOST_EDITS {
        return Err(format!("it has {} edits, and {MOST_EDITS} are taken", edits.len()));
    }
    if !(time_ns >= 0.0 && error >= 0.0) {
        return Err("its time or error is below 0".to_owned());
    }
    edits.sort();
    edits.dedup();
    subject.candidate(&edits).map_err(|error| error.to_string())?;
    Ok(Migrant { from: island.to_owned(), edits, claim: Fitness { time_ns, error } })
}
