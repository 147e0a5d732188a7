//! The evolution itself: ask, evaluate, tell, keep.

use std::time::{Duration, Instant};

use nitro_core::Artifact;
use nitro_ptx::{Base, Edit};
use nitro_search::evolve::{Evolution, EvolvePlan, Finalist, Fitness, Report, Trial};
use nitro_search::{Ask, Budget, Engine, Observation};

use crate::begin_with::BeginWithError;
use crate::bench::BenchError;
use crate::evaluate::Evaluator;
use crate::log::{Entry, Header, Kept, Log, LogError};
use crate::run::names;

/// How long an evolution may take, and where it is kept.
pub(crate) struct Course<'a> {
    pub plan: EvolvePlan,
    /// No generation begins after it; time of earlier sessions counts.
    pub most_time: Duration,
    /// No generation begins after so many trials.
    pub most_trials: usize,
    pub log: &'a std::path::Path,
    /// Time since this session began.
    pub elapsed: &'a dyn Fn() -> Duration,
}

/// What an evolution found, and how it came to it.
pub(crate) struct Found {
    pub entries: Vec<Entry>,
    /// Found elsewhere.
    pub begun_with: Vec<Vec<Edit>>,
    pub front: Vec<(Vec<Edit>, Fitness)>,
    pub finalists: Vec<Finalist<Edit>>,
    pub generations: usize,
    pub time: Duration,
}

/// Hears how an evolution goes on.
pub trait Observer {
    /// A line for people.
    fn message(&self, line: &str);

    /// Where it stands.
    fn progress(&self, state: &State);
}

/// Where an evolution stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Generations that are complete.
    pub generation: usize,
    /// Candidates that were looked at.
    pub trials: usize,
    /// Share that is over of its time, its trials or its generations, whatever ends first.
    pub share: f64,
    /// The original, with the inputs of the search.
    pub original_ns: Option<f64>,
    /// The fastest of what is as exact as the original.
    pub best_exact_ns: Option<f64>,
    /// The fastest of all.
    pub best_ns: Option<f64>,
}

