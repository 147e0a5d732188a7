//! The stage of a first run within bounds.

use super::candidate::Candidate;
use super::conditions::Conditions;
use super::runs::require_right;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::workload::Set;

/// Runs the bounded form of a candidate, since most candidates are wrong and a fault costs half a second.
pub(crate) struct FirstRun;

impl Stage for FirstRun {
    fn about(&self) -> About {
        About {
            name: "first run",
            demand: "within those bounds it ends, stays in its buffers and is right with the inputs of the search",
            cost: Cost::Device("first_runs"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        candidate.bounded.is_some()
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Some(form) = context.conditions.first_run else { return Ok(()) };
        require_right(candidate.bounded.as_ref(), Set::Search, form.effort, context.runner).map(|_| ())
    }
}
