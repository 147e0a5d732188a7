//! The judgement of a program by a check on the emulator.

use std::sync::{Mutex, PoisonError};

use nitro_ptx::Module;
use nitro_ptx::emulate::Emulator;
use nitro_search::threads::{cores, first_on_threads};

use super::check::{EmulatorCheck, SEEDS};
use super::check_case::CheckCase;
use crate::check::{CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;

/// The number of unwritten cases that are run in all orders of threads: in a hostile check, and of further inputs.
///
/// Confused guards show in one order, and races in any case.
const IN_ALL_ORDERS: usize = 12;
const IN_SOME_ORDERS: usize = 2;

/// The orders of threads in which a thorough check runs further cases: a usual one and a hostile one.
const ORDERS_OF_FURTHER: u64 = 2;

/// The most instructions of the further cases that are run unless a check is thorough, the smallest first.
const MOST_OF_FURTHER: u64 = 500_000;

/// The most instructions of the pieces of large cases that are run unless a check is thorough.
const MOST_OF_PIECES: u64 = 100_000;

/// The error of a program that is not exact in a piece of a large case.
const LEAST_ERROR: f64 = f64::MIN_POSITIVE;
const INEXACT: &str = "it leaves something else in memory";

/// A program that is judged by a check, with the largest error that is allowed.
pub(super) struct Judgement<'a> {
    check: &'a EmulatorCheck,
    program: &'a Emulator,
    until: Deadline,
    /// The text of a patched program.
    module: Option<&'a Module>,
    /// That error, with the name of its case.
    worst: Mutex<(f64, String)>,
}

impl<'a> Judgement<'a> {
    pub(super) fn new(check: &'a EmulatorCheck, program: &'a Emulator, until: Deadline) -> Self {
        Self { check, program, until, module: None, worst: Mutex::default() }
    }

    /// Returns the judgement of a patched program, with its text.
    pub(super) fn patched(self, module: &'a Module) -> Self {
        Self { module: Some(module), ..self }
    }

    /// Returns the outcome for a program to which there is no objection.
    pub(super) fn passed(&self) -> CheckOutcome {
        let worst = self.worst.lock().unwrap_or_else(PoisonError::into_inner);
        let (error, case) = (worst.0, &worst.1);
        if error == 0.0 {
            return CheckOutcome::Clean;
        }
        let why = match error == LEAST_ERROR {
            true => INEXACT.to_owned(),
            false => format!("a result has an error of {error:.1e}"),
        };
        CheckOutcome::Off { error, by: Objection::with(case, &why) }
    }

