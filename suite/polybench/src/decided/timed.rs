//! Files of what points took, and of what a device does at most.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use nitro_decide::{DecidedSpace, Rates};
use nitro_search::{Evaluation, Failure};
use serde::{Deserialize, Serialize};

/// A line of results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timed {
    /// Kernel, sizes and tiles.
    pub space: String,
    /// What was decided, as [`DecidedSpace::show`] says it, on one line. As a text it outlives changes of the
    /// space: what it does not speak of is the first of what there is.
    pub point: String,
    /// The median of its runs; none: it does not run, or gives something else.
    pub time_ns: Option<f64>,
    /// All runs.
    pub times_ns: Vec<f64>,
    /// Of a thread.
    pub registers: u32,
    /// Of a block.
    pub shared_bytes: u32,
    /// Of a thread.
    pub spill_bytes: u32,
    /// Why it has no time.
    pub error: Option<String>,
}

type Failed = Box<dyn std::error::Error>;

impl Timed {
    /// What a search is told of it.
    #[must_use]
    pub fn evaluation(&self) -> Evaluation {
        self.time_ns.map_or(Evaluation::Failed(Failure::Launch), Evaluation::TimeNs)
    }
}

/// A point as results name it.
pub(super) fn line(space: &DecidedSpace, values: &[usize]) -> String {
    space.show(values).trim_end().replace('\n', "; ")
}

/// The results of the space of this name in a file, plain or `.gz`, if there is one, each with the values of its
/// point; what is half a line of a run that was ended is passed over.
///
/// # Errors
/// When the file cannot be read, a line is no result, or its point is none of the space.
pub fn read(path: &Path, name: &str, space: &DecidedSpace) -> Result<Vec<(Vec<usize>, Timed)>, Failed> {
    let text = if path.exists() { text(path)? } else { String::new() };
    parse(&text, &path.display().to_string(), name, space)
}

/// Returns the points of the space of this name that ship with their times on an H200, in nanoseconds.
///
/// # Panics
/// When what ships is damaged.
#[must_use]
pub fn shipped(name: &str, space: &DecidedSpace) -> Vec<(Vec<usize>, f64)> {
    let mut text = String::new();
    let packed = include_bytes!("../../measured/decided-h200.jsonl.gz");
    MultiGzDecoder::new(&packed[..]).read_to_string(&mut text).expect("it is gzip");
    let found = parse(&text, "what ships", name, space).expect("a line is a result");
    found.into_iter().filter_map(|(values, timed)| Some((values, timed.time_ns?))).collect()
}

fn parse(
    text: &str,
    file: &str,
    name: &str,
    space: &DecidedSpace,
) -> Result<Vec<(Vec<usize>, Timed)>, Failed> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = || format!("{file}, line {}", index + 1);
        match serde_json::from_str::<Timed>(line) {
            Ok(timed) if timed.space == name => {
                let values = space.parse(&timed.point);
                let values = values.map_err(|error| format!("{}: no point of {name}: {error}", at()))?;
                found.push((values, timed));
            }
            Ok(_) => {}
            Err(error) if error.is_eof() => {}
            Err(error) => return Err(format!("{}: no result: {error}", at()).into()),
        }
    }
    Ok(found)
}

/// What a device does at most, from the file that the example `rates` of `nitro-variants-cuda` writes.
///
/// # Errors
/// When the file cannot be read, or lacks what no time can be bounded without.
pub fn rates(path: &Path) -> Result<Rates, Failed> {
    let features: BTreeMap<String, f64> = serde_json::from_str(&text(path)?)
        .map_err(|error| format!("{}, line {}: {error}", path.display(), error.line()))?;
    let rates = Rates::from_features(|name| features.get(name).copied());
    Ok(rates.map_err(|error| format!("{}: {error}", path.display()))?)
}

fn text(path: &Path) -> Result<String, Failed> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text = String::new();
    let is_packed = path.extension() == Some(OsStr::new("gz"));
    let read = match is_packed {
        true => MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text),
        false => (&bytes[..]).read_to_string(&mut text),
    };
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text)
}
