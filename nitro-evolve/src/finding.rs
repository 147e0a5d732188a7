//! Findings: patches with all that is known of them in the end.

use std::fmt;

use nitro_ptx::Edit;
use nitro_search::Floor;
use nitro_search::evolve::Fitness;
use nitro_stats::statistics::geometric_mean;
use serde::{Deserialize, Serialize};

use crate::check::CheckReport;
use crate::difference::DiffLine;
use crate::exactness::Exactness;
use crate::machine_code::MachineCode;
use crate::words::NO_TIME;

/// A promise about the distance of a patched program's results from the original's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contract {
    /// The results were the same on all inputs that were tried.
    Exact,
    /// The results were off by up to an error, of the workload's kind.
    Approx {
        /// The largest error that was seen, or that is permitted where results are the original's by chance alone.
        max_error: f64,
        /// The sizes of the inputs.
        over: String,
    },
}

/// A verdict on the use of a patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It passed all stages.
    Accepted(Contract),
    /// It did not pass, and why.
    Refused(String),
}

/// A case of the test, with the original and with the patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestCase {
    /// The numbers of the case.
    pub case: String,
    /// The time of the original.
    pub original_ns: f64,
    /// The time with the patch.
    pub patched_ns: f64,
    /// The distance of the results from the original's.
    pub error: f64,
    /// The floor: what no exact patch takes less than; none where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
}

/// One edit with its gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedEdit {
    /// The edit as it stands in the patch.
    pub edit: String,
    /// The instructions that it names, or reaches, as they were.
    pub instructions: Vec<String>,
    /// Set if the edit adds, removes or moves a barrier.
    pub is_barrier: bool,
    /// The share of the original's time that it saves alone; none where it cannot be made alone.
    pub alone: Option<f64>,
    /// The share that is lost without it; none where the others do not work without it.
    pub loss: Option<f64>,
    /// Set if the two are the same. Otherwise the edit is epistatic: it matters together with others.
    pub is_independent: bool,
}

/// The most instructions of an edit that are shown; some edits reach all over a function.
const MOST_SHOWN: usize = 4;

impl ExplainedEdit {
    /// Says how it goes with the others.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            // Neither could be measured.
            Self { alone: None, loss: None, .. } => "not known",
            Self { is_independent: true, .. } => "independent",
            _ => "epistatic",
        }
    }

    /// Returns the first instructions, and the number of others.
    pub(crate) fn first_instructions(&self) -> (&[String], usize) {
        let shown = &self.instructions[..self.instructions.len().min(MOST_SHOWN)];
        (shown, self.instructions.len() - shown.len())
    }
}

/// An edit that was dropped from a patch, which was refused with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DroppedEdit {
    /// The edit as it stood in the patch.
    pub edit: String,
    /// The reason of the refusal.
    pub why: String,
}

/// A step of a finding for which no time was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undone {
    /// It was not minimised to the end.
    Minimised,
    /// No part of it was looked for that passes.
    Repaired,
    /// Fewer results of the test were compared than usual.
    Tested,
    /// The gain of each edit was not measured.
    Explained,
}

impl fmt::Display for Undone {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Minimised => "it may have edits that do not matter",
            Self::Repaired => "what of it is right was not found out",
            Self::Tested => "the test compared fewer runs",
            Self::Explained => "what each edit brings was not measured",
        })
    }
}

/// Two edits that depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Epistasis {
    /// The position of the one among the edits.
    pub first: usize,
    /// The position of the other.
    pub second: usize,
    /// The share of the original's time that they save together beyond what each saves alone; negative where it is
    /// less.
    pub more: f64,
}

/// A patch, made small, explained and tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The text of the patch.
    pub patch: String,
    /// The number of edits before it was minimised.
    pub edits_before: usize,
    /// The verdict on its use.
    pub verdict: Verdict,
    /// Of a patch whose results were the original's, the ground for it; none in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exactness: Option<Exactness>,
    /// Time and error with the inputs of the search, when it was found.
    pub search: Fitness,
    /// The gain of each edit, with the inputs of the search.
    pub edits: Vec<ExplainedEdit>,
    /// The pairs that save more or less than the two alone.
    pub(crate) pairs: Vec<Epistasis>,
    /// The cases of the test; empty where it did not come to that.
    pub test: Vec<TestCase>,
    /// The reports of the checks for races and stray accesses.
    pub checks: Vec<CheckReport>,
    /// The edits that were dropped before the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<DroppedEdit>,
    /// The steps for which no time was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<Undone>,
    /// The lines that differ between the original and the patched kernels.
    pub(crate) diff: Vec<DiffLine>,
    /// The change of the machine code.
    pub(crate) machine_code: MachineCode,
    /// The whole patched text.
    #[serde(skip)]
    pub ptx: String,
    /// The edits as the evolution had them.
    #[serde(skip)]
    pub(crate) origin: Vec<Edit>,
}

impl Finding {
    /// Says what was not done since no time was left, if that is something.
    pub(crate) fn what_is_undone(&self) -> Option<String> {
        let undone: Vec<String> = self.undone.iter().map(ToString::to_string).collect();
        (!undone.is_empty()).then(|| format!("{NO_TIME}: {}", undone.join(", ")))
    }

    /// Returns how many times as fast it is with the inputs of the test: the geometric mean over the cases.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        geometric_mean(self.test.iter().map(|case| case.original_ns / case.patched_ns))
    }
}
