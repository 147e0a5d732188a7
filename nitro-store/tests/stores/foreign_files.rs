//! What stands in a store's file besides its tables, and names that mean something else, are refused before anything
//! is run or made.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, FunctionSchema, MAX_LEASE, Row, StoreError};
use rusqlite::Connection;

/// The path of a new store with one measurement.
fn filled(folder: &Path) -> PathBuf {
    let path = folder.join("foreign.db");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let mut store = store::open(path.to_str().unwrap()).unwrap();
    let features = &["length"];
    let (function, variants) = ("sort", &["merge"]);
    let schema =
        FunctionSchema { function, variants, default_variant: None, default_configuration: "", features };
    store.register(&schema).unwrap();
    store
        .put_device(&DeviceRecord { id: "host:4".into(), features: [("threads".into(), 4.0)].into() })
        .unwrap();
    let input = Input { name: "a".into(), features: vec![9.0] };
    store.put("sort", "host:4", &input, &[Row::new("merge", Outcome::Time(5.0))]).unwrap();
    path
}

/// Opens the store in each way, expecting the same refusal of all.
#[track_caller]
fn refused(path: &Path, expected: &str) {
    let url = path.to_str().unwrap();
    for opened in [store::open(url), store::open_to_read(url)] {
        let Err(error) = opened else { panic!("{expected}: it was taken") };
        let said = error.to_string();
        assert!(said.contains(url) && said.contains(expected), "{said}");
        assert!(!said.contains(char::is_control) && said.len() < 500, "{said}");
    }
}

/// The tables of the format.
fn tables(connection: &Connection) -> Vec<String> {
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_table_that_has_become_a_view_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let all = tables(&Connection::open(filled(folder.path())).unwrap());
    assert!(all.len() > 10, "{all:?}");
    for table in all {
        let path = filled(folder.path());
        let connection = Connection::open(&path).unwrap();
        let columns = format!("SELECT group_concat('n AS ' || name) FROM pragma_table_info('{table}')");
        let columns: String = connection.query_row(&columns, [], |row| row.get(0)).unwrap();
        let view = format!(
            "ALTER TABLE {table} RENAME TO old_{table};
             CREATE VIEW {table} AS SELECT {columns} FROM
                 (WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q) SELECT n FROM q);"
        );
        connection.execute_batch(&view).unwrap();
        drop(connection);
        refused(&path, &format!("has the view `{table}`"));
    }
}

#[test]
fn what_no_store_has() {
    let folder = tempfile::tempdir().unwrap();
    for (sql, expected) in [
        (
            "CREATE TRIGGER wipe AFTER INSERT ON measurement BEGIN DELETE FROM measurement; END",
            "has the trigger `wipe`, which is none of Nitro's: remove it (DROP TRIGGER \"wipe\")",
        ),
        ("CREATE TRIGGER sqlx BEFORE UPDATE ON claim BEGIN SELECT raise(ignore); END", "the trigger `sqlx`"),
        ("CREATE VIEW seen AS SELECT 1", "has the view `seen`"),
        ("CREATE VIEW \"a\u{1b}[31m\" AS SELECT 1", "has the view `a\\u{1b}[31m`"),
        ("CREATE TABLE notes (text)", "has the table `notes`, which is none of Nitro's: remove it (DROP TABLE"),
        ("CREATE TABLE child (f REFERENCES function (id) ON DELETE CASCADE)", "has the table `child`"),
        ("CREATE INDEX slow ON measurement (abs(time_ns))", "has the index `slow`"),
        ("CREATE INDEX some ON input (name) WHERE name > 'a'", "has the index `some`"),
        ("CREATE VIRTUAL TABLE words USING fts5(text)", "has the virtual table `words`"),
        ("ALTER TABLE measurement ADD COLUMN twice REAL AS (time_ns * 2)", "its table `measurement` has other"),
        ("ALTER TABLE device ADD COLUMN owner TEXT", "its table `device` has other columns"),
        ("ALTER TABLE input RENAME COLUMN name TO called", "its table `input` has other columns"),
        ("DROP TABLE feature_time", "its table `feature_time` is missing"),
        ("DROP TABLE claim; CREATE TABLE claim (function TEXT, device TEXT)", "its table `claim` has other"),
        (
            "DROP TABLE search; CREATE TABLE search (name TEXT PRIMARY KEY COLLATE nocase, began_with TEXT NOT NULL)
             STRICT, WITHOUT ROWID",
            "its table `search` has other columns",
        ),
        (
            "DROP TABLE search; CREATE TABLE search (name TEXT PRIMARY KEY, began_with TEXT NOT NULL
             CHECK (length(hex(zeroblob(1000000))) > 0)) STRICT, WITHOUT ROWID",
            "its table `search` has other columns",
        ),
        (
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = replace(sql, 'outcome IN', 'outcome NOT IN') WHERE name = 'measurement'",
            "its table `measurement` has other",
        ),
        ("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x' WHERE name = 'claim'", "is damaged"),
        ("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'claim'", "is damaged"),
        ("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema", "is damaged"),
    ] {
        let path = filled(folder.path());
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        drop(connection);
        refused(&path, expected);
    }
}