    /// Returns the objection, with the case that shows it.
    pub(super) fn objection(&self, depth: Depth, threads: usize) -> Option<Objection> {
        let EmulatorCheck { cases, is_unwritten, .. } = self.check;
        let mut runs = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let is_in_all_orders = depth == Depth::Thorough || at < IN_ALL_ORDERS || !is_unwritten;
            let seeds = match depth {
                Depth::Quick => 0..1,
                Depth::Further if at < IN_SOME_ORDERS => 1..SEEDS,
                Depth::Further => 0..0,
                Depth::Hostile | Depth::Thorough => 0..if is_in_all_orders { SEEDS } else { 1 },
            };
            runs.extend(seeds.map(|seed| (case, seed)));
        }
        let objection = first_on_threads(threads, &runs, |&(case, seed)| {
            self.objection_in(case, seed).map(|why| Objection::with(&case.name, &why))
        });
        let objection = objection.or_else(|| self.objection_in_pieces(depth, threads));
        objection.or_else(|| self.objection_in_further(depth, threads))
    }

    /// Returns the objection in further cases: all of them in a thorough check, or else some in one order of threads.
    fn objection_in_further(&self, depth: Depth, threads: usize) -> Option<Objection> {
        let (most, orders) = match depth {
            Depth::Quick | Depth::Hostile => return None,
            Depth::Further => (MOST_OF_FURTHER, 1),
            Depth::Thorough => (u64::MAX, ORDERS_OF_FURTHER),
        };
        let further = smallest(&self.check.further, most);
        // Nobody has seen yet whether the original is right with them.
        first_on_threads(threads, &further, |case| {
            let why = (0..orders).find_map(|seed| self.objection_in(case, seed))?;
            // Where the time is over, that is not known.
            let counts = self.until.is_over() || self.check.is_known_to_be_clean(case);
            counts.then(|| Objection::with(&case.name, &why))
        })
    }

    /// Returns the objection in one case, in all orders of threads.
    pub(super) fn objection_with(&self, case: &CheckCase) -> Option<Objection> {
        let seeds: Vec<u64> = (0..SEEDS).collect();
        let is_piece = self.check.pieces.iter().any(|piece| piece.name == case.name);
        if is_piece && !self.is_for_pieces() {
            return None;
        }
        let why = match is_piece {
            true => self.objection_in_piece(case),
            false => first_on_threads(cores(), &seeds, |&seed| self.objection_in(case, seed)),
        };
        why.map(|why| Objection::with(&case.name, &why))
    }

    /// Returns the objection in pieces of large cases: all of them in a thorough check, else a few small ones; none in
    /// a program that differs only where whole cases show all.
    fn objection_in_pieces(&self, depth: Depth, threads: usize) -> Option<Objection> {
        let most = match depth {
            Depth::Quick => return None,
            Depth::Further | Depth::Hostile => MOST_OF_PIECES,
            Depth::Thorough => u64::MAX,
        };
        if !self.is_for_pieces() {
            return None;
        }
        let pieces = smallest(&self.check.pieces, most);
        first_on_threads(threads, &pieces, |piece| {
            self.objection_in_piece(piece).map(|why| Objection::with(&piece.name, &why))
        })
    }

    /// Tells whether the program differs where whole cases do not show all.
    fn is_for_pieces(&self) -> bool {
        self.module.is_some_and(|module| self.check.is_for_pieces(module, self.program))
    }

    /// Returns the objection in a piece of a large case, in the usual order of threads: a hostile one takes many times
    /// as long.
    ///
    /// With the workload's own data memory may never be as it is there. So where an error is allowed, what is left in
    /// memory says that a patch is not exact, and nothing of how much.
    fn objection_in_piece(&self, piece: &CheckCase) -> Option<String> {
        let fault = match self.check.error(self.program, piece, 0, self.until) {
            Ok(0.0) => return None,
            Ok(_) => INEXACT.to_owned(),
            Err(fault) => fault.to_string(),
        };
        if self.check.max_error == 0.0 || self.until.is_over() {
            return Some(fault);
        }
        let mut worst = self.worst.lock().unwrap_or_else(PoisonError::into_inner);
        if worst.0 < LEAST_ERROR {
            *worst = (LEAST_ERROR, piece.name.clone());
        }
        None
    }

    /// Returns the objection in one case and one order of threads.
    pub(super) fn objection_in(&self, case: &CheckCase, seed: u64) -> Option<String> {
        let error = match self.check.error(self.program, case, seed, self.until) {
            Err(fault) => return Some(fault.to_string()),
            Ok(error) => error,
        };
        if error <= self.check.max_error {
            if error > 0.0 && error > self.check.own_error(case) {
                let mut worst = self.worst.lock().unwrap_or_else(PoisonError::into_inner);
                // The same case whichever thread is first.
                if (error, &case.name) > (worst.0, &worst.1) {
                    *worst = (error, case.name.clone());
                }
            }
            return None;
        }
        Some(format!(
            "results hang on memory that nobody has written, or on the order of threads (error {error:.1e})"
        ))
    }
}

/// Returns the first of these cases, which are the smallest, that have so many instructions together.
fn smallest(cases: &[CheckCase], most: u64) -> Vec<&CheckCase> {
    let mut total = 0u64;
    cases
        .iter()
        .take_while(|case| {
            total = total.saturating_add(case.expected.instructions);
            total <= most
        })
        .collect()
}
