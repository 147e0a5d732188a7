//! Answers that a store can use: hashes of texts. What is none is told with its key and field.

use redis::{Cmd, ErrorKind, FromRedisValue, RedisError};

use super::error::Result;
use super::keys::damaged;
use super::wire::Wire;
use crate::printable::excerpt;
use crate::store::error::Fault;

/// The most keys of one kind, and the most answers to look for them.
const MAX_KEYS: usize = 1 << 20;

/// All fields and values of a key.
pub(super) fn hash<C>(connection: &mut Wire, location: &str, key: &str) -> Result<C>
where
    C: FromIterator<(String, String)>,
{
    let all: Vec<(Vec<u8>, Vec<u8>)> = ask(connection, location, key, redis::cmd("HGETALL").arg(key))?;
    let texts = all.into_iter().map(|(field, value)| {
        let field = field_text(location, key, field)?;
        let value = value_text(location, key, &field, value)?;
        Ok((field, value))
    });
    texts.collect()
}

/// All fields of a key.
pub(super) fn names(connection: &mut Wire, location: &str, key: &str) -> Result<Vec<String>> {
    let all: Vec<Vec<u8>> = ask(connection, location, key, redis::cmd("HKEYS").arg(key))?;
    all.into_iter().map(|field| field_text(location, key, field)).collect()
}

/// The value of one field, if there is one.
pub(super) fn value(connection: &mut Wire, location: &str, key: &str, field: &str) -> Result<Option<String>> {
    let found: Option<Vec<u8>> = ask(connection, location, key, redis::cmd("HGET").arg(key).arg(field))?;
    found.map(|value| value_text(location, key, field, value)).transpose()
}

/// The values of these fields, one for each.
pub(super) fn values(
    connection: &mut Wire,
    location: &str,
    key: &str,
    fields: &[String],
) -> Result<Vec<Option<String>>> {
    let found: Vec<Option<Vec<u8>>> =
        ask(connection, location, key, redis::cmd("HMGET").arg(key).arg(fields))?;
    if found.len() != fields.len() {
        return Err(damaged(location, key, "the server answers another number of values").into());
    }
    let mut values = Vec::with_capacity(fields.len());
    for (field, value) in fields.iter().zip(found) {
        values.push(value.map(|value| value_text(location, key, field, value)).transpose()?);
    }
    Ok(values)
}

/// The text of a key that is no hash, if there is one.
pub(super) fn text(connection: &mut Wire, location: &str, key: &str) -> Result<Option<String>> {
    let found: Option<Vec<u8>> = ask(connection, location, key, redis::cmd("GET").arg(key))?;
    found.map(|value| String::from_utf8(value).map_err(|_| not_text(location, key, "its value"))).transpose()
}

/// The keys of this pattern. A server that never comes to the end of them is refused.
pub(super) fn keys_of(connection: &mut Wire, location: &str, pattern: &str) -> Result<Vec<String>> {
    let (mut found, mut cursor) = (Vec::new(), 0_u64);
    for _ in 0..MAX_KEYS {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(1000);
        let (next, keys): (u64, Vec<Vec<u8>>) = ask(connection, location, pattern, &scan)?;
        for key in keys {
            found.push(String::from_utf8(key).map_err(|_| not_text(location, pattern, "the name of a key"))?);
        }
        if next == 0 {
            // A server may name a key twice.
            found.sort_unstable();
            found.dedup();
            return Ok(found);
        }
        if found.len() > MAX_KEYS {
            break;
        }
        cursor = next;
    }
    Err(damaged(location, pattern, "the server does not come to the end of these keys").into())
}

/// Asks about one key, and names it where what it holds is of another kind.
pub(super) fn ask<T: FromRedisValue>(
    connection: &mut Wire,
    location: &str,
    key: &str,
    command: &Cmd,
) -> Result<T> {
    command.query(connection).map_err(|error: RedisError| {
        let is_other = error.kind() == ErrorKind::UnexpectedReturnType || error.code() == Some("WRONGTYPE");
        match is_other {
            true => damaged(location, key, "what it holds is of another kind than a store's").into(),
            false => Fault::Backend(error),
        }
    })
}

fn field_text(location: &str, key: &str, field: Vec<u8>) -> Result<String> {
    String::from_utf8(field).map_err(|error| {
        let shown = excerpt(&String::from_utf8_lossy(error.as_bytes()));
        not_text(location, key, &format!("the name of field `{shown}`"))
    })
}

fn value_text(location: &str, key: &str, field: &str, value: Vec<u8>) -> Result<String> {
    String::from_utf8(value)
        .map_err(|_| not_text(location, key, &format!("the value of field `{}`", excerpt(field))))
}

fn not_text(location: &str, key: &str, what: &str) -> Fault<RedisError> {
    damaged(location, key, &format!("{what} is not UTF-8")).into()
}
