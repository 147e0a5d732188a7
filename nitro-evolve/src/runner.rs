//! The trait of what runs programs on the cases of a workload.

use std::sync::Arc;
use std::time::Duration;

use nitro_core::Artifact;
use nitro_ptx::machine_code;
use nitro_search::evolve::Fitness;
use nitro_search::{Failure, Floor};
use serde::{Deserialize, Serialize};

use crate::effort::Effort;
use crate::workload::{Set, Workload};

/// A function that makes runnable code of a PTX text, or says why that is impossible.
pub type Assemble<'a> = dyn Fn(String) -> Result<Code, String> + Sync + 'a;

/// A program that can be run: PTX, and its machine code where an assembler made it.
///
/// Kernels that only judge results may be missing in a candidate, since they run as they were compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The text.
    pub ptx: Arc<str>,
    /// The machine code for the device, in parts that each hold some of the kernels. Empty where the runner makes
    /// it from the text.
    pub images: Vec<Arc<[u8]>>,
}

impl Code {
    /// Creates code without machine code.
    #[must_use]
    pub fn text(ptx: impl Into<Arc<str>>) -> Self {
        Self { ptx: ptx.into(), images: Vec::new() }
    }

    /// Returns the digest of the machine code without names and lines; of the text where there is none.
    pub(crate) fn digest(&self) -> u64 {
        let mut parts = Vec::new();
        for image in &self.images {
            match machine_code(image) {
                Some(digest) => parts.push(digest.to_string()),
                None => return Artifact::of(&self.ptx).digest(),
            }
        }
        if parts.is_empty() {
            Artifact::of(&self.ptx).digest()
        } else {
            Artifact::of(&parts.join("\n")).digest()
        }
    }
}

/// Time and error of one case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The time of all launches of the case together.
    pub time_ns: f64,
    /// The distance of the results from the original's, by the workload's comparisons. 0 where they are as near as
    /// the original's own are from run to run. Infinite where a result is not a number or was not written, or an
    /// input was changed.
    pub error: f64,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// The results of all cases, in order.
    Ran(Vec<CaseResult>),
    /// The failure of the program, with the reason in a sentence.
    Failed(Failure, String),
}

/// An error after which the runner cannot go on: there is no device, or it was lost too often.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RunnerError(pub String);

impl RunnerError {
    /// Returns the error of an evolution that has no device.
    pub(crate) fn no_device() -> Self {
        Self("there is no device to run on".to_owned())
    }
}

/// A device, or what stands for one, that runs programs and compares their results with the original's.
pub trait Runner: Send {
    /// Returns the name for people, such as `cuda:0 (NVIDIA H200)` or `emulator`.
    fn name(&self) -> String;

    /// Returns the compute capability that machine code is made for, such as `90`; none where PTX runs as it is.
    fn architecture(&self) -> Option<u32> {
        None
    }

    /// Takes a workload and the original, runs it on all cases of these sets, and keeps its results. Returns the
    /// results of each set, in the order of `sets`.
    ///
    /// # Errors
    /// When there is nothing to run on, or the original itself fails.
    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError>;

    /// Makes the inputs of these sets ahead, so that beginning with them takes less time.
    ///
    /// # Errors
    /// When there are no such inputs.
    fn prepare(&mut self, workload: &Workload, sets: &[Set]) -> Result<(), RunnerError> {
        let _ = (workload, sets);
        Ok(())
    }

    /// Returns how many workers were lost and replaced so far, and for how long nothing could run meanwhile.
    fn replaced(&self) -> (u64, Duration) {
        (0, Duration::ZERO)
    }

    /// Runs a candidate on the cases of a set that it has begun with.
    ///
    /// # Errors
    /// When no other candidate could be run either.
    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError>;

    /// Returns the floor of each case of a set that it has begun with: no program takes less that does with all data
    /// what the original does. `idle` has the original's kernels, which do nothing. Empty where times are no times.
    ///
    /// # Errors
    /// When floors are not known; others may run all the same.
    fn floors(&mut self, idle: &Code, set: Set) -> Result<Vec<Floor>, RunnerError> {
        let _ = (idle, set);
        Ok(Vec::new())
    }
}

/// A runner without a device, for work that needs none.
pub(crate) struct NoDevice;

impl Runner for NoDevice {
    fn name(&self) -> String {
        "no device".to_owned()
    }

    fn begin(&mut self, _: &Workload, _: &Code, _: &[Set]) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        Err(RunnerError::no_device())
    }

    fn run(&mut self, _: &Code, _: Set, _: Effort) -> Result<RunOutcome, RunnerError> {
        Err(RunnerError::no_device())
    }
}

/// Returns the mean time and the largest error of cases; none where one is not a number.
pub(crate) fn fitness(cases: &[CaseResult]) -> Option<Fitness> {
    let time_ns = cases.iter().map(|case| case.time_ns).sum::<f64>() / cases.len() as f64;
    let error = cases.iter().map(|case| case.error).fold(0.0, f64::max);
    let are_numbers = cases.iter().all(|case| case.error.is_finite()) && time_ns.is_finite();
    are_numbers.then_some(Fitness { time_ns, error })
}

/// Returns the names of runners, each once.
pub(crate) fn names(runners: &[Box<dyn Runner>]) -> Vec<String> {
    let mut names: Vec<String> = runners.iter().map(|runner| runner.name()).collect();
    names.dedup();
    names
}
