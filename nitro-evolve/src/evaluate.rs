//! From edits to times and errors: candidates are assembled on several threads, and run on as many benches as there
//! are.

use std::collections::HashMap;

use nitro_ptx::{Base, Edit};
use nitro_search::Failure;
use nitro_search::evolve::{Evolution, Report, Trial};

use crate::Subject;
use crate::bench::{Bench, BenchError, Code, Effort, RunOutcome};
use crate::finding::{Check, CheckOutcome};
use crate::first_run::FirstRun;
use crate::generation::{Candidates, Evaluated, First};
use crate::judge::{Assembled, Judge};
use crate::spent::Spent;
use crate::workload::Set;

/// Makes something that can be run of a text, or says why that cannot be.
pub type Assemble<'a> = dyn Fn(String) -> Result<Code, String> + Sync + 'a;

/// How much is run for what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efforts {
    /// For a first run of each candidate, in which [loops end](nitro_ptx::Module::with_deadline) and [what is not
    /// theirs](nitro_ptx::Module::with_bounds) is not accessed: else it takes its process with it, which costs a
    /// device half a second. None where nothing is lost by it.
    pub first: Option<Effort>,
    /// For the inputs of the search.
    pub search: Effort,
    /// For those of the validation, and while a patch is made smaller.
    pub validation: Effort,
    /// For those of the test.
    pub test: Effort,
}

impl Efforts {
    /// For times that vary.
    pub const MEASURED: Self = Self {
        first: Some(Effort::new(0, 1)),
        search: Effort::new(7, 1),
        validation: Effort::new(15, 3),
        test: Effort::new(31, 1000),
    };
    /// For times that are counted, and so the same again.
    pub const COUNTED: Self = Self {
        first: None,
        search: Effort::new(1, 1),
        validation: Effort::new(1, 2),
        test: Effort::new(1, 5),
    };
}

/// Turns edits into reports.
pub(crate) struct Evaluator<'a> {
    pub subject: &'a Subject,
    pub assemble: &'a Assemble<'a>,
    pub benches: Vec<Box<dyn Bench>>,
    /// How candidates run first.
    pub first: Option<FirstRun>,
    /// What new candidates have to pass before they run.
    pub filter: Option<&'a dyn Check>,
    pub efforts: Efforts,
    /// The most error that a result may have.
    pub max_error: f64,
    /// Threads that assemble.
    pub threads: usize,
    /// Machine code that failed, which is not run again.
    pub failed: HashMap<u64, Failure>,
    pub spent: Spent,
}

impl Evaluator<'_> {
    /// What these trials give, in their order. Of those with the same machine code the first is run.
    pub(crate) fn evaluate(
        &mut self,
        evolution: &Evolution<&Base>,
        trials: &[Trial<Edit>],
    ) -> Result<Vec<Report>, BenchError> {
        let (subject, assemble, first, filter) = (self.subject, self.assemble, self.first, self.filter);
        let failed = &self.failed;
        let to_beat_ns = evolution.to_beat_ns().unwrap_or(f64::INFINITY);
        let make_first = |edits: &[Edit]| first?.code(subject, assemble, edits);
        let looks_right =
            |edits: &[Edit]| filter.is_none_or(|check| is_clean(subject, edits, |ptx| check.glance(ptx)));
        let passes = |edits: &[Edit]| filter.is_none_or(|check| passes(check, subject, edits));
        let candidates = Candidates {
            trials,
            assemble: &|edits| assembled(subject, assemble, edits),
            looks_right: &looks_right,
            passes: &passes,
            first: first.map(|first| First { make: &make_first, effort: first.effort }),
            known: &|digest| {
                let failed = failed.get(&digest).copied().map(Report::Failed);
                failed.or_else(|| evolution.measured(digest).map(|_| Report::Same(digest)))
            },
            judge: Judge { efforts: self.efforts, max_error: self.max_error, to_beat_ns },
        };
        let Evaluated { reports, failed, spent } = candidates.evaluate(self.threads, &mut self.benches)?;
        self.failed.extend(failed);
        self.spent.add(&spent);
        Ok(reports)
    }

    /// What one candidate gives on a set, on the first bench.
    pub(crate) fn run(&mut self, edits: &[Edit], set: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
        match self.code(edits) {
            Ok(code) => self.run_code(&code, set, effort),
            Err(failed) => Ok(failed),
        }
    }

    /// What can be run of these edits, or why nothing can.
    pub(crate) fn code(&self, edits: &[Edit]) -> Result<Code, RunOutcome> {
        let candidate = self
            .subject
            .kernels(edits)
            .map_err(|error| RunOutcome::Failed(Failure::Invalid, error.to_string()))?;
        let code = self.subject.assembled(&candidate, self.assemble);
        code.map_err(|why| RunOutcome::Failed(Failure::Compile, why))
    }

    /// As [`run`](Self::run), of what was made before.
    pub(crate) fn run_code(
        &mut self,
        code: &Code,
        set: Set,
        effort: Effort,
    ) -> Result<RunOutcome, BenchError> {
        match self.benches.first_mut() {
            Some(bench) => bench.run(code, set, effort),
            None => Err(BenchError("there is no device to run on".to_owned())),
        }
    }
}

/// Whether a check finds nothing in what comes of these edits.
fn passes(check: &dyn Check, subject: &Subject, edits: &[Edit]) -> bool {
    is_clean(subject, edits, |ptx| check.check(ptx))
}

pub(crate) fn is_clean(subject: &Subject, edits: &[Edit], check: impl Fn(&str) -> CheckOutcome) -> bool {
    subject.patched(edits).is_ok_and(|ptx| !matches!(check(&ptx), CheckOutcome::Found(_)))
}

fn assembled(subject: &Subject, assemble: &Assemble<'_>, edits: &[Edit]) -> Result<Assembled, Failure> {
    let candidate = subject.kernels(edits).map_err(|_| Failure::Invalid)?;
    let code = subject.assembled(&candidate, assemble).map_err(|_| Failure::Compile)?;
    let digest = code.digest();
    Ok(Assembled { code, digest })
}
