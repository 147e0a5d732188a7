//! The plan of a recording: what is measured, and when it ends.

use std::collections::BTreeSet;
use std::time::Duration;

use super::candidate::Candidate;
use super::clock::{Clock, SystemClock};
use super::counters::Counters;
use super::error::FailedInputs;
use super::inputs::Inputs;
use super::load::{Processors, SystemProcessors};
use super::preparation::Prepare;
use super::share::Share;
use super::timing::Repeats;

/// A plan of what to record and how.
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
    /// The names of the inputs to record among these; none for all.
    pub only: Option<BTreeSet<String>>,
    /// The inputs that processes before this one have left out, where a fresh process goes on after a panic. Without
    /// it, this process goes on after a panic.
    pub left_out_before: Option<FailedInputs>,
    /// The candidates to try on each input; none for [`Candidate::all`].
    pub candidates: Option<Vec<Candidate>>,
    /// Makes ready what a proposer has asked for, on threads of the host while others are timed. None where nothing
    /// has to be made ready.
    pub prepare: Option<Prepare<'a>>,
    /// The hardware counters of the parts of generated code that a proposer has asked for.
    ///
    /// None where what is counted without them has to do.
    pub counters: Option<Counters<'a>>,
    /// Measures only the times of features, where these are not known.
    pub feature_times_only: bool,
    /// The end of the repeats of one variant on one input.
    pub repeats: Repeats,
    /// The name and the lease under which this recorder claims inputs.
    pub share: Share,
    /// The time, by the clock, from which no further input is begun and nothing is repeated; none for never.
    pub until: Option<Duration>,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// The source of what others take of the processors.
    pub processors: &'a dyn Processors,
}

impl<'a> Plan<'a> {
    /// Creates a plan of all inputs, however long it takes.
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
