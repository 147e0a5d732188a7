//! The entries of a cache.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::Row;
use super::field::{Field, Fields};
use super::row::{Timed, failed, values};
use crate::printable::excerpt;

/// Reads the object of all entries.
pub(super) struct Entries<'p> {
    pub(super) parameters: &'p [String],
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = Vec<Row>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Row>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = Vec<Row>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with one entry a configuration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Row>, A::Error> {
        let mut rows = Vec::new();
        while let Some((key, entry)) = map.next_entry::<String, Fields>()? {
            let row = row(self.parameters, &entry);
            rows.push(
                row.map_err(|what| Error::custom(format!("configuration `{}` {what}", excerpt(&key))))?,
            );
        }
        Ok(rows)
    }
}

/// What versions before 0.4 wrote as the time of what failed.
const NEVER_MS: f64 = 1e20;

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
            let repeats = entry.get("times");
            Timed { time: ms.as_f64().unwrap_or(f64::NAN), repeats, ns_per: 1e6 }.row(values)
        }
        Some(_) => Err("has a `time` that is neither a number nor a text; correct it".to_owned()),
        None => Err("has no `time`; only what was tuned for time can be taken".to_owned()),
    }
}
