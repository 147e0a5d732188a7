//! The judgement of a program by a check on the emulator.

use std::sync::{Mutex, PoisonError};

use nitro_ptx::emulate::Emulator;
use nitro_search::threads::{cores, first_on_threads};

use super::check::{CheckCase, EmulatorCheck, SEEDS};
use crate::check::{CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;

/// The number of unwritten cases that are run in all orders of threads.
///
/// Confused guards show in one order, and races in any case.
const IN_ALL_ORDERS: usize = 12;

/// A program that is judged by a check, with the largest error that is allowed.
pub(super) struct Judgement<'a> {
    check: &'a EmulatorCheck,
    program: &'a Emulator,
    until: Deadline,
    /// That error, with the name of its case.
    worst: Mutex<(f64, String)>,
}

impl<'a> Judgement<'a> {
    pub(super) fn new(check: &'a EmulatorCheck, program: &'a Emulator, until: Deadline) -> Self {
        Self { check, program, until, worst: Mutex::default() }
    }

    /// Returns the outcome for a program to which there is no objection.
    pub(super) fn passed(&self) -> CheckOutcome {
        let worst = self.worst.lock().unwrap_or_else(PoisonError::into_inner);
        let (error, case) = (worst.0, &worst.1);
        if error == 0.0 {
            return CheckOutcome::Clean;
        }
        CheckOutcome::Off {
            error,
            by: Objection::with(case, &format!("a result has an error of {error:.1e}")),
        }
    }

    /// Returns the objection, with the case that shows it.
    pub(super) fn objection(&self, depth: Depth, threads: usize) -> Option<Objection> {
        let EmulatorCheck { cases, further, is_unwritten, .. } = self.check;
        let mut runs = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let is_in_all_orders = depth == Depth::Thorough || at < IN_ALL_ORDERS || !is_unwritten;
            let seeds = match depth {
                Depth::Quick => 0..1,
                Depth::Orders if is_in_all_orders => 1..SEEDS,
                Depth::Orders => 0..0,
                Depth::Hostile | Depth::Thorough => 0..if is_in_all_orders { SEEDS } else { 1 },
            };
            runs.extend(seeds.map(|seed| (case, seed)));
        }
        let objection = first_on_threads(threads, &runs, |&(case, seed)| {
            self.objection_in(case, seed).map(|why| Objection::with(&case.name, &why))
        });
        if objection.is_some() || depth < Depth::Thorough {
            return objection;
        }
        // Nobody has seen yet whether the original is right with the further cases.
        first_on_threads(threads, further, |case| {
            let why = (0..SEEDS).find_map(|seed| self.objection_in(case, seed))?;
            // Where the time is over, that is not known.
            let counts = self.check.is_clean(case, self.until) || self.until.is_over();
            counts.then(|| Objection::with(&case.name, &why))
        })
    }

    /// Returns the objection in one case, in all orders of threads.
    pub(super) fn objection_with(&self, case: &CheckCase) -> Option<Objection> {
        let seeds: Vec<u64> = (0..SEEDS).collect();
        let why = first_on_threads(cores(), &seeds, |&seed| self.objection_in(case, seed));
        why.map(|why| Objection::with(&case.name, &why))
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
