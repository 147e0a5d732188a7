//! What to record, and when to stop.

use std::collections::BTreeSet;
use std::time::Duration;

use super::clock::{Clock, SystemClock};
use super::inputs::Inputs;
use super::share::Share;
use super::timing::Repeats;

/// What to record and how.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// Of these the ones to record, by name; none for all.
    pub only: Option<BTreeSet<String>>,
    /// When the repeats of one variant on one input end.
    pub repeats: Repeats,
    /// With whom the inputs are shared.
    pub share: Share,
    /// When, by the clock, no further input is begun, and of the one under way nothing is repeated; none for never.
    pub until: Option<Duration>,
    /// The clock.
    pub clock: &'a dyn Clock,
}

impl<'a> Plan<'a> {
    /// All inputs, however long it takes.
    #[must_use]
    pub fn new(inputs: Inputs<'a>, repeats: Repeats, share: Share) -> Self {
        Self { inputs, only: None, repeats, share, until: None, clock: &SystemClock }
    }
}
