//! The stage with small inputs that nobody wrote.

use nitro_search::threads::cores;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;
use crate::check::Depth;

/// Emulates a candidate on small inputs in one order of threads, since most wrong candidates show it there. It takes
/// less time than the assembler, and comes first.
///
/// A patch that may rely on the workload's inputs comes here while it is minimised: the part of it that holds with
/// all small inputs is offered too.
pub(crate) struct SmallInputs;

impl Stage for SmallInputs {
    fn about(&self) -> About {
        About {
            name: "small inputs",
            demand: "nothing races, strays or is wrong on small inputs that nobody wrote, in one order of threads",
            cost: Cost::Core("checking"),
        }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        match candidate.aim {
            Aim::Join => conditions.required_small_inputs().is_some(),
            aim => aim == Aim::Generalise,
        }
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let (depth, threads) = match candidate.aim {
            Aim::Generalise => (Depth::Thorough, cores()),
            _ => (Depth::Quick, context.threads),
        };
        context.conditions.require_small_inputs(candidate, depth, threads)
    }
}
