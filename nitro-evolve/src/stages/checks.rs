//! The stage of the final checks.

use nitro_search::Failure;
use nitro_search::threads::on_threads;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::check::{Check, CheckOutcome, CheckReport, Depth, Objection};
use crate::words::NO_TIME;

/// Looks thoroughly for races and stray accesses, with the emulator and compute-sanitizer.
pub(crate) struct Checks;

impl Stage for Checks {
    fn about(&self) -> About {
        About {
            name: "checks",
            demand: "a minimised patch passes all thorough checks for races and stray accesses",
            cost: Cost::Core("final_checks"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        candidate.aim == Aim::Rehearse
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let ptx = context.conditions.subject.patched(&candidate.edits).unwrap_or_default();
        let until = context.conditions.until;
        let mut checks: Vec<&dyn Check> = context.conditions.checks.iter().map(|check| &**check).collect();
        checks.extend(context.conditions.required_small_inputs());
        if let Some(found) = objection(&candidate.suspected, candidate.must_be_exact) {
            checks.retain(|check| check.name() == found.0.check);
            candidate.checks = reports(&checks, |check| check.check_again(&ptx, found.1, until));
            return refused_by(candidate);
        }
        // One that has to be exact no more was looked at before.
        checks.retain(|check| candidate.checks.iter().all(|own| own.check != check.name()));
        let (slow, quick): (Vec<&dyn Check>, Vec<&dyn Check>) =
            checks.into_iter().partition(|check| check.takes_seconds());
        for checks in [quick, slow] {
            if objection(&candidate.checks, candidate.must_be_exact).is_none() {
                let outcome = |check: &dyn Check| check.check(&ptx, Depth::Thorough, until);
                candidate.checks.extend(reports(&checks, outcome));
            }
        }
        let errors = candidate.checks.iter().map(|own| own.outcome.error());
        candidate.checked_error = errors.fold(candidate.checked_error, f64::max);
        refused_by(candidate)?;
        let is_whole = !candidate.checks.iter().any(|own| matches!(own.outcome, CheckOutcome::NotRun(_)));
        if !is_whole && until.is_over() {
            return Err(Stop::refused(Failure::Timeout, format!("{NO_TIME} for the checks")));
        }
        // Where threads wait for each other, results that are right by chance prove nothing.
        if context.conditions.subject.base().has_barriers()
            && !looked_for_races(candidate, context.conditions)
        {
            let why =
                "the kernel has barriers, and nothing here could look for races (compute-sanitizer can)";
            return Err(Stop::refused(Failure::Wrong, why));
        }
        Ok(())
    }
}

/// Makes checks side by side.
fn reports(checks: &[&dyn Check], outcome: impl Fn(&dyn Check) -> CheckOutcome + Sync) -> Vec<CheckReport> {
    on_threads(checks.len(), checks, |check| CheckReport { check: check.name(), outcome: outcome(*check) })
}

/// Returns the first report of a check that found something, with what that is; any error is something in a patch that
/// has to be exact.
fn objection(reports: &[CheckReport], must_be_exact: bool) -> Option<(&CheckReport, &Objection)> {
    reports.iter().find_map(|report| match &report.outcome {
        CheckOutcome::Found(found) => Some((report, found)),
        CheckOutcome::Off { by, .. } if must_be_exact => Some((report, by)),
        CheckOutcome::Clean | CheckOutcome::Off { .. } | CheckOutcome::NotRun(_) => None,
    })
}

/// Refuses a patch in which a check found something.
fn refused_by(candidate: &Candidate) -> Result<(), Stop> {
    match objection(&candidate.checks, candidate.must_be_exact) {
        Some((report, what)) => Err(Stop::refused(Failure::Wrong, format!("{}: {what}", report.check))),
        None => Ok(()),
    }
}

/// Tells whether some final check was made that finds races.
fn looked_for_races(candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
    let passed = candidate.checks.iter().filter(|report| report.outcome.is_passed());
    let passed: Vec<&str> = passed.map(|report| report.check.as_str()).collect();
    let mut checks = conditions.checks.iter();
    checks.any(|check| check.finds_races() && passed.contains(&check.name().as_str()))
}
