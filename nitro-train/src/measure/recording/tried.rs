//! What has become of a candidate on the input being measured.

use nitro_core::recording::Observation;
use nitro_store::recordings::Outcome;
use nitro_store::store::Row;

use crate::measure::candidate::Candidate;
use crate::measure::error::RecordError;
use crate::measure::timing::Summary;

/// A run that answered.
pub(super) struct Ran {
    pub(super) seen: Observation,
    /// Whether time was lost in it, in which the process was stopped.
    pub(super) is_disturbed: bool,
}

/// Why no more runs of an input are made in this process.
pub(super) enum Stop {
    /// This candidate lost the device, or panicked where a fresh process goes on: it has failed, and why.
    Lost(Candidate, String),
    /// The runs cannot be compared.
    Changes(RecordError),
}

impl From<RecordError> for Stop {
    fn from(error: RecordError) -> Self {
        Self::Changes(error)
    }
}

/// A candidate on the input being measured.
pub(super) struct Tried {
    pub(super) candidate: Candidate,
    pub(super) state: State,
    /// What others took of the processors in its timed runs, where that is known.
    pub(super) load: Option<f64>,
}

pub(super) enum State {
    Running {
        /// How often a run calls the function.
        calls: usize,
        /// The times so far.
        times_ns: Vec<f64>,
        /// How many runs did not count.
        disturbed: usize,
    },
    /// No more runs: it is not admissible, or failed, or answered wrong, and why.
    Ended(Outcome, String),
}

impl State {
    pub(super) fn failed(why: &str) -> Self {
        Self::Ended(Outcome::Failed, why.to_owned())
    }

    pub(super) fn wrong(why: impl Into<String>) -> Self {
        Self::Ended(Outcome::Wrong, why.into())
    }
}

impl Tried {
    pub(super) fn new(candidate: &Candidate, state: State) -> Self {
        Self { candidate: candidate.clone(), state, load: None }
    }

    /// Returns the same candidate without times; none where no more runs of it are made.
    pub(super) fn anew(&self) -> Option<Self> {
        let State::Running { calls, .. } = self.state else { return None };
        Some(Self::new(&self.candidate, State::Running { calls, times_ns: Vec::new(), disturbed: 0 }))
    }

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
