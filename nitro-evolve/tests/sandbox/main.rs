//! Whatever a worker does, its sandbox goes on: real processes, and a runner that does what the text of the code
//! says; with `--ignored` one on a GPU.
//!
//! This program is the test; the tests start it again as the worker.

mod device;
mod fake;
mod scenarios;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("worker") => fake::work(arguments.get(1).map_or("", String::as_str)),
        Some("parent") => scenarios::run_for_ever(),
        _ => run(&arguments),
    }
    ExitCode::SUCCESS
}

/// Runs the scenarios whose names contain the filter.
fn run(arguments: &[String]) {
    let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str);
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let of_devices = has("--ignored") || has("--include-ignored");
    let others = if has("--ignored") { &[][..] } else { &scenarios::ALL };
    for (name, scenario) in others.iter().filter(|(name, _)| name.contains(filter)) {
        scenario();
        println!("test {name} ... ok");
    }
    for (name, scenario) in device::ALL.iter().filter(|(name, _)| name.contains(filter)) {
        if of_devices {
            scenario();
        }
        println!("test {name} ... {}", if of_devices { "ok" } else { "ignored, needs a CUDA device" });
    }
}
