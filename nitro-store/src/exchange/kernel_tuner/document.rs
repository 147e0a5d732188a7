//! The outer object of a file, which tells a cache from results, and what both say of device, kernel and problem.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde_json::Value;
use serde_json::value::RawValue;

use super::field::{Field, Fields};
use super::ktt::{self, Ktt};
use super::tuning::{Row, Tuning};
use super::units::ns_per;
use super::wrong::{Wrong, wrong};
use super::{cache, results};
use crate::printable::excerpt;

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
    #[serde(borrow, rename = "Results")]
    ktt_results: Option<&'t RawValue>,
    #[serde(default, rename = "Metadata")]
    ktt_metadata: KttMetadata,
}

/// The head of KTT's own files.
#[derive(Default, Deserialize)]
#[serde(expecting = "an object", rename_all = "PascalCase")]
struct KttMetadata {
    device: Option<Field>,
    time_unit: Option<Field>,
}

/// The optional head of results.
#[derive(Default, Deserialize)]
#[serde(expecting = "an object")]
struct Metadata<'t> {
    device_name: Option<Field>,
    /// The name that KTT has for the device.
    device: Option<Field>,
    kernel_name: Option<Field>,
    #[serde(borrow)]
    problem_size: Option<&'t RawValue>,
    timeunit: Option<Field>,
}

const NEITHER: &str = "this is neither a cache of Kernel Tuner, which has `cache`, nor T4 results, which have \
                       `results`, nor results of KTT, which have `Results`; name one of these";

impl<'t> Document<'t> {
    pub(super) fn read(text: &'t str) -> Result<Self, Wrong> {
        serde_json::from_str(text).map_err(|error| wrong(&error, 0))
    }

    /// `text` is what the document was read from.
    pub(super) fn tuned(self, file: &str, text: &str) -> Result<Tuning, Wrong> {
        let (kernel, parameters, rows) = match (self.cache, self.results, self.ktt_results) {
            (Some(entries), None, None) => self.entries(entries, text)?,
            (None, Some(list), None) => self.listed(list, text)?,
            (None, None, Some(list)) => self.of_ktt(list, text)?,
            (None, None, None) => return Err((1, NEITHER.to_owned())),
            _ => {
                return Err((
                    1,
                    "this has more than one of `cache`, `results` and `Results`; leave one".to_owned(),
                ));
            }
        };
        if rows.is_empty() {
            return Err((1, "no configuration was measured; let the tuner run first".to_owned()));
        }
        let size = self.problem_size.or(self.metadata.problem_size);
        let (metadata, ktt) = (&self.metadata, &self.ktt_metadata);
        let device = [&self.device_name, &metadata.device_name, &metadata.device, &ktt.device];
        Ok(Tuning {
            file: file.to_owned(),
            device: name(device).unwrap_or_else(|| stem(file)),
            kernel: kernel
                .or_else(|| name([&self.kernel_name, &metadata.kernel_name]))
                .unwrap_or_else(|| "kernel".to_owned()),
            size: size.map_or_else(Vec::new, extents),
            parameters,
            rows,
        })
    }

    fn entries(&self, entries: &RawValue, text: &str) -> Result<Read, Wrong> {
        let parameters = match (&self.tune_params_keys, &self.tune_params) {
            (Some(names), _) => names.clone(),
            (None, Some(fields)) => fields.0.iter().map(|(name, _)| name.clone()).collect(),
            (None, None) => {
                return Err((1, "the parameters are not named; add `tune_params_keys`".to_owned()));
            }
        };
        let rows = cache::entries(entries, text, &parameters)?;
        Ok((None, parameters, rows))
    }

    fn listed(&self, list: &RawValue, text: &str) -> Result<Read, Wrong> {
        let (parameters, rows) = results::results(list, text, unit_ns(&self.metadata.timeunit)?)?;
        Ok((None, parameters, rows))
    }

    fn of_ktt(&self, list: &RawValue, text: &str) -> Result<Read, Wrong> {
        let Some(unit_ns) = unit_ns(&self.ktt_metadata.time_unit)? else {
            let what = "the unit of the times is not named; add `TimeUnit` to `Metadata`";
            return Err((1, what.to_owned()));
        };
        let Ktt { kernel, parameters, rows } = ktt::results(list, text, unit_ns)?;
        Ok((Some(kernel).filter(|name| !name.is_empty()), parameters, rows))
    }
}

/// The kernel, where entries name it, the parameters and the rows.
type Read = (Option<String>, Vec<String>, Vec<Row>);

fn unit_ns(unit: &Option<Field>) -> Result<Option<f64>, Wrong> {
    match unit {
        Some(Field::Text(unit)) => ns_per(unit).map_err(|what| (1, what)),
        _ => Ok(None),
    }
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

/// Returns the name of a file without its folder and endings.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let packed = [".gz", ".xz", ".zip"].into_iter().find_map(|ending| name.strip_suffix(ending));
    let mut name = packed.unwrap_or(name);
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
    match &value {
        Value::Array(list) => list.iter().map(extent).collect::<Option<_>>().unwrap_or_default(),
        single => extent(single).into_iter().collect(),
    }
}

fn extent(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text != "callable" => Some(excerpt(text)),
        Value::Number(_) => Field::deserialize(value.into_deserializer()).ok()?.text(),
        _ => None,
    }
}
