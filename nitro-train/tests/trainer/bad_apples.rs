//! One input, one function, one panic costs itself: what a panic leaves behind in its process fails nothing else, the
//! others are measured, and what was left out is named in the end.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use nitro::code_variant;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::{Session, Trainer, Tunable, store};

static CACHE: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Fails for good once it has panicked in a process.
fn cached(value: u32, bad: u32) -> u32 {
    let mut cache = CACHE.lock().expect("nobody panicked with it");
    cache.clear();
    cache.push(value);
    assert_ne!(value, bad, "on purpose");
    cache[0]
}

/// `writer` panics on 1, `reader` on 4; both take the lock.
#[code_variant(name = "locked", features(n = value), variants(reader, writer, other), default = reader)]
fn locked(value: u32) -> u32;

fn reader(value: u32) -> u32 {
    cached(value, 4)
}

fn writer(value: u32) -> u32 {
    cached(value, 1)
}

fn other(value: u32) -> u32 {
    value
}

/// The default ends its process on 2.
#[code_variant(name = "crashing", features(n = value), variants(rough, smooth), default = rough)]
fn crashing(value: u32) -> u32;

fn rough(value: u32) -> u32 {
    if value == 2 { std::process::abort() } else { value }
}

fn smooth(value: u32) -> u32 {
    value
}

/// The default returns an error on 3, and on 5 it alone does.
#[code_variant(name = "parsed", features(n = value), variants(strict, lenient), default = strict)]
fn parsed(value: u32) -> Result<u32, String>;

fn strict(value: u32) -> Result<u32, String> {
    if value == 3 || value == 5 { Err("no number".to_owned()) } else { Ok(value) }
}

fn lenient(value: u32) -> Result<u32, String> {
    if value == 3 { Err("no number".to_owned()) } else { Ok(value) }
}

/// Panics with a tile of 2.
#[code_variant(name = "tuned", features(n = value), variants(flat, tiled { tile: u32 in [1, 2, 3, 4] = 1 }), default = flat)]
fn tuned(value: u32) -> u32;

fn flat(value: u32) -> u32 {
    value
}

fn tiled(p: tuned::Tiled, _: u32) -> u32 {
    cached(p.tile, 2)
}

/// `loud` panics with a message that no terminal should be shown, and no store should keep.
#[code_variant(name = "loaded", features(size = value), variants(calm, loud), default = calm)]
fn loaded(value: u32) -> u32;

fn calm(value: u32) -> u32 {
    value
}

fn loud(value: u32) -> u32 {
    assert_ne!(value, 5, "{}", foreign());
    value
}

/// What foreign code may say.
fn foreign() -> String {
    format!("\x1b[2J\0{}", "x".repeat(300_000))
}

mod again {
    #[nitro::code_variant(name = "locked", variants(only), default = only)]
    pub fn locked();

    fn only() {}
}

const INPUTS: u32 = 6;

fn each<R>(session: &Session<'_>, call: impl Fn(u32) -> R) -> Result<(), nitro_train::BoxError> {
    Ok((0..INPUTS).try_for_each(|value| session.input(&format!("i{value}"), || call(value)))?)
}

/// Inputs of which every other one cannot be loaded.
fn loads() -> Tunable {
    let closure = |session: &mut Session<'_>| -> Result<(), nitro_train::BoxError> {
        for name in session.inputs("") {
            let value: u32 = name.parse()?;
            if value.is_multiple_of(2) {
                return Err(foreign().into());
            }
            session.input(name, || loaded(value))?;
        }
        Ok(())
    };
    Tunable::new(loaded::function(), closure).generated_inputs(["0", "1", "2", "3", "4", "5"])
}

fn trainer() -> Trainer {
    let trainer = Trainer::new()
        .function(crashing::function(), |session| each(session, crashing))
        .function(locked::function(), |session| {
            if std::env::var_os("FAILS").is_some() {
                return Err("the archive is damaged".into());
            }
            each(session, locked)
        })
        .function(parsed::function(), |session| each(session, parsed))
        .tunable(loads())
        .function(tuned::function(), |session| Ok(session.input("one", || tuned(7))?));
    match std::env::var_os("TWICE") {
        Some(_) => {
            trainer.function(again::locked::function(), |session| Ok(session.input("again", again::locked)?))
        }
        None => trainer,
    }
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() {
        return trainer().main();
    }
    a_panic_spoils_nothing_that_comes_later();
    a_panic_costs_a_search_one_evaluation();
    a_default_that_ends_its_process_costs_the_input();
    an_error_of_the_default_is_an_answer();
    inputs_that_cannot_be_loaded_are_told_of_once_and_in_bounds();
    a_function_that_fails_costs_itself();
    two_functions_of_one_name_are_refused_before_anything_is_done();
    ExitCode::SUCCESS
}

