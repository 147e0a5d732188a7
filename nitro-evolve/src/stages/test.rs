//! The stage with the inputs of the test.

use nitro_search::Failure;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::runs::run;
use super::stage::{About, Context, Cost, Stage};
use super::stop::{Refusal, Stop};
use crate::effort::Effort;
use crate::finding::TestCase;
use crate::runner::{CaseResult, Code, Runner};
use crate::workload::Set;

/// The runs that are compared at first.
const FIRST_CHECKS: u32 = 25;
/// The runs that are compared then, before it is looked whether time is left for more.
const CHECKS_AT_ONCE: u32 = 100;
/// The factor between two times of a case from which on both are taken once more: that may be the measurement.
const DOUBTFUL: f64 = 2.0;

/// Runs a patch beside the original with the inputs of the test, once and after all decisions.
pub(crate) struct Test;

impl Stage for Test {
    fn about(&self) -> About {
        About {
            name: "test",
            demand: "it is right and faster with the inputs of the test, which are run once",
            cost: Cost::Device("test_runs"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        matches!(candidate.aim, Aim::Accept | Aim::Confirm)
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        if candidate.aim == Aim::Accept {
            measure(candidate, context)?
        } else {
            confirm(candidate, context)?
        }
        verdict(candidate, context.conditions)
    }
}

/// Times a patch beside the original, and compares the results of the first runs.
fn measure(candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
    let Conditions { subject, assemble, efforts, .. } = *context.conditions;
    let unedited = subject.unedited(assemble).map_err(|why| Stop::refused(Failure::Compile, why))?;
    // One after the other, so that clocks are alike.
    let mut original = cases(Some(&unedited), Effort { checks: 1, ..efforts.test }, context.runner)?;
    let first = Effort { checks: efforts.test.checks.min(FIRST_CHECKS), ..efforts.test };
    let mut patched = cases(candidate.code.as_ref(), first, context.runner)?;
    candidate.compared = first.checks;
    if patched.iter().zip(&original).any(is_doubtful) {
        let again = Effort { checks: 1, ..efforts.test };
        take_faster(&mut original, &cases(Some(&unedited), again, context.runner)?);
        take_faster(&mut patched, &cases(candidate.code.as_ref(), again, context.runner)?);
    }
    candidate.test.clear();
    for (number, (patched, original)) in patched.iter().zip(&original).enumerate() {
        candidate.test.push(TestCase {
            case: subject.workload().case_name(Set::Test, number),
            original_ns: original.time_ns,
            patched_ns: patched.time_ns,
            error: patched.error,
            floor: None,
        });
    }
    Ok(())
}

/// Compares the results of some more runs.
fn confirm(candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
    let left = context.conditions.efforts.test.checks.saturating_sub(candidate.compared);
    let more = Effort::new(0, left.min(CHECKS_AT_ONCE));
    for (own, again) in candidate.test.iter_mut().zip(cases(candidate.code.as_ref(), more, context.runner)?) {
        own.error = larger(own.error, again.error);
    }
    candidate.compared += more.checks;
    Ok(())
}

/// Refuses a patch whose results are wrong, or which is no faster.
fn verdict(candidate: &Candidate, conditions: &Conditions<'_>) -> Result<(), Stop> {
    let worst = candidate.test.iter().max_by(|one, other| one.error.total_cmp(&other.error));
    if let Some(worst) = worst.filter(|worst| worst.error.is_nan() || worst.error > conditions.max_error) {
        let TestCase { case, error, .. } = worst;
        let why = format!("with {case}, an input of the test, the results are wrong (error {error})");
        return Err(Stop::refused(Failure::Wrong, why));
    }
    let logs: f64 = candidate.test.iter().map(|case| (case.original_ns / case.patched_ns).ln()).sum();
    if logs / candidate.test.len() as f64 <= conditions.least_gain.ln_1p() {
        return Err(Stop::refused(Failure::Wrong, "with the inputs of the test it is not faster"));
    }
    Ok(())
}

/// Tells whether the two times of a case are further apart than a patch makes them as a rule.
fn is_doubtful((one, other): (&CaseResult, &CaseResult)) -> bool {
    one.time_ns.max(other.time_ns) > DOUBTFUL * one.time_ns.min(other.time_ns)
}

/// Takes the smaller time of each case, and the larger error.
fn take_faster(cases: &mut [CaseResult], again: &[CaseResult]) {
    for (own, again) in cases.iter_mut().zip(again) {
        own.time_ns = own.time_ns.min(again.time_ns);
        own.error = larger(own.error, again.error);
    }
}

/// Returns the larger of two errors; what is no number is the largest of all.
fn larger(one: f64, other: f64) -> f64 {
    if other.total_cmp(&one).is_gt() { other } else { one }
}

/// Runs code with the inputs of the test.
fn cases(code: Option<&Code>, effort: Effort, runner: &mut dyn Runner) -> Result<Vec<CaseResult>, Stop> {
    run(code, Set::Test, effort, runner).map_err(|stop| match stop {
        Stop::Refused(Refusal { failure, why }) => {
            Stop::refused(failure, format!("with the inputs of the test, {why}"))
        }
        lost @ Stop::Lost(_) => lost,
    })
}
