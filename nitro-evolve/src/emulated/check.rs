//! What times and results on one device do not show: races, and results that hang on memory that nobody wrote, or
//! on who came first.

use std::sync::Arc;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Options, Races};

use super::case::{self, Left};
use super::explore::{self, Explored, Unwritten};
use crate::Workload;
use crate::bench::BenchError;
use crate::finding::{Check, CheckOutcome};
use crate::workload::{Inputs, Set};

/// Orders of threads that are tried, half of them adversarial: threads of a warp leave each other as far behind as
/// is legal.
const SEEDS: u64 = 4;
/// Of the warps of all cases, in one order of threads: some seconds. The largest cases are left out.
const MOST_INSTRUCTIONS: u64 = 2_000_000;
/// Of inputs that nobody wrote and with which the original does something new: each candidate that looks faster runs
/// with them. Others come beside them up to fewer.
const MOST_OF_UNWRITTEN: u64 = 100_000;
const MOST_OF_OTHERS: u64 = 10_000;
/// The cases of those that are run in all orders of threads for each candidate: what confuses guards shows in one, and
/// what races in any case.
const IN_ALL_ORDERS: usize = 24;
/// Of further ones, with which only what is to be accepted runs.
const MOST_OF_THOROUGH: u64 = 1_000_000;
/// In a hostile order the threads of a warp go on one by one.
const MOST_TIMES: u64 = 64;

/// Runs a patch on the emulator, with all inputs that are small enough for that, in several orders of threads, each
/// with something else in memory that nobody has written, and looks for races, for results that are not the
/// original's, and for threads that wait for ever. Races that the original has are no objection.
///
/// It holds on every GPU: a barrier that one card does not need is missed here. To read what nobody wrote, as
/// threads beyond an edge may, is no fault as long as no result hangs on it.
pub struct EmulatorCheck {
    original: Arc<Emulator>,
    /// What of a patched text is launched.
    kernels: Vec<String>,
    cases: Vec<Case>,
    /// Those that are run beside them where it is to be thorough.
    seldom: Vec<Case>,
    /// The most error that a result may have.
    max_error: f64,
    /// What the original is run with, so that it is clean.
    options: Options,
    /// Whether races are looked for at all: the original itself has some else.
    is_free_of_races: bool,
    /// Whether nobody wrote its inputs.
    is_unwritten: bool,
    /// How the original leaves its buffers with some of those.
    faults: Vec<String>,
}

struct Case {
    name: String,
    inputs: Inputs,
    /// What the original leaves.
    expected: Left,
}

impl EmulatorCheck {
    /// Finds out what the original does.
    ///
    /// # Errors
    /// When the PTX cannot be emulated, its results are further apart than this by themselves, or its cases are too
    /// large for that.
    pub fn new(workload: &Workload, ptx: &str, max_error: f64) -> Result<Self, BenchError> {
        Self::within(MOST_INSTRUCTIONS, workload, ptx, max_error)
    }

    pub(super) fn within(
        most_instructions: u64,
        workload: &Workload,
        ptx: &str,
        max_error: f64,
    ) -> Result<Self, BenchError> {
        let original = Arc::new(case::emulator(ptx, &workload.all_kernels()).map_err(BenchError)?);
        let cases = small_cases(most_instructions, workload, &original)?;
        Self::of(cases, &original, most_instructions, workload, max_error).permitting_races()
    }

