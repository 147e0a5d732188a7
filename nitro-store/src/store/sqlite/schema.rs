//! The tables of the format, and what else may stand in a file: nothing.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::error::Result;
use crate::store::StoreError;

/// The statements that make the tables. What a file has is compared with what they make.
pub(super) const TEXT: &str = include_str!("schema.sql");

/// Refuses what is none of the format's tables: views, triggers, indices, virtual and other tables.
///
/// Tables that an older version has, and that will be dropped, may be there. None of it is looked into: a view may have
/// no end, and the expression of an index runs whenever a row is written.
pub(super) fn refuse_foreign(connection: &Connection, location: &str, dropped: &[&str]) -> Result<()> {
    let known = tables(&format()?)?;
    let mut statement = connection.prepare(
        "SELECT type, name, sql IS NOT NULL AND sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema
         WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR type NOT IN ('table', 'index')
         ORDER BY type IN ('table', 'index'), name",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name, is_virtual): (String, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let is_known = known.contains_key(&name) || dropped.contains(&name.as_str());
        if kind == "table" && !is_virtual && is_known {
            continue;
        }
        let kind = if is_virtual { "virtual table".to_owned() } else { kind };
        return Err(StoreError::Foreign { location: location.to_owned(), kind, name }.into());
    }
    Ok(())
}

/// Makes sure that the tables are those of the format: each with its columns, keys and conditions, in any order, since
/// a column that a later version added stands last in an older file.
pub(super) fn check(connection: &Connection, location: &str) -> Result<()> {
    let mut found = tables(connection)?;
    for (name, expected) in tables(&format()?)? {
        let problem = match found.remove(&name) {
            None => "is missing",
            Some(found) if found != expected => "has other columns or conditions than a store's",
            Some(_) => continue,
        };
        let (location, detail) = (location.to_owned(), format!("its table `{name}` {problem}"));
        return Err(StoreError::Damaged { location, detail }.into());
    }
    Ok(())
}

/// A database of the format without any rows.
fn format() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TEXT)?;
    Ok(connection)
}

/// The tables by name, each as the set of its definitions.
fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql IS NOT NULL",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, definitions(&row.get::<_, String>(1)?))))?;
    rows.collect()
}

/// Takes `CREATE TABLE name (a, b) STRICT` apart: what stands before the first bracket, between commas, and after the
/// last bracket, each without comments and with one blank between words.
fn definitions(sql: &str) -> BTreeSet<String> {
    let (mut found, mut current, mut depth) = (BTreeSet::new(), String::new(), 0_usize);
    for token in tokens(sql) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // The brackets of the whole list and the commas in it separate; what is deeper belongs to a definition.
        let separates = matches!((token.as_str(), depth), ("(" | ",", 1) | (")", 0));
        if separates {
            found.insert(std::mem::take(&mut current));
        } else {
            current.push_str(&token);
            current.push(' ');
        }
    }
    found.insert(current);
    found
}

/// The words and signs of a statement, in lower case but for what is quoted, and without comments. Names lose their
/// quotes, which SQLite adds when a table is renamed.
fn tokens(sql: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), sql);
    while let Some(first) = rest.chars().next() {
        let end = match first {
            _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            _ if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        match first {
            _ if token.starts_with("--") || token.starts_with("/*") || first.is_whitespace() => {}
            '\'' => found.push(token.to_owned()),
            '"' => found.push(token.trim_matches('"').to_lowercase()),
            _ => found.push(token.to_lowercase()),
        }
    }
    found
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_definitions_in_another_dress() {
        let one = definitions(
            "CREATE TABLE a (x TEXT NOT NULL, -- a (comment, with) signs\n y REAL CHECK (y > 0)) STRICT",
        );
        let other = "create table \"a\"(y REAL /* , */ check(y>0),\n\"x\" text NOT NULL)strict";
        assert_eq!(one, definitions(other));
        assert_eq!(one.len(), 4);
        for changed in [
            "y REAL CHECK (y > 1)",
            "y REAL",
            "y REAL CHECK (y > 0) COLLATE nocase",
            "y REAL CHECK (y > 0), z",
        ] {
            let changed = format!("CREATE TABLE a (x TEXT NOT NULL, {changed}) STRICT");
            assert_ne!(one, definitions(&changed), "{changed}");
        }
        assert_ne!(
            definitions("a (x DEFAULT 'A')"),
            definitions("a (x DEFAULT 'a')"),
            "texts keep their case"
        );
        for open in ["a (x '", "a (\"x", "a /* x", "a -- x", "((((", "))))", "", "é(ß,"] {
            let _ = definitions(open);
        }
    }
}
