//! The shared store: a Redis server.
//!
//! | key | hash of |
//! | --- | --- |
//! | `nitro:format` | (a string) the format version |
//! | `nitro:functions` | function → its variants, features and default variant |
//! | `nitro:devices` | device → its features |
//! | `nitro:inputs:FUNCTION` | input → its features |
//! | `nitro:measurements:["FUNCTION","DEVICE"]` | `["INPUT","VARIANT","CONFIGURATION"]` → outcome, time, spread, repeats, reason |
//!
//! Values are JSON. A change watches the keys it has read, and writes in one MULTI/EXEC.

mod keys;
mod read;
mod write;

use std::collections::BTreeSet;
use std::time::Duration;

use redis::{Commands, Connection, Pipeline, RedisError};

use super::error::Fault;
use super::{FunctionSchema, Row, Store, StoreError, check};
use crate::recordings::{DeviceRecord, Input, Recordings};

type Result<T, E = Fault<RedisError>> = std::result::Result<T, E>;

/// Of the keys and values; a change that older programs cannot read adds one.
const FORMAT_VERSION: i64 = 1;
/// How long a server may take to accept a connection or to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

impl From<RedisError> for Fault<RedisError> {
    fn from(error: RedisError) -> Self {
        Self::Backend(error)
    }
}

pub(super) struct Redis {
    connection: Connection,
    location: String,
}

impl Redis {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let location = without_password(url);
        let connection = connect(url).map_err(|source| StoreError::Unreachable {
            location: location.clone(),
            source: source.into(),
        })?;
        let mut store = Self { connection, location };
        store.identify()?;
        Ok(store)
    }

    fn identify(&mut self) -> Result<(), StoreError> {
        let found = self.read(|connection, location| {
            let () = connection.set_nx(keys::FORMAT, FORMAT_VERSION)?;
            let found: String = connection.get(keys::FORMAT)?;
            found.parse::<i64>().map_err(|_| not_a_store(location).into())
        })?;
        match found {
            1..=FORMAT_VERSION => Ok(()),
            ..1 => Err(not_a_store(&self.location)),
            _ => {
                Err(StoreError::Version { location: self.location.clone(), found, supported: FORMAT_VERSION })
            }
        }
    }

    fn read<T>(&mut self, action: impl FnOnce(&mut Connection, &str) -> Result<T>) -> Result<T, StoreError> {
        action(&mut self.connection, &self.location).map_err(|fault| located(&self.location, fault))
    }

    /// Runs `action` until none of `keys` changed between its reading and the writing of what it put into the pipe.
    fn write(
        &mut self,
        keys: &[&str],
        mut action: impl FnMut(&mut Connection, &mut Pipeline, &str) -> Result<()>,
    ) -> Result<(), StoreError> {
        let location = self.location.as_str();
        let result = redis::transaction(&mut self.connection, keys, |connection, pipe| {
            match action(connection, pipe, location) {
                Ok(()) => Ok(pipe.query::<Option<()>>(connection)?.map(Ok)),
                Err(Fault::Refused(error)) => Ok(Some(Err(error))),
                Err(Fault::Backend(error)) => Err(error),
            }
        });
        result.map_err(|error| located(location, error.into()))?
    }
}

fn connect(url: &str) -> redis::RedisResult<Connection> {
    let connection = redis::Client::open(url)?.get_connection_with_timeout(TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    Ok(connection)
}

fn without_password(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((_, host)) => format!("redis://{host}"),
        None => url.to_owned(),
    }
}

fn not_a_store(location: &str) -> StoreError {
    StoreError::NotAStore { location: location.to_owned() }
}

fn located(location: &str, fault: Fault<RedisError>) -> StoreError {
    match fault {
        Fault::Refused(error) => error,
        Fault::Backend(error) => StoreError::Backend { location: location.to_owned(), source: error.into() },
    }
}

impl Store for Redis {
    fn location(&self) -> &str {
        &self.location
    }

    fn functions(&mut self) -> Result<Vec<String>, StoreError> {
        self.read(|connection, _| Ok(read::functions(connection)?))
    }

    fn devices(&mut self) -> Result<Vec<DeviceRecord>, StoreError> {
        self.read(read::devices)
    }

    fn load(&mut self, function: &str) -> Result<Recordings, StoreError> {
        let known = self.functions()?;
        let recordings =
            self.read(|connection, location| read::recordings(connection, location, function))?;
        recordings.ok_or_else(|| StoreError::unknown_function(&self.location, function, &known))
    }

    fn register(&mut self, schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
        check::schema(schema)?;
        self.write(&[keys::FUNCTIONS], |connection, pipe, location| {
            write::schema(connection, pipe, location, schema)
        })
    }

    fn put_device(&mut self, device: &DeviceRecord) -> Result<(), StoreError> {
        check::device(device)?;
        self.write(&[keys::DEVICES], |_, pipe, _| {
            write::device(pipe, &device.id, &device.features);
            Ok(())
        })
    }

    fn recorded(
        &mut self,
        function: &str,
        device: &str,
        variants: &[&str],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.read(|connection, location| read::recorded(connection, location, function, device, variants))
    }

    fn put(
        &mut self,
        function: &str,
        device: &str,
        input: &Input,
        rows: &[Row<'_>],
    ) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| check::row(&input.name, row))?;
        let inputs = keys::inputs(function);
        self.write(&[keys::FUNCTIONS, &inputs], |connection, pipe, location| {
            write::measured(connection, pipe, location, &write::Measured { function, device, input, rows })
        })
    }

    fn import(&mut self, recordings: &Recordings) -> Result<(), StoreError> {
        check::recordings(recordings)?;
        let function = recordings.function.as_str();
        let mut watched = vec![keys::FUNCTIONS.to_owned(), keys::DEVICES.to_owned(), keys::inputs(function)];
        watched.extend(recordings.devices.iter().map(|device| keys::measurements(function, &device.id)));
        let watched: Vec<&str> = watched.iter().map(String::as_str).collect();
        self.write(&watched, |connection, pipe, location| {
            write::import(connection, pipe, location, recordings)
        })
    }
}
