//! Programs with a trainer: each module is a scenario, and its `main` without arguments the test, with them the
//! trainer that the test runs.
//!
//! One program for all, since each would be linked with the whole trainer. A scenario has a process of its own all
//! the same: this program again, with the scenario's name in its environment. `cargo test -p nitro-variants-train
//! --test trainer -- lost_device` runs one.

mod bad_apples;
mod captured_traffic;
mod faulty_variants;
mod generated_code;
mod generated_parts;
mod kills;
mod lost_device;
mod main_job_budget;
mod own_inputs;
#[cfg(unix)]
mod profile;
mod proofs;
mod record_all;
mod record_budget;
mod regimes;
#[path = "../scripted/mod.rs"]
mod scripted;
mod searches;
#[cfg(feature = "redis")]
mod shared_recording;
#[cfg(feature = "redis")]
mod shared_search;
mod twins;

use std::env;
use std::process::{Command, ExitCode};

type Scenario = (&'static str, fn() -> ExitCode);

const SCENARIOS: &[Scenario] = &[
    ("bad_apples", bad_apples::main),
    ("captured_traffic", captured_traffic::main),
    ("faulty_variants", faulty_variants::main),
    ("generated_code", generated_code::main),
    ("generated_parts", generated_parts::main),
    ("lost_device", lost_device::main),
    ("main_job_budget", main_job_budget::main),
    ("own_inputs", own_inputs::main),
    #[cfg(unix)]
    ("profile", profile::main),
    ("proofs", proofs::main),
    ("record_all", record_all::main),
    ("record_budget", record_budget::main),
    ("regimes", regimes::main),
    ("searches", searches::main),
    #[cfg(feature = "redis")]
    ("shared_recording", shared_recording::main),
    #[cfg(feature = "redis")]
    ("shared_search", shared_search::main),
];

/// Names the scenario that a process is of, also to the processes that it starts.
const SCENARIO: &str = "NITRO_TEST_SCENARIO";

fn main() -> ExitCode {
    if let Ok(name) = env::var(SCENARIO) {
        let (_, main) = SCENARIOS.iter().find(|(one, _)| *one == name).expect("a scenario's name");
        return main();
    }
    let filters: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_asked_for =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let failed = SCENARIOS.iter().filter(|(name, _)| is_asked_for(name) && !passes(name)).count();
    ExitCode::from(u8::from(failed > 0))
}

/// Runs a scenario, and says whether it ended well.
fn passes(name: &str) -> bool {
    let program = env::current_exe().expect("this program is somewhere");
    let passes = Command::new(program).env(SCENARIO, name).status().expect("this program runs").success();
    println!("test {name} ... {}", if passes { "ok" } else { "FAILED" });
    passes
}
