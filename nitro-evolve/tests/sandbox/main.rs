//! Whatever a worker does, its sandbox goes on: real processes, and a bench that does what the text of the code says.
//!
//! This program is the test; the tests start it again as the worker.

mod fake;
mod scenarios;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("worker") => fake::work(&arguments.next().unwrap_or_default()),
        Some("parent") => scenarios::run_for_ever(),
        filter => return run(filter.filter(|filter| !filter.starts_with('-'))),
    }
    ExitCode::SUCCESS
}

/// Runs the scenarios whose names contain the filter.
fn run(filter: Option<&str>) -> ExitCode {
    let chosen = scenarios::ALL.iter().filter(|(name, _)| name.contains(filter.unwrap_or_default()));
    for (name, scenario) in chosen {
        scenario();
        println!("test {name} ... ok");
    }
    ExitCode::SUCCESS
}
