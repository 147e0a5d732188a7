//! The entries of a file, each with the line that it begins on.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::tuning::Row;
use super::wrong::{Wrong, wrong};
use crate::printable::excerpt;

/// An object of entries by key; a key that is there twice is refused on its line.
pub(super) struct KeyedEntries<'t>(pub(super) Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for KeyedEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = KeyedEntries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object with one entry a configuration")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeyedEntries<'de>, A::Error> {
                let mut entries = Vec::new();
                let mut keys = crate::unique::Keys::default();
                while let Some(key) = map.next_key::<String>()? {
                    keys.add(&key)?;
                    entries.push((key, map.next_value()?));
                }
                Ok(KeyedEntries(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

/// Lines of a text, counted from one place to the next.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Up to where lines were counted, and how many ended there.
    counted: (usize, usize),
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, counted: (0, 0) }
    }

    /// Counts the lines that end before this part of the text. Parts have to be asked for in their order.
    pub(super) fn before(&mut self, part: &RawValue) -> usize {
        let start = part.get().as_ptr().addr() - self.text.as_ptr().addr();
        let (from, lines) = self.counted;
        let between = self.text.as_bytes().get(from..start).unwrap_or_default();
        self.counted = (start, lines + between.iter().filter(|&&byte| byte == b'\n').count());
        self.counted.1
    }
}

/// Reads entries one by one; `row` makes one of the value and of what messages call it.
pub(super) fn rows<'e, T: DeserializeOwned>(
    entries: impl IntoIterator<Item = (String, &'e RawValue)>,
    lines: &mut Lines<'_>,
    mut row: impl FnMut(T) -> Result<Row, String>,
) -> Result<Vec<Row>, Wrong> {
    let mut rows = Vec::new();
    for (called, entry) in entries {
        let lines_before = lines.before(entry);
        let value = serde_json::from_str(entry.get()).map_err(|error| wrong(&error, lines_before))?;
        let mut row =
            row(value).map_err(|what| (lines_before + 1, format!("{} {what}", excerpt(&called))))?;
        row.line = lines_before + 1;
        rows.push(row);
    }
    Ok(rows)
}

/// A part of the text read by itself; what is wrong has its line in the whole text.
pub(super) fn part<'t, T: Deserialize<'t>>(part: &'t RawValue, text: &str) -> Result<T, Wrong> {
    serde_json::from_str(part.get()).map_err(|error| wrong(&error, Lines::of(text).before(part)))
}
