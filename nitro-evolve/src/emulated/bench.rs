//! The emulator as what runs candidates.

use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Fault, Options, Races};
use nitro_search::Failure;

use super::case::{self, Left};
use crate::Workload;
use crate::bench::{Bench, BenchError, CaseResult, Code, Effort, RunOutcome};
use crate::memory;
use crate::workload::{Inputs, Set};

/// A candidate may execute so many times the instructions of the original, and some more; then it is endless.
const MOST_TIMES: u64 = 20;
const MOST_MORE: u64 = 1_000_000;
/// Of the original, per case: more takes minutes.
const MOST_INSTRUCTIONS: u64 = 1 << 33;
/// Of the buffers, beside the inputs: what two runs are given, and what they leave.
const COPIES: u64 = 4;

/// Runs candidates on the CPU and counts what they would take: one nanosecond for each modelled cycle.
///
/// It is for machines without a GPU, and for tests: what is faster here executes less, or touches less memory. On
/// no GPU has anybody measured it.
///
/// ```
/// use nitro_evolve::{Bench, EmulatorBench};
///
/// assert_eq!(EmulatorBench::new().name(), "emulator (counted, not measured)");
/// ```
#[derive(Default)]
pub struct EmulatorBench {
    original: Option<Arc<Emulator>>,
    /// What of a candidate is launched.
    kernels: Vec<String>,
    cases: Vec<Case>,
}

struct Case {
    set: Set,
    inputs: Inputs,
    left: Left,
    /// How far the original is from itself, in another order of threads.
    spread: f64,
}

impl EmulatorBench {
    /// One that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn case(&self, case: &Case, candidate: &Emulator, effort: Effort) -> Result<CaseResult, Fault> {
        let Some(original) = &self.original else {
            return Err(Fault::Launch("nothing has begun".to_owned()));
        };
        let max_instructions = case.left.instructions * MOST_TIMES + MOST_MORE;
        let (mut error, mut time_ns) = (0.0, 0.0);
        for check in 0..effort.checks.max(1) {
            let options = Options { max_instructions, ..ordered(check) };
            let left = case::run(candidate, original, &case.inputs, options)?;
            error = case::error(&case.inputs, &left, &case.left).max(error);
            if check == 0 {
                time_ns = left.cycles as f64;
            }
        }
        let error = if error <= case.spread { 0.0 } else { error };
        Ok(CaseResult { time_ns, error })
    }
}

/// The order of threads of a run.
fn ordered(check: u32) -> Options {
    Options { seed: check.into(), races: Races::Ignored, ..Options::default() }
}

impl Bench for EmulatorBench {
    fn name(&self) -> String {
        "emulator (counted, not measured)".to_owned()
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, BenchError> {
        let emulator = case::emulator(&original.ptx, &workload.all_kernels()).map_err(BenchError)?;
        let emulator = Arc::new(emulator);
        self.original = Some(Arc::clone(&emulator));
        self.kernels = workload.kernels().into_iter().map(str::to_owned).collect();
        self.cases.clear();
        let failed = |set: Set, number: usize, why: &dyn std::fmt::Display| {
            BenchError(format!("the PTX as it is fails with {}: {why}", workload.case_name(set, number)))
        };
        let mut results = Vec::new();
        for &set in sets {
            let mut of_set = Vec::new();
            for number in 0..workload.cases(set) {
                let inputs = workload.inputs(set, number).map_err(|error| BenchError(error.to_string()))?;
                let bytes: usize = inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
                let room =
                    memory::check("the buffers and their copies", bytes as u64 * COPIES, memory::free_bytes);
                room.map_err(|why| failed(set, number, &why))?;
                let run = |check| {
                    let deadline = workload.deadline();
                    let options = Options { max_instructions: MOST_INSTRUCTIONS, deadline, ..ordered(check) };
                    case::run(&emulator, &emulator, &inputs, options)
                        .map_err(|fault| failed(set, number, &of_original(&fault)))
                };
                let (left, again) = (run(0)?, run(1)?);
                let spread = case::error(&inputs, &again, &left);
                if !spread.is_finite() {
                    return Err(failed(
                        set,
                        number,
                        &"two runs of it give different results, or change an input",
                    ));
                }
                of_set.push(CaseResult { time_ns: left.cycles as f64, error: 0.0 });
                self.cases.push(Case { set, inputs, left, spread });
            }
            results.push(of_set);
        }
        Ok(results)
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
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

/// Says how the original fails.
fn of_original(fault: &Fault) -> String {
    match fault {
        Fault::Late { .. } => format!("{fault}; give more (--minutes), or make its inputs smaller"),
        _ => fault.to_string(),
    }
}

fn failure(fault: &Fault) -> Failure {
    match fault {
        Fault::Launch(_) => Failure::Launch,
        Fault::Endless { .. } | Fault::Late { .. } => Failure::Timeout,
        _ => Failure::Crash,
    }
}
