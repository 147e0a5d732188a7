//! The task of a recording: what is measured of each input, and when an input is done.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use nitro_core::Function;
use nitro_store::recordings::Recordings;
use nitro_store::store::{ChoiceName, Store, StoreError};

use crate::measure::plan::Plan;
use crate::measure::proposer::Proposer;

/// The kind of what is measured on each input.
#[derive(Clone, Copy)]
pub(super) enum Task<'a> {
    /// The times of all candidates.
    Times,
    /// The times of features alone, where these are not known.
    FeatureTimes,
    /// The candidates that a proposer asks for.
    Evaluations(&'a Evaluations<'a>),
}

/// The proposer of a recording, and what its passes have in common.
pub(in crate::measure) struct Evaluations<'a> {
    pub(super) proposer: RefCell<&'a mut dyn Proposer>,
    /// Inputs of which the proposer has no more to ask.
    finished: RefCell<BTreeSet<String>>,
    /// True once inputs that others have claimed are evaluated together with them, since no other is left.
    is_joining: Cell<bool>,
}

impl<'a> Evaluations<'a> {
    /// Creates the state of a proposer that has seen no input.
    pub(in crate::measure) fn new(proposer: &'a mut dyn Proposer) -> Self {
        Self { proposer: RefCell::new(proposer), finished: RefCell::default(), is_joining: Cell::new(false) }
    }

    /// Notes that an input is done. Each process has to see every input to its end, to know what was found.
    pub(super) fn finish(&self, input: &str) {
        self.proposer.borrow_mut().finish();
        self.finished.borrow_mut().insert(input.to_owned());
    }
}

impl<'a> Task<'a> {
    /// Returns the task of a plan.
    pub(super) fn of(plan: &Plan<'_>, evaluations: Option<&'a Evaluations<'a>>) -> Self {
        match evaluations {
            Some(evaluations) => Self::Evaluations(evaluations),
            None if plan.feature_times_only => Self::FeatureTimes,
            None => Self::Times,
        }
    }

    /// Returns true where what is run is no measurement, but one step of a search.
    pub(super) fn is_evaluation(self) -> bool {
        matches!(self, Self::Evaluations(_))
    }

    /// Returns true where a claim is given back as soon as its input is measured.
    ///
    /// There one question to the store tells that it is.
    pub(super) fn gives_back(self) -> bool {
        matches!(self, Self::Times)
    }

    /// Returns true where inputs that others have claimed are worked on together with them.
    pub(super) fn joins(self) -> bool {
        matches!(self, Self::Evaluations(own) if own.is_joining.get())
    }

    /// Joins others on the inputs that these have claimed; none where such inputs are waited for instead.
    ///
    /// Returns whether there are any.
    pub(super) fn join(self, left: &BTreeSet<String>) -> Option<bool> {
        let Self::Evaluations(own) = self else { return None };
        own.is_joining.set(true);
        Some(!left.is_empty())
    }

    /// Returns the inputs that are done, as far as the store, or this process, knows.
    pub(super) fn done(
        self,
        function: &Function,
        device: &str,
        names: &[ChoiceName<'_>],
        store: &mut dyn Store,
    ) -> Result<BTreeSet<String>, StoreError> {
        match self {
            Self::Times => store.recorded(function.name(), device, names),
            Self::FeatureTimes => Ok(with_feature_times(&store.load(function.name())?, device)),
            Self::Evaluations(own) => Ok(own.finished.borrow().clone()),
        }
    }
}

/// Returns the inputs whose times of features are known on the device.
fn with_feature_times(recordings: &Recordings, device: &str) -> BTreeSet<String> {
    let of_device = recordings.feature_times.iter().filter(|one| recordings.devices[one.device].id == device);
    of_device.map(|one| recordings.inputs[one.input].name.clone()).collect()
}
