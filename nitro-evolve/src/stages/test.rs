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

/// The runs that are compared before it is looked whether time is left for more.
const CHECKS_AT_ONCE: u32 = 100;

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
        candidate.aim == Aim::Accept
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Conditions { subject, assemble, efforts, least_gain, max_error, .. } = *context.conditions;
        let original = subject.unedited(assemble).map_err(|why| Stop::refused(Failure::Compile, why))?;
        // One after the other, so that clocks are alike.
        let original = cases(Some(&original), Effort { checks: 1, ..efforts.test }, context.runner)?;
        let most = efforts.test.checks;
        let first = Effort { checks: most.min(CHECKS_AT_ONCE), ..efforts.test };
        let mut patched = cases(candidate.code.as_ref(), first, context.runner)?;
        candidate.compared = first.checks;
        while candidate.compared < most && !context.conditions.until.is_over() {
            let more = Effort::new(0, (most - candidate.compared).min(CHECKS_AT_ONCE));
            for (own, again) in patched.iter_mut().zip(cases(candidate.code.as_ref(), more, context.runner)?)
            {
                // What is no number is the largest error of all.
                own.error = if again.error.total_cmp(&own.error).is_gt() { again.error } else { own.error };
            }
            candidate.compared += more.checks;
        }
        candidate.test.clear();
        for (number, (patched, original)) in patched.iter().zip(&original).enumerate() {
            candidate.test.push(TestCase {
                case: subject.workload().case_name(Set::Test, number),
                original_ns: original.time_ns,
                patched_ns: patched.time_ns,
                error: patched.error,
            });
        }
        let worst = candidate.test.iter().max_by(|one, other| one.error.total_cmp(&other.error));
        if let Some(worst) = worst.filter(|worst| worst.error.is_nan() || worst.error > max_error) {
            let TestCase { case, error, .. } = worst;
            let why = format!("with {case}, an input of the test, the results are wrong (error {error})");
            return Err(Stop::refused(Failure::Wrong, why));
        }
        let logs: f64 = candidate.test.iter().map(|case| (case.original_ns / case.patched_ns).ln()).sum();
        if logs / candidate.test.len() as f64 <= least_gain.ln_1p() {
            return Err(Stop::refused(Failure::Wrong, "with the inputs of the test it is not faster"));
        }
        Ok(())
    }
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
