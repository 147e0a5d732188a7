//! The whole way from a text and its workload to findings.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use nitro_ptx::Patch;
use nitro_search::evolve::{EvolvePlan, Fitness};
use nitro_search::{Floor, Until};
use serde::Serialize;

use crate::begin_with;
use crate::blame::Blame;
use crate::check::Check;
use crate::deadline::Deadline;
use crate::effort::Efforts;
use crate::error::EvolveError;
use crate::evaluator::Evaluator;
use crate::finding::Finding;
use crate::findings::findings;
use crate::floors::{self, SearchFloors};
use crate::history::{History, Lineage, lineages, together};
use crate::machine_code::Disassembler;
use crate::margin;
use crate::observer::Observer;
use crate::runner::{Assemble, CaseResult, Code, Runner, RunnerError};
use crate::search::{SearchLimits, SearchResult, search};
use crate::stages::{Conditions, FirstRunForm};
use crate::subject::Subject;
use crate::time_breakdown::TimeBreakdown;
use crate::workload::Set;

/// A request to [`evolve`] a subject.
pub struct EvolveRequest<'a> {
    /// The plan of breeding. Its margin is the least gain of an accepted patch, and the largest margin of the search:
    /// where times are closer together, that is smaller.
    pub plan: EvolvePlan,
    /// The most time for the search, with that of earlier runs that it goes on with.
    pub most_time: Duration,
    /// The most time for what follows the search; what there is none for is said in the findings. A run of a program
    /// that is under way comes to its own end.
    pub most_time_after: Duration,
    /// The most candidates that the search looks at.
    pub most_trials: usize,
    /// The share of its floor at which the search is over, by its fastest exact candidate.
    pub until: Option<Until>,
    /// The effort of each stage.
    pub efforts: Efforts,
    /// The number of threads for the work of cores.
    pub threads: usize,
    /// The final checks that a patch has to pass beside the test.
    pub checks: Vec<Box<dyn Check>>,
    /// The check with small inputs that nobody wrote; candidates in which it finds something are not bred.
    pub small_inputs: Option<Box<dyn Check>>,
    /// Set if patches may rely on what all inputs of the workload have in common. Then such candidates are bred
    /// too, and the part of a patch that holds with small inputs is offered beside it.
    pub relies_on_inputs: bool,
    /// The tools that show the machine code of a patch, or why there are none.
    pub disassembler: Result<Disassembler, String>,
    /// The file that keeps all trials; a search that was stopped goes on with it.
    pub log: &'a Path,
    /// The patches from elsewhere that join the first generation; their times there count for nothing. A search that
    /// goes on begins with those of its log, also where none are given.
    pub begin_with: Vec<Patch>,
    /// Returns the time since the request was made.
    pub elapsed: &'a dyn Fn() -> Duration,
    /// Keeps what is known, from the first accepted patch on: whenever more is known, and in the end.
    pub keep: &'a dyn Fn(&EvolveResult) -> Result<(), EvolveError>,
}

/// The result of [`evolve`].
#[derive(Clone, Debug, Serialize)]
pub struct EvolveResult {
    /// The digest of the PTX.
    pub base: String,
    /// The edited kernels.
    pub kernels: Vec<String>,
    /// The number of instructions of the PTX.
    pub instructions: usize,
    /// The devices.
    pub on: Vec<String>,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of patches from elsewhere that it began with.
    pub begun_with: usize,
    /// The number of edits that profile and text propose, by reason ([`Subject::with_proposals`]).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub proposed: BTreeMap<String, usize>,
    /// The most error that was allowed.
    pub max_error: f64,
    /// The time of the original with each input of the search, by the input's name.
    pub original: Vec<(String, f64)>,
    /// The floor of each input of the search, by its name: what no exact patch takes less than. Empty where they are
    /// not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<(String, Floor)>,
    /// The number of generations, the first included.
    pub generations: usize,
    /// The seconds of the search.
    pub seconds: f64,
    /// The time of this session, by what it was spent on.
    #[serde(rename = "spent")]
    pub time: TimeBreakdown,
    /// The front with the inputs of the search, by ascending error: time, error, and number of edits.
    pub front: Vec<(Fitness, usize)>,
    /// The minimised, tested and explained patches.
    pub findings: Vec<Finding>,
    /// Set until all of that is done.
    pub is_under_way: bool,
    /// The origin of each finding's edits.
    pub(crate) lineages: Vec<Vec<Lineage>>,
    /// For each finding and generation, the most of its edits that one new candidate had.
    pub(crate) together: Vec<Vec<usize>>,
    /// The course of the search.
    pub history: History,
}

