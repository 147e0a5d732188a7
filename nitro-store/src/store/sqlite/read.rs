//! Queries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nitro_core::{Artifact, ArtifactError};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use crate::exact::Exact;
use crate::recordings::{
    DeviceRecord, FeatureTimes, Input, Meanings, Measurement, MeasurementKey, Outcome, Recordings,
    SpaceRecord,
};
use crate::store::times::ordered_times;
use crate::store::{ChoiceName, Evaluated, EvaluationKey, Searches, merge, parts};
use crate::unique;

pub(super) fn functions(connection: &Connection) -> Result<Vec<String>> {
    names(connection, "SELECT name FROM function ORDER BY name", [])
}

pub(super) fn devices(connection: &Connection) -> Result<Vec<DeviceRecord>> {
    let mut devices: BTreeMap<String, DeviceRecord> = BTreeMap::new();
    let mut statement = connection.prepare(
        "SELECT device.name, device_feature.name, value
         FROM device LEFT JOIN device_feature ON device = device.id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let device =
            devices.entry(id.clone()).or_insert_with(|| DeviceRecord { id, features: BTreeMap::new() });
        if let Some(name) = row.get(1)? {
            device.features.insert(name, row.get(2)?);
        }
    }
    Ok(devices.into_values().collect())
}

/// Reads everything of one function; `None` if it is unknown.
pub(super) fn recordings(connection: &Connection, function: &str) -> Result<Option<Recordings>> {
    let found = connection
        .query_row(
            "SELECT id, default_variant, default_configuration FROM function WHERE name = ?1",
            [function],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?, row.get(2)?)),
        )
        .optional()?;
    let Some((id, default, default_configuration)) = found else { return Ok(None) };
    let mut recordings = Recordings {
        function: function.to_owned(),
        variants: names(connection, "SELECT name FROM variant WHERE function = ?1 ORDER BY id", [id])?,
        features: names(connection, FEATURES, [id])?,
        default_configuration,
        ..Recordings::default()
    };
    recordings.default_variant = default.and_then(|name| recordings.variant_index(&name));
    recordings.spaces = spaces(connection, id)?;
    recordings.artifacts = artifacts(connection, id)?;
    let input_indices = inputs(connection, id, &mut recordings)?;
    measurements(connection, id, &input_indices, &mut recordings)?;
    recordings.feature_times = feature_times(connection, id, &input_indices, &recordings)?;
    recordings.meanings = meanings(connection, id)?;
    recordings.due = due(connection, id)?;
    Ok(Some(recordings))
}

/// The measurements that are to be made again.
fn due(connection: &Connection, function: i64) -> Result<BTreeSet<MeasurementKey>> {
    let mut statement = connection.prepare(
        "SELECT device.name, input.name, variant.name, configuration FROM measurement
         JOIN input ON input.id = measurement.input
         JOIN device ON device.id = measurement.device
         JOIN variant ON variant.id = measurement.variant
         WHERE input.function = ?1 AND is_due",
    )?;
    let keys = statement.query_map([function], |row| {
        let (device, input, variant) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(MeasurementKey { device, input, variant, configuration: row.get(3)? })
    })?;
    keys.collect()
}

fn spaces(connection: &Connection, function: i64) -> Result<Vec<SpaceRecord>> {
    let mut statement = connection.prepare(
        "SELECT listed FROM variant LEFT JOIN space ON space.variant = variant.id
         WHERE function = ?1 ORDER BY variant.id",
    )?;
    let listed = statement.query_map([function], |row| {
        let text = row.get_ref(0)?.as_str_or_null()?;
        text.map(serde_json::from_str::<SpaceRecord>).transpose().map_err(not_json)
    })?;
    let spaces = listed.enumerate().filter_map(|(variant, space)| {
        space.map(|space| Some(SpaceRecord { variant, ..space? })).transpose()
    });
    spaces.collect()
}

fn artifacts(connection: &Connection, function: i64) -> Result<BTreeMap<Artifact, String>> {
    let mut statement = connection.prepare("SELECT digest, text FROM artifact WHERE function = ?1")?;
    let artifacts = statement.query_map([function], |row| {
        let artifact = row.get_ref(0)?.as_str()?.parse().map_err(|error: ArtifactError| {
            rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into())
        })?;
        Ok((artifact, row.get(1)?))
    })?;
    artifacts.collect()
}

