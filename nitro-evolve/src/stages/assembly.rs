//! The stage in which a candidate becomes machine code.

use nitro_search::Failure;

use super::candidate::{Aim, Candidate};
use super::conditions::Conditions;
use super::stage::{About, Context, Cost, Stage};
use super::stop::Stop;

/// Makes the edits, and assembles the kernels.
pub(crate) struct Assembly;

impl Stage for Assembly {
    fn about(&self) -> About {
        About {
            name: "assembly",
            demand: "its edits can be made together, and the assembler takes the text",
            cost: Cost::Core("assembling"),
        }
    }

    fn takes(&self, candidate: &Candidate, _: &Conditions<'_>) -> bool {
        candidate.aim != Aim::Generalise
    }

    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop> {
        let Conditions { subject, assemble, .. } = *context.conditions;
        let kernels = subject
            .kernels(&candidate.edits)
            .map_err(|error| Stop::refused(Failure::Invalid, error.to_string()))?;
        let code =
            subject.assembled(&kernels, assemble).map_err(|why| Stop::refused(Failure::Compile, why))?;
        candidate.digest = code.digest();
        candidate.code = Some(code);
        Ok(())
    }
}