/// Why an evolution cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvolveError {
    /// There is nothing to run on any more.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A patch to begin with does not fit.
    #[error(transparent)]
    BeginWith(#[from] BeginWithError),
    /// What was found cannot be kept.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log is of something else.
    #[error(
        "the log does not fit this evolution ({0}); give another folder by --out, or remove it to begin anew"
    )]
    Foreign(String),
    /// A patched text is no plan's any more.
    #[error(transparent)]
    Plan(#[from] nitro_launch::PlanError),
    /// Another file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Evolves until generations or time are over.
pub(crate) fn search(
    evaluator: &mut Evaluator<'_>,
    course: &Course<'_>,
    begin_with: Vec<Vec<Edit>>,
    observer: &dyn Observer,
) -> Result<Found, EvolveError> {
    let subject = evaluator.subject;
    let on = names(&evaluator.benches);
    let digest = subject.base().module().digest().to_string();
    let proposed: Vec<String> = subject.base().proposed().map(ToString::to_string).collect();
    let proposed = Artifact::of(&proposed.join("\n")).to_string();
    let workload = Artifact::of(subject.workload().text()).to_string();
    let is_filtered = evaluator.filter.is_some();
    let header = Header::new(digest, workload, on, &course.plan, proposed, is_filtered, &begin_with);
    let (log, Kept { entries, begun_with }) = Log::open(course.log, &header, subject.base())?;
    let before = entries.last().map_or(Duration::ZERO, |entry| entry.at);
    let endless = EvolvePlan { generations: usize::MAX, ..course.plan.clone() };
    let evolution = Evolution::with_patches(subject.base(), endless, begun_with.clone());
    let mut evolution = Engine::new(evolution, Budget::default());
    let told: Vec<Observation<Trial<Edit>, Report>> =
        entries.iter().map(|entry| entry.told.clone()).collect();
    evolution.restore(&told).map_err(|error| EvolveError::Foreign(error.to_string()))?;
    if !begun_with.is_empty() {
        observer.message(&format!("the first generation has {} found elsewhere", patches(begun_with.len())));
    }
    if !entries.is_empty() {
        observer.message(&format!("{} trials of an earlier run are known", entries.len()));
    }
    let mut running = Running { evaluator, course, observer, log, entries, before };
    running.run(&mut evolution)?;
    let evolution = evolution.proposer();
    Ok(Found {
        front: evolution.front().into_iter().map(|(edits, fitness)| (edits.to_vec(), fitness)).collect(),
        finalists: evolution.finalists(),
        generations: evolution.generation(),
        time: running.at(),
        entries: running.entries,
        begun_with,
    })
}

/// Returns how many patches there are, in words.
pub(crate) fn patches(count: usize) -> String {
    format!("{count} {}", if count == 1 { "patch" } else { "patches" })
}

struct Running<'a, 'b> {
    evaluator: &'a mut Evaluator<'b>,
    course: &'a Course<'a>,
    observer: &'a dyn Observer,
    log: Log,
    entries: Vec<Entry>,
    /// Time of earlier sessions.
    before: Duration,
}

impl Running<'_, '_> {
    fn run(&mut self, evolution: &mut Engine<Evolution<&Base>>) -> Result<(), EvolveError> {
        let mut is_last = self.is_over(evolution.proposer());
        if is_last {
            evolution.proposer_mut().finish();
        }
        while let Ask::Evaluate(trials) = self.bred(evolution) {
            let reports = self.evaluator.evaluate(evolution.proposer(), &trials)?;
            let generation = evolution.proposer().generation();
            let mut told = Vec::with_capacity(trials.len());
            for (trial, report) in trials.into_iter().zip(reports) {
                evolution.tell(&trial, report).map_err(|error| EvolveError::Foreign(error.to_string()))?;
                told.push(Entry { at: self.at(), generation, told: Observation { proposal: trial, report } });
            }
            // With more time an evolution goes on where it was: what only ends it is not kept.
            if !is_last {
                self.log.add(&told)?;
                self.entries.extend(told);
            }
            self.observer.progress(&self.state(evolution.proposer()));
            is_last = is_last || self.is_over(evolution.proposer());
            if is_last {
                evolution.proposer_mut().finish();
            }
        }
        Ok(())
    }

    /// The next generation.
    fn bred(&mut self, evolution: &mut Engine<Evolution<&Base>>) -> Ask<Trial<Edit>> {
        let began = Instant::now();
        let Ok(asked) = evolution.ask(usize::MAX);
        self.evaluator.spent.breeding += began.elapsed();
        asked
    }

    /// Whether no other generation is to begin.
    fn is_over(&self, evolution: &Evolution<&Base>) -> bool {
        !self.entries.is_empty() && self.share(evolution.generation()) >= 1.0
    }

    fn at(&self) -> Duration {
        self.before + (self.course.elapsed)()
    }

    /// Of the time, the trials or the generations, whatever ends first.
    fn share(&self, generation: usize) -> f64 {
        let Course { plan, most_time, most_trials, .. } = self.course;
        let of = |now: f64, most: f64| now / most.max(f64::MIN_POSITIVE);
        let time = of(self.at().as_secs_f64(), most_time.as_secs_f64());
        let trials = of(self.entries.len() as f64, *most_trials as f64);
        time.max(trials).max(of(generation as f64, plan.generations as f64))
    }

    fn state(&self, evolution: &Evolution<&Base>) -> State {
        let front = evolution.front();
        let exact = front.iter().find(|(_, fitness)| fitness.error == 0.0);
        State {
            generation: evolution.generation(),
            trials: self.entries.len(),
            share: self.share(evolution.generation()),
            original_ns: evolution.original().map(|fitness| fitness.time_ns),
            best_exact_ns: exact.map(|(_, fitness)| fitness.time_ns),
            best_ns: front.last().map(|(_, fitness)| fitness.time_ns),
        }
    }
}
