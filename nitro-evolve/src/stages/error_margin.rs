//! The stage that leaves some of the error for other inputs.

use nitro_search::Failure;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;

/// The share of the allowed error that a patch may have with the inputs of search and validation.
///
/// Error grows with the steps of a program, so that a patch at the limit is over it with the inputs of the test.
const SHARE: f64 = 0.5;

/// Looks at the error of a minimised patch.
pub(crate) struct ErrorMargin;

impl Stage for ErrorMargin {
    fn about(&self) -> About {
        About {
            name: "error margin",
            demand: "its error with the inputs of search and validation is at most half of what is allowed",
            cost: Cost::Core("checking"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        candidate.aim == Aim::Rehearse
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let (most, error) =
            (context.conditions.max_error, candidate.total_fitness().map_or(0.0, |own| own.error));
        if candidate.must_be_exact && error > 0.0 {
            let why = format!("a result has an error of {error:.1e}, which the search did not see");
            return Err(Stop::refused(Failure::Wrong, why));
        }
        if error <= most * SHARE {
            return Ok(());
        }
        let why = format!(
            "a result has an error of {error:.1e}, more than half of the {most:.1e} that are allowed: other inputs \
             may have more"
        );
        Err(Stop::refused(Failure::Wrong, why))
    }
}
