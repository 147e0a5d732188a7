//! The ground on which a patch counts as exact.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The condition of a proof for programs that do not look at special operands of quotients and roots.
pub(crate) const ORDINARY: &str =
    "operands and results of quotients and roots are ordinary numbers, as in the test";

/// The ground on which results count as the original's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exactness {
    /// They are the same function of the data, bit for bit; of NaN the payload may differ.
    Proved {
        /// The data and sizes for which that is proved.
        over: String,
        /// The condition of the proof, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provided: Option<String>,
    },
    /// They were the same on all inputs that were tried.
    Tested {
        /// The reason for which it is not proved.
        why: String,
    },
    /// They were the same on all inputs that were tried, though they are another function of the data.
    ByChance {
        /// The case that shows it, and what differs there.
        why: String,
    },
}

impl Exactness {
    /// Returns the same, proved on one more condition.
    pub(crate) fn provided(self, condition: &str) -> Self {
        match self {
            Self::Proved { over, provided } => {
                let all: Vec<&str> = provided.as_deref().into_iter().chain([condition]).collect();
                Self::Proved { over, provided: Some(all.join(", and that ")) }
            }
            Self::Tested { .. } | Self::ByChance { .. } => self,
        }
    }
}

impl fmt::Display for Exactness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved { over, provided: None } => write!(formatter, "proved for {over}"),
            Self::Proved { over, provided: Some(provided) } => {
                write!(formatter, "proved for {over}, provided that {provided}")
            }
            Self::Tested { why } => write!(formatter, "tested, and not proved: {why}"),
            Self::ByChance { why } => {
                write!(formatter, "by chance of the inputs that were tried: {why}")
            }
        }
    }
}
