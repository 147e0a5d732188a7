//! The entries of a cache.

use serde_json::value::RawValue;

use super::entry::{KeyedEntries, Lines, part, rows};
use super::field::{Field, Fields};
use super::row::{Timing, failed, values};
use super::tuning::Row;
use super::wrong::Wrong;
use crate::printable::excerpt;

/// The time of a failed configuration in files of versions before 0.4.
const NEVER_MS: f64 = 1e20;

/// Reads the object of all entries, which is a part of the text.
pub(super) fn entries(object: &RawValue, text: &str, parameters: &[String]) -> Result<Vec<Row>, Wrong> {
    let KeyedEntries(entries) = part(object, text)?;
    let entries =
        entries.into_iter().map(|(key, entry)| (format!("configuration `{}`", excerpt(&key)), entry));
    rows(entries, &mut Lines::of(text), |entry: Fields| row(parameters, &entry))
}

fn row(parameters: &[String], entry: &Fields) -> Result<Row, String> {
    let values = values(parameters, entry)?;
    if let Some(Field::Text(reason)) = entry.get("__error__") {
        return Ok(failed(values, reason));
    }
    match entry.get("time") {
        Some(Field::Text(reason)) => Ok(failed(values, reason)),
        Some(Field::Null) => Ok(failed(values, "its time is not a number")),
        Some(Field::Number(ms)) if ms.as_f64().is_some_and(|ms| ms >= NEVER_MS) => {
            Ok(failed(values, "it failed"))
        }
        Some(Field::Number(ms)) => {
            let repeats_ns = entry.get("times").map(|times| times.numbers(1e6)).unwrap_or_default();
            Timing { time: ms.as_f64().unwrap_or(f64::NAN), unit_ns: 1e6, repeats_ns }.row(values)
        }
        Some(_) => Err("has a `time` that is neither a number nor a text; correct it".to_owned()),
        None => Err("has no `time`; only what was tuned for time can be taken".to_owned()),
    }
}
