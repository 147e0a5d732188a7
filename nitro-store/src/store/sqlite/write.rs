//! Steps of a writing transaction.

use std::collections::HashMap;
use std::time::Duration;

use nitro_core::Artifact;
use rusqlite::{Connection, OptionalExtension};

use super::error::Result;
use super::{read, selected};
use crate::recordings::{DeviceRecord, Input, Recordings, SpaceRecord};
use crate::store::merge::Import;
use crate::store::times::{NamedTimes, named_times};
use crate::store::{FunctionSchema, MAX_LEASE, Row, Searches, StoreError, check, parts};

pub(super) fn schema(connection: &Connection, schema: &FunctionSchema<'_>) -> Result<()> {
    connection.execute(
        "INSERT INTO function (name, default_variant, default_configuration) VALUES (?1, ?2, ?3)
         ON CONFLICT (name) DO UPDATE SET default_variant = excluded.default_variant,
             default_configuration = excluded.default_configuration
         WHERE excluded.default_variant IS NOT NULL",
        (schema.function, schema.default_variant, schema.default_configuration),
    )?;
    let function: i64 =
        connection
            .query_row("SELECT id FROM function WHERE name = ?1", [schema.function], |row| row.get(0))?;
    let mut insert =
        connection.prepare("INSERT INTO variant (function, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for name in schema.variants {
        insert.execute((function, name))?;
    }
    let variants = read::names(connection, "SELECT name FROM variant WHERE function = ?1", [function])?;
    check::variant_count(schema.function, variants.len())?;
    Ok(features(connection, function, schema.features)?)
}

fn features(connection: &Connection, function: i64, names: &[&str]) -> rusqlite::Result<()> {
    connection.execute("UPDATE feature SET position = NULL WHERE function = ?1", [function])?;
    let mut insert = connection.prepare(
        "INSERT INTO feature (function, name, position) VALUES (?1, ?2, ?3)
         ON CONFLICT (function, name) DO UPDATE SET position = excluded.position",
    )?;
    for (position, name) in (0_i64..).zip(names) {
        insert.execute((function, name, position))?;
    }
    Ok(())
}

pub(super) fn forget_device_features(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection
        .execute("DELETE FROM device_feature WHERE device = (SELECT id FROM device WHERE name = ?1)", [id])?;
    Ok(())
}

/// Adds the device, or features to it.
pub(super) fn device(connection: &Connection, device: &DeviceRecord) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO device (name) VALUES (?1) ON CONFLICT DO NOTHING", [&device.id])?;
    let mut insert = connection.prepare(
        "INSERT OR REPLACE INTO device_feature (device, name, value)
         VALUES ((SELECT id FROM device WHERE name = ?1), ?2, ?3)",
    )?;
    for (name, value) in &device.features {
        insert.execute((&device.id, name, value))?;
    }
    Ok(())
}

/// Claims the input (function, device, input) for the owner; false where another has it.
///
/// The clock is that of the machine, and may be set while claims stand, or be another on another machine. So a claim
/// that ends further ahead than any can last from now is void, as one that has ended.
pub(super) fn claim(
    connection: &Connection,
    (function, device, input): (&str, &str, &str),
    owner: &str,
    lease: Duration,
) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(
            "INSERT INTO claim (function, device, input, owner, until_s)
             VALUES (?1, ?2, ?3, ?4, unixepoch('now', 'subsec') + ?5)
             ON CONFLICT DO UPDATE SET owner = excluded.owner, until_s = excluded.until_s
             WHERE owner = excluded.owner OR until_s <= unixepoch('now', 'subsec')
                 OR until_s > unixepoch('now', 'subsec') + ?6",
        )?
        .execute((function, device, input, owner, lease.as_secs_f64(), MAX_LEASE.as_secs_f64()))?;
    Ok(changed > 0)
}

/// Writes rows of one function, whose ids are looked up once for all of them.
pub(super) struct FunctionWriter<'c> {
    connection: &'c Connection,
    function: i64,
    features: Vec<(String, i64)>,
    variants: HashMap<String, i64>,
}

pub(super) fn function_writer<'c>(
    connection: &'c Connection,
    location: &str,
    function: &str,
) -> Result<FunctionWriter<'c>> {
    let id = connection
        .query_row("SELECT id FROM function WHERE name = ?1", [function], |row| row.get(0))
        .optional()?;
    let Some(id) = id else {
        return Err(StoreError::unknown_function(location, function, &read::functions(connection)?).into());
    };
    let features =
        "SELECT name, id FROM feature WHERE function = ?1 AND position IS NOT NULL ORDER BY position";
    Ok(FunctionWriter {
        connection,
        function: id,
        features: named_ids(connection, features, id)?,
        variants: named_ids(connection, "SELECT name, id FROM variant WHERE function = ?1", id)?,
    })
}

