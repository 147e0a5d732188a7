//! `record --budget` measures so many inputs and no more, and those at which the choice of a variant turns.
//!
//! Without arguments this program is the test; the test runs it again as a trainer. Time is scripted: the device's
//! stopwatch says what the variant wants.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::store::ChoiceName;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

const INPUTS: u32 = 200;
/// From this size on the other variant is faster.
const TURN: u32 = 120;

#[code_variant(
    name = "work",
    device = Scripted,
    features(size = n),
    variants(small, large),
    default = small,
)]
fn work(n: u32);

fn small(n: u32) {
    TIME_NS.set(if n < TURN { 100.0 } else { 200.0 });
}

fn large(n: u32) {
    TIME_NS.set(if n < TURN { 200.0 } else { 100.0 });
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let n = name.parse()?;
        session.input(name, || work(n))?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        return Trainer::new()
            .devices(Devices)
            .processors(Hidden)
            .tunable(
                Tunable::new(work::function(), record).generated_inputs((0..INPUTS).map(|n| n.to_string())),
            )
            .main();
    }
    a_budget_is_kept_and_spent_where_the_choice_turns();
    ExitCode::SUCCESS
}

/// Records within a budget, and expects a line at the beginning and one at the end; all sizes that are in the store
/// then.
fn recorded(folder: &Path, budget: &str) -> BTreeSet<u32> {
    let program = std::env::current_exe().expect("this program is somewhere");
    let output = Command::new(program)
        .args(["record", "--device", "scripted:0", "--store", "s.db", "--budget", budget])
        .current_dir(folder)
        .output()
        .expect("the trainer starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("work on scripted:0: ")).collect();
    assert!(lines[0].contains("looking at the features"), "{said}");
    assert!(lines.len() == 2 && lines[1].ends_with("measured before"), "{said}");
    let path = folder.join("s.db");
    let mut store = store::open(path.to_str().expect("a plain path")).expect("a store");
    let names =
        store.recorded("work", "scripted", &["small", "large"].map(ChoiceName::variant)).expect("recordings");
    names.iter().map(|name| name.parse().expect("names are numbers")).collect()
}

fn a_budget_is_kept_and_spent_where_the_choice_turns() {
    let folder = tempfile::tempdir().unwrap();
    let first = recorded(folder.path(), "8");
    assert_eq!(first.len(), 8);
    let all = recorded(folder.path(), "24");
    assert_eq!(all.len(), 24);
    assert!(first.is_subset(&all), "a larger budget goes on where a smaller one ended");
    assert_eq!(recorded(folder.path(), "24"), all, "what is spent is spent");
    let last_small = first.iter().filter(|&&n| n < TURN).max().copied().unwrap_or(0);
    let first_large = first.iter().find(|&&n| n >= TURN).copied().unwrap_or(INPUTS);
    let between = all.difference(&first).filter(|&&n| (last_small..=first_large).contains(&n)).count();
    assert!(between >= 12, "{between} of 16 between {last_small} and {first_large}: {all:?}");
}