#[test]
fn what_other_programs_may_do_to_a_store_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    for sql in [
        "ANALYZE",
        "VACUUM",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA page_size = 65536; PRAGMA journal_mode = DELETE; VACUUM",
        "ALTER TABLE input RENAME TO other; ALTER TABLE other RENAME TO input",
    ] {
        let path = filled(folder.path());
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let mut store = store::open(path.to_str().unwrap()).unwrap();
        assert_eq!(store.load("sort").unwrap().measurements.len(), 1, "{sql}");
    }
}

#[test]
fn a_trigger_that_comes_while_the_store_is_open_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(folder.path());
    let mut store = store::open(path.to_str().unwrap()).unwrap();
    let wipe = "CREATE TRIGGER wipe AFTER INSERT ON measurement BEGIN DELETE FROM measurement; END";
    Connection::open(&path).unwrap().execute_batch(wipe).unwrap();
    let input = Input { name: "b".into(), features: vec![9.0] };
    store.put("sort", "host:4", &input, &[Row::new("merge", Outcome::Time(5.0))]).unwrap();
    assert_eq!(store.load("sort").unwrap().measurements.len(), 2);
}

#[test]
fn a_claim_of_a_clock_that_was_ahead_or_set_back_is_void() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(folder.path());
    let mut store = store::open(path.to_str().unwrap()).unwrap();
    let other = Connection::open(&path).unwrap();
    let mut claim = |owner: &str, lease| store.claim("sort", "host:4", "a", owner, lease).unwrap();
    for seconds in ["86400", "3600", "61", "9e999", "-1", "-9e999"] {
        let until = format!("unixepoch('now', 'subsec') + {seconds}");
        let dead = format!("INSERT OR REPLACE INTO claim VALUES ('sort', 'host:4', 'a', 'dead', {until})");
        other.execute_batch(&dead).unwrap();
        assert!(claim("one", MAX_LEASE), "{seconds} s from now");
        assert!(!claim("two", MAX_LEASE), "the new one stands");
    }
    // Whoever asks for more has as much as there is.
    assert!(claim("one", MAX_LEASE * 1000));
    assert!(!claim("two", MAX_LEASE));
    assert!(claim("one", Duration::ZERO) && claim("two", MAX_LEASE));
}

#[test]
fn names_that_mean_something_else_are_refused_and_nothing_is_made() {
    for name in ["", ":memory:", "file:u.db", "file::memory:", "file:u.db?mode=memory", "redis:localhost"] {
        let Err(error) = store::open(name) else { panic!("{name}") };
        assert!(matches!(error, StoreError::NoName | StoreError::OtherMeaning { .. }), "{error:?}");
        assert!(store::open_to_read(name).is_err() && !Path::new(name).exists(), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:u.db", ":memory:", "a?b#c%20d.db", " "] {
        let path = folder.path().join(name);
        let device = DeviceRecord { id: "host:4".into(), features: [("threads".into(), 4.0)].into() };
        store::open(path.to_str().unwrap()).unwrap().put_device(&device).unwrap();
        assert_eq!(store::open(path.to_str().unwrap()).unwrap().devices().unwrap(), [device], "{name}");
        assert!(path.is_file(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_socket_or_folder_in_place_of_a_file_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let path = filled(folder.path());
        let own = PathBuf::from(format!("{}{suffix}", path.display()));
        let _ = std::fs::remove_file(&own);
        assert!(std::process::Command::new("mkfifo").arg(&own).status().unwrap().success());
        refused(&path, "is not a file");
        std::fs::remove_file(&own).unwrap();
        std::fs::create_dir(&own).unwrap();
        refused(&path, "is not a file");
        std::fs::remove_dir(&own).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&own).unwrap());
        refused(&path, "is not a file");
        std::fs::remove_file(&own).unwrap();
    }
    for device in ["/dev/zero", "/dev/null"] {
        let Err(error) = store::open(device) else { panic!("{device}") };
        assert!(matches!(error, StoreError::NotAFile { .. }), "{error:?}");
    }
}