fn named_ids<C: FromIterator<(String, i64)>>(
    connection: &Connection,
    query: &str,
    function: i64,
) -> rusqlite::Result<C> {
    connection.prepare_cached(query)?.query_map([function], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

impl FunctionWriter<'_> {
    pub(super) fn feature_names(&self) -> Vec<String> {
        self.features.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Id of the device.
    pub(super) fn device(&self, location: &str, name: &str) -> Result<i64> {
        let id = self.connection.query_row("SELECT id FROM device WHERE name = ?1", [name], |row| row.get(0));
        id.optional()?.ok_or_else(|| StoreError::unregistered(location, "device", name).into())
    }

    /// Adds the input, or checks that it is the one known; returns its id.
    pub(super) fn input(&self, location: &str, input: &Input) -> Result<i64> {
        let key = (self.function, &input.name);
        self.connection
            .prepare_cached("INSERT INTO input (function, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(key)?;
        let id = self
            .connection
            .prepare_cached("SELECT id FROM input WHERE function = ?1 AND name = ?2")?
            .query_row(key, |row| row.get(0))?;
        let known: HashMap<i64, f64> = self
            .connection
            .prepare_cached("SELECT feature, value FROM input_feature WHERE input = ?1")?
            .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO input_feature (input, feature, value) VALUES (?1, ?2, ?3)")?;
        for ((name, feature), &value) in self.features.iter().zip(&input.features) {
            match known.get(feature) {
                Some(&stored) => check::same_feature(location, &input.name, name, stored, value)?,
                None => drop(insert.execute((id, feature, value))?),
            }
        }
        Ok(id)
    }

    /// Id of the variant.
    fn variant(&self, location: &str, name: &str) -> Result<i64> {
        let id = self.variants.get(name).copied();
        id.ok_or_else(|| StoreError::unregistered(location, "variant", name).into())
    }

    fn space(&self, location: &str, variant: &str, space: &SpaceRecord) -> Result<()> {
        let listed = serde_json::json!(space).to_string();
        let variant = self.variant(location, variant)?;
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO space (variant, listed) VALUES (?1, ?2)")?
            .execute((variant, listed))?;
        Ok(())
    }

    /// The text of an artifact is always the same.
    pub(super) fn artifact(&self, artifact: Artifact, text: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO artifact (function, digest, text) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            )?
            .execute((self.function, artifact.to_string(), text))?;
        Ok(())
    }

    pub(super) fn feature_times(&self, device: i64, input: i64, times_ns: &NamedTimes) -> Result<()> {
        let times_ns = serde_json::json!(times_ns).to_string();
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO feature_time (input, device, times_ns) VALUES (?1, ?2, ?3)",
            )?
            .execute((input, device, times_ns))?;
        Ok(())
    }

    pub(super) fn row(&self, location: &str, device: i64, input: i64, row: &Row<'_>) -> Result<()> {
        let variant = self.variant(location, row.variant)?;
        let mut insert = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO measurement
             (input, device, variant, configuration, outcome, time_ns, spread_ns, repeats, reason, load)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let (outcome, time_ns) = (row.outcome.name(), row.outcome.time_ns());
        insert.execute((
            input,
            device,
            variant,
            row.configuration,
            outcome,
            time_ns,
            row.spread_ns,
            row.repeats,
            row.reason,
            row.load,
        ))?;
        Ok(())
    }
}

/// Keeps what a search has evaluated, unless that is known; `subject` are function, device and input.
pub(super) fn evaluation(
    connection: &Connection,
    [function, device, input]: [&str; 3],
    row: &Row<'_>,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO evaluation
         (function, device, input, variant, configuration, outcome, time_ns, spread_ns, repeats, reason, parts, load)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING",
    )?;
    let (outcome, time_ns) = (row.outcome.name(), row.outcome.time_ns());
    let Row { variant, configuration, spread_ns, repeats, reason, load, .. } = *row;
    insert.execute(rusqlite::params![
        function,
        device,
        input,
        variant,
        configuration,
        outcome,
        time_ns,
        spread_ns,
        repeats,
        reason,
        parts::text(row.parts),
        load
    ])?;
    Ok(())
}

/// Keeps what a search begins with, unless that is known; what is kept.
pub(super) fn search(connection: &Connection, name: &str, with: &str) -> rusqlite::Result<String> {
    connection.execute(
        "INSERT INTO search (name, began_with) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        [name, with],
    )?;
    connection.query_row("SELECT began_with FROM search WHERE name = ?1", [name], |row| row.get(0))
}

pub(super) fn searches(connection: &Connection, searches: &Searches) -> rusqlite::Result<()> {
    searches.rows().try_for_each(|(subject, row)| evaluation(connection, subject, &row))?;
    searches.begun.iter().try_for_each(|(name, with)| search(connection, name, with).map(drop))
}

pub(super) fn import(connection: &Connection, location: &str, given: &Recordings) -> Result<()> {
    let stored = read::recordings(connection, &given.function)?;
    let plan = Import::plan(location, stored.as_ref(), &read::devices(connection)?, given)?;
    schema(connection, &plan.schema())?;
    for one in &given.devices {
        device(connection, one)?;
    }
    let writer = function_writer(connection, location, &given.function)?;
    if !plan.meanings().is_unknown() {
        selected::set_meanings(connection, writer.function, plan.meanings())?;
    }
    given.artifacts.iter().try_for_each(|(artifact, text)| writer.artifact(*artifact, text))?;
    plan.spaces().iter().try_for_each(|(variant, space)| writer.space(location, variant, space))?;
    let devices: Vec<i64> =
        given.devices.iter().map(|one| writer.device(location, &one.id)).collect::<Result<_>>()?;
    let inputs: Vec<i64> = given
        .inputs
        .iter()
        .map(|input| writer.input(location, &plan.ordered(input)))
        .collect::<Result<_>>()?;
    given.feature_times.iter().try_for_each(|one| {
        let times_ns = named_times(&given.features, one.times_ns.iter().copied());
        writer.feature_times(devices[one.device], inputs[one.input], &times_ns)
    })?;
    given.measurements.iter().try_for_each(|one| {
        writer.row(location, devices[one.device], inputs[one.input], &plan.row(given, one))
    })
}
