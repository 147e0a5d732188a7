//! What is not a whole store that may be written is refused with one sentence, and left as it is.

use std::fs;
use std::path::{Path, PathBuf};

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, FunctionSchema, Row, StoreError};

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("store-files-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn open(path: &Path) -> Result<Box<dyn store::SharedStore>, StoreError> {
    store::open(path.to_str().unwrap())
}

/// The error, whose message names the path and is one sentence.
fn refusal(path: &Path) -> StoreError {
    let Err(error) = open(path) else { panic!("{} was accepted", path.display()) };
    let message = error.to_string();
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
    error
}

/// A store with enough rows for many pages.
fn filled(path: &Path) {
    let mut store = open(path).unwrap();
    let features = ["length"];
    let schema = FunctionSchema {
        function: "sort",
        variants: &["merge"],
        default_variant: None,
        default_configuration: "",
        features: &features,
    };
    store.register(&schema).unwrap();
    store.put_device(&DeviceRecord { id: "host".to_owned(), features: [].into() }).unwrap();
    for index in 0..300 {
        let input = Input { name: format!("train/{index}"), features: vec![f64::from(index)] };
        store.put("sort", "host", &input, &[Row::new("merge", Outcome::Time(1.0))]).unwrap();
    }
}

#[test]
fn a_store_is_made_once_and_opened_again() {
    let path = folder("made").join("nitro.db");
    filled(&path);
    assert_eq!(open(&path).unwrap().load("sort").unwrap().measurements.len(), 300);
    assert_eq!(open(&path).unwrap().location(), path.to_str().unwrap());
}

#[test]
fn an_empty_file_counts_as_absent() {
    let path = folder("empty").join("nitro.db");
    fs::write(&path, b"").unwrap();
    assert!(open(&path).unwrap().functions().unwrap().is_empty());
}

#[test]
fn several_may_make_it_at_once() {
    for round in 0..20 {
        let folder = folder(&format!("at-once-{round}"));
        let path = folder.join("nitro.db");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert!(open(&path).unwrap().functions().unwrap().is_empty()));
            }
        });
        let names =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.into_iter().all(|name| name.starts_with("nitro.db") && !name.ends_with(".tmp")));
    }
}

