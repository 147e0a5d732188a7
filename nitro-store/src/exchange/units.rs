//! The units of features: a row of the tables of inputs and devices, or a table of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use nitro_core::Unit;

use super::csv_table::{CsvTable, Record};
use super::error::{ImportError, Problem};
use crate::printable::excerpt;
use crate::recordings::Recordings;

/// The first cell of the row of units.
const KEY: &str = "unit";

/// Takes the row of units, where the first below the header is one. An input or a device may be called `unit` too:
/// numbers tell it.
pub(super) fn row(
    table: &mut CsvTable<'_>,
    unit: impl Fn(&str, &str) -> Result<Unit, Problem>,
) -> Result<BTreeMap<String, Unit>, ImportError> {
    let mut units = BTreeMap::new();
    let Some(row) = table.take_first(is_row) else { return Ok(units) };
    for (at, column) in table.header().iter().enumerate().skip(1) {
        let word = row.fields[at].trim();
        if !word.is_empty() {
            units.insert(column.clone(), unit(column, word).map_err(|problem| table.in_row(&row, problem))?);
        }
    }
    Ok(units)
}

fn is_row(row: &Record<'_>) -> bool {
    let mut cells = row.fields[1..].iter().filter(|cell| !cell.is_empty()).peekable();
    row.text(0) == KEY && cells.peek().is_some() && cells.all(|cell| cell.trim().parse::<f64>().is_err())
}

/// The unit of an input feature.
pub(super) fn of_input(column: &str, word: &str) -> Result<Unit, Problem> {
    let unit = of_device(column, word)?;
    if unit.is_rate() {
        return Err(Problem::RateOfInput { column: excerpt(column), unit });
    }
    Ok(unit)
}

/// The unit of a device feature.
pub(super) fn of_device(column: &str, word: &str) -> Result<Unit, Problem> {
    word.parse().map_err(|problem| Problem::UnknownUnit {
        column: excerpt(column),
        found: excerpt(word),
        problem,
    })
}

/// Reads the table `feature,unit`, whose features are of inputs or devices.
pub(super) fn read(table: CsvTable<'_>, recordings: &mut Recordings) -> Result<(), ImportError> {
    let expected = ["feature", KEY];
    if let Some(column) = expected.into_iter().find(|&column| table.column_of(column).is_none()) {
        let [column, expected] = [column, "`feature` and `unit`"].map(str::to_owned);
        return Err(table.in_header(Problem::MissingColumn { column, expected }));
    }
    if let Some(column) = table.header().iter().find(|column| !expected.contains(&column.as_str())) {
        let (column, known) = (excerpt(column), "`feature` and `unit`".to_owned());
        return Err(table.in_header(Problem::UnknownColumn { column, known }));
    }
    let columns = expected.map(|column| table.column_of(column).unwrap_or_default());
    let mut seen = std::collections::BTreeSet::new();
    table.for_each(|_, record| {
        let [name, word] = columns.map(|column| record.text(column).trim());
        if !seen.insert(name.to_owned()) {
            return Err(Problem::Repeated { key: format!("feature `{}`", excerpt(name)) });
        }
        put(recordings, name, word)
    })
}

/// Gives a feature its unit; an input feature and a device feature of one name both get it.
fn put(recordings: &mut Recordings, name: &str, word: &str) -> Result<(), Problem> {
    let is_of_device = recordings.devices.iter().any(|device| device.features.contains_key(name));
    let is_of_input = recordings.feature_index(name).is_some();
    if !is_of_device && !is_of_input {
        return Err(Problem::UnknownFeature { feature: excerpt(name) });
    }
    if word.is_empty() {
        return Ok(());
    }
    let unit = if is_of_device { of_device(name, word)? } else { of_input(name, word)? };
    let meanings = &mut recordings.meanings;
    let lists =
        [(is_of_input && !unit.is_rate(), &mut meanings.units), (is_of_device, &mut meanings.device_units)];
    for (_, units) in lists.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        let known = *units.entry(name.to_owned()).or_insert(unit);
        if known != unit {
            return Err(Problem::OtherUnit { feature: excerpt(name), known, unit });
        }
    }
    Ok(())
}

/// Returns the row of units below a header of these features; none where none has a unit.
pub(super) fn cells<'a>(
    features: impl Iterator<Item = &'a str>,
    units: &BTreeMap<String, Unit>,
) -> Option<Vec<Cow<'a, str>>> {
    let names = features.map(|name| units.get(name).map_or("", |unit| unit.name()));
    let cells: Vec<Cow<'_, str>> = std::iter::once(KEY).chain(names).map(Cow::Borrowed).collect();
    cells[1..].iter().any(|cell| !cell.is_empty()).then_some(cells)
}
