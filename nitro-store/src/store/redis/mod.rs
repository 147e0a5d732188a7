//! The shared store: a Redis server.
//!
//! | key | hash of |
//! | --- | --- |
//! | `nitro:format` | (a string) the format version |
//! | `nitro:functions` | function → its variants, features, default variant, and digests of what they declare |
//! | `nitro:devices` | device → its features |
//! | `nitro:inputs:FUNCTION` | input → its features |
//! | `nitro:spaces:FUNCTION` | variant → its configurations, measured or not, where that was listed |
//! | `nitro:artifacts:FUNCTION` | digest → text of generated code |
//! | `nitro:measurements:["FUNCTION","DEVICE"]` | `["INPUT","VARIANT","CONFIGURATION"]` → outcome, time, spread, .. |
//! | `nitro:evaluations:["FUNCTION","DEVICE"]` | evaluations of searches, with times of parts; copies load it whole |
//! | `nitro:searches` | search → what it began with |
//! | `nitro:feature-times:["FUNCTION","DEVICE"]` | input → what each feature takes, in nanoseconds |
//! | `nitro:due:["FUNCTION","DEVICE"]` | the fields of measurements that are to be made again → nothing |
//! | `nitro:claim:["FUNCTION","DEVICE","INPUT"]` | (a string that expires) who measures the input at present |
//!
//! Values are JSON. A change watches the keys it has read, and writes in one MULTI/EXEC.

mod answers;
mod error;
mod keys;
mod link;
mod read;
mod selected;
mod wire;
mod write;

use std::collections::BTreeSet;
use std::time::Duration;

use nitro_core::Artifact;
use redis::{Commands, Pipeline};

use self::error::Result;
use self::link::Link;
use self::wire::Wire;
use super::{
    ChoiceName, Evaluated, Forgotten, FunctionSchema, Leases, MAX_LEASE, Row, Searches, Selected, Store,
    StoreError, check,
};
use crate::recordings::{DeviceRecord, Input, Meanings, Recordings};

/// The version of keys and values; a change that older programs cannot read adds one.
const FORMAT_VERSION: i64 = 1;

pub(super) struct Redis {
    link: Link,
}

impl Redis {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let mut store = Self { link: Link::open(url)? };
        store.identify()?;
        Ok(store)
    }

    fn identify(&mut self) -> Result<(), StoreError> {
        let found = self.link.with(|connection, location| {
            // A server that only hands out is asked for nothing else.
            let mut found = answers::text(connection, location, keys::FORMAT)?;
            if found.is_none() {
                let _: i64 = connection.set_nx(keys::FORMAT, FORMAT_VERSION)?;
                found = answers::text(connection, location, keys::FORMAT)?;
            }
            found.and_then(|found| found.parse::<i64>().ok()).ok_or_else(|| not_a_store(location).into())
        })?;
        let location = self.link.location.clone();
        match found {
            1..=FORMAT_VERSION => Ok(()),
            ..1 => Err(not_a_store(&location)),
            _ => Err(StoreError::Version { location, found, supported: FORMAT_VERSION }),
        }
    }

    /// Changes recordings of a function, whichever they are; what `action` returns.
    fn change<T>(
        &mut self,
        function: &str,
        mut action: impl FnMut(&mut Wire, &mut Pipeline, &str) -> Result<T>,
    ) -> Result<T, StoreError> {
        let keys =
            self.link.with(|connection, location| selected::watched(connection, location, function))?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut found = None;
        self.write(&keys, |connection, pipe, location| {
            found = Some(action(connection, pipe, location)?);
            Ok(())
        })?;
        Ok(found.expect("a write that succeeds has run the action"))
    }

    /// Runs `action` until none of `keys` changed between its reading and the writing of what it put into the pipe.
    fn write(
        &mut self,
        keys: &[&str],
        mut action: impl FnMut(&mut Wire, &mut Pipeline, &str) -> Result<()>,
    ) -> Result<(), StoreError> {
        self.link.with(|connection, location| {
            for _ in 0..MAX_TRIES {
                redis::cmd("WATCH").arg(keys).exec(connection)?;
                let mut pipe = redis::pipe();
                action(connection, pipe.atomic(), location)?;
                // Nothing where somebody has changed a key meanwhile.
                if pipe.query::<Option<redis::Value>>(connection)?.is_some() {
                    return Ok(());
                }
            }
            Err(StoreError::Busy { location: location.to_owned() }.into())
        })
    }
}

