//! The whole way, from a text and its workload to findings.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use nitro_ptx::Patch;
use nitro_search::evolve::{EvolvePlan, Fitness};
use serde::Serialize;

use crate::begin_with;
use crate::bench::{Bench, BenchError, CaseResult, Code, RunOutcome};
use crate::evaluate::{Assemble, Efforts, Evaluator};
use crate::evolve::{Course, EvolveError, Observer, search};
use crate::finding::{Check, Finding};
use crate::first_run::FirstRun;
use crate::history::{History, Lineage, lineages, together};
use crate::machine_code::Disassembler;
use crate::refine::Refinery;
use crate::spent::Spent;
use crate::subject::Subject;
use crate::workload::Set;

/// What is to be done.
pub struct EvolveRequest<'a> {
    /// The settings of the evolution.
    pub plan: EvolvePlan,
    /// The search takes no longer, earlier runs that it goes on with counted; what it found takes a little more.
    pub most_time: Duration,
    /// The search looks at no more candidates.
    pub most_trials: usize,
    /// How much is run for what.
    pub efforts: Efforts,
    /// Threads that assemble.
    pub threads: usize,
    /// What a patch has to pass beside the inputs of the test.
    pub checks: Vec<Box<dyn Check>>,
    /// What looks at inputs that nobody wrote, as small ones: what it finds something in is not bred.
    pub probe: Option<Box<dyn Check>>,
    /// Whether patches may rely on what all inputs of the workload have in common: then that is bred too, and what
    /// of a patch passes the probe is offered beside one that does not.
    pub relies_on_inputs: bool,
    /// What shows the machine code of a patch, or why nothing does.
    pub disassembler: Result<Disassembler, String>,
    /// The file that keeps what was tried; an evolution that was stopped goes on with it.
    pub log: &'a Path,
    /// Patches that were found elsewhere and join the first generation; their times there count for nothing. One that
    /// goes on begins with those of its log, also where none are given.
    pub begin_with: Vec<Patch>,
    /// Time since this call.
    pub elapsed: &'a dyn Fn() -> Duration,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Evolved {
    /// Digest of the PTX.
    pub base: String,
    /// The kernels that were edited.
    pub kernels: Vec<String>,
    /// How many instructions the PTX has.
    pub instructions: usize,
    /// On what it ran.
    pub on: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// How many patches it began with.
    pub begun_with: usize,
    /// Edits that a profile suggested, by why ([`Subject::guided`]).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub proposed: BTreeMap<String, usize>,
    /// The most error that was allowed.
    pub max_error: f64,
    /// What the original takes: for each case of the search, in words.
    pub original: Vec<(String, f64)>,
    /// Generations, the first included.
    pub generations: usize,
    /// Of the search.
    pub seconds: f64,
    /// Where the time of this session went.
    pub spent: Spent,
    /// What is worth having with the inputs of the search, by ascending error: time, error, and number of edits.
    pub front: Vec<(Fitness, usize)>,
    /// What was made of it.
    pub findings: Vec<Finding>,
    /// For each finding, how its edits came to be.
    pub lineages: Vec<Vec<Lineage>>,
    /// For each finding and generation, the most of its edits that one new candidate had.
    pub together: Vec<Vec<usize>>,
    /// How it went.
    pub history: History,
}

