//! The tables of inputs and devices.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::csv_table::{CsvTable, number};
use super::error::{ImportError, Problem, check_name};
use super::units;
use nitro_core::Unit;

use crate::printable::excerpt;
use crate::recordings::{DeviceRecord, Input};

/// Names of the features, and the inputs with their values. Their units go to `units`.
pub(super) fn inputs(
    mut table: CsvTable<'_>,
    units: &mut BTreeMap<String, Unit>,
) -> Result<(Vec<String>, Vec<Input>), ImportError> {
    let features = feature_columns(&table, "input")?;
    *units = units::row(&mut table, units::of_input)?;
    let mut inputs = Vec::new();
    rows(table, "input", |header, name, fields| {
        let values = header.iter().zip(fields).map(|(column, field)| number(column, field));
        inputs.push(Input { name, features: values.collect::<Result<_, _>>()? });
        Ok(())
    })?;
    Ok((features, inputs))
}

/// The devices with what is known of each. The units of their features go to `units`.
pub(super) fn devices(
    mut table: CsvTable<'_>,
    units: &mut BTreeMap<String, Unit>,
) -> Result<Vec<DeviceRecord>, ImportError> {
    feature_columns(&table, "device")?;
    *units = units::row(&mut table, units::of_device)?;
    let mut devices = Vec::new();
    rows(table, "device", |header, id, fields| {
        let known = header.iter().zip(fields).filter(|(_, field)| !field.is_empty());
        let features: Result<BTreeMap<_, _>, Problem> =
            known.map(|(column, field)| Ok((column.to_string(), number(column, field)?))).collect();
        devices.push(DeviceRecord { id, features: features? });
        Ok(())
    })?;
    Ok(devices)
}

/// The columns after the first, which has to be `key`.
fn feature_columns(table: &CsvTable<'_>, key: &'static str) -> Result<Vec<String>, ImportError> {
    check_first_column(table, key, "feature")?;
    Ok(table.header().iter().skip(1).cloned().collect())
}

/// `others` says what the columns after the key are.
pub(super) fn check_first_column(
    table: &CsvTable<'_>,
    key: &'static str,
    others: &'static str,
) -> Result<(), ImportError> {
    let found = table.header().first().map_or("", String::as_str);
    if found == key {
        return Ok(());
    }
    Err(table.in_header(Problem::FirstColumn { expected: key, others, found: excerpt(found) }))
}

/// Calls `take` with names of columns, name and values of each row; a name may come once.
fn rows(
    table: CsvTable<'_>,
    key: &'static str,
    mut take: impl FnMut(&[String], String, &[Cow<'_, str>]) -> Result<(), Problem>,
) -> Result<(), ImportError> {
    let mut seen = HashSet::new();
    table.for_each(|header, record| {
        let name = record.text(0).to_owned();
        if name.is_empty() {
            return Err(Problem::MissingName { column: key });
        }
        check_name(key, &name)?;
        if !seen.insert(name.clone()) {
            return Err(Problem::Repeated { key: format!("{key} `{}`", excerpt(&name)) });
        }
        take(&header[1..], name, &record.fields[1..])
    })
}
