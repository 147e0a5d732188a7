//! The search: generations are asked for, evaluated, told and kept.

use std::path::Path;
use std::time::Duration;

use nitro_core::Artifact;
use nitro_ptx::{Base, Edit};
use nitro_search::evolve::{Evolution, EvolvePlan, Finalist, Fitness, Report, Trial};
use nitro_search::{Ask, Budget, Engine, Observation};

use crate::deadline::Deadline;
use crate::early::{Believed, Early, Ending};
use crate::error::EvolveError;
use crate::evaluator::Evaluator;
use crate::log::{Entry, Header, Log, LogContent};
use crate::observer::{Observer, Progress};
use crate::words::patches;

/// The share of trials, generations, or of the time that preparation leaves, after which no more edits are tried alone.
const SCREEN_SHARE: f64 = 0.25;

/// The limits of a search, and the file of its log.
pub(crate) struct SearchLimits<'a> {
    /// The plan; its own budget is not used, since a search may go on with more of it.
    pub plan: EvolvePlan,
    /// The time after which no generation begins; that of earlier sessions counts.
    pub most_time: Duration,
    /// The number of trials after which no generation begins.
    pub most_trials: usize,
    /// The time of an exact candidate after which no generation begins.
    pub target_ns: Option<f64>,
    pub log: &'a Path,
    /// Returns the time since this session began.
    pub elapsed: &'a dyn Fn() -> Duration,
}

/// The outcome of a search, with its whole course.
pub(crate) struct SearchResult {
    pub entries: Vec<Entry>,
    /// The patches from elsewhere that it began with.
    pub begun_with: Vec<Vec<Edit>>,
    pub front: Vec<(Vec<Edit>, Fitness)>,
    pub finalists: Vec<Finalist<Edit>>,
    pub generations: usize,
    pub time: Duration,
}

/// A search that is under way.
struct Search<'a, 'b> {
    evaluator: &'a mut Evaluator<'b>,
    limits: &'a SearchLimits<'a>,
    observer: &'a dyn Observer,
    log: Log,
    entries: Vec<Entry>,
    /// The time of earlier sessions.
    before: Duration,
    /// The time at which this session had prepared everything.
    begun: Duration,
}

/// Searches until generations, trials or time are over.
pub(crate) fn search(
    evaluator: &mut Evaluator<'_>,
    limits: &SearchLimits<'_>,
    begin_with: &[Vec<Edit>],
    observer: &dyn Observer,
) -> Result<SearchResult, EvolveError> {
    let base = evaluator.conditions.subject.base();
    let header = header(evaluator, &limits.plan, begin_with);
    let (log, LogContent { entries, begun_with, rules, margin }) = Log::open(limits.log, &header, base)?;
    evaluator.conditions.margin = margin;
    let before = entries.last().map_or(Duration::ZERO, |entry| entry.at);
    let endless = EvolvePlan { generations: usize::MAX, rules, margin, ..limits.plan.clone() };
    let mut evolution = Evolution::with_patches(base, endless, begun_with.clone());
    // Where the log goes beyond the screen, that ended where the log says.
    let screened = entries.iter().take_while(|entry| entry.generation == 0).count();
    if screened < entries.len() {
        evolution.limit_screen(screened);
    }
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
    let begun = before + (limits.elapsed)();
    let until = Deadline::after(limits.most_time.saturating_sub(begun));
    let early = Early::new(evaluator.conditions.clone(), evaluator.threads, until);
    evaluator.threads -= early.threads;
    let mut search = Search { evaluator, limits, observer, log, entries, before, begun };
    std::thread::scope(|scope| {
        if early.threads > 0 {
            scope.spawn(|| early.work());
        }
        let ending = Ending(&early);
        search.run(&mut evolution, ending.0)
    })?;
    search.evaluator.threads += early.threads;
    let blamed = search.evaluator.conditions.blame.all();
    if let Some((_, why)) = blamed.first() {
        let count = blamed.len();
        observer.message(&format!(
            "{count} edits or pairs of edits are in no later candidate, since with one {why}"
        ));
    }
    let evolution = evolution.proposer();
    Ok(SearchResult {
        front: evolution.front().into_iter().map(|(edits, fitness)| (edits.to_vec(), fitness)).collect(),
        finalists: evolution.finalists(),
        generations: evolution.generation(),
        time: search.at(),
        entries: search.entries,
        begun_with,
    })
}

