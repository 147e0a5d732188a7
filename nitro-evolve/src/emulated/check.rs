//! The check on the emulator.
//!
//! It finds races, and results that depend on memory that nobody wrote or on who came first.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nitro_core::Artifact;
use nitro_ptx::emulate::{Emulator, Fault, Options, Races};
use nitro_ptx::{KnownLaunches, Module};
use nitro_search::threads::{cores, on_threads};

use super::case;
use super::check_case::{CheckCase, fitting, small_cases, too_large};
use super::explore::{self, UnwrittenInputs};
use super::judgement::Judgement;
use super::piece::Piece;
use super::shown::Hidden;
use crate::check::{Check, CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;
use crate::exactness::Exactness;
use crate::runner::RunnerError;
use crate::words::NO_TIME;
use crate::workload::Workload;

/// The orders of threads that are tried. Half of them are hostile: threads of a warp leave each other as far behind
/// as is legal.
pub(super) const SEEDS: u64 = 4;
/// The most instructions of warps over all cases, in one order of threads: some seconds. The largest cases are left
/// out.
const MOST_INSTRUCTIONS: u64 = 2_000_000;
/// The most instructions of inputs that nobody wrote and with which the original does something new. Each candidate
/// that looks faster runs with them.
const MOST_OF_UNWRITTEN: u64 = 100_000;
/// The most instructions up to which other such inputs come beside them.
const MOST_OF_OTHERS: u64 = 10_000;
/// The most instructions of further cases, which only a thorough check runs.
const MOST_OF_THOROUGH: u64 = 1_000_000;
/// One of so many parts of the cores makes a check beside a search.
const PARTS: usize = 4;
/// The most times the instructions of the original in a case, in a usual order of threads and in a hostile one, in
/// which the threads of a warp go on one by one. With more a program counts as endless.
pub(super) const MOST_TIMES: [u64; 2] = [16, 64];
/// The instructions that a program may execute beside.
pub(super) const MOST_MORE: u64 = 10_000;

/// A check on the emulator, with all inputs that are small enough, in several orders of threads.
///
/// Each run has something else in memory that nobody has written. The check looks for races, for results that are not
/// the original's, and for threads that wait for ever. Races that the original has are no objection. Where it has none
/// in which the same is written that was there, those are one too: with other data it may be something else.
///
/// It holds on every GPU: a barrier that one card does not need is missed here. Reading what nobody wrote, as threads
/// beyond an edge may, is no fault as long as no result depends on it.
pub struct EmulatorCheck {
    original: Arc<Emulator>,
    /// The kernels that are launched of a patched text.
    pub(super) kernels: Vec<String>,
    pub(super) cases: Vec<CheckCase>,
    /// Further cases, for a thorough check.
    pub(super) further: Vec<CheckCase>,
    /// Pieces of large cases, the smallest first: what they leave is no result, and says whether a patch is exact.
    pub(super) pieces: Vec<CheckCase>,
    pub(super) max_error: f64,
    /// What the cases that nobody wrote have not shown of the original.
    hidden: Hidden,
    /// The options with which the original is clean.
    options: Options,
    /// Set if races are looked for; not where the original itself has some.
    is_free_of_races: bool,
    /// Set if nobody wrote its inputs.
    pub(super) is_unwritten: bool,
    /// The faults of the original with some of those.
    faults: Vec<String>,
    /// What all launches have in common, by kernel, once that is asked for.
    pub(super) launches: OnceLock<BTreeMap<String, KnownLaunches>>,
    /// The texts in which a thorough check has found nothing.
    clean: Mutex<HashSet<Artifact>>,
}

impl EmulatorCheck {
    /// Creates a check with the inputs of a workload.
    ///
    /// # Errors
    /// When the PTX cannot be emulated, its results are further apart than this by themselves, or its cases are too
    /// large for that.
    pub fn new(workload: &Workload, ptx: &str, max_error: f64) -> Result<Self, RunnerError> {
        Self::within((MOST_INSTRUCTIONS, cores()), workload, ptx, max_error)
    }

    /// Creates a check as [`EmulatorCheck::new`] does, on a part of the cores: others search meanwhile.
    pub(crate) fn beside_a_search(
        workload: &Workload,
        ptx: &str,
        max_error: f64,
    ) -> Result<Self, RunnerError> {
        Self::within((MOST_INSTRUCTIONS, cores().div_ceil(PARTS)), workload, ptx, max_error)
    }

    /// Creates a check with the inputs that take at most so many instructions together, on so many threads.
    pub(super) fn within(
        (most_instructions, threads): (u64, usize),
        workload: &Workload,
        ptx: &str,
        max_error: f64,
    ) -> Result<Self, RunnerError> {
        let original = Arc::new(case::emulator(ptx, &workload.all_kernels()).map_err(RunnerError)?);
        let cases = small_cases(most_instructions, threads, workload, &original)?;
        Self::of(cases, &original, workload, max_error).permitting_races(threads).map(Self::prepared)
    }

    /// Creates a check with inputs that nobody wrote, as far as the original does nothing wrong with them.
    ///
    /// A patch that fails here may still be right with all inputs that its user has. The check takes the inputs with
    /// which the original does something new, and some others; a thorough one takes many more.
    ///
    /// # Errors
    /// As [`EmulatorCheck::new`].
    pub fn on_unwritten_inputs(workload: &Workload, ptx: &str, max_error: f64) -> Result<Self, RunnerError> {
        let (module, original) = case::program(ptx, &workload.all_kernels()).map_err(RunnerError)?;
        let original = Arc::new(original);
        let UnwrittenInputs { cases, new, faults, hidden, pieces } =
            explore::unwritten(workload, &module, &original);
        let (mut often, mut further, mut others, mut total) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (number, explored) in cases.into_iter().enumerate() {
            let most = if number < new { MOST_OF_UNWRITTEN } else { MOST_OF_OTHERS };
            let case = CheckCase::new(explored.name, explored.inputs, explored.expected);
            let instructions = case.expected.instructions;
            if total + instructions <= most {
                total += instructions;
                often.push(case);
            } else if number < new {
                further.push(case);
            } else {
                others.push(case);
            }
        }
        if often.is_empty() {
            return Err(too_large());
        }
        // What shows something new comes first, then the smallest of the others.
        let mut further = fitting(further, MOST_OF_THOROUGH / 4 * 3);
        let total = further.iter().map(|case| case.expected.instructions).sum();
        further.extend(fitting(others, MOST_OF_THOROUGH.saturating_sub(total)));
        let until = workload.deadline().into();
        let mut check = Self::of(Vec::new(), &original, workload, max_error);
        let are_strictly = on_threads(cores(), &often, |case| check.is_clean(case, until));
        check.options.same_value_races = false;
        let with_known: Vec<(&CheckCase, bool)> = often.iter().zip(are_strictly.iter().copied()).collect();
        let are_clean =
            on_threads(cores(), &with_known, |(case, is_known)| *is_known || check.is_clean(case, until));
        check.options.same_value_races = are_clean == are_strictly;
        let (mut clean, mut other) = (Vec::new(), Vec::new());
        for (case, is_clean) in often.into_iter().zip(are_clean) {
            if is_clean { clean.push(case) } else { other.push(case) }
        }
        let pieces =
            pieces.into_iter().map(|Piece { name, inputs, expected }| CheckCase::new(name, inputs, expected));
        let mut pieces: Vec<CheckCase> = pieces.collect();
        pieces.sort_by_key(|piece| piece.expected.instructions);
        let check = Self { is_unwritten: true, further, pieces, faults, hidden, ..check };
        if clean.is_empty() {
            return Self { cases: other, ..check }.permitting_races(cores()).map(Self::prepared);
        }
        // What is wrong mostly shows it with any input, and the first ones are run in all orders of threads.
        clean.sort_by_key(|case| case.expected.instructions);
        Ok(Self { cases: clean, ..check }.prepared())
    }

    /// Creates a check with these cases that looks for races.
    fn of(cases: Vec<CheckCase>, original: &Arc<Emulator>, workload: &Workload, max_error: f64) -> Self {
        Self {
            original: Arc::clone(original),
            kernels: workload.kernels().into_iter().map(str::to_owned).collect(),
            cases,
            further: Vec::new(),
            pieces: Vec::new(),
            hidden: Hidden::default(),
            max_error,
            options: Options {
                deadline: workload.deadline(),
                // With other data what is written may be another value.
                same_value_races: true,
                ..Options::default()
            },
            is_free_of_races: true,
            is_unwritten: false,
            faults: Vec::new(),
            launches: OnceLock::new(),
            clean: Mutex::default(),
        }
    }

    /// Returns the same check, which looks for no races of which the original has some: those that change nothing, or
    /// all.
    fn permitting_races(mut self, threads: usize) -> Result<Self, RunnerError> {
        let until = self.options.deadline.into();
        for (races, same_value_races) in
            [(Races::Refused, true), (Races::Refused, false), (Races::Ignored, false)]
        {
            self.options = Options { races, same_value_races, ..self.options };
            self.is_free_of_races = races == Races::Refused;
            match Judgement::new(&self, &self.original, until).objection(Depth::Hostile, threads) {
                None => break,
                Some(why) if races == Races::Ignored => {
                    return Err(RunnerError(format!("of the PTX as it is: {why}")));
                }
                Some(_) => {}
            }
        }
        Ok(self)
    }

    /// Returns the same check for candidates, whose runs have other deadlines.
    ///
    /// The workload's deadline is for what is prepared: patches are checked when it has passed.
    fn prepared(mut self) -> Self {
        self.options.deadline = None;
        self
    }

    /// Tells whether the original does nothing wrong in a case: numbers that do not fit together may make it race.
    pub(super) fn is_clean(&self, case: &CheckCase, until: Deadline) -> bool {
        let original = Judgement::new(self, &self.original, until);
        (0..SEEDS).all(|seed| original.objection_in(case, seed).is_none())
    }

    /// Tells whether the original does nothing wrong in a case, which is looked at once.
    pub(super) fn is_known_to_be_clean(&self, case: &CheckCase) -> bool {
        *case.is_clean.get_or_init(|| self.is_clean(case, Deadline::NEVER))
    }

    /// Says with how many unwritten inputs the original leaves its buffers, if there are any.
    pub(crate) fn faults(&self) -> Option<String> {
        let first = self.faults.first()?;
        let (tried, count) = (self.faults.len() + self.cases.len() + self.further.len(), self.faults.len());
        Some(format!(
            "of {tried} inputs that nobody wrote, it leaves its buffers with {count}, which evolution \
             does not look at: {first}"
        ))
    }

    /// Tells whether a patched program differs where whole cases have not shown all, and pieces show more.
    pub(super) fn is_for_pieces(&self, module: &Module, program: &Emulator) -> bool {
        !self.pieces.is_empty() && self.hidden.is_changed(&program.guards(module))
    }

    /// Returns the names of the cases that every check runs.
    #[cfg(test)]
    pub(super) fn cases(&self) -> Vec<&str> {
        self.cases.iter().map(|case| case.name.as_str()).collect()
    }

    /// Returns the moment after which no candidate is judged any more.
    #[cfg(test)]
    pub(super) fn deadline(&self) -> Option<std::time::Instant> {
        self.options.deadline
    }

    /// Runs a program in one case and one order of threads. Returns the error of its results.
    pub(super) fn error(
        &self,
        program: &Emulator,
        case: &CheckCase,
        seed: u64,
        until: Deadline,
    ) -> Result<f64, Fault> {
        let adversarial = seed % 2 == 1;
        let most_times = MOST_TIMES[usize::from(adversarial)];
        let max_instructions =
            case.expected.instructions.saturating_mul(most_times).saturating_add(MOST_MORE);
        let options =
            Options { seed, adversarial, max_instructions, deadline: until.moment(), ..self.options };
        let result = case::run(program, &self.original, &case.inputs, options)?;
        Ok(case::error(&case.inputs, &result, &case.expected))
    }

    /// Returns the error that the original has by itself in a case, as sums by atomics do.
    pub(super) fn own_error(&self, case: &CheckCase) -> f64 {
        *case.own_error.get_or_init(|| {
            let errors = (0..SEEDS).map(|seed| self.error(&self.original, case, seed, Deadline::NEVER));
            errors.map(|error| error.unwrap_or(0.0)).fold(0.0, f64::max)
        })
    }

    /// Makes a thorough check on so many threads, unless one has found nothing in the same text.
    pub(super) fn thorough(&self, ptx: &str, threads: usize, until: Deadline) -> CheckOutcome {
        let text = Artifact::of(ptx);
        if self.clean().contains(&text) {
            return CheckOutcome::Clean;
        }
        let outcome = self.judged(ptx, until, |judgement| judgement.objection(Depth::Thorough, threads));
        if outcome == CheckOutcome::Clean {
            self.clean().insert(text);
        }
        outcome
    }

    /// Returns the texts that are known to be clean.
    fn clean(&self) -> MutexGuard<'_, HashSet<Artifact>> {
        self.clean.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a patched text, and has it judged.
    fn judged(
        &self,
        ptx: &str,
        until: Deadline,
        objection: impl FnOnce(&Judgement<'_>) -> Option<Objection>,
    ) -> CheckOutcome {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        let (module, program) = match case::program(ptx, &kernels) {
            Ok(texts) => texts,
            Err(why) => return CheckOutcome::NotRun(why),
        };
        let judgement = Judgement::new(self, &program, until).patched(&module);
        match objection(&judgement) {
            None => judgement.passed(),
            // Whether it is for the program or for the time does not matter any more.
            Some(_) if until.is_over() => CheckOutcome::NotRun(NO_TIME.to_owned()),
            Some(objection) => CheckOutcome::Found(objection),
        }
    }
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

    fn check(&self, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome {
        // Candidates are judged side by side; a thorough check goes alone.
        self.check_on(if depth == Depth::Thorough { cores() } else { 1 }, ptx, depth, until)
    }

    fn check_on(&self, threads: usize, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome {
        match depth {
            Depth::Thorough => self.thorough(ptx, threads, until),
            _ => self.judged(ptx, until, |judgement| judgement.objection(depth, threads)),
        }
    }

    fn check_again(&self, ptx: &str, found: &Objection, until: Deadline) -> CheckOutcome {
        let mut all = self.cases.iter().chain(&self.further).chain(&self.pieces);
        match all.find(|case| found.case.as_ref() == Some(&case.name)) {
            Some(case) => self.judged(ptx, until, |judgement| judgement.objection_with(case)),
            None => self.check(ptx, Depth::Thorough, until),
        }
    }

    fn prove(&self, ptx: &str, like: &str, until: Deadline) -> Option<Exactness> {
        Some(self.exactness(ptx, like, until))
    }
}