    /// Returns the same on inputs that nobody wrote, as far as the original does nothing wrong with them: who fails
    /// here may still be right with all inputs that its user has. A check takes those with which the original does
    /// something new, and some others; a thorough one takes many more.
    ///
    /// # Errors
    /// As [`EmulatorCheck::new`].
    pub(crate) fn on_unwritten_inputs(
        workload: &Workload,
        ptx: &str,
        max_error: f64,
    ) -> Result<Self, BenchError> {
        let module = Module::parse(ptx).map_err(|error| BenchError(error.to_string()))?;
        let original = case::emulator_of(&module, &workload.all_kernels()).map_err(BenchError)?;
        let original = Arc::new(original);
        let Unwritten { cases, new, faults } = explore::unwritten(workload, &module, &original);
        let of_each = |number: usize| if number < new { MOST_OF_UNWRITTEN } else { MOST_OF_OTHERS };
        let each = cases.into_iter().enumerate().map(|(number, Explored { name, inputs, expected, .. })| {
            (number, Case { name, inputs, expected })
        });
        let (mut often, mut seldom, mut total) = (Vec::new(), Vec::new(), 0);
        for (number, case) in each {
            let instructions = case.expected.instructions;
            match total + instructions <= of_each(number) {
                true => {
                    total += instructions;
                    often.push(case);
                }
                false => seldom.push(case),
            }
        }
        let seldom = fitting(seldom, MOST_OF_THOROUGH);
        if often.is_empty() {
            return Err(too_large());
        }
        let check = Self::of(Vec::new(), &original, MOST_OF_UNWRITTEN, workload, max_error);
        let (clean, other): (Vec<Case>, Vec<Case>) = often.into_iter().partition(|case| check.is_clean(case));
        let check = Self { is_unwritten: true, seldom, faults, ..check };
        if clean.is_empty() {
            return Self { cases: other, ..check }.permitting_races();
        }
        Ok(Self { cases: clean, ..check })
    }

    /// Returns whether the original does nothing wrong in a case: numbers that do not go together may make it race, or
    /// hang on what nobody wrote.
    fn is_clean(&self, case: &Case) -> bool {
        (0..SEEDS).all(|seed| self.objection_in(&self.original, case, seed).is_none())
    }

    fn of(
        cases: Vec<Case>,
        original: &Arc<Emulator>,
        most_instructions: u64,
        workload: &Workload,
        max_error: f64,
    ) -> Self {
        let (max_instructions, deadline) = (most_instructions * MOST_TIMES, workload.deadline());
        let options = Options { max_instructions, deadline, ..Options::default() };
        let kernels = workload.kernels().into_iter().map(str::to_owned).collect();
        let original = Arc::clone(original);
        let (seldom, is_free_of_races, is_unwritten) = (Vec::new(), true, false);
        let faults = Vec::new();
        Self { original, kernels, cases, seldom, max_error, options, is_free_of_races, is_unwritten, faults }
    }

    /// The same, which does not look for races where the original has some.
    fn permitting_races(mut self) -> Result<Self, BenchError> {
        if self.objection(&self.original, SEEDS).is_some() {
            self.options.races = Races::Ignored;
            self.is_free_of_races = false;
            if let Some(objection) = self.objection(&self.original, SEEDS) {
                return Err(BenchError(format!("of the PTX as it is: {objection}")));
            }
        }
        Ok(self)
    }

    /// Returns a sentence about inputs that nobody wrote with which the original leaves its buffers, if there are any.
    pub(crate) fn faults(&self) -> Option<String> {
        let first = self.faults.first()?;
        let (tried, count) = (self.faults.len() + self.cases.len() + self.seldom.len(), self.faults.len());
        Some(format!(
            "of {tried} inputs that nobody wrote, it leaves its buffers with {count}, which evolution \
             does not look at: {first}"
        ))
    }

    /// The cases that are run, in words.
    #[cfg(test)]
    pub(super) fn cases(&self) -> Vec<&str> {
        self.cases.iter().map(|case| case.name.as_str()).collect()
    }

    /// What speaks against a program in so many orders of threads, with the case that shows it.
    fn objection(&self, program: &Emulator, orders: u64) -> Option<String> {
        let hostile = if self.is_unwritten { IN_ALL_ORDERS } else { usize::MAX };
        let mut cases = self.cases.iter().enumerate();
        cases.find_map(|(at, case)| self.objection_to(program, case, if at < hostile { orders } else { 1 }))
    }

    fn objection_to(&self, program: &Emulator, case: &Case, orders: u64) -> Option<String> {
        let why = (0..orders).find_map(|seed| self.objection_in(program, case, seed))?;
        Some(format!("with {}, {why}", case.name))
    }

