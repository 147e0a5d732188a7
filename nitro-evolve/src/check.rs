//! The trait of checks for what times and results do not show.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::deadline::Deadline;
use crate::exactness::Exactness;

/// A check that looks for what times and results do not show, such as races.
pub trait Check: Sync {
    /// Returns the name for people.
    fn name(&self) -> String;

    /// Tells whether it would find races in shared memory. A patch that removes a barrier needs such a check.
    fn finds_races(&self) -> bool;

    /// Tells whether it takes seconds: then nobody asks it about what another check has refused.
    fn takes_seconds(&self) -> bool {
        false
    }

    /// Tells whether a patched text is as clean as the original. A check that does not end in time was not made.
    fn check(&self, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome;

    /// Makes a check on so many threads, if it has a way to share out its work.
    fn check_on(&self, threads: usize, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome {
        let _ = threads;
        self.check(ptx, depth, until)
    }

    /// Tells whether a part of a patch has the fault that a thorough check has found in the whole.
    ///
    /// A check that can look at that alone need not do more.
    fn check_again(&self, ptx: &str, found: &Objection, until: Deadline) -> CheckOutcome {
        let _ = found;
        self.check(ptx, Depth::Thorough, until)
    }

    /// Proves that a patched text gives the results of `like` with all data, or says why that is not proved; none if
    /// the check has no way to do so. `like` is the original, or a text that means the same.
    fn prove(&self, _ptx: &str, _like: &str, _until: Deadline) -> Option<Exactness> {
        None
    }
}

/// The depth of a check. What a quicker one finds is wrong for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Finds most defects in a small part of the time, if the check has a way to do so.
    Quick,
    /// Tries, beside what a quick one does, more inputs, and a few in hostile orders of threads.
    Further,
    /// Tries hostile orders of threads too.
    Hostile,
    /// Tries all inputs that the check knows.
    Thorough,
}

/// Something that a check has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// The fault in words, with the input that shows it where that is known.
    pub what: String,
    /// The name of that input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
}

impl Objection {
    /// Creates an objection that is about no input.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), case: None }
    }

    /// Creates an objection with the input that shows it.
    #[must_use]
    pub fn with(case: &str, why: &str) -> Self {
        Self { what: format!("with {case}, {why}"), case: Some(case.to_owned()) }
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Nothing is wrong, and results are the original's as far as they were compared.
    Clean,
    /// Nothing is wrong, but results are off by as much as is allowed or less.
    Off {
        /// The largest error.
        error: f64,
        /// The input that shows it.
        by: Objection,
    },
    /// Something is wrong.
    Found(Objection),
    /// The check could not be made, and why.
    NotRun(String),
}

impl CheckOutcome {
    /// Returns the largest error of results that is allowed; 0 where there is none, or something is wrong.
    pub(crate) fn error(&self) -> f64 {
        if let Self::Off { error, .. } = self { *error } else { 0.0 }
    }

    /// Tells whether the check was made, and found nothing wrong.
    pub(crate) fn is_passed(&self) -> bool {
        matches!(self, Self::Clean | Self::Off { .. })
    }
}

/// The outcome of a check of a patch, with the check's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The name of the check.
    pub check: String,
    /// Its outcome.
    pub outcome: CheckOutcome,
}
