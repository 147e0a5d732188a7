//! Who runs programs on the cases of a workload.

use std::sync::Arc;
use std::time::Duration;

use nitro_core::Artifact;
use nitro_ptx::machine_code;
use nitro_search::Failure;
use serde::{Deserialize, Serialize};

use crate::{Set, Workload};

/// A program that may be run: PTX with the kernels that count. Those that judge alone may be missing in a
/// candidate, since they run as they were compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The text.
    pub ptx: Arc<str>,
    /// The machine code that an assembler made of it for the device, in parts of which each has some of the
    /// kernels; none where whoever runs it makes that itself.
    pub images: Vec<Arc<[u8]>>,
}

impl Code {
    /// A text without machine code.
    #[must_use]
    pub fn text(ptx: impl Into<Arc<str>>) -> Self {
        Self { ptx: ptx.into(), images: Vec::new() }
    }

    /// By what it is known: its machine code, whatever names and lines it has besides; its text where there is none.
    pub(crate) fn digest(&self) -> u64 {
        let parts: Option<Vec<String>> =
            self.images.iter().map(|image| machine_code(image).map(|digest| digest.to_string())).collect();
        let parts = parts.filter(|parts| !parts.is_empty());
        parts.map_or_else(|| Artifact::of(&self.ptx), |parts| Artifact::of(&parts.join("\n"))).digest()
    }
}

/// How often and how strictly something is run.
///
/// ```
/// use nitro_evolve::bench::Effort;
///
/// let effort = Effort::new(7, 1).within(0.01);
/// assert_eq!((effort.runs, effort.checks, effort.most_error), (7, 1, Some(0.01)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Timed runs of each case; the median of their times counts. A bench may make fewer of what is clearly slower
    /// than the original. Without any, times are 0: only results are looked at.
    pub runs: u32,
    /// Runs whose results are compared, at least 1: what differs in any of them is an error.
    pub checks: u32,
    /// What is wrong by more than this fails at once, and is not timed; none where a time is wanted whatever the error.
    pub most_error: Option<f64>,
}

impl Effort {
    /// So many timed runs, and so many that are compared, of whatever is not wrong beyond numbers.
    #[must_use]
    pub const fn new(runs: u32, checks: u32) -> Self {
        Self { runs, checks, most_error: None }
    }

    /// The same for what has at most this error.
    #[must_use]
    pub const fn within(self, most_error: f64) -> Self {
        Self { most_error: Some(most_error), ..self }
    }

    /// Why a result of this error is not looked at any further; none where it is.
    pub(crate) fn objection(&self, error: f64) -> Option<String> {
        let most = self.most_error.filter(|most| error > *most || error.is_nan())?;
        Some(format!("a result has an error of {error:.1e}, more than {most:.1e}"))
    }
}

/// Time and error of one case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// What all launches of the case take together.
    pub time_ns: f64,
    /// How far the results are from the original's, by the workload's comparisons; 0 where they are as near as the
    /// original's own are from run to run, infinite where a result is no number, nothing was written, or what may
    /// not differ does.
    pub error: f64,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// For each case in order.
    Ran(Vec<CaseResult>),
    /// It has no times, with the reason in a sentence.
    Failed(Failure, String),
}

/// The bench cannot go on: no device, or it was lost too often.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BenchError(pub String);

/// Runs programs on the cases of a workload, and compares their results with the original's.
pub trait Bench: Send {
    /// On what, for people: `cuda:0 (NVIDIA H200)`, `emulator`.
    fn name(&self) -> String;

    /// For which compute capability machine code is made, as in `90`; none where PTX is run as it is.
    fn architecture(&self) -> Option<u32> {
        None
    }

    /// Takes the workload and the original, runs it on all cases of these sets, and keeps its results. What it
    /// takes per set comes back, in the order of `sets`.
    ///
    /// # Errors
    /// When there is nothing to run on, or the original itself fails.
    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, BenchError>;

    /// Makes the inputs of these sets, if that takes time, so that beginning with them takes less.
    ///
    /// # Errors
    /// When there are no such inputs.
    fn prepare(&mut self, workload: &Workload, sets: &[Set]) -> Result<(), BenchError> {
        let _ = (workload, sets);
        Ok(())
    }

    /// How often what runs candidates was lost so far and had to be replaced, and for how long it could not run
    /// anything meanwhile.
    fn replaced(&self) -> (u64, Duration) {
        (0, Duration::ZERO)
    }

    /// Runs a candidate on the cases of a set that it has begun with.
    ///
    /// # Errors
    /// When no other candidate could be run either.
    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, BenchError>;
}
