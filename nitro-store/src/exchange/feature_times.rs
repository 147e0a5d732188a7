//! The table of what features take to compute.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::csv_table::{CsvTable, Record, not_negative};
use super::error::{ImportError, Problem};
use super::formula::guard;
use super::measurements::index_of;
use super::shortest::number;
use crate::printable::excerpt;
use crate::recordings::{FeatureTimes, Recordings};

const KEYS: [&str; 2] = ["device", "input"];

/// Reads the table into recordings that have their features, inputs and devices.
pub(super) fn read(table: CsvTable<'_>, into: &mut Recordings) -> Result<(), ImportError> {
    let columns = Columns::of(&table, &into.features)?;
    let devices: HashMap<String, usize> = into.devices.iter().map(|one| one.id.clone()).zip(0..).collect();
    let inputs: HashMap<String, usize> = into.inputs.iter().map(|one| one.name.clone()).zip(0..).collect();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    table.for_each(|_, record| {
        let [id, name] = columns.keys.map(|column| record.text(column));
        let (device, input) = (index_of(&devices, "device", id)?, index_of(&inputs, "input", name)?);
        if !seen.insert((device, input)) {
            let key = format!("device `{}` with input `{}`", excerpt(id), excerpt(name));
            return Err(Problem::Repeated { key });
        }
        found.push(FeatureTimes { device, input, times_ns: columns.times_ns(&record)? });
        Ok(())
    })?;
    found.sort_by_key(|one| (one.device, one.input));
    into.feature_times = found;
    Ok(())
}

struct Columns {
    keys: [usize; 2],
    /// The column of each feature's time.
    times: Vec<Option<usize>>,
}

impl Columns {
    fn of(table: &CsvTable<'_>, features: &[String]) -> Result<Self, ImportError> {
        let mut unknown = table.header().iter().filter(|column| !KEYS.contains(&column.as_str()));
        if let Some(column) = unknown.find(|column| !features.contains(column)) {
            let known = KEYS.into_iter().chain(features.iter().map(String::as_str)).collect::<Vec<_>>();
            let problem = Problem::UnknownColumn { column: excerpt(column), known: known.join(", ") };
            return Err(table.in_header(problem));
        }
        let mut keys = [0; 2];
        for (slot, name) in keys.iter_mut().zip(KEYS) {
            *slot = table.column_of(name).ok_or_else(|| {
                let expected = "device, input, and one column a feature".to_owned();
                table.in_header(Problem::MissingColumn { column: name.to_owned(), expected })
            })?;
        }
        Ok(Self { keys, times: features.iter().map(|name| table.column_of(name)).collect() })
    }

    fn times_ns(&self, record: &Record<'_>) -> Result<Vec<Option<f64>>, Problem> {
        let mut times_ns = Vec::with_capacity(self.times.len());
        for column in &self.times {
            times_ns.push(match column.map(|column| record.text(column)) {
                None | Some("") => None,
                Some(field) => Some(not_negative("time of a feature", field)?),
            });
        }
        Ok(times_ns)
    }
}

/// The table, row by row.
pub(super) fn rows(recordings: &Recordings) -> impl Iterator<Item = Vec<Cow<'_, str>>> {
    let keys = KEYS.into_iter().map(Cow::Borrowed);
    let header = keys.chain(recordings.features.iter().map(|name| guard(name))).collect();
    let rows = recordings.feature_times.iter().map(|one| {
        let keys = [&recordings.devices[one.device].id, &recordings.inputs[one.input].name];
        let times = one.times_ns.iter().map(|time_ns| time_ns.map_or(Cow::Borrowed(""), number));
        keys.into_iter().map(|name| guard(name)).chain(times).collect()
    });
    std::iter::once(header).chain(rows)
}
