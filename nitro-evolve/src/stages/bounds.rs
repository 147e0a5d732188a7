//! The stage that makes the code of a first run.

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;

/// Makes the form of a candidate whose loops end, and whose stray accesses end their threads.
///
/// A candidate without such a form passes: its own code tells better what is wrong with it.
pub(crate) struct Bounds;

impl Stage for Bounds {
    fn about(&self) -> About {
        About {
            name: "bounds",
            demand: "always: it is assembled once more, so that its loops end and stray accesses end their threads",
            cost: Cost::Core("assembling"),
        }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        candidate.aim == Aim::Join && conditions.first_run.is_some()
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Conditions { subject, assemble, .. } = *context.conditions;
        candidate.bounded =
            context.conditions.first_run.and_then(|form| form.code(subject, assemble, &candidate.edits));
        Ok(())
    }
}