/// Evolves a subject on these benches, makes what it found smaller, explains it and tests it once.
///
/// # Errors
/// When a patch to begin with does not fit, there is nothing to run on, the original fails, or what was tried cannot be
/// kept.
pub fn evolve(
    subject: &Subject,
    mut benches: Vec<Box<dyn Bench>>,
    assemble: &Assemble<'_>,
    request: EvolveRequest<'_>,
    observer: &dyn Observer,
) -> Result<Evolved, EvolveError> {
    let begin_with = begin_with::all(subject.base(), &request.begin_with)?;
    let original = original_code(subject, assemble)?;
    let original_times = begin(subject, &mut benches, &original)?;
    let on = names(&benches);
    let EvolveRequest {
        plan,
        most_time,
        most_trials,
        efforts,
        threads,
        checks,
        probe,
        relies_on_inputs,
        disassembler,
        log,
        begin_with: _,
        elapsed,
    } = request;
    let EvolvePlan { margin, max_error, seed, .. } = plan;
    let first = efforts.first.zip(benches.first_mut());
    let first = first.map(|(effort, bench)| {
        FirstRun::new(subject, assemble, bench.as_mut(), &original, effort, max_error)
    });
    let first = first.transpose()?.map(|(first, why)| {
        if let Some(why) = why {
            observer.message(&format!(
                "first runs look at loops alone, so that each candidate which leaves its buffers costs a worker: of the original, a look at what it accesses says that {why}"
            ));
        }
        first
    });
    let spent = Spent { threads, benches: benches.len(), ..Spent::default() };
    let failed = HashMap::new();
    let filter = probe.as_deref().filter(|_| !relies_on_inputs);
    let mut evaluator =
        Evaluator { subject, assemble, benches, first, filter, efforts, max_error, threads, failed, spent };
    let course = Course { plan, most_time, most_trials, log, elapsed };
    let found = search(&mut evaluator, &course, begin_with, observer)?;
    let spent = evaluator.spent;
    // Before the search the device may have been slower than during it.
    let original_times = match evaluator.run(&[], Set::Search, efforts.search)? {
        RunOutcome::Ran(cases) => named(subject, &cases),
        RunOutcome::Failed(..) => original_times,
    };
    let mut refinery = Refinery {
        evaluator: &mut evaluator,
        margin,
        max_error,
        checks: &checks,
        probe: probe.as_deref(),
        relies_on_inputs,
        disassembler: &disassembler,
        observer,
        known: HashMap::new(),
    };
    let findings = refinery.findings(found.finalists.clone())?;
    let module = subject.base().module();
    Ok(Evolved {
        base: module.digest().to_string(),
        kernels: subject.workload().kernels().into_iter().map(str::to_owned).collect(),
        instructions: module.instructions(),
        on,
        seed,
        begun_with: found.begun_with.len(),
        proposed: subject.proposed(),
        max_error,
        original: original_times,
        generations: found.generations,
        seconds: found.time.as_secs_f64(),
        spent,
        front: found.front.iter().map(|(edits, fitness)| (*fitness, edits.len())).collect(),
        lineages: findings.iter().map(|finding| lineages(&found, &finding.origin)).collect(),
        together: findings.iter().map(|finding| together(&found, &finding.origin)).collect(),
        findings,
        history: History::new(&found.entries, max_error),
    })
}

/// What runs candidates, each name once.
pub(crate) fn names(benches: &[Box<dyn Bench>]) -> Vec<String> {
    let mut names: Vec<String> = benches.iter().map(|bench| bench.name()).collect();
    names.dedup();
    names
}

/// The text as it was compiled, as the benches take it.
pub(crate) fn original_code(subject: &Subject, assemble: &Assemble<'_>) -> Result<Code, BenchError> {
    let text = subject.original().ptx.to_string();
    assemble(text).map_err(|why| BenchError(format!("the PTX as it is cannot be assembled: {why}")))
}

/// Gives the original to all benches; what it takes with the inputs of the search.
fn begin(
    subject: &Subject,
    benches: &mut [Box<dyn Bench>],
    original: &Code,
) -> Result<Vec<(String, f64)>, BenchError> {
    let workload = subject.workload();
    let mut times = Vec::new();
    for bench in benches {
        let begun = bench.begin(workload, original, &[Set::Search, Set::Validation, Set::Test])?;
        let search = begun.into_iter().next().unwrap_or_default();
        times.push(named(subject, &search));
    }
    Ok(times.into_iter().next().unwrap_or_default())
}

/// The times of the cases of the search, with what these are called.
fn named(subject: &Subject, cases: &[CaseResult]) -> Vec<(String, f64)> {
    let name = |number| subject.workload().case_name(Set::Search, number);
    cases.iter().enumerate().map(|(number, case)| (name(number), case.time_ns)).collect()
}