/// The most tries of a change whose keys others change meanwhile.
const MAX_TRIES: usize = 10_000;

/// Claims what the key stands for, or gives it back with a lease of no time; false where another has it.
///
/// The clock is the server's. A key that never expires, or later than any claim can, is none: another program has made
/// it, or the server's clock was set.
fn claim(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    key: &str,
    (owner, lease): (&str, Duration),
) -> Result<bool> {
    let claimed_by = answers::text(connection, location, key)?;
    let left_ms: i64 = connection.pttl(key)?;
    let holds = (0..=MAX_LEASE.as_millis() as i64).contains(&left_ms);
    if holds && claimed_by.is_some_and(|other| other != owner) {
        return Ok(false);
    }
    match u64::try_from(lease.min(MAX_LEASE).as_millis()).unwrap_or(u64::MAX) {
        0 => pipe.del(key).ignore(),
        lease_ms => pipe.pset_ex(key, owner, lease_ms).ignore(),
    };
    Ok(true)
}

fn not_a_store(location: &str) -> StoreError {
    StoreError::NotAStore { location: location.to_owned() }
}

impl Store for Redis {
    fn location(&self) -> &str {
        &self.link.location
    }

    fn functions(&mut self) -> Result<Vec<String>, StoreError> {
        self.link.with(read::functions)
    }

    fn devices(&mut self) -> Result<Vec<DeviceRecord>, StoreError> {
        let devices = self.link.with(read::devices)?;
        check::loaded_devices(&self.link.location, devices)
    }

    fn load(&mut self, function: &str) -> Result<Recordings, StoreError> {
        let known = self.functions()?;
        let recordings =
            self.link.with(|connection, location| read::recordings(connection, location, function))?;
        match recordings {
            Some(recordings) => check::loaded(&self.link.location, recordings),
            None => Err(StoreError::unknown_function(&self.link.location, function, &known)),
        }
    }

