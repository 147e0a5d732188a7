//! The stage with hostile orders of threads.

use super::candidate::Candidate;
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::check::Depth;

/// Emulates a candidate on small inputs in several orders of threads, half of them hostile.
///
/// That takes most of a core's time, so that only candidates come here that look faster than the original.
pub(crate) struct ThreadOrders;

impl Stage for ThreadOrders {
    fn about(&self) -> About {
        About {
            name: "thread orders",
            demand: "if it looks faster, small inputs show nothing wrong in hostile orders of threads either",
            cost: Cost::Core("checking"),
        }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        conditions.required_small_inputs().is_some() && conditions.looks_faster(candidate)
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        context.conditions.require_small_inputs(candidate, Depth::Orders)
    }
}
