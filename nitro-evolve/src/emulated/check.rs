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
/// Of the warps of one run of a case: some seconds. Larger cases are left out.
const MOST_INSTRUCTIONS: u64 = 4_000_000;

/// Runs a patch on the emulator, with all inputs that are small enough for that, in several orders of threads, and looks for races, for reads of what nobody wrote, and for
/// threads that wait for ever. What the original does so, too, is no objection.
///
/// It holds on every GPU: a barrier that one card does not need is missed here.
pub struct EmulatorCheck {
    original: Arc<Emulator>,
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
        let original = Arc::new(case::emulator(ptx).map_err(BenchError)?);
        let mut cases = Vec::new();
        for set in [Set::Search, Set::Validation, Set::Test] {
            for number in 0..workload.cases(set) {
                let inputs = workload.inputs(set, number).map_err(|error| BenchError(error.to_string()))?;
                cases.push((workload.case_name(set, number), inputs));
            }
        }
        let strict =
            Options { uninitialised: true, max_instructions: MOST_INSTRUCTIONS, ..Options::default() };
        let mut check = Self { original, cases, options: strict, is_free_of_races: true };
        // What is small enough to be looked through.
        let limited = Options { races: Races::Ignored, uninitialised: false, ..strict };
        let original = Arc::clone(&check.original);
        check.cases.retain(|(_, inputs)| {
            !matches!(case::run(&original, &original, inputs, limited), Err(Fault::Endless { .. }))
        });
        if check.cases.is_empty() {
            return Err(BenchError("all inputs are too large to be emulated".to_owned()));
        }
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
        match case::emulator(ptx) {
            Err(why) => CheckOutcome::NotRun(why),
            Ok(program) => match self.first_fault(&program) {
                None => CheckOutcome::Clean,
                Some((case, fault)) => CheckOutcome::Found(format!("with {case}, {fault}")),
            },
        }
    }
}
