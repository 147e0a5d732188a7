//! The things that strategies over configurations share.

use std::sync::Arc;

use crate::{Outcome, Sources, Space};

/// The things that a strategy over configurations begins with.
pub(super) struct Start<'a> {
    pub(super) space: &'a Arc<Space>,
    /// All chance comes from it.
    pub(super) seed: u64,
    /// The measurements of other devices.
    pub(super) sources: &'a Sources,
}

/// Returns the fastest of a step, the first of equals; one that failed where all did.
pub(super) fn fastest(step: &[Outcome]) -> Option<Outcome> {
    step.iter().copied().min_by(|one, other| one.report.cost().total_cmp(&other.report.cost()))
}
