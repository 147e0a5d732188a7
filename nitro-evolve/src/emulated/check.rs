//! What times and results do not show: races, and memory that nobody wrote.

use std::sync::Arc;

use nitro_codegen::ptx::emulate::{Emulator, Fault, Options, Races};

use super::case;
use crate::Workload;
use crate::bench::BenchError;
use crate::finding::CheckOutcome;
use crate::refine::Check;
use crate::workload::{Inputs, Set};

/// Orders of threads that are tried, half of them adversarial: threads of a warp leave each other as far behind as is legal.
const SEEDS: u64 = 4;
/// Of the warps of all cases, in one order of threads: some seconds. The largest cases are left out.
const MOST_INSTRUCTIONS: u64 = 2_000_000;
/// In a hostile order the threads of a warp go on one by one.
const MOST_TIMES: u64 = 64;

/// Runs a patch on the emulator, with all inputs that are small enough for that, in several orders of threads, and looks for races, for reads of what nobody wrote, and for
/// threads that wait for ever. What the original does so, too, is no objection.
///
/// It holds on every GPU: a barrier that one card does not need is missed here.
pub struct EmulatorCheck {
    original: Arc<Emulator>,
    /// What of a patched text is launched.
    kernels: Vec<String>,
    cases: Vec<(String, Inputs)>,
    /// What the original is run with, so that it is clean.
    options: Options,
    /// Whether races are looked for at all: the original itself has some else.
    is_free_of_races: bool,
}

impl EmulatorCheck {
    /// Finds out what the original does.
    ///
    /// # Errors
    /// When the PTX cannot be emulated, or its cases are too large for that.
    pub fn new(workload: &Workload, ptx: &str) -> Result<Self, BenchError> {
        Self::within(MOST_INSTRUCTIONS, workload, ptx)
    }

    pub(super) fn within(most_instructions: u64, workload: &Workload, ptx: &str) -> Result<Self, BenchError> {
        let original = Arc::new(case::emulator(ptx, &workload.all_kernels()).map_err(BenchError)?);
        let cases = small_cases(most_instructions, workload, &original)?;
        let max_instructions = most_instructions * MOST_TIMES;
        let strict = Options { uninitialised: true, max_instructions, ..Options::default() };
        let kernels = workload.kernels().into_iter().map(str::to_owned).collect();
        let mut check =
            Self { original: Arc::clone(&original), kernels, cases, options: strict, is_free_of_races: true };
        for (uninitialised, races) in
            [(true, Races::Refused), (false, Races::Refused), (false, Races::Ignored)]
        {
            check.options = Options { uninitialised, races, ..strict };
            check.is_free_of_races = races == Races::Refused;
            match check.first_fault(&original) {
                None => break,
                Some((case, fault)) if races == Races::Ignored => {
                    return Err(BenchError(format!("the PTX as it is fails with {case}: {fault}")));
                }
                Some(_) => {}
            }
        }
        Ok(check)
    }

    /// The cases that are run, in words.
    #[cfg(test)]
    pub(super) fn cases(&self) -> Vec<&str> {
        self.cases.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn first_fault(&self, program: &Emulator) -> Option<(&str, Fault)> {
        self.cases.iter().find_map(|(name, inputs)| {
            (0..SEEDS).find_map(|seed| {
                let options = Options { seed, adversarial: seed % 2 == 1, ..self.options };
                let fault = case::run(program, &self.original, inputs, options).err()?;
                Some((name.as_str(), fault))
            })
        })
    }
}

/// The cases that are small enough, the smallest first, by their names.
fn small_cases(
    most_instructions: u64,
    workload: &Workload,
    original: &Arc<Emulator>,
) -> Result<Vec<(String, Inputs)>, BenchError> {
    let options =
        Options { races: Races::Ignored, max_instructions: most_instructions, ..Options::default() };
    let mut cases = Vec::new();
    for set in [Set::Search, Set::Validation, Set::Test] {
        for number in 0..workload.cases(set) {
            let inputs = workload.inputs(set, number).map_err(|error| BenchError(error.to_string()))?;
            let name = workload.case_name(set, number);
            match case::run(original, original, &inputs, options) {
                Ok(left) => cases.push((left.instructions, name, inputs)),
                // Too many instructions, or blocks.
                Err(Fault::Endless { .. } | Fault::Launch(_)) => {}
                Err(fault) => return Err(BenchError(format!("the PTX as it is fails with {name}: {fault}"))),
            }
        }
    }
    cases.sort_by_key(|(instructions, ..)| *instructions);
    let mut total = 0;
    cases.retain(|(instructions, ..)| {
        total += instructions;
        total <= most_instructions
    });
    match cases.is_empty() {
        true => Err(BenchError(
            "there is no input that is small enough for that; add a small one to the test".to_owned(),
        )),
        false => Ok(cases.into_iter().map(|(_, name, inputs)| (name, inputs)).collect()),
    }
}

impl Check for EmulatorCheck {
    fn name(&self) -> String {
        match self.is_free_of_races {
            true => "races, in the emulator".to_owned(),
            false => "accesses, in the emulator (the original itself has races)".to_owned(),
        }
    }

    fn finds_races(&self) -> bool {
        self.is_free_of_races
    }

    fn check(&self, ptx: &str) -> CheckOutcome {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        match case::emulator(ptx, &kernels) {
            Err(why) => CheckOutcome::NotRun(why),
            Ok(program) => match self.first_fault(&program) {
                None => CheckOutcome::Clean,
                Some((case, fault)) => CheckOutcome::Found(format!("with {case}, {fault}")),
            },
        }
    }
}
