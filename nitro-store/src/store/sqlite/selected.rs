//! Changes of recordings that are picked out: they are forgotten, or due again; and digests of names.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::Result;
use super::read;
use crate::recordings::Meanings;
use crate::store::{Forgotten, Selected, StoreError};

/// A measurement by its key in the table.
struct Key {
    input: i64,
    device: i64,
    variant: i64,
    configuration: String,
}

fn function(connection: &Connection, location: &str, name: &str) -> Result<i64> {
    let found = connection.query_row("SELECT id FROM function WHERE name = ?1", [name], |row| row.get(0));
    match found.optional()? {
        Some(id) => Ok(id),
        None => Err(StoreError::unknown_function(location, name, &read::functions(connection)?).into()),
    }
}

/// The measurements of a function that are meant.
fn keys(connection: &Connection, function: i64, which: &Selected) -> rusqlite::Result<Vec<Key>> {
    let mut statement = connection.prepare(
        "SELECT device.name, input.name, variant.name, measurement.input, measurement.device,
             measurement.variant, configuration
         FROM input
         JOIN measurement ON measurement.input = input.id
         JOIN device ON device.id = measurement.device
         JOIN variant ON variant.id = measurement.variant
         WHERE input.function = ?1",
    )?;
    let mut rows = statement.query([function])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
        if which.matches(text(0)?, text(1)?, text(2)?) {
            let (input, device, variant) = (row.get(3)?, row.get(4)?, row.get(5)?);
            keys.push(Key { input, device, variant, configuration: row.get(6)? });
        }
    }
    Ok(keys)
}

fn delete(connection: &Connection, key: &Key) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM measurement WHERE input = ?1 AND device = ?2 AND variant = ?3 AND configuration = ?4",
        )?
        .execute((key.input, key.device, key.variant, &key.configuration))?;
    Ok(())
}

/// Marks measurements; returns how many.
pub(super) fn measure_again(
    connection: &Connection,
    location: &str,
    name: &str,
    which: &Selected,
) -> Result<usize> {
    let keys = keys(connection, function(connection, location, name)?, which)?;
    let mut mark = connection.prepare(
        "UPDATE measurement SET is_due = 1
         WHERE input = ?1 AND device = ?2 AND variant = ?3 AND configuration = ?4",
    )?;
    for key in &keys {
        mark.execute((key.input, key.device, key.variant, &key.configuration))?;
    }
    Ok(keys.len())
}

pub(super) fn forget(
    connection: &Connection,
    location: &str,
    name: &str,
    which: &Selected,
) -> Result<Forgotten> {
    let id = function(connection, location, name)?;
    let keys = keys(connection, id, which)?;
    keys.iter().try_for_each(|key| delete(connection, key))?;
    let evaluations = forget_evaluations(connection, name, which)?;
    let mut forgotten = Forgotten { measurements: keys.len(), evaluations, inputs: 0 };
    if which.is_everything() {
        forgotten.inputs = connection
            .query_row("SELECT count(*) FROM input WHERE function = ?1", [id], |row| row.get(0))
            .map(|count: i64| usize::try_from(count).unwrap_or_default())?;
        forget_function(connection, id)?;
        return Ok(forgotten);
    }
    forgotten.inputs = forget_empty_inputs(connection, id, &keys)?;
    forget_variant(connection, id, which)?;
    Ok(forgotten)
}