/// Returns the header of the log, by which a later session knows whether it may go on.
fn header(evaluator: &Evaluator<'_>, plan: &EvolvePlan, begin_with: &[Vec<Edit>]) -> Header {
    let (conditions, on) = (&evaluator.conditions, evaluator.names());
    let subject = conditions.subject;
    let base = subject.base().module().digest().to_string();
    let workload = Artifact::of(subject.workload().text()).to_string();
    let proposed: Vec<String> = subject.base().proposed().map(ToString::to_string).collect();
    let proposed = Artifact::of(&proposed.join("\n")).to_string();
    let is_filtered = conditions.required_small_inputs().is_some();
    Header::new(base, workload, on, plan, proposed, is_filtered, begin_with)
}

/// Returns what a search believes in most: the fastest that is exact, and the fastest of all.
fn believed(evolution: &Evolution<&Base>) -> Vec<Believed> {
    let front = evolution.front();
    let exact = front.iter().find(|(_, fitness)| fitness.error == 0.0);
    let fastest = front.last().filter(|(_, fitness)| fitness.error > 0.0);
    let both = [(exact, true), (fastest, false)].into_iter();
    both.filter_map(|(own, must_be_exact)| Some(Believed { edits: own?.0.to_vec(), must_be_exact })).collect()
}

impl Search<'_, '_> {
    /// Breeds and evaluates generations until a limit is reached.
    fn run(
        &mut self,
        evolution: &mut Engine<Evolution<&Base>>,
        early: &Early<'_>,
    ) -> Result<(), EvolveError> {
        let mut is_last = self.is_over(evolution.proposer());
        if is_last {
            evolution.proposer_mut().finish();
        }
        while let Ask::Evaluate(trials) = self.evaluator.breed(evolution) {
            let reports = self.evaluator.evaluate(evolution.proposer(), &trials)?;
            let generation = evolution.proposer().generation();
            let mut told = Vec::with_capacity(trials.len());
            for (trial, report) in trials.into_iter().zip(reports) {
                evolution.tell(&trial, report).map_err(|error| EvolveError::Foreign(error.to_string()))?;
                told.push(Entry { at: self.at(), generation, told: Observation { proposal: trial, report } });
            }
            // With more time a search goes on where it was: what only ends it is not kept.
            if !is_last {
                self.log.add(&told)?;
                self.entries.extend(told);
            }
            self.observer.progress(&self.progress(evolution.proposer()));
            if self.share(evolution.proposer().generation(), self.begun) >= SCREEN_SHARE {
                evolution.proposer_mut().limit_screen(0);
            }
            is_last = is_last || self.is_over(evolution.proposer());
            if is_last {
                evolution.proposer_mut().finish();
            } else if early.threads > 0 && generation > 0 {
                early.look_at(believed(evolution.proposer()));
            }
        }
        Ok(())
    }

    /// Tells whether no other generation is to begin.
    fn is_over(&self, evolution: &Evolution<&Base>) -> bool {
        let is_spent = self.share(evolution.generation(), Duration::ZERO) >= 1.0;
        !self.entries.is_empty() && (is_spent || self.is_near_floor(evolution))
    }

    /// Tells whether an exact candidate is as fast as asked for.
    fn is_near_floor(&self, evolution: &Evolution<&Base>) -> bool {
        let front = evolution.front();
        let exact = front.iter().find(|(_, fitness)| fitness.error == 0.0);
        let exact = exact.map(|(_, fitness)| fitness.time_ns);
        exact.zip(self.limits.target_ns).is_some_and(|(time_ns, target_ns)| time_ns <= target_ns)
    }

    /// Returns the time of all sessions so far.
    fn at(&self) -> Duration {
        self.before + (self.limits.elapsed)()
    }

    /// Returns the spent share of the time from a moment on, the trials or the generations, the largest of the three.
    fn share(&self, generation: usize, from: Duration) -> f64 {
        let SearchLimits { plan, most_time, most_trials, .. } = self.limits;
        let since = |moment: Duration| moment.saturating_sub(from).as_secs_f64();
        let shares = [
            (since(self.at()), since(*most_time)),
            (self.entries.len() as f64, *most_trials as f64),
            (generation as f64, plan.generations as f64),
        ];
        shares.iter().map(|(now, most)| now / most.max(f64::MIN_POSITIVE)).fold(0.0, f64::max)
    }

    /// Returns the state for the observer.
    fn progress(&self, evolution: &Evolution<&Base>) -> Progress {
        let front = evolution.front();
        let exact = front.iter().find(|(_, fitness)| fitness.error == 0.0);
        Progress {
            generation: evolution.generation(),
            trials: self.entries.len(),
            share: self.share(evolution.generation(), Duration::ZERO),
            original_ns: evolution.original().map(|fitness| fitness.time_ns),
            best_exact_ns: exact.map(|(_, fitness)| fitness.time_ns),
            best_ns: front.last().map(|(_, fitness)| fitness.time_ns),
        }
    }
}
