//! Runs of a candidate, as several stages make them.

use nitro_search::Failure;
use nitro_search::evolve::Fitness;

use super::stop::Stop;
use crate::effort::Effort;
use crate::runner::{CaseResult, Code, RunOutcome, Runner, fitness};
use crate::workload::Set;

/// Runs code on a set; refuses it where it fails.
pub(super) fn run(
    code: Option<&Code>,
    set: Set,
    effort: Effort,
    runner: &mut dyn Runner,
) -> Result<Vec<CaseResult>, Stop> {
    let Some(code) = code else { return Err(Stop::refused(Failure::Compile, "it was not assembled")) };
    match runner.run(code, set, effort)? {
        RunOutcome::Ran(cases) => Ok(cases),
        RunOutcome::Failed(failure, why) => Err(Stop::refused(failure, why)),
    }
}

/// Measures code on a set; refuses it where it fails or a result is not a number.
pub(super) fn measure(
    code: Option<&Code>,
    set: Set,
    effort: Effort,
    runner: &mut dyn Runner,
) -> Result<Fitness, Stop> {
    let cases = run(code, set, effort, runner)?;
    fitness(&cases).ok_or_else(|| Stop::refused(Failure::Wrong, "a result is not a number"))
}

/// Refuses code that fails on a set, or has more error there than the effort permits. Returns its error.
pub(super) fn require_right(
    code: Option<&Code>,
    set: Set,
    effort: Effort,
    runner: &mut dyn Runner,
) -> Result<f64, Stop> {
    let fitness = measure(code, set, effort, runner)?;
    match effort.objection(fitness.error) {
        Some(why) => Err(Stop::refused(Failure::Wrong, why)),
        None => Ok(fitness.error),
    }
}