/// Ends with this code; what is said on stderr.
fn train(folder: &Path, arguments: &[&str], variable: &str, code: i32) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(arguments).args(["--store", "s.db"]).env(variable, "1").current_dir(folder);
    let output = command.output().expect("the trainer starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

fn record(folder: &Path, function: &str, further: &[&str], code: i32) -> String {
    let arguments = [&["record", "--device", "host:1", "--function", function], further].concat();
    train(folder, &arguments, "NOTHING", code)
}

/// What has no time, as `variant input reason`, and how many measurements there are.
fn without_time(folder: &Path, function: &str) -> (usize, Vec<String>) {
    let recordings: Recordings =
        store::open(folder.join("s.db").to_str().unwrap()).unwrap().load(function).unwrap();
    let failed = recordings.measurements.iter().filter(|one| one.outcome.time_ns().is_none());
    let said = failed.map(|one| {
        assert_ne!(one.outcome, Outcome::Inadmissible);
        let (variant, input) = (&recordings.variants[one.variant], &recordings.inputs[one.input].name);
        format!("{variant} {input} {}", one.reason)
    });
    (recordings.measurements.len(), said.collect())
}

fn a_panic_spoils_nothing_that_comes_later() {
    for further in [&[][..], &["--budget", "6"]] {
        let folder = tempfile::tempdir().unwrap();
        let text = record(folder.path(), "locked", further, 1);
        let (measurements, failed) = without_time(folder.path(), "locked");
        assert_eq!(measurements, 5 * 3, "{text}");
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert!(
            failed[0].starts_with("writer i1 panicked: ") && failed[0].contains("on purpose"),
            "{failed:?}"
        );
        assert_eq!(text.matches("going on in a fresh process").count(), 2, "one after each panic: {text}");
        let last = text.lines().last().unwrap_or_default();
        let expected = "error: input `i4` of locked on host:1 (the default variant of `locked` panicked: ";
        assert!(last.starts_with(expected) && last.ends_with("the others were, and are kept"), "{text}");
    }
}

fn a_panic_costs_a_search_one_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let search = ["search", "--function", "tuned", "--device", "host:1", "--evaluations", "4"];
    let text = train(folder.path(), &search, "NOTHING", 0);
    assert_eq!(text.matches("going on in a fresh process").count(), 1, "{text}");
    let mut store = store::open(folder.path().join("s.db").to_str().unwrap()).unwrap();
    let device = store.load("tuned").unwrap().devices[0].id.clone();
    let names = ["tile=1", "tile=2", "tile=3", "tile=4"]
        .map(|configuration| store::ChoiceName { variant: "tiled", configuration });
    let found = store.evaluations("tuned", &device, "one", &names).unwrap();
    let failed: Vec<bool> =
        found.iter().map(|one| one.as_ref().unwrap().outcome == Outcome::Failed).collect();
    assert_eq!(failed, [false, true, false, false], "{text}");
}

fn a_default_that_ends_its_process_costs_the_input() {
    for further in [&[][..], &["--budget", "6"]] {
        let folder = tempfile::tempdir().unwrap();
        let text = record(folder.path(), "crashing", further, 1);
        assert_eq!(without_time(folder.path(), "crashing"), (5 * 2, vec![]), "{text}");
        let last = text.lines().last().unwrap_or_default();
        let expected = "error: input `i2` of crashing on host:1 (the default variant `rough` of `crashing` ended its process";
        assert!(last.starts_with(expected), "{text}");
    }
}

fn an_error_of_the_default_is_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let text = record(folder.path(), "parsed", &[], 0);
    let wrong = "lenient i5 returned no error where the default variant does".to_owned();
    assert_eq!(without_time(folder.path(), "parsed"), (INPUTS as usize * 2, vec![wrong]), "{text}");
    assert!(text.contains("on 2 inputs the default variant returns an error"), "{text}");
}

fn inputs_that_cannot_be_loaded_are_told_of_once_and_in_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let text = record(folder.path(), "loaded", &[], 1);
    assert_eq!(text.matches("6 inputs to measure").count(), 1, "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: inputs `0`, `2`, `4` of loaded on host:1 (\\u{1b}[2J\\u{0}xxx"),
        "{last}"
    );
    assert!(
        last.len() < 1_200 && last.ends_with("x…) could not be recorded; the others were, and are kept"),
        "{last}"
    );
    let (measurements, failed) = without_time(folder.path(), "loaded");
    assert_eq!((measurements, failed.len()), (3 * 2, 1));
    assert!(failed[0].starts_with("loud 5 panicked: ") && failed[0].len() < 1_100, "{}", failed[0].len());
    assert!(!failed[0].contains(['\x1b', '\0']));
}

fn a_function_that_fails_costs_itself() {
    let folder = tempfile::tempdir().unwrap();
    let text = train(folder.path(), &["record", "--device", "host:1"], "FAILS", 1);
    assert_eq!(without_time(folder.path(), "parsed").0, INPUTS as usize * 2, "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains("locked on host:1 (the archive is damaged)"), "{text}");
    assert!(last.contains("input `i2` of crashing on host:1"), "{text}");
}

fn two_functions_of_one_name_are_refused_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["record", "fit", "evaluate", "check", "report", "search"] {
        let text = train(folder.path(), &[command], "TWICE", 1);
        let expected = "error: two functions of this program are called `locked`";
        assert!(text.starts_with(expected) && text.lines().count() == 1, "{command}: {text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
}
