//! The stage with the inputs of the validation.

use nitro_search::Failure;
use nitro_search::evolve::Fitness;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::runs::{measure, require_right};
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::effort::Effort;
use crate::workload::Set;

/// Compares the results of a candidate with the inputs of the validation.
///
/// A new candidate comes here once it looks faster. Being wrong in a way that the inputs of the search do not show,
/// and fast by that, it would else fill the population with its descendants.
pub(crate) struct Validation;

impl Stage for Validation {
    fn about(&self) -> About {
        About {
            name: "validation",
            demand: "if it looks faster, its results are right with the inputs of the validation too",
            cost: Cost::Device("timed_runs"),
        }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        matches!(candidate.aim, Aim::Validate | Aim::Minimise) || conditions.looks_faster(candidate)
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Conditions { efforts, max_error, first_run, .. } = *context.conditions;
        let (code, set) = (candidate.code.as_ref(), Set::Validation);
        if candidate.aim == Aim::Join {
            // Within bounds first, so that a candidate that leaves its buffers costs no worker.
            if let (Some(bounded), Some(form)) = (&candidate.bounded, first_run) {
                require_right(Some(bounded), set, form.effort, context.runner)?;
            }
            let error = require_right(code, set, Effort::new(0, 1).within(max_error), context.runner)?;
            // What is exact with the inputs of the search alone is not exact.
            candidate.checked_error = candidate.checked_error.max(error);
            return Ok(());
        }
        let Some(before) = candidate.fitness.filter(|_| candidate.aim == Aim::Minimise) else {
            candidate.fitness = Some(measure(code, set, efforts.validation, context.runner)?);
            return Ok(());
        };
        // Times are those of the search; an error counts wherever it shows.
        let once = Effort { runs: 1, ..efforts.validation };
        let error = measure(code, set, once, context.runner)?.error.max(before.error);
        candidate.fitness = Some(Fitness { error, ..before });
        match error <= max_error {
            true => Ok(()),
            false => Err(Stop::refused(Failure::Wrong, format!("a result has an error of {error:.1e}"))),
        }
    }
}
