//! The embedded store: one SQLite file, or SQLite in memory.
//!
//! The journal is a write-ahead log with synchronous NORMAL: a process may be killed at any instruction and loses
//! only the transaction it was in; a power cut may lose the last few, never the file.

mod error;
mod file;
mod read;
mod schema;
mod selected;
mod write;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use nitro_core::Artifact;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use self::error::Result;
use super::error::Fault;
use super::times::named_times;
use super::{
    ChoiceName, Evaluated, Forgotten, FunctionSchema, Leases, MAX_LEASE, Row, Searches, Selected, Store,
    StoreError, check,
};
use crate::recordings::{DeviceRecord, Input, Meanings, Recordings};

pub(super) struct Sqlite {
    connection: Connection,
    location: String,
}

impl Sqlite {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        match file::open(path, &location) {
            Ok(connection) => Ok(Self { connection, location }),
            Err(fault) => Err(located(&location, fault)),
        }
    }

    /// Opens a file to read alone if it may not be written.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        if let Err(source) = std::fs::metadata(path) {
            return Err(StoreError::NotReadable { location: path.display().to_string(), source });
        }
        match Self::open(path) {
            Err(StoreError::NotWritable { location, .. }) => match file::open_read_only(path, &location) {
                Ok(connection) => Ok(Self { connection, location }),
                Err(fault) => Err(located(&location, fault)),
            },
            opened => opened,
        }
    }

    pub(super) fn memory() -> Result<Self, StoreError> {
        let location = ":memory:".to_owned();
        match file::memory() {
            Ok(connection) => Ok(Self { connection, location }),
            Err(fault) => Err(located(&location, fault)),
        }
    }

    fn read<T>(&self, action: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        // A deferred transaction gives several queries one view of the data.
        let result = self.connection.unchecked_transaction().and_then(|transaction| action(&transaction));
        result.map_err(|error| located(&self.location, error.into()))
    }

    fn write<T>(
        &mut self,
        action: impl FnOnce(&Transaction<'_>, &str) -> Result<T>,
    ) -> Result<T, StoreError> {
        let location = self.location.as_str();
        let connection = &mut self.connection;
        // Immediate, because a transaction that reads before it writes could not wait for another writer.
        let result = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Fault::Backend)
            .and_then(|transaction| {
                let written = action(&transaction, location)?;
                transaction.commit()?;
                Ok(written)
            });
        result.map_err(|fault| located(location, fault))
    }
}

/// Says which store an error is about, and tells the kinds apart that a user can do something about.
fn located(location: &str, fault: Fault<rusqlite::Error>) -> StoreError {
    let location = location.to_owned();
    match fault {
        Fault::Refused(error) => error,
        Fault::Backend(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore { location },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { location, detail: error.to_string() },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { location },
            None if matches!(error, rusqlite::Error::FromSqlConversionFailure(..)) => {
                StoreError::Damaged { location, detail: error.to_string() }
            }
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { location },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                StoreError::NotWritable { location, source: std::io::Error::other(error) }
            }
            Some(ErrorCode::SystemIoFailure) if is_failed_write(&error) => {
                StoreError::NotWritten { location }
            }
            // Its own source says the same once more.
            _ => StoreError::Backend { location, source: error.to_string().into() },
        },
    }
}

/// Returns true for what SQLite reports where a file may not grow, as on a full disk or beyond a limit.
///
/// `SQLITE_FULL` alone comes of a write to the database itself; its log and the log's index have codes of their own.
fn is_failed_write(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE,
    };
    let code = error.sqlite_error().map(|failure| failure.extended_code);
    matches!(
        code,
        Some(SQLITE_IOERR_WRITE | SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_TRUNCATE | SQLITE_IOERR_FSYNC)
    )
}

impl Store for Sqlite {
    fn location(&self) -> &str {
        &self.location
    }

    fn functions(&mut self) -> Result<Vec<String>, StoreError> {
        self.read(read::functions)
    }

    fn devices(&mut self) -> Result<Vec<DeviceRecord>, StoreError> {
        check::loaded_devices(&self.location, self.read(read::devices)?)
    }

    fn load(&mut self, function: &str) -> Result<Recordings, StoreError> {
        let known = self.functions()?;
        let recordings = self.read(|connection| read::recordings(connection, function))?;
        match recordings {
            Some(recordings) => check::loaded(&self.location, recordings),
            None => Err(StoreError::unknown_function(&self.location, function, &known)),
        }
    }

    fn register(&mut self, schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
        check::schema(schema)?;
        self.write(|transaction, _| write::schema(transaction, schema))
    }

    fn put_device(&mut self, device: &DeviceRecord) -> Result<(), StoreError> {
        check::device(device)?;
        self.write(|transaction, _| {
            write::forget_device_features(transaction, &device.id)?;
            Ok(write::device(transaction, device)?)
        })
    }

    fn recorded(
        &mut self,
        function: &str,
        device: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.read(|connection| read::recorded(connection, function, device, choices, true, None))
    }

