//! Cases of a check on the emulator.

use std::sync::{Arc, OnceLock};

use nitro_ptx::emulate::{Emulator, Fault, Options, Races};
use nitro_search::threads::on_threads;

use super::case::{self, RunResult};
use crate::runner::RunnerError;
use crate::workload::{Inputs, Set, Workload};

/// An input, with what the original leaves of it.
pub(super) struct CheckCase {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    pub(super) expected: RunResult,
    /// The largest error of the original itself, over the orders of threads, once that is asked for.
    pub(super) own_error: OnceLock<f64>,
    /// Set if the original does nothing wrong there, once that is asked for.
    pub(super) is_clean: OnceLock<bool>,
}

impl CheckCase {
    /// Creates a case of which the original leaves this.
    pub(super) fn new(name: String, inputs: Inputs, expected: RunResult) -> Self {
        Self { name, inputs, expected, own_error: OnceLock::new(), is_clean: OnceLock::new() }
    }
}

/// Returns the cases of a workload that are small enough, the smallest first.
pub(super) fn small_cases(
    most_instructions: u64,
    threads: usize,
    workload: &Workload,
    original: &Arc<Emulator>,
) -> Result<Vec<CheckCase>, RunnerError> {
    let options = Options {
        races: Races::Ignored,
        max_instructions: most_instructions,
        deadline: workload.deadline(),
        ..Options::default()
    };
    let mut numbered = Vec::new();
    for set in [Set::Search, Set::Validation, Set::Test] {
        numbered.extend((0..workload.cases(set)).map(|number| (set, number)));
    }
    // Large ones run to the limit before they are left out.
    let cases = on_threads(threads, &numbered, |&(set, number)| {
        let inputs = workload.inputs(set, number).map_err(|error| RunnerError(error.to_string()))?;
        let name = workload.case_name(set, number);
        match case::run(original, original, &inputs, options) {
            Ok(expected) => Ok(Some(CheckCase::new(name, inputs, expected))),
            // Too many instructions, or blocks.
            Err(Fault::Endless { .. } | Fault::Late { .. } | Fault::Launch(_)) => Ok(None),
            Err(fault) => Err(RunnerError(format!("the PTX as it is fails with {name}: {fault}"))),
        }
    });
    let cases: Vec<Option<CheckCase>> = cases.into_iter().collect::<Result<_, _>>()?;
    let cases = fitting(cases.into_iter().flatten().collect(), most_instructions);
    if cases.is_empty() { Err(too_large()) } else { Ok(cases) }
}

/// Returns as many of the smallest cases as have so many instructions together.
pub(super) fn fitting(mut cases: Vec<CheckCase>, most_instructions: u64) -> Vec<CheckCase> {
    cases.sort_by_key(|case| case.expected.instructions);
    let mut total = 0;
    cases.retain(|case| {
        total += case.expected.instructions;
        total <= most_instructions
    });
    cases
}

/// Returns the error of a workload without a small input.
pub(super) fn too_large() -> RunnerError {
    RunnerError("there is no input that is small enough for that; add a small one to the test".to_owned())
}