/// Evolves a subject on these devices: searches, minimises and explains what was found, and tests it once.
///
/// # Errors
/// When a patch to begin with does not fit, there is nothing to run on, the original fails, the log cannot be kept, or a
/// time is under its floor.
pub fn evolve(
    subject: &Subject,
    mut runners: Vec<Box<dyn Runner>>,
    assemble: &Assemble<'_>,
    request: EvolveRequest<'_>,
    observer: &dyn Observer,
) -> Result<EvolveResult, EvolveError> {
    let begin_with = begin_with::all(subject.base(), &request.begin_with)?;
    let original = original_code(subject, assemble)?;
    let original_times = begin(subject, &mut runners, &original)?;
    let first_run = first_run_form(subject, assemble, &mut runners, &original, &request, observer)?;
    let least_gain = request.plan.margin;
    let EvolveRequest {
        mut plan, most_time, most_trials, log, elapsed, most_time_after, keep, efforts, ..
    } = request;
    let timed = (&original_times[..], efforts.search);
    let floors = SearchFloors::new(subject, assemble, &mut runners, timed, request.until, observer)?;
    if let Some(runner) = runners.first_mut() {
        plan.margin = margin::measured(runner.as_mut(), &original, efforts.search, least_gain)?;
    }
    let blame = Blame::default();
    let conditions = Conditions {
        subject,
        assemble,
        efforts,
        margin: plan.margin,
        least_gain,
        max_error: plan.max_error,
        to_beat_ns: f64::INFINITY,
        first_run,
        small_inputs: request.small_inputs.as_deref(),
        relies_on_inputs: request.relies_on_inputs,
        checks: &request.checks,
        blame: &blame,
        until: Deadline::NEVER,
    };
    let mut evaluator = Evaluator::new(conditions, runners, request.threads);
    let limits = SearchLimits { plan, most_time, most_trials, target_ns: floors.target_ns, log, elapsed };
    let found = search(&mut evaluator, &limits, &begin_with, observer)?;
    // Before the search the device may have been slower than during it.
    let again = evaluator.run_original()?;
    let original_times = again.map_or(original_times, |cases| named(subject, &cases));
    let finalists = found.finalists.clone();
    let mut known = EvolveResult::before_findings(&evaluator, &limits.plan, original_times, &found);
    known.floors = floors.named;
    let until = Deadline::after(most_time_after);
    let mut keep_so_far = |so_far: &[Finding], time: &TimeBreakdown| {
        known.set_findings(so_far.to_vec(), time, &found);
        keep(&known)
    };
    let disassembler = &request.disassembler;
    let findings = findings(&mut evaluator, finalists, until, disassembler, observer, &mut keep_so_far)?;
    known.set_findings(findings, &evaluator.time, &found);
    known.is_under_way = false;
    floors::add_to_tests(&mut evaluator, &mut known, observer);
    keep(&known)?;
    floors::check(&known, [efforts.search, efforts.test])?;
    Ok(known)
}

impl EvolveResult {
    /// Returns the result of a search of which no patch was tested yet.
    fn before_findings(
        evaluator: &Evaluator<'_>,
        plan: &EvolvePlan,
        original: Vec<(String, f64)>,
        found: &SearchResult,
    ) -> Self {
        let subject = evaluator.conditions.subject;
        Self {
            base: subject.base().module().digest().to_string(),
            kernels: subject.workload().kernels().into_iter().map(str::to_owned).collect(),
            instructions: subject.base().module().instructions(),
            on: evaluator.names(),
            seed: plan.seed,
            begun_with: found.begun_with.len(),
            proposed: subject.proposed(),
            max_error: plan.max_error,
            original,
            floors: Vec::new(),
            generations: found.generations,
            seconds: found.time.as_secs_f64(),
            time: evaluator.time.clone(),
            front: found.front.iter().map(|(edits, fitness)| (*fitness, edits.len())).collect(),
            lineages: Vec::new(),
            together: Vec::new(),
            history: History::new(&found.entries, plan.max_error),
            findings: Vec::new(),
            is_under_way: true,
        }
    }

    /// Takes the findings so far, with the time that was spent.
    fn set_findings(&mut self, findings: Vec<Finding>, time: &TimeBreakdown, found: &SearchResult) {
        self.lineages = findings.iter().map(|own| lineages(&found.entries, &own.origin)).collect();
        self.together = findings.iter().map(|own| together(&found.entries, &own.origin)).collect();
        self.time = time.clone();
        self.findings = findings;
    }
}

/// Assembles the text as it was compiled.
pub(crate) fn original_code(subject: &Subject, assemble: &Assemble<'_>) -> Result<Code, RunnerError> {
    let text = subject.original().ptx.to_string();
    assemble(text).map_err(|why| RunnerError(format!("the PTX as it is cannot be assembled: {why}")))
}

/// Gives the original to all devices. Returns its times with the inputs of the search.
fn begin(
    subject: &Subject,
    runners: &mut [Box<dyn Runner>],
    original: &Code,
) -> Result<Vec<(String, f64)>, RunnerError> {
    let mut times = None;
    for runner in runners {
        let sets = [Set::Search, Set::Validation, Set::Test];
        let results = runner.begin(subject.workload(), original, &sets)?;
        let of_search = results.first().map(|cases| named(subject, cases));
        times = times.or(of_search);
    }
    Ok(times.unwrap_or_default())
}

/// Finds out in which form candidates run first, and says so where that form does not check accesses.
fn first_run_form(
    subject: &Subject,
    assemble: &Assemble<'_>,
    runners: &mut [Box<dyn Runner>],
    original: &Code,
    request: &EvolveRequest<'_>,
    observer: &dyn Observer,
) -> Result<Option<FirstRunForm>, RunnerError> {
    let Some((effort, runner)) = request.efforts.first.zip(runners.first_mut()) else { return Ok(None) };
    let max_error = request.plan.max_error;
    let (form, why) = FirstRunForm::new(subject, assemble, runner.as_mut(), original, effort, max_error)?;
    if let Some(why) = why {
        observer.message(&format!(
            "first runs check loops alone, so that each candidate which leaves its buffers costs a worker: a look \
             at what the original accesses says that {why}"
        ));
    }
    Ok(Some(form))
}

/// Names the times of the cases of the search.
fn named(subject: &Subject, cases: &[CaseResult]) -> Vec<(String, f64)> {
    let mut times = Vec::with_capacity(cases.len());
    for (number, case) in cases.iter().enumerate() {
        times.push((subject.workload().case_name(Set::Search, number), case.time_ns));
    }
    times
}
