//! From edits to times and errors: candidates go through the stages, on as many threads and devices as there are.

use std::collections::HashMap;
use std::time::Instant;

use nitro_ptx::{Base, Edit};
use nitro_search::evolve::{Evolution, Report, Trial};
use nitro_search::{Ask, Engine, Failure};

use crate::generation::{Evaluation, Generation};
use crate::runner::{CaseResult, RunOutcome, Runner, RunnerError, names};
use crate::stages::{Candidate, Conditions, STAGES, Stop, assemble, go_through};
use crate::time_breakdown::TimeBreakdown;
use crate::workload::Set;

/// The stages with the devices that they run on.
pub(crate) struct Evaluator<'a> {
    pub conditions: Conditions<'a>,
    pub runners: Vec<Box<dyn Runner>>,
    /// The number of threads for the work of cores.
    pub threads: usize,
    /// Machine code that failed, which is not run again.
    pub failed: HashMap<u64, Failure>,
    pub time: TimeBreakdown,
}

impl<'a> Evaluator<'a> {
    /// Creates an evaluator that has seen no candidate yet.
    pub(crate) fn new(conditions: Conditions<'a>, runners: Vec<Box<dyn Runner>>, threads: usize) -> Self {
        let time = TimeBreakdown { threads, runners: runners.len(), ..TimeBreakdown::default() };
        Self { conditions, runners, threads, failed: HashMap::new(), time }
    }

    /// Returns the names of the devices.
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.runners)
    }

    /// Asks an evolution for its next generation.
    pub(crate) fn breed(&mut self, evolution: &mut Engine<Evolution<&Base>>) -> Ask<Trial<Edit>> {
        let began = Instant::now();
        let Ok(asked) = evolution.ask(usize::MAX);
        self.time.breeding += began.elapsed();
        asked
    }

    /// Reports on these trials, in their order. Of those with the same machine code the first is run, and none of which
    /// is known which edits are to blame.
    pub(crate) fn evaluate(
        &mut self,
        evolution: &Evolution<&Base>,
        trials: &[Trial<Edit>],
    ) -> Result<Vec<Report>, RunnerError> {
        self.conditions.to_beat_ns = evolution.to_beat_ns().unwrap_or(f64::INFINITY);
        let blamed: Vec<Option<[usize; 2]>> =
            trials.iter().map(|trial| self.conditions.blame.places(&trial.edits)).collect();
        let left: Vec<Trial<Edit>> =
            trials.iter().zip(&blamed).filter(|(_, own)| own.is_none()).map(|(own, _)| own.clone()).collect();
        let failed = &self.failed;
        let generation = Generation {
            stages: STAGES,
            conditions: &self.conditions,
            trials: &left,
            known: &|digest| {
                let failed = failed.get(&digest).copied().map(Report::Failed);
                failed.or_else(|| evolution.measured(digest).map(|_| Report::Same(digest)))
            },
        };
        let Evaluation { reports, failed, time } = generation.evaluate(self.threads, &mut self.runners)?;
        self.failed.extend(failed);
        self.time.add(&time);
        let mut reports = reports.into_iter();
        Ok(blamed.into_iter().filter_map(|own| own.map(Report::Blamed).or_else(|| reports.next())).collect())
    }

    /// Has one candidate assembled.
    pub(crate) fn assemble(&self, candidate: &mut Candidate) -> Result<(), Stop> {
        assemble(STAGES, candidate, &self.conditions)
    }

    /// Brings one candidate through all stages that are left for it, on the first device.
    pub(crate) fn judge(&mut self, candidate: &mut Candidate) -> Result<(), Stop> {
        self.judge_until(candidate, STAGES.len())
    }

    /// Brings one candidate through those of the first so many stages that are left for it.
    pub(crate) fn judge_until(&mut self, candidate: &mut Candidate, stages: usize) -> Result<(), Stop> {
        let runner = self.runners.first_mut().ok_or_else(RunnerError::no_device)?;
        let judged = go_through(&STAGES[..stages], candidate, &self.conditions, runner.as_mut());
        self.time.add_visits(&std::mem::take(&mut candidate.visits));
        judged
    }

    /// Runs the original with the inputs of the search; none where it fails.
    pub(crate) fn run_original(&mut self) -> Result<Option<Vec<CaseResult>>, RunnerError> {
        let runner = self.runners.first_mut().ok_or_else(RunnerError::no_device)?;
        let Conditions { subject, assemble, efforts, .. } = self.conditions;
        let Ok(original) = subject.unedited(assemble) else { return Ok(None) };
        match runner.run(&original, Set::Search, efforts.search)? {
            RunOutcome::Ran(cases) => Ok(Some(cases)),
            RunOutcome::Failed(..) => Ok(None),
        }
    }
}