    fn is_recorded(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<bool, StoreError> {
        let only = Some(input);
        let found =
            self.read(|connection| read::recorded(connection, function, device, choices, true, only))?;
        Ok(!found.is_empty())
    }

    fn measured(
        &mut self,
        function: &str,
        device: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.read(|connection| read::recorded(connection, function, device, choices, false, None))
    }

    fn put_meanings(&mut self, function: &str, meanings: &Meanings) -> Result<(), StoreError> {
        self.write(|transaction, location| selected::put_meanings(transaction, location, function, meanings))
    }

    fn measure_again(&mut self, function: &str, which: &Selected) -> Result<usize, StoreError> {
        self.write(|transaction, location| selected::measure_again(transaction, location, function, which))
    }

    fn forget(&mut self, function: &str, which: &Selected) -> Result<Forgotten, StoreError> {
        self.write(|transaction, location| selected::forget(transaction, location, function, which))
    }

    fn rename_variant(&mut self, function: &str, old: &str, new: &str) -> Result<(), StoreError> {
        check::variant_name(new)?;
        self.write(|transaction, location| {
            selected::rename_variant(transaction, location, function, (old, new))
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
        self.write(|transaction, location| {
            let writer = write::function_writer(transaction, location, function)?;
            check::input(function, &writer.feature_names(), input)?;
            let input = writer.input(location, input)?;
            let device = writer.device(location, device)?;
            rows.iter().try_for_each(|row| writer.row(location, device, input, row))
        })
    }

    fn put_feature_times(
        &mut self,
        function: &str,
        device: &str,
        input: &Input,
        times_ns: &[f64],
    ) -> Result<(), StoreError> {
        self.write(|transaction, location| {
            let writer = write::function_writer(transaction, location, function)?;
            let features = writer.feature_names();
            check::input(function, &features, input)?;
            check::feature_times(function, &features, &input.name, times_ns.iter().copied().map(Some))?;
            let (id, device) = (writer.input(location, input)?, writer.device(location, device)?);
            writer.feature_times(device, id, &named_times(&features, times_ns.iter().copied().map(Some)))
        })
    }

    fn put_artifact(&mut self, function: &str, text: &str) -> Result<Artifact, StoreError> {
        let artifact = check::artifact(text)?;
        self.write(|transaction, location| {
            write::function_writer(transaction, location, function)?.artifact(artifact, text)
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
        let subject = [function, device, input];
        let found = self.read(|connection| read::evaluations(connection, subject, choices))?;
        check::loaded_evaluations(&self.location, input, choices, found)
    }

    fn put_evaluation(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        row: &Row<'_>,
    ) -> Result<(), StoreError> {
        check::row(input, row)?;
        self.write(|transaction, _| Ok(write::evaluation(transaction, [function, device, input], row)?))
    }

    fn begin_search(&mut self, name: &str, with: &str) -> Result<String, StoreError> {
        self.write(|transaction, _| Ok(write::search(transaction, name, with)?))
    }

    fn searches(&mut self) -> Result<Searches, StoreError> {
        check::loaded_searches(&self.location, self.read(read::searches)?)
    }

    fn add_searches(&mut self, searches: &Searches) -> Result<(), StoreError> {
        check::searches(searches)?;
        self.write(|transaction, _| Ok(write::searches(transaction, searches)?))
    }

    fn import(&mut self, recordings: &Recordings) -> Result<(), StoreError> {
        check::recordings(recordings)?;
        self.write(|transaction, location| write::import(transaction, location, recordings))
    }
}

impl Leases for Sqlite {
    fn claim(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        owner: &str,
        lease: Duration,
    ) -> Result<bool, StoreError> {
        self.write(|transaction, _| {
            Ok(write::claim(transaction, (function, device, input), owner, lease.min(MAX_LEASE))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;
    use crate::printable::sentence;

    /// Returns the sentence about a failure with one of SQLite's extended codes.
    fn failure(code: i32) -> String {
        let message = Some("disk I/O error".to_owned());
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), message);
        sentence(&located("my.db", Fault::Backend(error)))
    }

    #[test]
    fn a_file_that_may_not_grow_is_called_that_and_says_what_to_do() {
        for code in [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_FSYNC] {
            let said = failure(code);
            assert!(said.starts_with("store `my.db` can no longer be written: make room"), "{said}");
        }
        assert!(failure(ffi::SQLITE_FULL).contains("is full: make room"));
    }

    #[test]
    fn what_a_back_end_says_is_said_once() {
        assert_eq!(failure(ffi::SQLITE_IOERR_READ), "store `my.db` failed: disk I/O error");
    }

    #[test]
    fn a_full_disk_is_called_that_and_what_was_kept_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full.db");
        let mut store = Sqlite::open(&path).unwrap();
        let schema = FunctionSchema {
            function: "sort",
            variants: &["merge"],
            default_variant: None,
            default_configuration: "",
            features: &[],
        };
        store.register(&schema).unwrap();
        let kept = store.put_artifact("sort", "kept").unwrap();
        let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        store.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let error = store.put_artifact("sort", &"x".repeat(1 << 19)).unwrap_err();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
        let artifacts = Sqlite::open(&path).unwrap().load("sort").unwrap().artifacts;
        assert_eq!(artifacts.keys().collect::<Vec<_>>(), [&kept]);
    }
}
