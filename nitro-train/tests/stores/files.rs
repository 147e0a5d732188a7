//! What is not a whole store that may be written is refused with one sentence, and left as it is.

use std::fs;
use std::path::{Path, PathBuf};

use nitro_train::recordings::{DeviceRecord, Input, Outcome};
use nitro_train::store::{self, ChoiceName, FunctionSchema, Row, StoreError};

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("store-files-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn open(path: &Path) -> Result<Box<dyn store::Store>, StoreError> {
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

#[test]
fn a_newer_version_is_refused() {
    let path = folder("newer").join("nitro.db");
    filled(&path);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 10).unwrap();
    let before = fs::read(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error, StoreError::Version { found: 10, supported: 9, .. }), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_version_1_keeps_everything_and_takes_reasons() {
    let path = folder("older").join("nitro.db");
    filled(&path);
    let older = "ALTER TABLE measurement DROP COLUMN is_due; ALTER TABLE measurement DROP COLUMN load; DROP TABLE meaning;
                 ALTER TABLE measurement DROP COLUMN reason; DROP TABLE claim; DROP TABLE space; DROP TABLE feature_time;
                 DROP TABLE evaluation; DROP TABLE search; DROP TABLE post; DROP TABLE artifact;
                 ALTER TABLE function DROP COLUMN default_configuration; PRAGMA user_version = 1";
    rusqlite::Connection::open(&path).unwrap().execute_batch(older).unwrap();
    let mut store = open(&path).unwrap();
    assert_eq!(store.load("sort").unwrap().measurements.len(), 300);
    let input = Input { name: "train/new".to_owned(), features: vec![1.0] };
    let row = Row { reason: "panicked: no", ..Row::new("merge", Outcome::Failed) };
    store.put("sort", "host", &input, &[row]).unwrap();
    let recordings = open(&path).unwrap().load("sort").unwrap();
    let reasons: Vec<&str> = recordings
        .measurements
        .iter()
        .map(|one| one.reason.as_str())
        .filter(|reason| !reason.is_empty())
        .collect();
    assert_eq!(reasons, ["panicked: no"]);
}

#[test]
fn a_store_of_version_5_keeps_everything_and_takes_evaluations() {
    let path = folder("version_5").join("nitro.db");
    filled(&path);
    let older = "ALTER TABLE measurement DROP COLUMN is_due; ALTER TABLE measurement DROP COLUMN load; DROP TABLE meaning;
                 DROP TABLE evaluation; DROP TABLE search; DROP TABLE post; DROP TABLE artifact; PRAGMA user_version = 5";
    rusqlite::Connection::open(&path).unwrap().execute_batch(older).unwrap();
    let mut store = open(&path).unwrap();
    let old = store.load("sort").unwrap().measurements;
    assert_eq!((old.len(), old.iter().filter(|one| one.load.is_some()).count()), (300, 0));
    store.put_evaluation("sort", "host", "train/1", &Row::new("merge", Outcome::Wrong)).unwrap();
    let found = store.evaluations("sort", "host", "train/1", &[ChoiceName::variant("merge")]).unwrap();
    assert_eq!(found[0].as_ref().map(|one| one.outcome), Some(Outcome::Wrong));
}

#[test]
fn a_store_of_version_6_keeps_everything_and_takes_generated_code() {
    let path = folder("version_6").join("nitro.db");
    filled(&path);
    open(&path).unwrap().put_evaluation("sort", "host", "a", &Row::new("merge", Outcome::Wrong)).unwrap();
    let older = "ALTER TABLE measurement DROP COLUMN is_due; ALTER TABLE measurement DROP COLUMN load; DROP TABLE meaning; DROP TABLE post;
                 DROP TABLE artifact; ALTER TABLE evaluation DROP COLUMN parts;
                 ALTER TABLE evaluation DROP COLUMN load; PRAGMA user_version = 6";
    rusqlite::Connection::open(&path).unwrap().execute_batch(older).unwrap();
    let mut store = open(&path).unwrap();
    let of = [ChoiceName::variant("merge")];
    let evaluated = store.evaluations("sort", "host", "a", &of).unwrap().remove(0).unwrap();
    assert_eq!((evaluated.outcome, evaluated.load, evaluated.parts), (Outcome::Wrong, None, Vec::new()));
    let kernel = store.put_artifact("sort", "block=32").unwrap();
    let recordings = open(&path).unwrap().load("sort").unwrap();
    assert_eq!((recordings.measurements.len(), &*recordings.artifacts[&kernel]), (300, "block=32"));
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
    let found = nitro_train::Artifact::of("block=64");
    assert!(why.contains(&format!("artifact {kernel} has the digest {found}")), "{why}");
    other.execute_batch("UPDATE artifact SET digest = 'kernel'").unwrap();
    assert!(matches!(store.load("sort"), Err(StoreError::Damaged { .. })));
}

/// The file is as the trainer of that version wrote it.
#[test]
fn a_store_of_version_2_keeps_everything_and_takes_configurations() {
    let path = folder("version_2").join("nitro.db");
    fs::write(&path, include_bytes!("data/version-2.db")).unwrap();
    let before = open(&path).unwrap().load("histogram").unwrap();
    let (inputs, variants) = (before.inputs.len(), before.variants.len());
    assert_eq!((inputs, variants, before.measurements.len()), (6, 4, 24));
    assert_eq!(
        before.default_variant.map(|variant| before.variants[variant].as_str()),
        Some("private_tables")
    );
    assert!(before.measurements.iter().all(|one| one.configuration.is_empty()));

    let mut store = open(&path).unwrap();
    let (variants, features): (Vec<&str>, Vec<&str>) = (
        before.variants.iter().map(String::as_str).collect(),
        before.features.iter().map(String::as_str).collect(),
    );
    let schema = FunctionSchema {
        function: "histogram",
        variants: &variants,
        default_variant: Some(variants[0]),
        default_configuration: "bins=4",
        features: &features,
    };
    store.register(&schema).unwrap();
    let row = Row { configuration: "bins=8", ..Row::new(variants[0], Outcome::Time(5.0)) };
    store.put("histogram", &before.devices[0].id, &before.inputs[0], &[row]).unwrap();
    let after = open(&path).unwrap().load("histogram").unwrap();
    assert_eq!((after.default_variant, after.default_configuration.as_str()), (Some(0), "bins=4"));
    assert_eq!(after.measurements.len(), before.measurements.len() + 1);
    let wanted = ChoiceName { variant: variants[0], configuration: "bins=8" };
    let recorded = open(&path).unwrap().recorded("histogram", &before.devices[0].id, &[wanted]).unwrap();
    assert_eq!(recorded.into_iter().collect::<Vec<_>>(), [before.inputs[0].name.clone()]);
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
