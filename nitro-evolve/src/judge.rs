//! What candidates that run are held against.

use nitro_search::Failure;
use nitro_search::evolve::{Fitness, Purpose, Report};

use crate::bench::{Bench, BenchError, CaseResult, Code, Effort, RunOutcome};
use crate::evaluate::Efforts;
use crate::workload::Set;

/// A candidate that can be run, and by what it is known.
pub(crate) struct Assembled {
    pub code: Code,
    pub digest: u64,
}

/// A candidate in the form of its first run.
pub(crate) struct FirstCode {
    pub code: Code,
    /// With the error of what is right.
    pub effort: Effort,
}

impl FirstCode {
    /// How a candidate fails in its first run on these inputs, if it does.
    pub(crate) fn failure(&self, bench: &mut dyn Bench, set: Set) -> Result<Option<Failure>, BenchError> {
        failure(bench, &self.code, set, self.effort)
    }
}

/// Runs candidates, and says what that gives.
#[derive(Clone, Copy)]
pub(crate) struct Judge {
    pub efforts: Efforts,
    pub max_error: f64,
    /// What takes less with the inputs of the search looks faster than the original.
    pub to_beat_ns: f64,
}

impl Judge {
    pub(crate) fn report(
        &self,
        bench: &mut dyn Bench,
        candidate: &Assembled,
        first: Option<&FirstCode>,
        purpose: Purpose,
    ) -> Result<Report, BenchError> {
        let (set, effort) = match purpose {
            Purpose::Search => (Set::Search, self.efforts.search.within(self.max_error)),
            Purpose::Again => (Set::Search, self.efforts.search),
            Purpose::Validation => (Set::Validation, self.efforts.validation),
        };
        let fitness = match bench.run(&candidate.code, set, effort)? {
            RunOutcome::Ran(cases) => fitness(&cases),
            RunOutcome::Failed(failure, _) => return Ok(Report::Failed(failure)),
        };
        let Some(fitness) = fitness else { return Ok(Report::Failed(Failure::Wrong)) };
        let report = Report::Ran { fitness, code: Some(candidate.digest) };
        // What is wrong in a way that the inputs of the search do not show, and fast by that, would else fill the
        // population with its descendants.
        let failure = match purpose {
            Purpose::Search if self.looks_faster(&report) => self.elsewhere(bench, candidate, first)?,
            _ => None,
        };
        Ok(failure.map_or(report, Report::Failed))
    }

    pub(crate) fn looks_faster(&self, report: &Report) -> bool {
        matches!(report, Report::Ran { fitness, .. } if fitness.time_ns < self.to_beat_ns)
    }

    /// How a candidate fails with the inputs of the validation, if it does: in its first run there, too, so that
    /// one which leaves its buffers costs no worker.
    fn elsewhere(
        &self,
        bench: &mut dyn Bench,
        candidate: &Assembled,
        first: Option<&FirstCode>,
    ) -> Result<Option<Failure>, BenchError> {
        if let Some(first) = first
            && let Some(failure) = first.failure(bench, Set::Validation)?
        {
            return Ok(Some(failure));
        }
        failure(bench, &candidate.code, Set::Validation, Effort::new(0, 1).within(self.max_error))
    }
}

/// How code fails with these inputs, if it does.
fn failure(
    bench: &mut dyn Bench,
    code: &Code,
    set: Set,
    effort: Effort,
) -> Result<Option<Failure>, BenchError> {
    Ok(match bench.run(code, set, effort)? {
        RunOutcome::Failed(failure, _) => Some(failure),
        RunOutcome::Ran(cases) => {
            let is_right = fitness(&cases).is_some_and(|fitness| effort.objection(fitness.error).is_none());
            (!is_right).then_some(Failure::Wrong)
        }
    })
}

/// The mean time and the largest error; none where a result has no error that is a number.
pub(crate) fn fitness(cases: &[CaseResult]) -> Option<Fitness> {
    let time_ns = cases.iter().map(|case| case.time_ns).sum::<f64>() / cases.len() as f64;
    let error = cases.iter().map(|case| case.error).fold(0.0, f64::max);
    let are_numbers = cases.iter().all(|case| case.error.is_finite()) && time_ns.is_finite();
    are_numbers.then_some(Fitness { time_ns, error })
}
