//! The emulator as a runner of candidates.

use std::sync::Arc;
use std::time::Instant;

use nitro_ptx::emulate::{Emulator, Fault, Options, Races};
use nitro_search::Failure;

use super::case::{self, RunResult};
use crate::effort::Effort;
use crate::memory;
use crate::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use crate::workload::{Inputs, Set, Workload};

/// The most times the instructions of the original that a candidate may execute.
const MOST_TIMES: u64 = 20;
/// The instructions that it may execute beside; with more it counts as endless.
const MOST_MORE: u64 = 1_000_000;
/// The most instructions of the original in a case: more takes minutes.
const MOST_INSTRUCTIONS: u64 = 1 << 33;
/// The copies of the buffers beside the inputs: two runs are given some, and leave some.
const COPIES: u64 = 4;

/// A runner on the CPU that counts time: one nanosecond for each modelled cycle.
///
/// It is for machines without a GPU, and for tests. A candidate that is faster here executes less, or touches less
/// memory; on no GPU has anybody measured it.
///
/// ```
/// use nitro_evolve::{Runner, EmulatorRunner};
///
/// assert_eq!(EmulatorRunner::new().name(), "emulator (counted, not measured)");
/// ```
#[derive(Default)]
pub struct EmulatorRunner {
    original: Option<Arc<Emulator>>,
    /// The kernels that are launched of a candidate.
    kernels: Vec<String>,
    cases: Vec<Case>,
}

/// A case with the result of the original.
struct Case {
    set: Set,
    inputs: Inputs,
    result: RunResult,
    /// The distance of the original from itself, in another order of threads.
    spread: f64,
}

impl EmulatorRunner {
    /// Creates a runner that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a candidate on a case.
    fn case(&self, case: &Case, candidate: &Emulator, effort: Effort) -> Result<CaseResult, Fault> {
        let Some(original) = &self.original else {
            return Err(Fault::Launch("nothing has begun".to_owned()));
        };
        let max_instructions = case.result.instructions * MOST_TIMES + MOST_MORE;
        let (mut error, mut time_ns) = (0.0, 0.0);
        for check in 0..effort.checks.max(1) {
            let options = Options { max_instructions, ..ordered(check) };
            let result = case::run(candidate, original, &case.inputs, options)?;
            error = case::error(&case.inputs, &result, &case.result).max(error);
            if check == 0 {
                time_ns = result.cycles as f64;
            }
        }
        let error = if error <= case.spread { 0.0 } else { error };
        Ok(CaseResult { time_ns, error })
    }
}

/// Returns the options for the order of threads of a run.
fn ordered(check: u32) -> Options {
    Options { seed: check.into(), races: Races::Ignored, ..Options::default() }
}

impl Runner for EmulatorRunner {
    fn name(&self) -> String {
        "emulator (counted, not measured)".to_owned()
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        let emulator = case::emulator(&original.ptx, &workload.all_kernels()).map_err(RunnerError)?;
        let emulator = Arc::new(emulator);
        self.original = Some(Arc::clone(&emulator));
        self.kernels = workload.kernels().into_iter().map(str::to_owned).collect();
        self.cases.clear();
        let mut results = Vec::new();
        for &set in sets {
            let mut of_set = Vec::new();
            for number in 0..workload.cases(set) {
                let inputs = workload.inputs(set, number).map_err(|error| RunnerError(error.to_string()))?;
                let case = first_runs(&emulator, set, inputs, workload.deadline()).map_err(|why| {
                    let name = workload.case_name(set, number);
                    RunnerError(format!("the PTX as it is fails with {name}: {why}"))
                })?;
                of_set.push(CaseResult { time_ns: case.result.cycles as f64, error: 0.0 });
                self.cases.push(case);
            }
            results.push(of_set);
        }
        Ok(results)
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        let emulator = match case::emulator(&candidate.ptx, &kernels) {
            Ok(emulator) => emulator,
            Err(why) => return Ok(RunOutcome::Failed(Failure::Compile, why)),
        };
        let mut results = Vec::new();
        for case in self.cases.iter().filter(|case| case.set == set) {
            let result = match self.case(case, &emulator, effort) {
                Ok(result) => result,
                Err(fault) => return Ok(RunOutcome::Failed(failure(&fault), fault.to_string())),
            };
            if let Some(why) = effort.objection(result.error) {
                return Ok(RunOutcome::Failed(Failure::Wrong, why));
            }
            results.push(result);
        }
        Ok(RunOutcome::Ran(results))
    }
}

/// Makes a case of its inputs, and runs the original twice on it.
fn first_runs(
    original: &Arc<Emulator>,
    set: Set,
    inputs: Inputs,
    deadline: Option<Instant>,
) -> Result<Case, String> {
    let bytes: usize = inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
    memory::check("the buffers and their copies", bytes as u64 * COPIES, memory::free_bytes)?;
    let limits = Options { max_instructions: MOST_INSTRUCTIONS, deadline, ..ordered(0) };
    let result = case::run(original, original, &inputs, limits).map_err(|fault| of_original(&fault))?;
    let other_order = Options { seed: ordered(1).seed, ..limits };
    let again = case::run(original, original, &inputs, other_order).map_err(|fault| of_original(&fault))?;
    let spread = case::error(&inputs, &again, &result);
    if !spread.is_finite() {
        return Err("two runs of it give different results, or change an input".to_owned());
    }
    Ok(Case { set, inputs, result, spread })
}

/// Says how the original failed.
fn of_original(fault: &Fault) -> String {
    match fault {
        Fault::Late { .. } => format!("{fault}; give more (--minutes), or make its inputs smaller"),
        _ => fault.to_string(),
    }
}

/// Returns the kind of failure that a fault is.
fn failure(fault: &Fault) -> Failure {
    match fault {
        Fault::Launch(_) => Failure::Launch,
        Fault::Endless { .. } | Fault::Late { .. } => Failure::Timeout,
        _ => Failure::Crash,
    }
}