#[test]
fn other_files_are_left_as_they_are() {
    let folder = folder("other");
    let text = "device,input,variant,time_ns\n".repeat(1000).into_bytes();
    for (name, bytes) in [("text", text.as_slice()), ("short", b"x"), ("zeros", &[0; 8192])] {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        assert!(matches!(refusal(&path), StoreError::NotAStore { .. }));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing beside the files");
}

#[test]
fn what_only_reads_makes_nothing() {
    let path = folder("absent").join("nitro.db");
    let error = store::open_to_read(path.to_str().unwrap()).err().expect("there is no store");
    assert!(matches!(error, StoreError::NotReadable { .. }), "{error:?}");
    assert!(!path.exists());
}

#[test]
fn databases_of_other_programs_are_left_as_they_are() {
    let path = folder("foreign").join("other.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(refusal(&path), StoreError::NotAStore { .. }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Makes a file one of another format version.
fn change(path: &Path, statements: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn newer_versions_and_those_before_the_oldest_are_refused_and_stay() {
    let path = folder("versions").join("nitro.db");
    filled(&path);
    for (version, expected) in [
        (11, "has format version 11, this program reads up to 10: use a newer Nitro"),
        (8, "has format version 8, of which there was no release, and this program reads from 9 on"),
        (0, "has format version 0, of which there was no release"),
        (-1, "has format version -1, of which there was no release"),
    ] {
        change(&path, &format!("PRAGMA user_version = {version}"));
        let before = fs::read(&path).unwrap();
        let error = refusal(&path).to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn an_older_version_is_brought_up_and_keeps_everything() {
    const POSTS: &str = "CREATE TABLE post (board TEXT NOT NULL, poster TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (board, poster)) STRICT, WITHOUT ROWID; INSERT INTO post VALUES ('a', 'b', 'c')";
    let path = folder("older").join("nitro.db");
    filled(&path);
    change(&path, POSTS);
    assert!(matches!(refusal(&path), StoreError::Foreign { .. }), "this version has no such table");
    change(&path, "PRAGMA user_version = 9");
    let mut store = open(&path).unwrap();
    assert_eq!(store.load("sort").unwrap().measurements.len(), 300);
    let input = Input { name: "train/new".to_owned(), features: vec![1.0] };
    store.put("sort", "host", &input, &[Row::new("merge", Outcome::Failed)]).unwrap();
    drop(store);
    assert_eq!(open(&path).unwrap().load("sort").unwrap().measurements.len(), 301);
    let version = |connection: rusqlite::Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get(0))
    };
    assert_eq!(version(rusqlite::Connection::open(&path).unwrap()), Ok(10));
}

#[test]
fn what_an_older_version_has_not_is_foreign_in_it_too() {
    let path = folder("older_foreign").join("nitro.db");
    filled(&path);
    change(&path, "CREATE VIEW post AS SELECT 1; PRAGMA user_version = 9");
    assert!(matches!(refusal(&path), StoreError::Foreign { .. }));
    change(&path, "DROP VIEW post");
    assert!(open(&path).is_err(), "the step fails");
    let version: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 9, "and leaves it as it is");
}

#[test]
fn generated_code_that_somebody_changed_is_refused_with_both_digests() {
    let path = folder("changed_code").join("nitro.db");
    filled(&path);
    let mut store = open(&path).unwrap();
    let kernel = store.put_artifact("sort", "block=32").unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("UPDATE artifact SET text = 'block=64'").unwrap();
    let error = store.load("sort").unwrap_err();
    let why = std::error::Error::source(&error).expect("it says what is wrong").to_string();
    let found = nitro_core::Artifact::of("block=64");
    assert!(why.contains(&format!("artifact {kernel} has the digest {found}")), "{why}");
    other.execute_batch("UPDATE artifact SET digest = 'kernel'").unwrap();
    assert!(matches!(store.load("sort"), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_time_that_nobody_can_have_measured_is_refused_with_its_key() {
    let path = folder("times").join("nitro.db");
    filled(&path);
    let mut store = open(&path).unwrap();
    // Another program need not keep to the checks of the tables.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA ignore_check_constraints = true").unwrap();
    for (time, shown) in [("9e999", "inf"), ("-9e999", "-inf"), ("0.0", "0"), ("-5.0", "-5")] {
        let change = format!("UPDATE measurement SET time_ns = {time} WHERE input = 7");
        other.execute_batch(&change).unwrap();
        let error = store.load("sort").unwrap_err();
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Unusable { .. }), "{message}");
        for part in ["nitro.db", "`sort`", "`host`", "`merge`", "input `", &format!("is {shown}: ")] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[test]
fn a_truncated_store_is_refused_wherever_it_ends() {
    let path = folder("truncated").join("nitro.db");
    filled(&path);
    let whole = fs::read(&path).unwrap();
    let steps = (1..whole.len()).step_by(whole.len() / 97);
    let edges = [1, 15, 16, 17, 71, 72, 99, 100, 101, 511, 512, 4095, 4096, 4097, whole.len() - 1];
    for length in steps.chain(edges) {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refusal(&path);
        assert!(
            matches!(error, StoreError::Damaged { .. } | StoreError::NotAStore { .. }),
            "{length} of {}: {error:?}",
            whole.len()
        );
        assert_eq!(fs::read(&path).unwrap(), &whole[..length], "{length}");
    }
}

#[test]
fn a_damaged_page_is_found() {
    let path = folder("damaged").join("nitro.db");
    filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    bytes[4096 * (pages / 2)..4096 * (pages / 2 + 1)].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(refusal(&path), StoreError::Damaged { .. }));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_folder_is_not_a_store() {
    let folder = folder("folder");
    assert!(matches!(refusal(&folder), StoreError::NotAFile { .. }));
}

#[test]
fn a_missing_folder_is_not_made() {
    let path = folder("missing").join("no/such/folder/nitro.db");
    let error = refusal(&path);
    assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
}

/// Even the administrator cannot make a file there, so that the test holds for any user.
#[cfg(target_os = "linux")]
#[test]
fn a_place_that_takes_no_files_is_named() {
    assert!(matches!(refusal(Path::new("/proc/nitro.db")), StoreError::NotWritable { .. }));
}

#[test]
fn other_schemes_are_refused() {
    let Err(error) = store::open("postgres://localhost/nitro") else { panic!("there is no such store") };
    let message = error.to_string();
    assert!(message.contains("`postgres://`") && message.contains("redis://host:port/db"), "{message}");
}

#[cfg(not(feature = "redis"))]
#[test]
fn redis_without_the_feature_names_the_feature() {
    let Err(error) = store::open("redis://127.0.0.1:1/0") else { panic!("there is no Redis in this build") };
    assert!(error.to_string().contains("Cargo feature `redis`"), "{error}");
}
