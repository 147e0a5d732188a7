//! Units as their names in JSON, for `#[serde(with)]`. The run time itself compiles no serde.

use std::collections::BTreeMap;

use nitro_core::Unit;
use serde::de::Error;
use serde::{Deserializer, Serializer};

use crate::unique;

/// Serializes the units of features.
pub fn serialize<S: Serializer>(units: &BTreeMap<String, Unit>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(units.iter().map(|(feature, unit)| (feature, unit.name())))
}

/// Deserializes the units of features, each of which is there once.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Unit>, D::Error> {
    let names: BTreeMap<String, String> = unique::map(deserializer)?;
    names.into_iter().map(|(feature, unit)| Ok((feature, unit.parse().map_err(D::Error::custom)?))).collect()
}
