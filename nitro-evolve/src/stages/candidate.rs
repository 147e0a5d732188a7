//! Candidates.

use std::time::Duration;

use nitro_ptx::Edit;
use nitro_search::evolve::{Fitness, Purpose};

use crate::check::CheckReport;
use crate::finding::TestCase;
use crate::runner::Code;

/// A patch on its way through the stages, with what they have found out.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub edits: Vec<Edit>,
    pub aim: Aim,
    /// The code that runs, once it is assembled.
    pub code: Option<Code>,
    /// The digest of that code's instructions.
    pub digest: u64,
    /// The code of the first run, where there is one.
    pub bounded: Option<Code>,
    /// Time and error, once they are measured.
    pub fitness: Option<Fitness>,
    /// The largest error that checks have seen.
    pub checked_error: f64,
    /// Set if it is refused for any error, since with the inputs of the search it has none.
    pub must_be_exact: bool,
    /// The reports of the final checks.
    pub checks: Vec<CheckReport>,
    /// The reports on a larger patch, of which this is a part. What objected there alone looks at it.
    pub suspected: Vec<CheckReport>,
    /// The cases of the final test.
    pub test: Vec<TestCase>,
    /// The number of runs whose results the test compared.
    pub compared: u32,
    /// The number of stages that are behind it.
    pub passed: usize,
    /// The stages that it came to.
    pub visits: Vec<Visit>,
}

/// The aim of a candidate's way, which decides to which stages it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// To join the population.
    Join,
    /// To be measured once more.
    Remeasure,
    /// To be measured with the inputs of the validation.
    Validate,
    /// To be compared with smaller and larger patches.
    Minimise,
    /// To hold with sizes that no input of the workload has.
    Generalise,
    /// To pass all stages before the test.
    Rehearse,
    /// To be accepted.
    Accept,
    /// To have the results of more runs compared, once it is accepted.
    Confirm,
}

/// A stay at a stage.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    /// The position in the list of stages.
    pub stage: usize,
    /// The time, without that of new workers.
    pub time: Duration,
    /// Workers that were lost, and the time until they were replaced.
    pub workers: u64,
    pub restarts: Duration,
    pub is_refused: bool,
}

impl Candidate {
    /// Creates a candidate that has passed no stage yet.
    pub(crate) fn new(edits: &[Edit], aim: Aim) -> Self {
        Self {
            edits: edits.to_vec(),
            aim,
            code: None,
            digest: 0,
            bounded: None,
            fitness: None,
            checked_error: 0.0,
            must_be_exact: false,
            checks: Vec::new(),
            suspected: Vec::new(),
            test: Vec::new(),
            compared: 0,
            passed: 0,
            visits: Vec::new(),
        }
    }
}

impl Candidate {
    /// Sends an accepted candidate to the last stage once more.
    pub(crate) fn confirm(&mut self) {
        self.aim = Aim::Confirm;
        self.passed -= 1;
    }

    /// Returns what was refused for any error as one that may have some, before the stage that refused it.
    pub(crate) fn permitting_error(&self) -> Self {
        Self { must_be_exact: false, passed: self.passed - 1, ..self.clone() }
    }

    /// Returns time and error with all inputs that it has run with, once they are measured.
    pub(crate) fn total_fitness(&self) -> Option<Fitness> {
        self.fitness.map(|fitness| Fitness { error: fitness.error.max(self.checked_error), ..fitness })
    }
}

impl From<Purpose> for Aim {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Search => Self::Join,
            Purpose::Again => Self::Remeasure,
            Purpose::Validation => Self::Validate,
        }
    }
}
