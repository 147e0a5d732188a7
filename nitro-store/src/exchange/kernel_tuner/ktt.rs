//! The list of results in a file of KTT, the Kernel Tuning Toolkit.

use nitro_stats::statistics::{interquartile_range, quantile};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::entry::{Lines, part, rows};
use super::field::{Field, Fields};
use super::row::{Timing, failed, values};
use super::tuning::Row;
use super::wrong::Wrong;
use crate::printable::excerpt;
use crate::recordings::Outcome;

#[derive(Deserialize)]
#[serde(expecting = "an object a result", rename_all = "PascalCase")]
struct Entry {
    kernel_name: String,
    status: String,
    total_duration: Option<Field>,
    configuration: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Pair {
    name: String,
    value: Field,
}

/// The rows of one kernel in a file.
pub(super) struct Ktt {
    pub(super) kernel: String,
    pub(super) parameters: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// Reads the list of results, which is a part of the text. KTT has one result a run, so that a configuration may be
/// there several times: its time is the median of them.
pub(super) fn results(list: &RawValue, text: &str, unit_ns: f64) -> Result<Ktt, Wrong> {
    let entries: Vec<&RawValue> = part(list, text)?;
    let called = (1..).map(|number| format!("result {number}"));
    let mut first: Option<(String, Vec<String>)> = None;
    let rows = rows(called.zip(entries), &mut Lines::of(text), |entry: Entry| {
        let (kernel, parameters) = first.get_or_insert_with(|| {
            let names = entry.configuration.iter().map(|pair| pair.name.clone()).collect();
            (entry.kernel_name.clone(), names)
        });
        if *kernel != entry.kernel_name {
            let [own, other] = [&entry.kernel_name, &*kernel].map(|name| excerpt(name));
            return Err(format!(
                "is of kernel `{own}`, those before of `{other}`; put each kernel into a file"
            ));
        }
        entry.row(parameters, unit_ns)
    })?;
    let (kernel, parameters) = first.unwrap_or_default();
    Ok(Ktt { kernel, parameters, rows: merged(rows) })
}

impl Entry {
    fn row(self, parameters: &[String], unit_ns: f64) -> Result<Row, String> {
        let fields: Vec<(String, Field)> =
            self.configuration.into_iter().map(|pair| (pair.name, pair.value)).collect();
        if let Some((name, _)) = (1..fields.len())
            .find(|&at| fields[..at].iter().any(|(name, _)| *name == fields[at].0))
            .map(|at| &fields[at])
        {
            return Err(format!("has `{}` twice; remove one of the two", excerpt(name)));
        }
        if fields.len() > parameters.len() {
            return Err(
                "has more parameters than the first result; leave out those that it does not have".to_owned()
            );
        }
        let values = values(parameters, &Fields(fields))?;
        match self.status.as_str() {
            "Ok" => {}
            "ValidationFailed" => return Ok(Row { outcome: Outcome::Wrong, ..failed(values, &self.status) }),
            reason => return Ok(failed(values, reason)),
        }
        let time = self.total_duration.as_ref().and_then(Field::number);
        let time = time.ok_or("has no `TotalDuration` that is a number; correct it")?;
        Timing { time, unit_ns, repeats_ns: vec![time * unit_ns] }.row(values)
    }
}

/// One row a configuration, in the order of their first runs. What failed in one run has failed.
fn merged(rows: Vec<Row>) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    let mut times: Vec<Vec<f64>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for row in rows {
        let place = *places.entry(row.values.clone()).or_insert(found.len());
        let time_ns = row.outcome.time_ns();
        if place == found.len() {
            found.push(row);
            times.push(time_ns.into_iter().collect());
            continue;
        }
        times[place].extend(time_ns);
        if time_ns.is_none() {
            found[place] = Row { line: found[place].line, ..row };
        }
    }
    for (row, mut times) in found.iter_mut().zip(times) {
        if row.outcome.time_ns().is_none() || times.len() < 2 {
            continue;
        }
        times.sort_by(f64::total_cmp);
        row.outcome = Outcome::Time(quantile(&times, 0.5));
        row.spread_ns = interquartile_range(&times);
        row.repeats = u32::try_from(times.len()).unwrap_or(u32::MAX);
    }
    found
}
