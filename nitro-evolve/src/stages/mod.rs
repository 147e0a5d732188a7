//! The stages of acceptance, in the one order in which a candidate comes to them.
//!
//! Evaluator, minimiser, final test, page and time breakdown all go through [`STAGES`]. A new stage is a file with a
//! type that implements [`Stage`], and its line in that list.

mod assembly;
mod bounds;
mod candidate;
mod checks;
mod conditions;
mod error_margin;
mod first_run;
mod form;
mod further_inputs;
mod passage;
mod runs;
mod small_inputs;
mod stage;
mod stop;
mod test;
mod timing;
mod validation;

pub(crate) use self::candidate::{Aim, Candidate, Visit};
pub(crate) use self::conditions::Conditions;
pub(crate) use self::form::FirstRunForm;
pub(crate) use self::passage::{assemble, go_through, is_before_device, judge, next_stage};
pub(crate) use self::stage::{About, Context, Cost, Stage};
pub(crate) use self::stop::{Refusal, Stop, refusal};

/// The stages between a drawn candidate and an accepted patch.
pub(crate) static STAGES: &[&dyn Stage] = &[
    &small_inputs::SmallInputs,
    &assembly::Assembly,
    &bounds::Bounds,
    &first_run::FirstRun,
    &timing::Timing,
    &validation::Validation,
    &further_inputs::FurtherInputs,
    &error_margin::ErrorMargin,
    &checks::Checks,
    &test::Test,
];