    /// Returns what speaks against a program in the cases that are run seldom, of which nobody has seen yet whether the
    /// original is right with them.
    fn seldom_objection(&self, program: &Emulator) -> Option<String> {
        self.seldom.iter().find_map(|case| {
            let objection = self.objection_to(program, case, SEEDS)?;
            self.is_clean(case).then_some(objection)
        })
    }

    fn outcome(&self, ptx: &str, orders: u64) -> CheckOutcome {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        match case::emulator(ptx, &kernels) {
            Err(why) => CheckOutcome::NotRun(why),
            Ok(program) => self.objection(&program, orders).map_or(CheckOutcome::Clean, CheckOutcome::Found),
        }
    }

    fn objection_in(&self, program: &Emulator, case: &Case, seed: u64) -> Option<String> {
        let options = Options { seed, adversarial: seed % 2 == 1, ..self.options };
        match case::run(program, &self.original, &case.inputs, options) {
            Err(fault) => Some(fault.to_string()),
            Ok(left) => {
                let error = case::error(&case.inputs, &left, &case.expected);
                let is_right = error <= self.max_error;
                (!is_right).then(|| {
                    format!("results hang on memory that nobody has written, or on the order of threads (error {error:.1e})")
                })
            }
        }
    }
}

/// The cases that are small enough, the smallest first, by their names.
fn small_cases(
    most_instructions: u64,
    workload: &Workload,
    original: &Arc<Emulator>,
) -> Result<Vec<Case>, BenchError> {
    let options = Options {
        races: Races::Ignored,
        max_instructions: most_instructions,
        deadline: workload.deadline(),
        ..Options::default()
    };
    let mut cases = Vec::new();
    for set in [Set::Search, Set::Validation, Set::Test] {
        for number in 0..workload.cases(set) {
            let inputs = workload.inputs(set, number).map_err(|error| BenchError(error.to_string()))?;
            let name = workload.case_name(set, number);
            match case::run(original, original, &inputs, options) {
                Ok(expected) => cases.push(Case { name, inputs, expected }),
                // Too many instructions, or blocks.
                Err(Fault::Endless { .. } | Fault::Late { .. } | Fault::Launch(_)) => {}
                Err(fault) => return Err(BenchError(format!("the PTX as it is fails with {name}: {fault}"))),
            }
        }
    }
    let cases = fitting(cases, most_instructions);
    if cases.is_empty() { Err(too_large()) } else { Ok(cases) }
}

/// As many of the smallest as have so many instructions together.
fn fitting(mut cases: Vec<Case>, most_instructions: u64) -> Vec<Case> {
    cases.sort_by_key(|case| case.expected.instructions);
    let mut total = 0;
    cases.retain(|case| {
        total += case.expected.instructions;
        total <= most_instructions
    });
    cases
}

fn too_large() -> BenchError {
    BenchError("there is no input that is small enough for that; add a small one to the test".to_owned())
}

impl Check for EmulatorCheck {
    fn name(&self) -> String {
        let looks_for = match self.is_free_of_races {
            true => "races, in the emulator",
            false => "accesses, in the emulator (the original itself has races)",
        };
        match self.is_unwritten {
            true => format!("inputs that nobody wrote: {looks_for}"),
            false => looks_for.to_owned(),
        }
    }

    fn finds_races(&self) -> bool {
        self.is_free_of_races
    }

    fn check(&self, ptx: &str) -> CheckOutcome {
        self.outcome(ptx, SEEDS)
    }

    fn check_thoroughly(&self, ptx: &str) -> CheckOutcome {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        match case::emulator(ptx, &kernels) {
            Err(why) => CheckOutcome::NotRun(why),
            Ok(program) => {
                let mut cases = self.cases.iter();
                let objection = cases.find_map(|case| self.objection_to(&program, case, SEEDS));
                let objection = objection.or_else(|| self.seldom_objection(&program));
                objection.map_or(CheckOutcome::Clean, CheckOutcome::Found)
            }
        }
    }

    /// In one order of threads, the warps' own: threads that go on one by one take most of the time.
    fn glance(&self, ptx: &str) -> CheckOutcome {
        self.outcome(ptx, 1)
    }
}
