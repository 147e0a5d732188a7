//! Writing the tables.

use std::borrow::Cow;
use std::collections::BTreeSet;

use nitro_core::files::{self, ReplaceError};

use super::error::ExportError;
use super::formula::guard;
use super::shortest::number;
use super::{Files, artifacts, compressed, feature_times, measurements, parameters, units};
use crate::recordings::Recordings;

/// Writes recordings to files, compressed where a name ends with `.gz` or `.xz`.
///
/// Each file takes its place whole, and none before all are written; one of the name that is there is replaced.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_store::exchange::{Files, export, import};
///
/// let folder = tempfile::tempdir()?;
/// let [measurements, inputs, devices] = ["m.csv.gz", "i.csv", "d.csv"].map(|name| folder.path().join(name));
/// let files = Files { measurements, inputs, devices, parameters: None, feature_times: None, artifacts: None, units: None };
/// export(&recordings, &files)?;
/// assert_eq!(import("sort", &files)?, recordings);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When a file cannot be written.
///
/// # Panics
///
/// When an index in `recordings` is out of range.
pub fn export(recordings: &Recordings, files: &Files) -> Result<(), ExportError> {
    let mut tables = vec![
        (&files.devices, devices(recordings)),
        (&files.inputs, inputs(recordings)),
        (&files.measurements, measurements(recordings)),
    ];
    if let Some(path) = &files.parameters {
        tables.push((path, self::parameters(recordings)));
    }
    if let Some(path) = &files.feature_times {
        tables.push((path, feature_times::rows(recordings).map(line).collect()));
    }
    if let Some(path) = &files.artifacts {
        tables.push((path, artifacts::text(recordings)));
    }
    let mut packed = Vec::new();
    for (path, text) in tables {
        let file = path.display().to_string();
        let bytes = compressed::pack(&file, text).map_err(|source| ExportError::Write { file, source })?;
        packed.push((path.as_path(), bytes));
    }
    let files: Vec<_> = packed.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
    files::replace_all(&files).map_err(|ReplaceError { path, source }| {
        let file = path.display().to_string();
        ExportError::Write { file, source }
    })
}

fn measurements(recordings: &Recordings) -> String {
    let columns = measurements::REQUIRED.iter().chain(&measurements::OPTIONAL);
    let mut text = line(columns.map(|&name| Cow::Borrowed(name)));
    for one in &recordings.measurements {
        text += &line([
            guard(&recordings.devices[one.device].id),
            guard(&recordings.inputs[one.input].name),
            guard(&recordings.variants[one.variant]),
            one.outcome.time_ns().map_or(Cow::Borrowed(""), number),
            Cow::Borrowed(one.outcome.name()),
            number(one.spread_ns),
            Cow::Owned(one.repeats.to_string()),
            guard(&one.configuration),
            guard(&one.reason),
            one.load.map_or(Cow::Borrowed(""), number),
        ]);
    }
    text
}

fn inputs(recordings: &Recordings) -> String {
    let names = recordings.features.iter().map(|name| guard(name));
    let mut text = line(std::iter::once(Cow::Borrowed("input")).chain(names));
    let features = recordings.features.iter().map(String::as_str);
    text.extend(units::cells(features, &recordings.meanings.units).map(line));
    for input in &recordings.inputs {
        let values = input.features.iter().map(|&value| number(value));
        text += &line(std::iter::once(guard(&input.name)).chain(values));
    }
    text
}

fn devices(recordings: &Recordings) -> String {
    let columns: BTreeSet<&str> =
        recordings.devices.iter().flat_map(|device| device.features.keys()).map(String::as_str).collect();
    let names = columns.iter().map(|&name| guard(name));
    let mut text = line(std::iter::once(Cow::Borrowed("device")).chain(names));
    text.extend(units::cells(columns.iter().copied(), &recordings.meanings.device_units).map(line));
    for device in &recordings.devices {
        let values =
            columns.iter().map(|&name| device.features.get(name).map_or(Cow::Borrowed(""), |&v| number(v)));
        text += &line(std::iter::once(guard(&device.id)).chain(values));
    }
    text
}

fn parameters(recordings: &Recordings) -> String {
    parameters::rows(recordings).into_iter().map(|row| line(row.into_iter().map(guard))).collect()
}

/// Returns a row of a table with its line break; fields are quoted where they have to be.
pub fn line<'a>(fields: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let mut line = String::new();
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        match field.contains(['"', ',', '\n', '\r']) {
            true => line.extend(["\"", &field.replace('"', "\"\""), "\""]),
            false => line.push_str(&field),
        }
    }
    line.push('\n');
    line
}
