//! The way of a candidate from stage to stage.

use std::time::Instant;

use super::candidate::{Candidate, Visit};
use super::conditions::Conditions;
use super::stage::{Context, Cost, Stage};
use super::stop::Stop;
use crate::runner::{NoDevice, Runner};

/// Returns the position of the next stage that takes a candidate; none where it has passed all.
pub(crate) fn next_stage(
    stages: &[&dyn Stage],
    candidate: &Candidate,
    conditions: &Conditions<'_>,
) -> Option<usize> {
    (candidate.passed..stages.len()).find(|&at| stages[at].takes(candidate, conditions))
}

/// Tells whether a stage on a device is still to come for a candidate.
pub(crate) fn is_before_device(
    stages: &[&dyn Stage],
    candidate: &Candidate,
    conditions: &Conditions<'_>,
) -> bool {
    let mut left = stages.iter().skip(candidate.passed);
    left.any(|stage| matches!(stage.about().cost, Cost::Device(_)) && stage.takes(candidate, conditions))
}

/// Has a stage judge a candidate, and notes in it what that took.
pub(crate) fn judge(
    stages: &[&dyn Stage],
    at: usize,
    candidate: &mut Candidate,
    context: &mut Context<'_>,
) -> Result<(), Stop> {
    let (began, (lost_before, restarts_before)) = (Instant::now(), context.runner.replaced());
    let judged = stages[at].judge(candidate, context);
    let (lost, restarts) = context.runner.replaced();
    let restarts = restarts.saturating_sub(restarts_before);
    candidate.passed = at + 1;
    candidate.visits.push(Visit {
        stage: at,
        time: began.elapsed().saturating_sub(restarts),
        workers: lost - lost_before,
        restarts,
        is_refused: judged.is_err(),
    });
    judged
}

/// Brings a candidate through the stages until it has machine code.
pub(crate) fn assemble(
    stages: &[&dyn Stage],
    candidate: &mut Candidate,
    conditions: &Conditions<'_>,
) -> Result<(), Stop> {
    while let Some(at) = next_stage(stages, candidate, conditions).filter(|_| candidate.code.is_none()) {
        judge(stages, at, candidate, &mut Context { conditions, threads: 1, runner: &mut NoDevice })?;
    }
    Ok(())
}

/// Brings a candidate through all stages that are left for it.
pub(crate) fn go_through(
    stages: &[&dyn Stage],
    candidate: &mut Candidate,
    conditions: &Conditions<'_>,
    runner: &mut dyn Runner,
) -> Result<(), Stop> {
    while let Some(at) = next_stage(stages, candidate, conditions) {
        judge(stages, at, candidate, &mut Context { conditions, threads: 1, runner: &mut *runner })?;
    }
    Ok(())
}