    fn register(&mut self, schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
        check::schema(schema)?;
        self.write(&[keys::FUNCTIONS], |connection, pipe, location| {
            write::schema(connection, pipe, location, schema, None)
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
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.link.with(|connection, location| {
            read::recorded(connection, location, function, device, choices, true)
        })
    }

    fn is_recorded(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<bool, StoreError> {
        self.link.with(|connection, location| {
            read::is_recorded(connection, location, [function, device, input], choices)
        })
    }

    fn measured(
        &mut self,
        function: &str,
        device: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.link.with(|connection, location| {
            read::recorded(connection, location, function, device, choices, false)
        })
    }

    fn put_meanings(&mut self, function: &str, meanings: &Meanings) -> Result<(), StoreError> {
        self.change(function, |connection, pipe, location| {
            selected::put_meanings(connection, pipe, location, function, meanings)
        })
    }

    fn measure_again(&mut self, function: &str, which: &Selected) -> Result<usize, StoreError> {
        self.change(function, |connection, pipe, location| {
            selected::measure_again(connection, pipe, location, function, which)
        })
    }

    fn forget(&mut self, function: &str, which: &Selected) -> Result<Forgotten, StoreError> {
        self.change(function, |connection, pipe, location| {
            selected::forget(connection, pipe, location, function, which)
        })
    }

    fn rename_variant(&mut self, function: &str, old: &str, new: &str) -> Result<(), StoreError> {
        check::variant_name(new)?;
        self.change(function, |connection, pipe, location| {
            selected::rename_variant(connection, pipe, location, function, (old, new))
        })
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
            write::measured(
                connection,
                pipe,
                location,
                &write::MeasurementWrite { function, device, input, rows },
            )
        })
    }

    fn put_feature_times(
        &mut self,
        function: &str,
        device: &str,
        input: &Input,
        times_ns: &[f64],
    ) -> Result<(), StoreError> {
        let inputs = keys::inputs(function);
        self.write(&[keys::FUNCTIONS, &inputs], |connection, pipe, location| {
            let subject = write::MeasurementWrite { function, device, input, rows: &[] };
            write::feature_times(connection, pipe, location, &subject, times_ns)
        })
    }

    fn put_artifact(&mut self, function: &str, text: &str) -> Result<Artifact, StoreError> {
        let artifact = check::artifact(text)?;
        self.write(&[keys::FUNCTIONS], |connection, pipe, location| {
            if read::schema(connection, location, function)?.is_none() {
                let known = read::functions(connection, location)?;
                return Err(StoreError::unknown_function(location, function, &known).into());
            }
            write::artifact(pipe, function, artifact, text);
            Ok(())
        })?;
        Ok(artifact)
    }

    fn evaluations(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<Vec<Option<Evaluated>>, StoreError> {
        let key = keys::evaluations(function, device);
        let found = self
            .link
            .with(|connection, location| read::evaluations(connection, location, &key, input, choices))?;
        check::loaded_evaluations(&self.link.location, input, choices, found)
    }

    fn put_evaluation(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        row: &Row<'_>,
    ) -> Result<(), StoreError> {
        check::row(input, row)?;
        let key = keys::evaluations(function, device);
        let (field, value) =
            (keys::measurement_field(input, row.choice()), keys::json(&keys::MeasurementValue::of(row)));
        self.link.with(|connection, _| Ok(connection.hset_nx(&key, &field, &value)?))
    }

    fn begin_search(&mut self, name: &str, with: &str) -> Result<String, StoreError> {
        self.link.with(|connection, location| {
            let _: i64 = connection.hset_nx(keys::SEARCHES, name, with)?;
            let began_with = answers::value(connection, location, keys::SEARCHES, name)?;
            began_with.ok_or_else(|| keys::damaged(location, keys::SEARCHES, "it keeps nothing").into())
        })
    }

    fn searches(&mut self) -> Result<Searches, StoreError> {
        let found = self.link.with(read::searches)?;
        check::loaded_searches(&self.link.location, found)
    }

    fn add_searches(&mut self, searches: &Searches) -> Result<(), StoreError> {
        check::searches(searches)?;
        let pipe = write::searches(searches);
        self.link.with(|connection, _| Ok(pipe.query(connection)?))
    }

    fn import(&mut self, recordings: &Recordings) -> Result<(), StoreError> {
        check::recordings(recordings)?;
        let function = recordings.function.as_str();
        let mut watched = vec![
            keys::FUNCTIONS.to_owned(),
            keys::DEVICES.to_owned(),
            keys::inputs(function),
            keys::spaces(function),
        ];
        for device in &recordings.devices {
            watched.extend([
                keys::measurements(function, &device.id),
                keys::feature_times(function, &device.id),
            ]);
        }
        let watched: Vec<&str> = watched.iter().map(String::as_str).collect();
        self.write(&watched, |connection, pipe, location| {
            write::import(connection, pipe, location, recordings)
        })
    }
}

impl Leases for Redis {
    fn claim(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        owner: &str,
        lease: Duration,
    ) -> Result<bool, StoreError> {
        let key = keys::claim(function, device, input);
        let mut claimed = false;
        self.write(&[&key], |connection, pipe, location| {
            claimed = claim(connection, pipe, location, &key, (owner, lease))?;
            Ok(())
        })?;
        Ok(claimed)
    }
}
