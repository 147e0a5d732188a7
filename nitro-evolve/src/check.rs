//! The trait of checks for what times and results do not show.

use serde::{Deserialize, Serialize};

use crate::deadline::Deadline;
use crate::exactness::Exactness;

/// A check that looks for what times and results do not show, such as races.
pub trait Check: Sync {
    /// Returns the name for people.
    fn name(&self) -> String;

    /// Tells whether it would find races in shared memory. A patch that removes a barrier needs such a check.
    fn finds_races(&self) -> bool;

    /// Tells whether a patched text is as clean as the original. A check that does not end in time was not made.
    fn check(&self, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome;

    /// Tells whether a part of a patch has the fault that a thorough check has found in the whole, in these words.
    ///
    /// A check that can look at that alone need not do more.
    fn check_again(&self, ptx: &str, found: &str, until: Deadline) -> CheckOutcome {
        let _ = found;
        self.check(ptx, Depth::Thorough, until)
    }

    /// Proves that a patched text gives the original's results with all data, or says why that is not proved; none
    /// if the check has no way to do so.
    fn prove(&self, _ptx: &str, _until: Deadline) -> Option<Exactness> {
        None
    }
}

/// The depth of a check. What a quicker one finds is wrong for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Finds most defects in a small part of the time, if the check has a way to do so.
    Quick,
    /// Tries hostile orders of threads too.
    Hostile,
    /// Tries all inputs that the check knows.
    Thorough,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Nothing is wrong.
    Clean,
    /// Something is wrong, in words.
    Found(String),
    /// The check could not be made, and why.
    NotRun(String),
}

/// The outcome of a check of a patch, with the check's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The name of the check.
    pub check: String,
    /// Its outcome.
    pub outcome: CheckOutcome,
}
