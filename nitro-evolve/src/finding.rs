//! What is known of a patch in the end.

use nitro_ptx::Edit;
use nitro_search::evolve::Fitness;
use nitro_stats::statistics::geometric_mean;
use serde::{Deserialize, Serialize};

use crate::difference::DiffLine;
use crate::machine_code::MachineCode;

/// How near a patched program's results are to the original's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contract {
    /// The same, on all inputs that were tried.
    Exact,
    /// Off by up to an error, of the workload's kind.
    Approx {
        /// The largest that was seen.
        max_error: f64,
        /// On which inputs.
        over: String,
    },
}

/// Whether a patch may be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It passed everything.
    Accepted(Contract),
    /// It did not, and why.
    Refused(String),
}

/// A case with the original and with the patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its numbers.
    pub case: String,
    /// The original.
    pub original_ns: f64,
    /// With the patch.
    pub patched_ns: f64,
    /// How far the results are from the original's.
    pub error: f64,
}

/// One edit, and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedEdit {
    /// As it stands in the patch.
    pub edit: String,
    /// The instructions that it names, or reaches, as they were.
    pub instructions: Vec<String>,
    /// Whether it adds, removes or moves a barrier.
    pub is_barrier: bool,
    /// Share of the original's time that it brings alone; none where it cannot be made alone.
    pub alone: Option<f64>,
    /// Share that is lost without it; none where the others do not go without it.
    pub loss: Option<f64>,
    /// Whether the two are the same; else it is epistatic: it matters together with others.
    pub is_independent: bool,
}

/// An edit that reaches all over a function has its first instructions shown.
const MOST_SHOWN: usize = 4;

impl ExplainedEdit {
    /// The first of its instructions, and how many there are more.
    pub(crate) fn first_instructions(&self) -> (&[String], usize) {
        let shown = &self.instructions[..self.instructions.len().min(MOST_SHOWN)];
        (shown, self.instructions.len() - shown.len())
    }
}

/// Two edits that depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epistasis {
    /// Position of the one among the edits.
    pub first: usize,
    /// Of the other.
    pub second: usize,
    /// What the two bring together beyond what they bring alone, as a share of the original's time; negative where
    /// it is less.
    pub more: f64,
}

/// What another program or an emulator says of a patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Which check.
    pub check: String,
    /// What it said.
    pub outcome: CheckOutcome,
}

/// Looks for what times and results do not show, such as races.
pub trait Check: Sync {
    /// What it is called.
    fn name(&self) -> String;

    /// Whether it would find races in shared memory: what removes a barrier needs one that does.
    fn finds_races(&self) -> bool;

    /// Whether this patched text is as clean as the original.
    fn check(&self, ptx: &str) -> CheckOutcome;

    /// Makes the check with all that it knows, for what is to be accepted.
    fn check_thoroughly(&self, ptx: &str) -> CheckOutcome {
        self.check(ptx)
    }

    /// The same at a glance: what is found so is wrong, and most of what is wrong is found, in a small part of the
    /// time if there is a way.
    fn glance(&self, ptx: &str) -> CheckOutcome {
        self.check(ptx)
    }
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Nothing is wrong.
    Clean,
    /// Something is.
    Found(String),
    /// It could not be made.
    NotRun(String),
}

/// A patch, made small, explained and tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The text of the patch.
    pub patch: String,
    /// How many edits it had before it was made smaller.
    pub edits_before: usize,
    /// Whether it may be used.
    pub verdict: Verdict,
    /// With the inputs of the search, when it was found.
    pub search: Fitness,
    /// What each edit brings, with the inputs of the search.
    pub edits: Vec<ExplainedEdit>,
    /// Pairs that bring more or less than the two alone.
    pub pairs: Vec<Epistasis>,
    /// With the inputs of the test; empty where it did not come to that.
    pub test: Vec<Compared>,
    /// Races and accesses.
    pub checks: Vec<Checked>,
    /// What differs between the kernels as they were and patched, line by line; empty where they cannot be patched.
    pub diff: Vec<DiffLine>,
    /// What the assembler makes of that.
    pub machine_code: MachineCode,
    /// The whole patched text.
    #[serde(skip)]
    pub ptx: String,
    /// The edits as the evolution had them.
    #[serde(skip)]
    pub(crate) origin: Vec<Edit>,
}

impl Finding {
    /// How many times as fast it is, with the inputs of the test: the geometric mean over the cases.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        geometric_mean(self.test.iter().map(|case| case.original_ns / case.patched_ns))
    }
}
