//! The trait of a stage.

use super::candidate::Candidate;
use super::conditions::Conditions;
use super::stop::Stop;
use crate::runner::Runner;

/// A step that a candidate has to pass on its way to an accepted patch.
pub(crate) trait Stage: Sync {
    /// Describes the stage.
    fn about(&self) -> About;

    /// Tells whether a candidate that has passed all earlier stages comes to this one.
    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool;

    /// Judges a candidate, and writes down in it what later stages need.
    fn judge(&self, candidate: &mut Candidate, context: &mut Context<'_>) -> Result<(), Stop>;
}

/// The description of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct About {
    /// The name that page, time breakdown and guide use.
    pub name: &'static str,
    /// The demand on a candidate, as the rest of a sentence that begins with "It passes if".
    pub demand: &'static str,
    pub cost: Cost,
}

/// The conditions of a judgement, with the device for it.
pub(crate) struct Context<'a> {
    pub conditions: &'a Conditions<'a>,
    /// The threads on which a stage may share out its work.
    pub threads: usize,
    /// The device; for a stage on cores a runner that refuses to run.
    pub runner: &'a mut dyn Runner,
}

/// The place of a stage's work, with the account that its time has in `evolved.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Work of a core.
    Core(&'static str),
    /// Work of a device.
    Device(&'static str),
}
