//! The stage of the final checks.

use nitro_search::Failure;
use nitro_search::threads::on_threads;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::check::{Check, CheckOutcome, CheckReport, Depth};

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
        let mut checks: Vec<&dyn Check> = context.conditions.checks.iter().map(|check| &**check).collect();
        checks.extend(context.conditions.required_small_inputs());
        // Side by side, since no times are taken meanwhile.
        candidate.checks = on_threads(checks.len(), &checks, |check| CheckReport {
            check: check.name(),
            outcome: check.check(&ptx, Depth::Thorough),
        });
        for report in &candidate.checks {
            if let CheckOutcome::Found(what) = &report.outcome {
                return Err(Stop::refused(Failure::Wrong, format!("{}: {what}", report.check)));
            }
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

/// Tells whether some final check was made that finds races.
fn looked_for_races(candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
    let mut reports = conditions.checks.iter().zip(&candidate.checks);
    reports.any(|(check, report)| check.finds_races() && report.outcome == CheckOutcome::Clean)
}
