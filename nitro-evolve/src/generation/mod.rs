//! A generation on cores and devices at the same time: what is assembled runs while others are assembled.
//!
//! Which candidate is run, and which counts as the same as another, is decided in the order of the trials, so that
//! what comes out does not depend on what was ready first.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nitro_ptx::Edit;
use nitro_search::Failure;
use nitro_search::evolve::{Purpose, Report, Trial};

use crate::bench::{Bench, BenchError, Code, Effort};
use crate::judge::{Assembled, FirstCode, Judge};
use crate::spent::Spent;
use crate::workload::Set;

/// What has to be known of candidates.
pub(crate) struct Candidates<'a> {
    pub trials: &'a [Trial<Edit>],
    /// Makes what runs of the edits.
    pub assemble: &'a (dyn Fn(&[Edit]) -> Result<Assembled, Failure> + Sync),
    /// Whether a new candidate may run at all, as far as a glance tells.
    pub looks_right: &'a (dyn Fn(&[Edit]) -> bool + Sync),
    /// Whether one that looks faster than the original may count.
    pub passes: &'a (dyn Fn(&[Edit]) -> bool + Sync),
    /// None where candidates have no first run.
    pub first: Option<First<'a>>,
    /// What a new candidate with this machine code gives without being run, if that is known.
    pub known: &'a (dyn Fn(u64) -> Option<Report> + Sync),
    pub judge: Judge,
}

/// How candidates run first.
#[derive(Clone, Copy)]
pub(crate) struct First<'a> {
    /// Makes what runs so of the edits; what cannot be made so runs as it is.
    pub make: &'a (dyn Fn(&[Edit]) -> Option<Code> + Sync),
    /// With the error of what is right.
    pub effort: Effort,
}

/// What came of the trials, in their order, and where the time went.
pub(crate) struct Evaluated {
    pub reports: Vec<Report>,
    /// Machine code that failed when it was run.
    pub failed: Vec<(u64, Failure)>,
    pub spent: Spent,
}

/// What becomes of a trial.
#[derive(Clone, Copy)]
enum Outcome {
    Report(Report),
    /// An earlier one, at this place, has this machine code, and is run.
    SameAs(usize, u64),
}

/// What a device does next with a candidate.
enum Run {
    First(FirstCode),
    /// With the code of its first run, if it had one.
    Timed(Option<FirstCode>),
}

/// What a core does next.
enum Work {
    Assemble(usize),
    /// In the form of the first run, if it may run at all.
    Instrument(usize),
    /// What looks faster, and has given this.
    Check(usize, Report),
}

/// A generation that is under way.
#[derive(Default)]
struct State {
    /// Trials from here on no core has begun with.
    unclaimed: usize,
    assembled: Vec<Option<Result<Arc<Assembled>, Failure>>>,
    /// Of trials before this one it is decided whether they run.
    decided: usize,
    /// The first trial of each machine code.
    first_of: HashMap<u64, usize>,
    outcomes: Vec<Option<Outcome>>,
    to_instrument: VecDeque<usize>,
    to_check: VecDeque<(usize, Report)>,
    ready: BTreeMap<usize, Run>,
    failed: Vec<(u64, Failure)>,
    /// Nobody has to go on.
    error: Option<BenchError>,
    is_broken: bool,
    spent: Spent,
}

struct Generation<'a> {
    candidates: &'a Candidates<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Candidates<'_> {
    /// Evaluates all, on so many threads and these devices.
    pub(crate) fn evaluate(
        &self,
        threads: usize,
        benches: &mut [Box<dyn Bench>],
    ) -> Result<Evaluated, BenchError> {
        if benches.is_empty() {
            return Err(BenchError("there is no device to run on".to_owned()));
        }
        let count = self.trials.len();
        let state = State {
            assembled: std::iter::repeat_with(|| None).take(count).collect(),
            outcomes: vec![None; count],
            ..State::default()
        };
        let generation = Generation { candidates: self, state: Mutex::new(state), changed: Condvar::new() };
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, count.max(1)) {
                scope.spawn(|| generation.unless_broken(Generation::work));
            }
            for bench in benches {
                scope.spawn(|| generation.unless_broken(|generation| generation.run(bench.as_mut())));
            }
        });
        generation.state.into_inner().unwrap_or_else(PoisonError::into_inner).evaluated()
    }
}

