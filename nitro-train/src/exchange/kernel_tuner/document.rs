//! The outer object of a file, which tells a cache from results, and what both say of device, kernel and problem.

use serde::Deserialize;
use serde::de::{DeserializeSeed, IntoDeserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::cache::Entries;
use super::field::{Field, Fields};
use super::results::Results;
use super::units::ns_per;
use super::{Row, Tuned};
use crate::printable::{excerpt, printable};

/// A line of the file, and what is wrong there.
pub(super) type Wrong = (usize, String);

#[derive(Deserialize)]
#[serde(expecting = "the object of a cache file or of T4 results")]
pub(super) struct Document<'t> {
    device_name: Option<Field>,
    kernel_name: Option<Field>,
    #[serde(borrow)]
    problem_size: Option<&'t RawValue>,
    tune_params_keys: Option<Vec<String>>,
    tune_params: Option<Fields>,
    #[serde(borrow)]
    cache: Option<&'t RawValue>,
    #[serde(borrow)]
    results: Option<&'t RawValue>,
    #[serde(default)]
    metadata: Metadata<'t>,
}

/// What results may say of themselves.
#[derive(Default, Deserialize)]
#[serde(expecting = "an object")]
struct Metadata<'t> {
    device_name: Option<Field>,
    kernel_name: Option<Field>,
    #[serde(borrow)]
    problem_size: Option<&'t RawValue>,
    timeunit: Option<Field>,
}

const NEITHER: &str = "this is neither a cache of Kernel Tuner, which has `cache`, nor T4 results, which have `results`; \
                       name one of these";

impl<'t> Document<'t> {
    pub(super) fn read(text: &'t str) -> Result<Self, Wrong> {
        serde_json::from_str(text).map_err(|error| wrong(&error, 0))
    }

    /// `text` is what the document was read from.
    pub(super) fn tuned(self, file: &str, text: &str) -> Result<Tuned, Wrong> {
        let (parameters, rows) = match (self.cache, self.results) {
            (Some(entries), None) => self.entries(entries, text)?,
            (None, Some(list)) => self.listed(list, text)?,
            (Some(_), Some(_)) => {
                return Err((1, "this has both `cache` and `results`; leave one".to_owned()));
            }
            (None, None) => return Err((1, NEITHER.to_owned())),
        };
        if rows.is_empty() {
            return Err((1, "no configuration was measured; let Kernel Tuner run first".to_owned()));
        }
        let size = self.problem_size.or(self.metadata.problem_size);
        Ok(Tuned {
            file: file.to_owned(),
            device: name([&self.device_name, &self.metadata.device_name]).unwrap_or_else(|| stem(file)),
            kernel: name([&self.kernel_name, &self.metadata.kernel_name])
                .unwrap_or_else(|| "kernel".to_owned()),
            size: size.map_or_else(Vec::new, extents),
            parameters,
            rows,
        })
    }

    fn entries(&self, entries: &RawValue, text: &str) -> Result<(Vec<String>, Vec<Row>), Wrong> {
        let all = |fields: &Fields| fields.0.iter().map(|(name, _)| name.clone()).collect();
        let known = self.tune_params_keys.clone().or_else(|| self.tune_params.as_ref().map(all));
        let parameters =
            known.ok_or_else(|| (1, "the parameters are not named; add `tune_params_keys`".to_owned()))?;
        let rows = part(entries, text, Entries { parameters: &parameters })?;
        Ok((parameters, rows))
    }

    fn listed(&self, list: &RawValue, text: &str) -> Result<(Vec<String>, Vec<Row>), Wrong> {
        let unit = match &self.metadata.timeunit {
            Some(Field::Text(unit)) => ns_per(unit).map_err(|what| (1, what))?,
            _ => None,
        };
        let mut parameters = Vec::new();
        let rows = part(list, text, Results { parameters: &mut parameters, unit })?;
        Ok((parameters, rows))
    }
}

/// A part of the text read by itself; what is wrong has its line in the whole text.
fn part<'t, S: DeserializeSeed<'t>>(part: &'t RawValue, text: &str, seed: S) -> Result<S::Value, Wrong> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    let lines_before = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
    let mut reader = serde_json::Deserializer::from_str(part.get());
    seed.deserialize(&mut reader).map_err(|error| wrong(&error, lines_before))
}

/// Without the place in the message, of which the line is told apart, and no longer than anybody reads.
fn wrong(error: &serde_json::Error, lines_before: usize) -> Wrong {
    const MAX_CHARS: usize = 300;
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let what: String = printable(what).chars().take(MAX_CHARS).collect();
    let what = match error.classify() {
        serde_json::error::Category::Eof => {
            format!("the file ends in the middle of an entry; remove that entry ({what})")
        }
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            format!("this is not JSON: {what}")
        }
        serde_json::error::Category::Data => what,
    };
    (lines_before + error.line().max(1), what)
}

/// The first of these names that says something.
fn name<const N: usize>(fields: [&Option<Field>; N]) -> Option<String> {
    fields.into_iter().flatten().find_map(|field| match field {
        Field::Text(text) => {
            Some(text.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
        }
        _ => None,
    })
}

/// What the file is called, without its folder and endings.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let mut name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".xz")).unwrap_or(name);
    for ending in [".json", "_T4", "-T4", "_results", "-results", "_cache", "-cache"] {
        name = name.strip_suffix(ending).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    name.to_owned()
}

/// The extents of a problem; none of a size that is computed by a program.
fn extents(size: &RawValue) -> Vec<String> {
    const MAX_BYTES: usize = 1000;
    let value = match size.get() {
        text if text.len() <= MAX_BYTES => serde_json::from_str(text).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    let one = |value: &Value| match value {
        Value::String(text) if text != "callable" => Some(excerpt(text)),
        Value::Number(_) => Field::deserialize(value.into_deserializer()).ok()?.text(),
        _ => None,
    };
    match &value {
        Value::Array(list) => list.iter().map(one).collect::<Option<_>>().unwrap_or_default(),
        single => one(single).into_iter().collect(),
    }
}
