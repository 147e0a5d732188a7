//! Configurations, and the results of running them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A configuration of a [`Space`](crate::Space): its position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate(u64);

impl Candidate {
    /// The candidate at this position.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        Self(index as u64)
    }

    /// Its position, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "candidate {}", self.0)
    }
}

/// The result of running a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evaluation {
    /// It ran, and took so many nanoseconds.
    TimeNs(f64),
    /// It did not run, or answered wrong. Whoever evaluates it has paid for it all the same, unless it was
    /// [skipped](Failure::Skipped).
    Failed(Failure),
}

/// The reason for which a candidate has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The program says that the configuration is none.
    Invalid,
    /// It does not compile.
    Compile,
    /// The device refuses to run it: too many threads, registers or too much shared memory.
    Launch,
    /// Its answer is wrong.
    Wrong,
    /// It took longer than it may.
    Timeout,
    /// It ended its process or lost its device.
    Crash,
    /// It failed, and nobody told how.
    Unknown,
    /// Nobody ran it: by a lower bound of its time it is no faster than the best that is known. That costs no
    /// evaluation, up to ten for each of the budget.
    Skipped,
}

impl Evaluation {
    /// The time in nanoseconds of what ran.
    #[must_use]
    pub fn time_ns(self) -> Option<f64> {
        match self {
            Self::TimeNs(time_ns) => Some(time_ns),
            Self::Failed(_) => None,
        }
    }

    /// The time, or infinity of what failed: what candidates are compared by.
    pub(crate) fn cost(self) -> f64 {
        self.time_ns().unwrap_or(f64::INFINITY)
    }
}