impl State {
    /// A new candidate has failed, and with it its machine code.
    fn fail(&mut self, at: usize, failure: Failure) {
        if let Some(Ok(candidate)) = &self.assembled[at] {
            self.failed.push((candidate.digest, failure));
        }
        self.outcomes[at] = Some(Outcome::Report(Report::Failed(failure)));
    }

    fn evaluated(mut self) -> Result<Evaluated, BenchError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let report = |outcome: &Option<Outcome>| match outcome {
            Some(Outcome::Report(report)) => Some(*report),
            _ => None,
        };
        let all = self.outcomes.iter().map(|outcome| match outcome {
            Some(Outcome::SameAs(first, digest)) => match report(&self.outcomes[*first])? {
                Report::Ran { .. } => Some(Report::Same(*digest)),
                failed => Some(failed),
            },
            outcome => report(outcome),
        });
        let reports = all.collect::<Option<Vec<Report>>>();
        let reports = reports.ok_or_else(|| BenchError("a thread has ended before its time".to_owned()))?;
        self.failed.sort_unstable_by_key(|(digest, _)| *digest);
        Ok(Evaluated { reports, failed: self.failed, spent: self.spent })
    }

    fn is_over(&self) -> bool {
        self.is_broken || self.error.is_some() || self.outcomes.iter().all(Option::is_some)
    }
}

