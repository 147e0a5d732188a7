//! The note by which a supervisor and its worker tell each other what is done.

use std::fmt;
use std::time::Duration;

use nitro_core::choice_text;
use serde::{Deserialize, Serialize};

use crate::measure::Attempt;

/// What stands in the note.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Note {
    /// Of the supervisor, for a worker that begins.
    Briefing(Briefing),
    /// Of a worker that measures an input.
    Run(Run),
    /// Of a worker that measures no input.
    Idle,
    /// Of a worker that ends so that a fresh one goes on, with what that is to leave out.
    HandOver(Vec<LeftOut>),
}

/// What a worker has to know when it begins.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Briefing {
    /// The name of its recorder, which stays when it is replaced.
    pub(super) recorder: String,
    /// The time that the workers before it have measured.
    pub(super) spent: Duration,
    /// True where it may measure a sample of what is recorded: no other of its run may have recorded that.
    pub(super) takes_samples: bool,
    /// The device that is its of all devices; none unless it is one of a team.
    pub(super) device: Option<String>,
    /// What the workers before it have left out.
    pub(super) left_out: Vec<LeftOut>,
}

/// An input that could not be worked on: every later worker leaves it out, and names it in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) function: String,
    pub(crate) device: String,
    pub(crate) input: String,
    /// The one variant that is left out of the sample of what is recorded, and of nothing else.
    pub(crate) variant: Option<String>,
    pub(crate) why: String,
}

/// The run that a worker began last, on the input that it measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Counts the runs of the worker: a number that does not change is one run that takes long.
    pub(super) number: u64,
    pub(super) function: String,
    pub(super) device: String,
    pub(super) input: String,
    /// Unknown while the default variant runs for the first time.
    pub(super) features: Option<Vec<f64>>,
    pub(super) variant: String,
    pub(super) configuration: String,
    pub(super) is_evaluation: bool,
    pub(super) is_sample: bool,
    /// True while the run has not ended.
    pub(super) is_under_way: bool,
}

impl Run {
    /// Returns the run of this number, which begins.
    pub(super) fn of(attempt: &Attempt<'_>, number: u64) -> Self {
        Self {
            number,
            function: attempt.function.to_owned(),
            device: attempt.device.to_owned(),
            input: attempt.input.to_owned(),
            features: attempt.features.map(<[f64]>::to_vec),
            variant: attempt.variant.to_owned(),
            configuration: attempt.configuration.to_owned(),
            is_evaluation: attempt.is_evaluation,
            is_sample: attempt.is_sample,
            is_under_way: true,
        }
    }

    /// Returns true for runs of the same choice on the same input.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn key(&self) -> [&str; 5] {
        [&self.function, &self.device, &self.input, &self.variant, &self.configuration].map(String::as_str)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, input, variant, configuration, .. } = self;
        let choice = choice_text(variant, configuration);
        write!(formatter, "input `{input}`: variant `{choice}` of `{function}`")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The run of a variant, on an input with a line break in its name.
    pub(in crate::worker) fn attempt(variant: &str) -> Attempt<'_> {
        Attempt {
            function: "spmv",
            device: "host:4",
            input: "a\nb",
            features: Some(&[1.0, 0.1]),
            variant,
            configuration: "",
            is_evaluation: true,
            is_sample: true,
        }
    }
}
