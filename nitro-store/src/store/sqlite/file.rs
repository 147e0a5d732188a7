//! Opening: is this file a store, whole, and of a version that is known here?

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::Result;
use super::schema;
use crate::store::StoreError;
use crate::store::error::Fault;

/// Tells a store from other SQLite files: "Ntro" in the file's header.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"Ntro");
/// Length of SQLite's header.
const HEADER_BYTES: usize = 100;
/// The offset of the application id in SQLite's header.
const APPLICATION_ID_OFFSET: usize = 68;
/// The version of the tables; a change that older programs cannot read adds one.
const FORMAT_VERSION: i32 = 10;
/// The first version that is brought up; stores before it were made by programs that nobody released.
const OLDEST_VERSION: i32 = 9;
/// The changes that turn a store of an older version into one of the next, from the oldest on.
const STEPS: [&str; 1] = [include_str!("version_10.sql")];
/// Tables of older versions that a step drops.
const DROPPED_TABLES: &[&str] = &["post"];
/// The beginning of every SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// Endings of the files that SQLite has beside the store's.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The longest wait for another process to end its transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn memory() -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    create(&mut connection)?;
    Ok(connection)
}

pub(super) fn open(path: &Path, location: &str) -> Result<Connection> {
    if !path.exists() {
        make_whole(path);
    }
    // An empty file is what SQLite would make, but here the reason comes along when it cannot be made.
    let header = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
    let claims_to_be_store = inspect(path, location, &header, |source| StoreError::NotWritable {
        location: location.to_owned(),
        source,
    })?;
    let mut connection = connect(path)?;
    harden(&connection)?;
    if is_empty(&connection)? {
        if claims_to_be_store {
            return Err(damaged(location, "its tables are missing".to_owned()));
        }
        create(&mut connection)?;
    }
    identify(&mut connection, location)?;
    check_whole(&connection, location)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Opens a store of this version that may not be written.
pub(super) fn open_read_only(path: &Path, location: &str) -> Result<Connection> {
    let is_store = inspect(path, location, OpenOptions::new().read(true), |source| {
        StoreError::NotReadable { location: location.to_owned(), source }
    })?;
    if !is_store {
        return Err(StoreError::NotAStore { location: location.to_owned() }.into());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(absolute(path)?, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Of a write-ahead log SQLite wants an index beside the file. Where none can be made, nobody writes the file
    // either.
    if is_empty(&connection).is_err() && !has_journal(path) {
        let path = immutable(&absolute(path)?);
        connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_URI)?;
    }
    harden(&connection)?;
    identify(&mut connection, location)?;
    check_whole(&connection, location)?;
    Ok(connection)
}

/// The path as SQLite is told of a file that never changes.
fn immutable(path: &Path) -> String {
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}

/// Refuses damaged files, also those that were cut short.
fn check_whole(connection: &Connection, location: &str) -> Result<()> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" {
        return Ok(());
    }
    // A heading of its own line comes first.
    let finding = verdict.lines().last().unwrap_or_default();
    Err(damaged(location, finding.to_owned()))
}

/// Makes the file in one step, under another name first: another process that opens the store meanwhile sees a
/// whole one or none. What goes wrong here (no such folder, no hard links) is left to the way of an empty file,
/// which says why.
fn make_whole(path: &Path) {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}-{:?}.tmp", std::process::id(), std::thread::current().id()));
    let temporary = Path::new(&temporary);
    if make_new(temporary).is_ok() {
        // Where another process was first, its store stays.
        let _ = fs::hard_link(temporary, path);
    }
    let _ = fs::remove_file(temporary);
}

/// Makes an empty store where no file is.
fn make_new(path: &Path) -> Result<()> {
    File::create_new(path).map_err(|source| StoreError::NotWritable { location: String::new(), source })?;
    let mut connection = connect(path)?;
    create(&mut connection)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    Ok(())
}

fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(absolute(path)?, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Returns the path as SQLite reads nothing into it: it takes `file:x` for an address, with and without OPEN_URI.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|source| {
        let location = path.display().to_string();
        StoreError::NotWritable { location, source }.into()
    })
}

/// Turns off what a store does not need and a foreign file could use: views, triggers, and functions in its schema.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    for (option, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(option, value)?;
    }
    Ok(())
}

