//! The list of T4 results.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::Row;
use super::field::{Field, Fields};
use super::row::{Timed, failed, values};
use super::units::ns_per;
use crate::printable::excerpt;

/// Reads the list; the parameters are those of the first result.
pub(super) struct Results<'p> {
    pub(super) parameters: &'p mut Vec<String>,
    /// Nanoseconds in the unit that the file's metadata names.
    pub(super) unit: Option<f64>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object a result")]
struct Entry {
    configuration: Fields,
    invalidity: String,
    #[serde(default)]
    measurements: Vec<Measurement>,
    #[serde(default)]
    objectives: Vec<String>,
    #[serde(default)]
    times: Times,
}

#[derive(Deserialize)]
struct Measurement {
    name: String,
    value: Field,
    #[serde(default)]
    unit: String,
}

#[derive(Default, Deserialize)]
struct Times {
    runtimes: Option<Field>,
}

impl<'de> DeserializeSeed<'de> for Results<'_> {
    type Value = Vec<Row>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Row>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Results<'_> {
    type Value = Vec<Row>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of results")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Row>, A::Error> {
        let mut rows = Vec::new();
        while let Some(entry) = list.next_element::<Entry>()? {
            if rows.is_empty() {
                *self.parameters = entry.configuration.0.iter().map(|(name, _)| name.clone()).collect();
            }
            let row = entry.row(self.parameters, self.unit);
            rows.push(
                row.map_err(|what| Error::custom(format!("result {} ({entry}) {what}", rows.len() + 1)))?,
            );
        }
        Ok(rows)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(name, field): &(String, Field)| format!("{name}={}", field.text().unwrap_or_default());
        let text = self.configuration.0.iter().map(one).collect::<Vec<_>>().join(",");
        formatter.write_str(&excerpt(&text))
    }
}

impl Entry {
    fn row(&self, parameters: &[String], unit: Option<f64>) -> Result<Row, String> {
        let values = values(parameters, &self.configuration)?;
        if self.configuration.0.len() != parameters.len() {
            return Err(
                "has more parameters than the first result; leave out those that it does not have".to_owned()
            );
        }
        if self.invalidity != "correct" {
            return Ok(failed(values, &self.invalidity));
        }
        let (time, own_unit) = self.time()?;
        let default_unit = unit.unwrap_or(1e6);
        let own_unit = own_unit.unwrap_or(default_unit);
        // Of the repeats only the file says the unit.
        let scale = default_unit / own_unit;
        let repeats = self.times.runtimes.as_ref().map(|runtimes| scaled(runtimes, scale));
        Timed { time, repeats: repeats.as_ref(), ns_per: own_unit }.row(values)
    }

    /// The time and its unit, where it has one of its own.
    fn time(&self) -> Result<(f64, Option<f64>), String> {
        let named = |name: &str| self.measurements.iter().find(|one| one.name == name);
        let is_time = |one: &&Measurement| matches!(ns_per(&one.unit), Ok(Some(_)));
        let objective = self.objectives.iter().find_map(|name| named(name).filter(is_time));
        let one = named("time")
            .or(objective)
            .ok_or("has no measurement `time`; only what was tuned for time can be taken")?;
        let value = one.value.number().ok_or("has a time that is not a number; correct it")?;
        Ok((value, ns_per(&one.unit)?))
    }
}

fn scaled(field: &Field, scale: f64) -> Field {
    match field {
        Field::Numbers(numbers) => Field::Numbers(numbers.iter().map(|number| number * scale).collect()),
        other => other.clone(),
    }
}
