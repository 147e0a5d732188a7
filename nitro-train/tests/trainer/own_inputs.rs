//! A recording closure that makes its inputs itself, and never asks the session for any, is recorded like any
//! other: with progress that counts what nobody expected, within a budget, by a team, and also when nobody reads
//! what it prints.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::recordings::Recordings;
use nitro_train::{BoxError, Session, Trainer, store};

const INPUTS: u32 = 60;

#[code_variant(name = "work", device = Scripted, features(size = n), variants(small, large), default = small)]
fn work(n: u32);

fn small(n: u32) {
    TIME_NS.set(f64::from(n));
}

fn large(n: u32) {
    TIME_NS.set(f64::from(INPUTS - n));
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    if std::env::var_os("ASKS").is_some() {
        session.inputs("*.mtx").for_each(drop);
        return Ok(());
    }
    for n in 1..=INPUTS {
        session.input(&format!("n{n}"), || work(n))?;
        println!("the application has measured {n}");
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() || std::env::var_os(IN_EMPTY_PROJECT).is_some() {
        return Trainer::new().devices(Devices).processors(Hidden).function(work::function(), record).main();
    }
    progress_counts_what_nobody_expected();
    a_budget_is_kept();
    a_team_shares_them();
    nobody_has_to_read_what_the_application_prints();
    who_asks_where_there_is_nothing_is_told();
    who_has_recorded_nothing_is_told_what_to_type();
    ExitCode::SUCCESS
}

/// Makes this program without arguments the trainer.
const IN_EMPTY_PROJECT: &str = "NITRO_TEST_EMPTY_PROJECT";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(["record", "--store", "s.db"]).args(arguments).current_dir(folder);
    command
}

/// What is said on stderr by a recording that ends so.
fn said(command: &mut Command, code: i32) -> String {
    let output = command.stderr(Stdio::piped()).output().expect("the trainer starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

fn recorded(folder: &Path) -> Recordings {
    store::open(folder.join("s.db").to_str().unwrap()).unwrap().load("work").unwrap()
}

fn progress_counts_what_nobody_expected() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = command(folder.path(), &["--device", "scripted:0"]);
    let first = said(&mut record, 0);
    let lines: Vec<&str> = first.lines().collect();
    let expected = ["25 inputs measured", "50 inputs measured", "60 inputs measured"];
    assert_eq!(lines, expected.map(|line| format!("work on scripted:0: {line}")), "{first}");
    assert_eq!(recorded(folder.path()).measurements.len(), 2 * INPUTS as usize);
    let again = said(&mut record, 0);
    assert!(again.contains("0 inputs measured, 60 measured before"), "{again}");
}

fn a_budget_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    for budget in [8, 11] {
        said(&mut command(folder.path(), &["--device", "scripted:0", "--budget", &budget.to_string()]), 0);
        assert_eq!(recorded(folder.path()).inputs.len(), budget);
    }
}

fn a_team_shares_them() {
    let folder = tempfile::tempdir().unwrap();
    let said = said(&mut command(folder.path(), &["--device", "all"]), 0);
    let summary = said.lines().find_map(|line| line.strip_prefix("inputs measured: ")).expect(&said);
    let shares = summary.split(", ").map(|share| share.rsplit(' ').next().unwrap().parse::<u32>().unwrap());
    assert_eq!(shares.sum::<u32>(), INPUTS, "each is measured once: {said}");
    assert_eq!(recorded(folder.path()).measurements.len(), 2 * INPUTS as usize);
}

fn nobody_has_to_read_what_the_application_prints() {
    let folder = tempfile::tempdir().unwrap();
    let (_, closed) = std::io::pipe().unwrap();
    let said = said(command(folder.path(), &["--device", "scripted:0"]).stdout(closed), 0);
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(recorded(folder.path()).measurements.len(), 2 * INPUTS as usize);
}

fn who_asks_where_there_is_nothing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--device", "scripted:0"][..], &["--device", "scripted:0", "--budget", "8"]] {
        let said = said(command(folder.path(), arguments).env("ASKS", "1"), 1);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: ") && last.contains("`work` has no built-in inputs"), "{said}");
    }
}

fn who_has_recorded_nothing_is_told_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let mut train = Command::new(std::env::current_exe().expect("this program is somewhere"));
    let said = said(train.env(IN_EMPTY_PROJECT, "1").current_dir(folder.path()), 1);
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    assert!(said.contains("`train record`, then `train fit`"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}
