//! The list of T4 results.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::entry::{Lines, part, rows};
use super::field::{Field, Fields};
use super::row::{Timing, failed, values};
use super::tuning::Row;
use super::units::ns_per;
use super::wrong::Wrong;
use crate::printable::excerpt;

/// The unit of Kernel Tuner, for times without one.
const MILLISECOND_NS: f64 = 1e6;

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

/// Reads the list of results, which is a part of the text; the parameters are those of the first. `unit` is what the
/// file's metadata names, in nanoseconds.
pub(super) fn results(
    list: &RawValue,
    text: &str,
    unit: Option<f64>,
) -> Result<(Vec<String>, Vec<Row>), Wrong> {
    let entries: Vec<&RawValue> = part(list, text)?;
    let called = (1..).map(|number| format!("result {number}"));
    let mut parameters: Option<Vec<String>> = None;
    let rows = rows(called.zip(entries), &mut Lines::of(text), |entry: Entry| {
        let parameters = parameters
            .get_or_insert_with(|| entry.configuration.0.iter().map(|(name, _)| name.clone()).collect());
        let row = entry.row(parameters, unit);
        row.map_err(|what| format!("({entry}) {what}"))
    })?;
    Ok((parameters.unwrap_or_default(), rows))
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.configuration.0.iter();
        let texts: Vec<String> =
            fields.map(|(name, field)| format!("{name}={}", field.text().unwrap_or_default())).collect();
        formatter.write_str(&excerpt(&texts.join(",")))
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
        // Repeats have no unit of their own: that of the file, or else that of the time.
        let repeats_unit = unit.or(own_unit).unwrap_or(MILLISECOND_NS);
        let repeats_ns = self.times.runtimes.as_ref().map(|runtimes| runtimes.numbers(repeats_unit));
        let unit_ns = own_unit.or(unit).unwrap_or(MILLISECOND_NS);
        Timing { time, unit_ns, repeats_ns: repeats_ns.unwrap_or_default() }.row(values)
    }

    /// The time and its unit, where it has one of its own.
    fn time(&self) -> Result<(f64, Option<f64>), String> {
        let objectives = self.objectives.iter().filter_map(|name| self.named(name));
        let mut times = objectives.filter(|one| matches!(ns_per(&one.unit), Ok(Some(_))));
        let one = self
            .named("time")
            .or_else(|| times.next())
            .ok_or("has no measurement `time`; only what was tuned for time can be taken")?;
        let value = one.value.number().ok_or("has a time that is not a number; correct it")?;
        Ok((value, ns_per(&one.unit)?))
    }

    fn named(&self, name: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|one| one.name == name)
    }
}
