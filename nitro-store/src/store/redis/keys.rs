//! Keys in Redis, and the text of their values.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::Result;
use crate::exact::Exact;
use crate::printable::printable;
use crate::recordings::{Meanings, Measurement, Outcome};
use crate::store::parts::PartText;
use crate::store::{ChoiceName, Evaluated, Row, StoreError};
use crate::unique;

pub(super) const FORMAT: &str = "nitro:format";
pub(super) const FUNCTIONS: &str = "nitro:functions";
pub(super) const SEARCHES: &str = "nitro:searches";
pub(super) const DEVICES: &str = "nitro:devices";

pub(super) fn inputs(function: &str) -> String {
    format!("nitro:inputs:{function}")
}

pub(super) fn spaces(function: &str) -> String {
    format!("nitro:spaces:{function}")
}

pub(super) fn artifacts(function: &str) -> String {
    format!("nitro:artifacts:{function}")
}

/// The two names are a JSON list, since both may contain any separator.
pub(super) fn measurements(function: &str, device: &str) -> String {
    format!("nitro:measurements:{}", json(&(function, device)))
}

/// The beginning of the keys of evaluations; function and device follow.
pub(super) const EVALUATIONS: &str = "nitro:evaluations:";

pub(super) fn evaluations(function: &str, device: &str) -> String {
    format!("{EVALUATIONS}{}", json(&(function, device)))
}

pub(super) fn feature_times(function: &str, device: &str) -> String {
    format!("nitro:feature-times:{}", json(&(function, device)))
}

/// Measurements that are to be made again.
pub(super) fn due(function: &str, device: &str) -> String {
    format!("nitro:due:{}", json(&(function, device)))
}

/// Returns the key of a lease: a string that expires, with the owner.
pub(super) fn claim(function: &str, device: &str, input: &str) -> String {
    format!("nitro:claim:{}", json(&(function, device, input)))
}

/// Field of one measurement: input, variant, configuration.
pub(super) type MeasurementField = (String, String, String);

pub(super) fn measurement_field(input: &str, choice: ChoiceName<'_>) -> String {
    json(&(input, choice.variant, choice.configuration))
}

/// Value of one function.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Schema {
    pub(super) variants: Vec<String>,
    pub(super) default_variant: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) default_configuration: String,
    pub(super) features: Vec<String>,
    #[serde(default, skip_serializing_if = "Meanings::is_unknown")]
    pub(super) meanings: Meanings,
}

/// Value of one device or input.
pub(super) type Features = BTreeMap<String, Exact>;

/// Value of one measurement or evaluation.
#[derive(Serialize, Deserialize)]
pub(super) struct MeasurementValue {
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ns: Option<Exact>,
    spread_ns: Exact,
    repeats: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    load: Option<Exact>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartText>,
}

impl MeasurementValue {
    pub(super) fn of(row: &Row<'_>) -> Self {
        Self {
            outcome: row.outcome.name().to_owned(),
            time_ns: row.outcome.time_ns().map(Exact),
            spread_ns: Exact(row.spread_ns),
            repeats: row.repeats,
            load: row.load.map(Exact),
            reason: row.reason.to_owned(),
            parts: row.parts.iter().map(PartText::of).collect(),
        }
    }

    /// `None` if outcome and time contradict each other.
    pub(super) fn at(self, input: usize, variant: usize, configuration: String) -> Option<Measurement> {
        let Evaluated { outcome, spread_ns, repeats, load, reason, parts: _ } = self.evaluated()?;
        let device = 0;
        Some(Measurement { device, input, variant, configuration, outcome, spread_ns, repeats, load, reason })
    }

    /// `None` if outcome and time contradict each other.
    pub(super) fn evaluated(self) -> Option<Evaluated> {
        let Self { outcome, time_ns, spread_ns: Exact(spread_ns), repeats, load, reason, parts } = self;
        let outcome = Outcome::from_name(&outcome, time_ns.map(|Exact(time_ns)| time_ns))?;
        let parts = parts.into_iter().map(PartText::part).collect();
        let load = load.map(|Exact(load)| load);
        Some(Evaluated { outcome, spread_ns, repeats, load, reason, parts })
    }
}

/// # Panics
///
/// Never: maps with text keys, lists and finite numbers always have a JSON form.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}

pub(super) fn parse<T: DeserializeOwned>(location: &str, key: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| damaged(location, key, &error.to_string()).into())
}

/// Reads numbers by name as [`parse`] does, each there once.
pub(super) fn parse_features(location: &str, key: &str, text: &str) -> Result<Features> {
    parse(location, key, text).map(|unique::Map(features)| features)
}

pub(super) fn damaged(location: &str, key: &str, reason: &str) -> StoreError {
    let detail = printable(&format!("key {key}: {reason}")).into_owned();
    StoreError::Damaged { location: location.to_owned(), detail }
}