impl Generation<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it; where it panics, nobody waits for it.
    fn unless_broken(&self, work: impl FnOnce(&Self)) {
        struct Bell<'a, 'b>(&'a Generation<'b>);
        impl Drop for Bell<'_, '_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.lock().is_broken = true;
                }
                self.0.changed.notify_all();
            }
        }
        let _bell = Bell(self);
        work(self);
    }

    /// What a core does until everything is known.
    fn work(&self) {
        while let Some(work) = self.next_work() {
            let began = Instant::now();
            match work {
                Work::Assemble(at) => {
                    let made = (self.candidates.assemble)(&self.candidates.trials[at].edits);
                    let mut state = self.lock();
                    state.spent.assembling += began.elapsed();
                    state.assembled[at] = Some(made.map(Arc::new));
                    self.decide(&mut state);
                }
                Work::Instrument(at) => {
                    let looks_right = (self.candidates.looks_right)(&self.candidates.trials[at].edits);
                    let looked = began.elapsed();
                    let run = looks_right.then(|| self.first_run(at));
                    let mut state = self.lock();
                    state.spent.checking += looked;
                    state.spent.assembling += began.elapsed() - looked;
                    match run {
                        Some(run) => drop(state.ready.insert(at, run)),
                        None => state.fail(at, Failure::Wrong),
                    }
                }
                Work::Check(at, report) => {
                    let passes = (self.candidates.passes)(&self.candidates.trials[at].edits);
                    let mut state = self.lock();
                    state.spent.checking += began.elapsed();
                    match passes {
                        true => state.outcomes[at] = Some(Outcome::Report(report)),
                        false => state.fail(at, Failure::Wrong),
                    }
                }
            }
            self.changed.notify_all();
        }
    }

    fn first_run(&self, at: usize) -> Run {
        let code = self.candidates.first.and_then(|First { make, effort }| {
            let code = make(&self.candidates.trials[at].edits)?;
            Some(FirstCode { code, effort })
        });
        code.map_or(Run::Timed(None), Run::First)
    }

    fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if state.is_over() {
                return None;
            }
            // A device may be waiting for that.
            if let Some(at) = state.to_instrument.pop_front() {
                return Some(Work::Instrument(at));
            }
            if state.unclaimed < self.candidates.trials.len() {
                state.unclaimed += 1;
                return Some(Work::Assemble(state.unclaimed - 1));
            }
            if let Some((at, report)) = state.to_check.pop_front() {
                return Some(Work::Check(at, report));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Decides about as many as can be decided about in their order.
    fn decide(&self, state: &mut State) {
        while let Some(Some(assembled)) = state.assembled.get(state.decided) {
            let (at, assembled) = (state.decided, assembled.clone());
            state.decided += 1;
            match self.decision(state, at, assembled) {
                Some(outcome) => state.outcomes[at] = Some(outcome),
                // What is measured again, or with other inputs, has run.
                None if self.is_new(at) => state.to_instrument.push_back(at),
                None => {
                    state.ready.insert(at, Run::Timed(None));
                }
            }
        }
    }

    fn is_new(&self, at: usize) -> bool {
        self.candidates.trials[at].purpose == Purpose::Search
    }

    /// What is known of a trial without running it.
    fn decision(
        &self,
        state: &mut State,
        at: usize,
        assembled: Result<Arc<Assembled>, Failure>,
    ) -> Option<Outcome> {
        let digest = match assembled {
            Err(failure) => return Some(Outcome::Report(Report::Failed(failure))),
            Ok(candidate) => candidate.digest,
        };
        // What is measured again, or with other inputs, is run whatever is known.
        if !self.is_new(at) {
            return None;
        }
        if let Some(report) = (self.candidates.known)(digest) {
            return Some(Outcome::Report(report));
        }
        match *state.first_of.entry(digest).or_insert(at) {
            earlier if earlier == at => None,
            earlier => Some(Outcome::SameAs(earlier, digest)),
        }
    }

    /// What a device does until everything has run.
    fn run(&self, bench: &mut dyn Bench) {
        while let Some((at, run, candidate)) = self.next_run() {
            let (began, (lost, restarting)) = (Instant::now(), bench.replaced());
            let is_first = matches!(run, Run::First(_));
            let result = self.result(bench, at, &run, &candidate);
            let (workers, restarts) = bench.replaced();
            let restarts = restarts.saturating_sub(restarting);
            let mut state = self.lock();
            state.spent.restarts += restarts;
            state.spent.workers += workers - lost;
            let took = began.elapsed().saturating_sub(restarts);
            *(if is_first { &mut state.spent.first_runs } else { &mut state.spent.timed_runs }) += took;
            match result {
                Err(error) => {
                    state.error.get_or_insert(error);
                }
                Ok(None) => {
                    let (Run::First(code) | Run::Timed(Some(code))) = run else { continue };
                    state.ready.insert(at, Run::Timed(Some(code)));
                }
                Ok(Some(Report::Failed(failure))) if self.is_new(at) => state.fail(at, failure),
                Ok(Some(report)) if self.is_new(at) && self.candidates.judge.looks_faster(&report) => {
                    state.to_check.push_back((at, report));
                }
                Ok(Some(report)) => state.outcomes[at] = Some(Outcome::Report(report)),
            }
            self.changed.notify_all();
        }
    }

    /// None where a first run shows nothing.
    fn result(
        &self,
        bench: &mut dyn Bench,
        at: usize,
        run: &Run,
        candidate: &Assembled,
    ) -> Result<Option<Report>, BenchError> {
        match run {
            Run::First(code) => Ok(code.failure(bench, Set::Search)?.map(Report::Failed)),
            Run::Timed(first) => {
                let purpose = self.candidates.trials[at].purpose;
                self.candidates.judge.report(bench, candidate, first.as_ref(), purpose).map(Some)
            }
        }
    }

    fn next_run(&self) -> Option<(usize, Run, Arc<Assembled>)> {
        let began = Instant::now();
        let mut state = self.lock();
        let (at, run) = loop {
            if state.is_over() {
                state.spent.idle += began.elapsed();
                return None;
            }
            if let Some(next) = state.ready.pop_first() {
                break next;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.spent.idle += began.elapsed();
        let candidate = state.assembled[at].as_ref()?.as_ref().ok()?;
        Some((at, run, Arc::clone(candidate)))
    }
}

#[cfg(test)]
mod tests;
