//! The trial of a candidate on the input being measured.

use nitro_core::recording::Observation;
use nitro_store::recordings::Outcome;
use nitro_store::store::Row;

use crate::measure::candidate::Candidate;
use crate::measure::error::RecordError;
use crate::measure::timing::Summary;

/// A run that answered.
pub(super) struct Run {
    pub(super) seen: Observation,
    /// True if time was lost in it, in which the process was stopped.
    pub(super) is_disturbed: bool,
}

/// The reason for which no more runs of an input are made in this process.
pub(super) enum Stop {
    /// A candidate lost the device, or panicked where a fresh process goes on; with the reason of its failure.
    Lost(Candidate, String),
    /// A run cannot be compared with the first.
    Changes(RecordError),
}

impl From<RecordError> for Stop {
    fn from(error: RecordError) -> Self {
        Self::Changes(error)
    }
}

/// A trial of a candidate on the input being measured.
pub(super) struct Trial {
    pub(super) candidate: Candidate,
    pub(super) state: State,
    /// The share that others took of the processors in its timed runs, where that is known.
    pub(super) load: Option<f64>,
}

/// The state of a trial.
pub(super) enum State {
    /// A candidate that runs.
    Running {
        /// Number of calls of the function in a run.
        calls: usize,
        /// The times so far.
        times_ns: Vec<f64>,
        /// Number of runs that did not count.
        disturbed: usize,
    },
    /// A candidate that is not run any more: not admissible, failed, or wrong, with the reason.
    Ended(Outcome, String),
}

impl State {
    /// Creates the state of a candidate that failed.
    pub(super) fn failed(why: &str) -> Self {
        Self::Ended(Outcome::Failed, why.to_owned())
    }

    /// Creates the state of a candidate that answered wrong.
    pub(super) fn wrong(why: impl Into<String>) -> Self {
        Self::Ended(Outcome::Wrong, why.into())
    }
}

impl Trial {
    /// Creates a trial in this state.
    pub(super) fn new(candidate: &Candidate, state: State) -> Self {
        Self { candidate: candidate.clone(), state, load: None }
    }

    /// Returns the same candidate without times; none where no more runs of it are made.
    pub(super) fn anew(&self) -> Option<Self> {
        let State::Running { calls, .. } = self.state else { return None };
        Some(Self::new(&self.candidate, State::Running { calls, times_ns: Vec::new(), disturbed: 0 }))
    }

    /// Returns the row that a store is to keep.
    pub(super) fn row(&self) -> Row<'_> {
        let (variant, configuration) = (self.candidate.variant, self.candidate.configuration.as_str());
        match &self.state {
            State::Ended(outcome, reason) => Row { configuration, reason, ..Row::new(variant, *outcome) },
            State::Running { times_ns, .. } => {
                let summary = Summary::of(times_ns);
                Row {
                    configuration,
                    spread_ns: summary.spread_ns,
                    repeats: times_ns.len() as u32,
                    load: self.load,
                    // A clock too coarse for the variant must not make it infinitely fast.
                    ..Row::new(variant, Outcome::Time(summary.median_ns.max(1.0)))
                }
            }
        }
    }
}
