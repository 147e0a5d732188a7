//! What to record, and when to stop.

use std::collections::BTreeSet;
use std::time::Duration;

use super::ahead::Prepare;
use super::candidate::Candidate;
use super::clock::{Clock, SystemClock};
use super::counters::Counters;
use super::error::FailedInputs;
use super::inputs::Inputs;
use super::load::{Processors, SystemProcessors};
use super::share::Share;
use super::timing::Repeats;

/// What to record and how.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::measure::{Inputs, Plan, Repeats, Share, Silent, record_inputs};
///
/// let names = ["10", "20", "30"].map(str::to_owned);
/// let repeats = Repeats { most: 10, ..Repeats::default() };
/// let plan = Plan::new(Inputs::Generated(&names), repeats, Share::default());
/// let plan = Plan { only: Some(["20".to_owned()].into()), ..plan };
/// let mut store = nitro_train::store::memory()?;
/// record_inputs(sort::function(), &Desk, &plan, &mut *store, &Silent, keys)?;
/// let recorded = store.load("sort")?;
/// assert_eq!(recorded.inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>(), ["20"]);
/// assert!(recorded.measurements.iter().all(|one| one.repeats <= 10));
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// Of these the ones to record, by name; none for all.
    pub only: Option<BTreeSet<String>>,
    /// In a process that a fresh one takes the place of after a panic: the inputs that those before have left out, and
    /// why. Where there is none, a recording goes on after a panic.
    pub left_out_before: Option<FailedInputs>,
    /// What is tried on each input; none for [`Candidate::all`].
    pub candidates: Option<Vec<Candidate>>,
    /// Makes ready what a proposer has asked for, on threads of the host while others are timed; none where
    /// nothing has to be.
    pub prepare: Option<Prepare<'a>>,
    /// Tells of the parts of generated code that a proposer has asked for what hardware counters say; none where what is
    /// counted without them has to do.
    pub counters: Option<Counters<'a>>,
    /// Whether only what features take is measured, of inputs of which that is not known.
    pub feature_times_only: bool,
    /// When the repeats of one variant on one input end.
    pub repeats: Repeats,
    /// With whom the inputs are shared.
    pub share: Share,
    /// When, by the clock, no further input is begun, and of the one under way nothing is repeated; none for never.
    pub until: Option<Duration>,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// Tells what others take of the processors.
    pub processors: &'a dyn Processors,
}

impl<'a> Plan<'a> {
    /// All inputs, however long it takes.
    #[must_use]
    pub fn new(inputs: Inputs<'a>, repeats: Repeats, share: Share) -> Self {
        let (only, candidates, prepare, counters, feature_times_only, until) = Default::default();
        Self {
            inputs,
            only,
            left_out_before: None,
            candidates,
            prepare,
            counters,
            feature_times_only,
            repeats,
            share,
            until,
            clock: &SystemClock,
            processors: &SystemProcessors,
        }
    }
}