/// Makes sure of a file that may be opened so, and reads whether its header is a store's.
///
/// SQLite itself would open a read-only file for reading, and take the stump of a file for an empty database.
fn inspect(
    path: &Path,
    location: &str,
    options: &OpenOptions,
    not_usable: impl Fn(std::io::Error) -> StoreError,
) -> Result<bool, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(StoreError::NotAFile { location: location.to_owned() });
        }
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(not_usable(error)),
        _ => {}
    }
    // SQLite opens these too, and would wait for ever for the other end of a pipe.
    for beside in SIDE_FILES.map(|suffix| beside(path, suffix)) {
        if fs::metadata(&beside).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(StoreError::NotAFile { location: beside.display().to_string() });
        }
    }
    let file = options.open(path).map_err(&not_usable)?;
    let Header { bytes, file_bytes } = Header::read(file).map_err(not_usable)?;
    if bytes.is_empty() {
        return Ok(false);
    }
    if !bytes.starts_with(SQLITE_MAGIC) {
        return Err(StoreError::NotAStore { location: location.to_owned() });
    }
    let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else { return Err(cut_short(location)) };
    let is_store = bytes[APPLICATION_ID_OFFSET..][..4] == APPLICATION_ID.to_be_bytes();
    if is_store && file_bytes < announced_bytes(bytes) && !has_journal(path) {
        return Err(cut_short(location));
    }
    Ok(is_store)
}

struct Header {
    /// Fewer than [`HEADER_BYTES`] where the file has no more.
    bytes: Vec<u8>,
    file_bytes: u64,
}

impl Header {
    fn read(file: File) -> std::io::Result<Self> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        (&file).take(HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        // Last, so that a file that grows meanwhile is not found too short for its header.
        Ok(Self { bytes, file_bytes: file.metadata()?.len() })
    }
}

/// Page size times page count, as SQLite wrote them.
fn announced_bytes(header: &[u8; HEADER_BYTES]) -> u64 {
    let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536, // does not fit the field
        bytes => u64::from(bytes),
    };
    page_bytes * u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]))
}

/// After a crash the rest of the file may be in a journal, from which SQLite completes it.
fn has_journal(path: &Path) -> bool {
    ["-wal", "-journal"]
        .iter()
        .any(|suffix| fs::metadata(beside(path, suffix)).is_ok_and(|metadata| metadata.len() > 0))
}

/// Returns the path of a file that SQLite has beside the store's.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(suffix);
    beside.into()
}

fn cut_short(location: &str) -> StoreError {
    StoreError::Damaged { location: location.to_owned(), detail: "it is cut short".to_owned() }
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0)
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    if is_empty(&transaction)? {
        transaction.execute_batch(schema::TEXT)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT_VERSION)?;
    }
    transaction.commit()
}

fn identify(connection: &mut Connection, location: &str) -> Result<()> {
    if pragma(connection, "application_id")? != APPLICATION_ID {
        return Err(StoreError::NotAStore { location: location.to_owned() }.into());
    }
    let version = pragma(connection, "user_version")?;
    let (found, place) = (i64::from(version), location.to_owned());
    match version {
        OLDEST_VERSION..=FORMAT_VERSION => {}
        ..OLDEST_VERSION => {
            let oldest = OLDEST_VERSION.into();
            return Err(StoreError::OldVersion { location: place, found, oldest }.into());
        }
        _ => {
            let supported = FORMAT_VERSION.into();
            return Err(StoreError::Version { location: place, found, supported }.into());
        }
    }
    // Before the first look at a table, which may be a view without end by now.
    let dropped = if version < FORMAT_VERSION { DROPPED_TABLES } else { &[] };
    schema::refuse_foreign(connection, location, dropped)?;
    bring_up(connection)?;
    schema::check(connection, location)
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Migrates an older format version to this one.
fn bring_up(connection: &mut Connection) -> rusqlite::Result<()> {
    if pragma(connection, "user_version")? == FORMAT_VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first, so it is asked again which version there is.
    let found = pragma(&transaction, "user_version")?;
    for (_, step) in (OLDEST_VERSION..).zip(STEPS).filter(|(version, _)| *version >= found) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", FORMAT_VERSION)?;
    transaction.commit()
}

fn damaged(location: &str, detail: String) -> Fault<rusqlite::Error> {
    Fault::Refused(StoreError::Damaged { location: location.to_owned(), detail })
}