/// Reads the digests of a function's names, as far as they are known.
pub(super) fn meanings(connection: &Connection, function: i64) -> Result<Meanings> {
    let text: Option<String> = connection
        .query_row("SELECT digests FROM meaning WHERE function = ?1", [function], |row| row.get(0))
        .optional()?;
    text.map_or_else(|| Ok(Meanings::default()), |text| serde_json::from_str(&text).map_err(not_json))
}

pub(super) fn not_json(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into())
}

const FEATURES: &str =
    "SELECT name FROM feature WHERE function = ?1 AND position IS NOT NULL ORDER BY position";

/// Adds the inputs that have all features, and says what the others lack; returns where each id went.
fn inputs(connection: &Connection, function: i64, into: &mut Recordings) -> Result<HashMap<i64, usize>> {
    let mut statement = connection.prepare(
        "SELECT input.id, input.name, value, feature.name
         FROM input
         LEFT JOIN feature ON feature.function = input.function AND position IS NOT NULL
         LEFT JOIN input_feature ON input = input.id AND feature = feature.id
         WHERE input.function = ?1 ORDER BY input.name, position",
    )?;
    let mut rows = statement.query([function])?;
    let mut all: Vec<(i64, Input)> = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if all.last().is_none_or(|(last, _)| *last != id) {
            all.push((id, Input { name: row.get(1)?, features: Vec::new() }));
        }
        let value: Option<f64> = row.get(2)?;
        if value.is_none() {
            into.incomplete.features.extend(row.get::<_, Option<String>>(3)?);
        }
        if let Some((_, input)) = all.last_mut() {
            input.features.extend(value);
        }
    }
    let known = all.len();
    all.retain(|(_, input)| input.features.len() == into.features.len());
    into.incomplete.inputs = known - all.len();
    let indices = all.iter().enumerate().map(|(index, (id, _))| (*id, index)).collect();
    into.inputs = all.into_iter().map(|(_, input)| input).collect();
    Ok(indices)
}

/// Reads the times of features on these inputs and the devices that measured them.
fn feature_times(
    connection: &Connection,
    function: i64,
    inputs: &HashMap<i64, usize>,
    recordings: &Recordings,
) -> Result<Vec<FeatureTimes>> {
    let mut statement = connection.prepare(
        "SELECT device.name, input.id, times_ns
         FROM input
         JOIN feature_time ON feature_time.input = input.id
         JOIN device ON device.id = feature_time.device
         WHERE input.function = ?1",
    )?;
    let mut rows = statement.query([function])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let indices = (recordings.device_index(row.get_ref(0)?.as_str()?), inputs.get(&row.get(1)?));
        let (Some(device), Some(&input)) = indices else { continue };
        let unique::Map(known): unique::Map<Exact> =
            serde_json::from_str(row.get_ref(2)?.as_str()?).map_err(not_json)?;
        found.push(FeatureTimes { device, input, times_ns: ordered_times(&recordings.features, &known) });
    }
    found.sort_by_key(|one| (one.device, one.input));
    Ok(found)
}

/// Adds the measurements of these inputs, and their devices.
fn measurements(
    connection: &Connection,
    function: i64,
    inputs: &HashMap<i64, usize>,
    into: &mut Recordings,
) -> Result<()> {
    let variants = indices(connection, "SELECT id FROM variant WHERE function = ?1 ORDER BY id", function)?;
    let mut statement = connection.prepare(
        "SELECT device.name, measurement.input, variant, configuration, outcome, time_ns, spread_ns,
             repeats, reason, load
         FROM input
         JOIN measurement ON measurement.input = input.id
         JOIN device ON device.id = measurement.device
         WHERE input.function = ?1",
    )?;
    let mut rows = statement.query([function])?;
    let mut by_device: BTreeMap<String, Vec<Measurement>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let Some(&input) = inputs.get(&row.get(1)?) else { continue };
        // A variant of another function: the tables contradict each other, which SQLite's own check does not see.
        let (id, foreign) = (row.get(2)?, |id| rusqlite::Error::IntegralValueOutOfRange(2, id));
        let measurement = measurement(row, input, *variants.get(&id).ok_or_else(|| foreign(id))?)?;
        let device = row.get_ref(0)?.as_str()?;
        match by_device.get_mut(device) {
            Some(list) => list.push(measurement),
            None => drop(by_device.insert(device.to_owned(), vec![measurement])),
        }
    }
    merge::attach(into, devices(connection)?, by_device);
    Ok(())
}

