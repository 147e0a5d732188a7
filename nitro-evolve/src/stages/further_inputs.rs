//! The stage with further small inputs, and hostile orders of threads.

use super::candidate::Candidate;
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::check::Depth;

/// Emulates a candidate on more inputs that nobody wrote, and on a few in hostile orders of threads.
///
/// Nearly all that is wrong shows it in some other size, and little in some other order. That takes most of a core's
/// time, so that only candidates come here that look faster than the original.
pub(crate) struct FurtherInputs;

impl Stage for FurtherInputs {
    fn about(&self) -> About {
        About {
            name: "further inputs",
            demand: "if it looks faster, more small inputs show nothing wrong, nor a few in hostile orders of threads",
            cost: Cost::Core("checking"),
        }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        conditions.required_small_inputs().is_some() && conditions.looks_faster(candidate)
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        context.conditions.require_small_inputs(candidate, Depth::Further, context.threads)
    }
}