fn forget_evaluations(connection: &Connection, function: &str, which: &Selected) -> rusqlite::Result<usize> {
    let mut statement =
        connection.prepare("SELECT DISTINCT device, input, variant FROM evaluation WHERE function = ?1")?;
    let all = statement.query_map([function], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let all: Vec<(String, String, String)> = all.collect::<rusqlite::Result<_>>()?;
    let mut forgotten = 0;
    for (device, input, variant) in
        all.iter().filter(|(device, input, variant)| which.matches(device, input, variant))
    {
        forgotten += connection
            .prepare_cached(
                "DELETE FROM evaluation WHERE function = ?1 AND device = ?2 AND input = ?3 AND variant = ?4",
            )?
            .execute((function, device, input, variant))?;
    }
    Ok(forgotten)
}

/// Takes out what is left of inputs that had measurements and have none, on this device or on all.
fn forget_empty_inputs(connection: &Connection, function: i64, keys: &[Key]) -> rusqlite::Result<usize> {
    for key in keys {
        connection
            .prepare_cached(
                "DELETE FROM feature_time WHERE input = ?1 AND device = ?2 AND NOT EXISTS
                 (SELECT 1 FROM measurement WHERE measurement.input = ?1 AND measurement.device = ?2)",
            )?
            .execute((key.input, key.device))?;
    }
    let inputs: std::collections::BTreeSet<i64> = keys.iter().map(|key| key.input).collect();
    let mut forgotten = 0;
    for input in inputs {
        let left: i64 = connection
            .prepare_cached("SELECT count(*) FROM measurement WHERE input = ?1")?
            .query_row([input], |row| row.get(0))?;
        if left == 0 {
            connection.execute("DELETE FROM feature_time WHERE input = ?1", [input])?;
            connection.execute("DELETE FROM input_feature WHERE input = ?1", [input])?;
            forgotten +=
                connection.execute("DELETE FROM input WHERE id = ?1 AND function = ?2", [input, function])?;
        }
    }
    Ok(forgotten)
}

/// Takes a variant out of which nothing is left, unless it is the default.
fn forget_variant(connection: &Connection, function: i64, which: &Selected) -> rusqlite::Result<()> {
    let Some(variant) = which.variant() else { return Ok(()) };
    let empty = "SELECT variant.id FROM variant JOIN function ON function.id = variant.function
         WHERE function.id = ?1 AND variant.name = ?2 AND function.default_variant IS NOT variant.name
         AND NOT EXISTS (SELECT 1 FROM measurement WHERE measurement.variant = variant.id)";
    let empty: Option<i64> =
        connection.query_row(empty, params![function, variant], |row| row.get(0)).optional()?;
    if let Some(id) = empty {
        connection.execute("DELETE FROM space WHERE variant = ?1", [id])?;
        connection.execute("DELETE FROM variant WHERE id = ?1", [id])?;
    }
    Ok(())
}

fn forget_function(connection: &Connection, function: i64) -> rusqlite::Result<()> {
    for table in ["feature_time", "input_feature", "measurement"] {
        let of_input = "input IN (SELECT id FROM input WHERE function = ?1)";
        connection.execute(&format!("DELETE FROM {table} WHERE {of_input}"), [function])?;
    }
    let of_variant = "DELETE FROM space WHERE variant IN (SELECT id FROM variant WHERE function = ?1)";
    connection.execute(of_variant, [function])?;
    for table in ["input", "variant", "feature", "artifact", "meaning"] {
        connection.execute(&format!("DELETE FROM {table} WHERE function = ?1"), [function])?;
    }
    connection.execute("DELETE FROM function WHERE id = ?1", [function])?;
    Ok(())
}

/// Replaces what is known of what names stand for; nothing else.
pub(super) fn set_meanings(
    connection: &Connection,
    function: i64,
    meanings: &Meanings,
) -> rusqlite::Result<()> {
    let text = serde_json::json!(meanings).to_string();
    connection.execute("INSERT OR REPLACE INTO meaning VALUES (?1, ?2)", params![function, text])?;
    Ok(())
}

pub(super) fn put_meanings(
    connection: &Connection,
    location: &str,
    name: &str,
    given: &Meanings,
) -> Result<()> {
    let id = function(connection, location, name)?;
    let mut known = read::meanings(connection, id)?;
    for feature in given.changed_features(&known) {
        connection.execute(
            "DELETE FROM input_feature WHERE feature = (SELECT id FROM feature WHERE function = ?1 AND name = ?2)",
            params![id, feature],
        )?;
    }
    for variant in given.changed_variants(&known) {
        measure_again(connection, location, name, &Selected::new(Some(variant), None, None)?)?;
    }
    known.declare(given);
    Ok(set_meanings(connection, id, &known)?)
}

/// Gives a variant another name: measurements of the old name become its own, unless it has such already.
pub(super) fn rename_variant(
    connection: &Connection,
    location: &str,
    name: &str,
    (old, new): (&str, &str),
) -> Result<()> {
    let id = function(connection, location, name)?;
    let Some(from) = variant(connection, id, old)? else { return Ok(()) };
    connection.execute(
        "UPDATE function SET default_variant = ?3 WHERE id = ?1 AND default_variant = ?2",
        params![id, old, new],
    )?;
    connection.execute(
        "UPDATE OR IGNORE evaluation SET variant = ?3 WHERE function = ?1 AND variant = ?2",
        params![name, old, new],
    )?;
    let Some(to) = variant(connection, id, new)? else {
        connection.execute("UPDATE variant SET name = ?2 WHERE id = ?1", params![from, new])?;
        return Ok(());
    };
    connection.execute("UPDATE OR IGNORE measurement SET variant = ?2 WHERE variant = ?1", [from, to])?;
    connection.execute("DELETE FROM measurement WHERE variant = ?1", [from])?;
    connection.execute("UPDATE OR IGNORE space SET variant = ?2 WHERE variant = ?1", [from, to])?;
    connection.execute("DELETE FROM space WHERE variant = ?1", [from])?;
    connection.execute("DELETE FROM variant WHERE id = ?1", [from])?;
    Ok(())
}

fn variant(connection: &Connection, function: i64, name: &str) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT id FROM variant WHERE function = ?1 AND name = ?2";
    connection.query_row(sql, params![function, name], |row| row.get(0)).optional()
}
