//! The stage that times a candidate.

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::runs::measure;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::workload::Set;

/// Times a candidate and compares its results, with the inputs of the search.
pub(crate) struct Timing;

impl Stage for Timing {
    fn about(&self) -> About {
        About {
            name: "timing",
            demand: "it runs as it is, and its results are right with the inputs of the search; it is timed",
            cost: Cost::Device("timed_runs"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        matches!(candidate.aim, Aim::Join | Aim::Remeasure | Aim::Minimise)
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Conditions { efforts, max_error, .. } = *context.conditions;
        let effort = match candidate.aim {
            Aim::Join => efforts.search.within(max_error),
            Aim::Minimise => efforts.validation,
            _ => efforts.search,
        };
        candidate.fitness = Some(measure(candidate.code.as_ref(), Set::Search, effort, context.runner)?);
        Ok(())
    }
}
