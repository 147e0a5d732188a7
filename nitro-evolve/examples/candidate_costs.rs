//! What candidates cost beside a device: bred, made to texts, assembled in both forms, and told; with a device that
//! takes so long for each run. `cargo run --release -p nitro-variants-evolve --example candidate_costs -- FILE.ptx
//! [SECONDS [RUN_MS [breed | propose]]]`; with `breed` candidates are drawn and no more, with `propose` a profile
//! is made.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nitro_evolve::Effort;
use nitro_evolve::runner::{CaseResult, Code, RunOutcome, RunnerError};
use nitro_evolve::sandbox::Assembler;
use nitro_evolve::{Efforts, EvolveRequest, Observer, Progress, Runner, Set, Subject, Workload, evolve};
use nitro_ptx::Edit;
use nitro_search::evolve::{Evolution, EvolvePlan, Fitness, Purpose, Report};
use nitro_search::{Ask, Budget, Engine, Failure};

/// As `train evolve` has it.
const POPULATION: usize = 64;
/// Of a hundred candidates so many fail in their first run, about as on a device.
const FAILING_PERCENT: u64 = 55;

/// A device that gives the same times for everything, and takes as long as it is said.
struct Pretended {
    cases: usize,
    run: Duration,
}

impl Runner for Pretended {
    fn name(&self) -> String {
        "pretended".to_owned()
    }

    fn begin(
        &mut self,
        workload: &Workload,
        _: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        self.cases = workload.cases(Set::Search);
        Ok(sets.iter().map(|_| vec![CaseResult { time_ns: 1e6, error: 0.0 }; self.cases]).collect())
    }

    fn run(&mut self, candidate: &Code, _: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        std::thread::sleep(self.run * (effort.runs + effort.checks));
        let mut hasher = DefaultHasher::new();
        candidate.ptx.hash(&mut hasher);
        match effort.runs == 0
            && candidate.ptx.contains("nitro_deadline_ns")
            && hasher.finish() % 100 < FAILING_PERCENT
        {
            true => Ok(RunOutcome::Failed(Failure::Wrong, "so it was drawn".to_owned())),
            false => Ok(RunOutcome::Ran(vec![CaseResult { time_ns: 1e6, error: 0.0 }; self.cases])),
        }
    }
}

struct Silent;

impl Observer for Silent {
    fn message(&self, _: &str) {}
    fn progress(&self, _: &Progress) {}
}

/// What it takes to draw a candidate, where every other one runs.
fn breed(subject: &Subject, seconds: f64) -> Result<(), Box<dyn Error>> {
    let plan = EvolvePlan { population: POPULATION, generations: usize::MAX, ..EvolvePlan::default() };
    let mut evolution = Engine::new(Evolution::new(subject.base(), plan), Budget::default());
    let (began, mut candidates) = (Instant::now(), 0_u64);
    while began.elapsed().as_secs_f64() < seconds {
        let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) else { break };
        for trial in trials {
            candidates += 1;
            let is_wrong =
                candidates.is_multiple_of(2) && trial.purpose == Purpose::Search && !trial.edits.is_empty();
            let report = match is_wrong {
                true => Report::Failed(Failure::Wrong),
                false => {
                    Report::Ran { fitness: Fitness { time_ns: 1e6, error: 0.0 }, code: Some(candidates) }
                }
            };
            evolution.tell(&trial, report)?;
        }
    }
    let each_ms = 1e3 * began.elapsed().as_secs_f64() / candidates as f64;
    println!(
        "{candidates} candidates were bred in {} generations: {each_ms:.2} ms each",
        evolution.proposer().generation()
    );
    Ok(())
}

/// What a profile suggests, and how long it takes.
fn propose(subject: &Subject) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let guided = subject.with_proposals(std::thread::available_parallelism().map_or(1, usize::from));
    let (taken, base) = (began.elapsed().as_secs_f64(), guided.base());
    for proposal in base.proposed() {
        let edit = Edit { operation: proposal.operation.clone(), fixes: Vec::new() };
        println!("  {:?}: {proposal}  # {}", proposal.reason, base.instructions_of(&edit).join(" "));
    }
    println!("{} edits are proposed, after {taken:.1} s", base.proposed().count());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("which PTX?")?);
    let seconds = arguments.next().map_or(Ok(20.0), |text| text.parse())?;
    let run_ms: f64 = arguments.next().map_or(Ok(0.0), |text| text.parse())?;
    let file = path.with_extension("toml");
    let workload = Workload::parse(&file, &std::fs::read_to_string(&file)?)?;
    let subject = Subject::new(&std::fs::read_to_string(&path)?, workload)?;
    match arguments.next().as_deref() {
        Some("breed") => return breed(&subject, seconds),
        Some("propose") => return propose(&subject),
        _ => {}
    }
    let assembler = Assembler::find(90).ok_or("there is no ptxas")?;
    let assemble = move |text: String| {
        let image: Arc<[u8]> = assembler.assemble(&text)?;
        Ok(Code { ptx: text.into(), images: vec![image] })
    };
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    let request = EvolveRequest {
        plan: EvolvePlan { population: POPULATION, generations: usize::MAX, ..EvolvePlan::default() },
        most_time: Duration::from_secs_f64(seconds),
        most_time_after: Duration::MAX,
        most_trials: usize::MAX,
        until: None,
        efforts: Efforts::MEASURED,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        checks: Vec::new(),
        small_inputs: None,
        relies_on_inputs: false,
        disassembler: Err("nothing is shown".to_owned()),
        log: &folder.path().join("evolution.jsonl"),
        begin_with: Vec::new(),
        elapsed: &|| began.elapsed(),
        keep: &|_| Ok(()),
    };
    let runner = Pretended { cases: 0, run: Duration::from_secs_f64(run_ms / 1e3) };
    let evolved = evolve(&subject, vec![Box::new(runner)], &assemble, request, &Silent)?;
    let counts = &evolved.history.counts;
    println!(
        "{:<16} {:>6} candidates in {:>3} generations and {:>5.1} s: {:>6.1} a second ({} ran, {} the same code, {:?})",
        path.file_stem().unwrap_or_default().display(),
        counts.trials,
        evolved.generations,
        evolved.seconds,
        counts.trials as f64 / evolved.seconds,
        counts.ran,
        counts.same,
        counts.failed
    );
    println!("{}", evolved.time);
    Ok(())
}