fn measurement(row: &Row<'_>, input: usize, variant: usize) -> Result<Measurement> {
    Ok(Measurement {
        device: 0,
        input,
        variant,
        configuration: row.get(3)?,
        // The table's own check leaves no other combination.
        outcome: Outcome::from_name(row.get_ref(4)?.as_str()?, row.get(5)?).unwrap_or(Outcome::Failed),
        spread_ns: row.get(6)?,
        repeats: row.get(7)?,
        reason: row.get(8)?,
        load: row.get(9)?,
    })
}

pub(super) fn recorded(
    connection: &Connection,
    function: &str,
    device: &str,
    choices: &[ChoiceName<'_>],
    with_features: bool,
    only: Option<&str>,
) -> Result<BTreeSet<String>> {
    let choices: BTreeSet<_> = choices.iter().collect();
    let mut statement = connection.prepare(
        "WITH wanted (variant, configuration) AS
             (SELECT value ->> 'variant', value ->> 'configuration' FROM json_each(?3))
         SELECT input.name FROM input JOIN function ON function.id = input.function
         WHERE function.name = ?1 AND (?5 IS NULL OR input.name = ?5)
         AND NOT (?4 AND EXISTS (
             SELECT 1 FROM feature WHERE feature.function = input.function AND position IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM input_feature WHERE input = input.id AND feature = feature.id)))
         AND json_array_length(?3) = (
             SELECT count(*) FROM measurement
             JOIN variant ON variant.id = measurement.variant JOIN device ON device.id = measurement.device
             WHERE measurement.input = input.id AND device.name = ?2 AND NOT measurement.is_due
             AND (variant.name, measurement.configuration) IN (SELECT variant, configuration FROM wanted))",
    )?;
    let list = serde_json::json!(choices).to_string();
    statement.query_map((function, device, list, with_features, only), |row| row.get(0))?.collect()
}

/// Reads the evaluations of these choices; `subject` are function, device and input.
pub(super) fn evaluations(
    connection: &Connection,
    [function, device, input]: [&str; 3],
    choices: &[ChoiceName<'_>],
) -> Result<Vec<Option<Evaluated>>> {
    let mut statement = connection.prepare_cached(
        "SELECT outcome, time_ns, spread_ns, repeats, reason, parts, load FROM evaluation
         WHERE function = ?1 AND device = ?2 AND input = ?3 AND variant = ?4 AND configuration = ?5",
    )?;
    let mut evaluations = Vec::with_capacity(choices.len());
    for choice in choices {
        let key = (function, device, input, choice.variant, choice.configuration);
        evaluations.push(statement.query_row(key, evaluated).optional()?);
    }
    Ok(evaluations)
}

/// Reads everything that searches have left.
pub(super) fn searches(connection: &Connection) -> Result<Searches> {
    let mut evaluations = connection.prepare(
        "SELECT outcome, time_ns, spread_ns, repeats, reason, parts, load,
             function, device, input, variant, configuration
         FROM evaluation",
    )?;
    let evaluations = evaluations.query_map([], |row| {
        let (function, device, input) = (row.get(7)?, row.get(8)?, row.get(9)?);
        let (variant, configuration) = (row.get(10)?, row.get(11)?);
        Ok((EvaluationKey { function, device, input, variant, configuration }, evaluated(row)?))
    })?;
    let mut begun = connection.prepare("SELECT name, began_with FROM search")?;
    Ok(Searches {
        evaluations: evaluations.collect::<Result<_>>()?,
        begun: begun.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?,
    })
}

fn evaluated(row: &Row<'_>) -> Result<Evaluated> {
    let parts = parts::read(row.get_ref(5)?.as_str()?).map_err(|error| {
        let why = format!("`parts` of an evaluation: {error}");
        rusqlite::Error::FromSqlConversionFailure(5, Type::Text, why.into())
    })?;
    Ok(Evaluated {
        // The table's own check leaves no other combination.
        outcome: Outcome::from_name(row.get_ref(0)?.as_str()?, row.get(1)?).unwrap_or(Outcome::Failed),
        spread_ns: row.get(2)?,
        repeats: row.get(3)?,
        reason: row.get(4)?,
        parts,
        load: row.get(6)?,
    })
}

/// One more of them than there may be.
pub(super) fn names(
    connection: &Connection,
    query: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<String>> {
    connection.prepare(query)?.query_map(parameters, |row| row.get(0))?.collect()
}

/// Position of each id in the answer.
fn indices(connection: &Connection, query: &str, function: i64) -> Result<HashMap<i64, usize>> {
    let mut statement = connection.prepare(query)?;
    let ids = statement.query_map([function], |row| row.get(0))?;
    ids.enumerate().map(|(index, id)| Ok((id?, index))).collect()
}
