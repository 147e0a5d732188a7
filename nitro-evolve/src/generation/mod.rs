//! A generation on cores and devices at the same time: assembled candidates run while others are assembled.
//!
//! Reports do not depend on who was ready first. Whether a candidate runs, or counts as the same as another, is
//! decided in the order of the trials. What is wrong on the way to machine code is not assembled.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nitro_ptx::Edit;
use nitro_search::Failure;
use nitro_search::evolve::{Report, Trial};

use crate::runner::{NoDevice, Runner, RunnerError};
use crate::stages::{
    Aim, Candidate, Conditions, Context, Cost, Stage, Stop, assemble, is_before_device, judge, next_stage,
};
use crate::time_breakdown::TimeBreakdown;

/// The candidates that wait for devices from which on cores judge what devices are done with first: else all of that
/// would come last, and devices wait meanwhile.
const ENOUGH_READY: usize = 8;

/// The trials of a generation, with the stages that they go through.
pub(crate) struct Generation<'a> {
    /// The stages, of which one gives the machine code.
    pub stages: &'a [&'a dyn Stage],
    pub conditions: &'a Conditions<'a>,
    pub trials: &'a [Trial<Edit>],
    /// Returns the report on a new candidate with this machine code, if it is known without a run.
    pub known: &'a (dyn Fn(u64) -> Option<Report> + Sync),
}

/// The reports on the trials in their order, with what they took.
pub(crate) struct Evaluation {
    pub reports: Vec<Report>,
    /// Machine code that failed after it was assembled.
    pub failed: Vec<(u64, Failure)>,
    pub time: TimeBreakdown,
}

/// The fate of a trial.
#[derive(Clone, Copy)]
enum Outcome {
    Report(Report),
    /// An earlier trial, at this place, has this machine code, and is run.
    SameAs(usize, u64),
}

/// The next work of a core.
enum Work {
    /// A trial to assemble, by its place.
    Assemble(usize),
    /// A candidate to bring through its next stages, on so many threads.
    Judge(usize, Box<Candidate>, usize),
}

/// The state of a generation that is under way.
struct State {
    /// The first trial with which no core has begun.
    unclaimed: usize,
    /// Assembled candidates that wait until it is decided whether they run.
    assembled: Vec<Option<Result<Candidate, Failure>>>,
    /// The first trial on which this is not decided.
    decided: usize,
    /// The first trial of each machine code.
    first_of: HashMap<u64, usize>,
    outcomes: Vec<Option<Outcome>>,
    /// Candidates for cores, for which a device may be waiting.
    before_device: VecDeque<(usize, Candidate)>,
    /// Candidates for cores, with all devices behind them.
    after_device: VecDeque<(usize, Candidate)>,
    /// Candidates for devices.
    ready: BTreeMap<usize, Candidate>,
    /// Cores that have nothing to do.
    idle: usize,
    failed: Vec<(u64, Failure)>,
    /// The error after which nobody goes on.
    error: Option<RunnerError>,
    is_broken: bool,
    time: TimeBreakdown,
}

/// A generation with its state, which all threads share.
struct Shared<'a> {
    generation: &'a Generation<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

/// A bell that wakes all threads when its owner is done; where that panics, the others end.
struct Bell<'a, 'b>(&'a Shared<'b>);

impl Generation<'_> {
    /// Evaluates all trials, on so many threads and these devices.
    pub(crate) fn evaluate(
        &self,
        threads: usize,
        runners: &mut [Box<dyn Runner>],
    ) -> Result<Evaluation, RunnerError> {
        if runners.is_empty() {
            return Err(RunnerError::no_device());
        }
        let state = Mutex::new(State::new(self.trials.len(), TimeBreakdown::new(self.stages)));
        let shared = Shared { generation: self, state, changed: Condvar::new() };
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, self.trials.len().max(1)) {
                scope.spawn(|| {
                    let bell = Bell(&shared);
                    bell.0.work();
                });
            }
            for runner in runners {
                scope.spawn(|| {
                    let bell = Bell(&shared);
                    bell.0.run(runner.as_mut());
                });
            }
        });
        shared.state.into_inner().unwrap_or_else(PoisonError::into_inner).evaluation()
    }
}

impl Drop for Bell<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_broken = true;
        }
        self.0.changed.notify_all();
    }
}

impl State {
    /// Creates the state of so many trials with which nobody has begun.
    fn new(trials: usize, time: TimeBreakdown) -> Self {
        Self {
            unclaimed: 0,
            assembled: std::iter::repeat_with(|| None).take(trials).collect(),
            decided: 0,
            first_of: HashMap::new(),
            outcomes: vec![None; trials],
            before_device: VecDeque::new(),
            after_device: VecDeque::new(),
            ready: BTreeMap::new(),
            idle: 0,
            failed: Vec::new(),
            error: None,
            is_broken: false,
            time,
        }
    }

    /// Tells whether nobody has to go on.
    fn is_over(&self) -> bool {
        self.is_broken || self.error.is_some() || self.outcomes.iter().all(Option::is_some)
    }

    /// Returns the reports once all are known.
    fn evaluation(mut self) -> Result<Evaluation, RunnerError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut reports = Vec::with_capacity(self.outcomes.len());
        for outcome in &self.outcomes {
            let report = match *outcome {
                Some(Outcome::Report(report)) => Some(report),
                Some(Outcome::SameAs(first, digest)) => match self.outcomes[first] {
                    Some(Outcome::Report(Report::Ran { .. })) => Some(Report::Same(digest)),
                    Some(Outcome::Report(failed)) => Some(failed),
                    _ => None,
                },
                None => None,
            };
            reports.push(report.ok_or_else(|| RunnerError("a thread has ended before its time".to_owned()))?);
        }
        self.failed.sort_unstable_by_key(|(digest, _)| *digest);
        Ok(Evaluation { reports, failed: self.failed, time: self.time })
    }
}

impl Shared<'_> {
    /// Locks the state.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change of the state.
    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work of a core until everything is known.
    fn work(&self) {
        while let Some(work) = self.next_work() {
            match work {
                Work::Assemble(at) => {
                    let trial = &self.generation.trials[at];
                    let mut candidate = Candidate::new(&trial.edits, trial.purpose.into());
                    let Generation { stages, conditions, .. } = self.generation;
                    let judged = assemble(stages, &mut candidate, conditions);
                    self.decide(at, candidate, judged);
                }
                Work::Judge(at, mut candidate, threads) => {
                    let judged = self.go_on(&mut candidate, false, threads, &mut NoDevice);
                    self.put_back(&mut self.lock(), at, *candidate, judged);
                }
            }
            self.changed.notify_all();
        }
    }

    /// Runs candidates on a device until everything is known.
    fn run(&self, runner: &mut dyn Runner) {
        while let Some((at, mut candidate)) = self.next_run() {
            let judged = self.go_on(&mut candidate, true, 1, runner);
            self.put_back(&mut self.lock(), at, candidate, judged);
            self.changed.notify_all();
        }
    }

    /// Brings a candidate through its next stages, as long as they are all on cores or all on devices.
    fn go_on(
        &self,
        candidate: &mut Candidate,
        is_on_device: bool,
        threads: usize,
        runner: &mut dyn Runner,
    ) -> Result<(), Stop> {
        let Generation { stages, conditions, .. } = self.generation;
        while let Some(at) = next_stage(stages, candidate, conditions) {
            if matches!(stages[at].about().cost, Cost::Device(_)) != is_on_device {
                break;
            }
            judge(stages, at, candidate, &mut Context { conditions, threads, runner: &mut *runner })?;
        }
        Ok(())
    }

    /// Puts a candidate where its next stage finds it, or notes the report on it.
    fn put_back(&self, state: &mut State, at: usize, mut candidate: Candidate, judged: Result<(), Stop>) {
        let Generation { stages, conditions, .. } = self.generation;
        state.time.add_visits(&std::mem::take(&mut candidate.visits));
        match judged {
            Err(Stop::Lost(error)) => {
                state.error.get_or_insert(error);
            }
            Err(Stop::Refused(refusal)) => {
                // Only what is new may fail for good; a device may fail what is measured once more.
                if candidate.aim == Aim::Join {
                    state.failed.push((candidate.digest, refusal.failure));
                }
                state.outcomes[at] = Some(Outcome::Report(Report::Failed(refusal.failure)));
            }
            Ok(()) => {
                match next_stage(stages, &candidate, conditions).map(|next| stages[next].about().cost) {
                    None => state.outcomes[at] = Some(Outcome::Report(report(&candidate))),
                    Some(Cost::Device(_)) => drop(state.ready.insert(at, candidate)),
                    Some(Cost::Core(_)) if is_before_device(stages, &candidate, conditions) => {
                        state.before_device.push_back((at, candidate));
                    }
                    Some(Cost::Core(_)) => state.after_device.push_back((at, candidate)),
                }
            }
        }
    }

    /// Decides on as many assembled trials as can be decided on in their order.
    fn decide(&self, at: usize, mut candidate: Candidate, judged: Result<(), Stop>) {
        let state = &mut *self.lock();
        state.time.add_visits(&std::mem::take(&mut candidate.visits));
        state.assembled[at] = Some(match judged {
            Ok(()) => Ok(candidate),
            Err(Stop::Refused(refusal)) => Err(refusal.failure),
            Err(Stop::Lost(error)) => {
                state.error.get_or_insert(error);
                return;
            }
        });
        while let Some(assembled) = state.assembled.get_mut(state.decided).and_then(Option::take) {
            let at = state.decided;
            state.decided += 1;
            match assembled {
                Err(failure) => state.outcomes[at] = Some(Outcome::Report(Report::Failed(failure))),
                Ok(candidate) => match self.known_outcome(state, at, &candidate) {
                    Some(outcome) => state.outcomes[at] = Some(outcome),
                    None => self.put_back(state, at, candidate, Ok(())),
                },
            }
        }
    }

    /// Returns the outcome of a trial that need not run.
    fn known_outcome(&self, state: &mut State, at: usize, candidate: &Candidate) -> Option<Outcome> {
        // What is measured once more, or with other inputs, is run whatever is known.
        if candidate.aim != Aim::Join {
            return None;
        }
        if let Some(report) = (self.generation.known)(candidate.digest) {
            return Some(Outcome::Report(report));
        }
        match *state.first_of.entry(candidate.digest).or_insert(at) {
            earlier if earlier == at => None,
            earlier => Some(Outcome::SameAs(earlier, candidate.digest)),
        }
    }

    /// Waits for the next work of a core.
    fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if state.is_over() {
                return None;
            }
            let are_devices_waiting = state.ready.len() < ENOUGH_READY;
            if are_devices_waiting && let Some(work) = self.next_for_devices(&mut state) {
                return Some(work);
            }
            if let Some((at, candidate)) = state.after_device.pop_front() {
                let threads = 1 + state.idle / (1 + state.after_device.len());
                return Some(Work::Judge(at, Box::new(candidate), threads));
            }
            if let Some(work) = self.next_for_devices(&mut state) {
                return Some(work);
            }
            state.idle += 1;
            state = self.wait(state);
            state.idle -= 1;
        }
    }

    /// Returns the next work after which a device may have something to run.
    fn next_for_devices(&self, state: &mut State) -> Option<Work> {
        if let Some((at, candidate)) = state.before_device.pop_front() {
            return Some(Work::Judge(at, Box::new(candidate), 1));
        }
        let is_left = state.unclaimed < self.generation.trials.len();
        state.unclaimed += usize::from(is_left);
        is_left.then(|| Work::Assemble(state.unclaimed - 1))
    }

    /// Waits for the next candidate of a device: the first that is ready.
    fn next_run(&self) -> Option<(usize, Candidate)> {
        let began = Instant::now();
        let mut state = self.lock();
        while state.ready.is_empty() && !state.is_over() {
            state = self.wait(state);
        }
        state.time.idle += began.elapsed();
        if state.is_over() { None } else { state.ready.pop_first() }
    }
}

/// Reports time and error of a candidate that has passed all stages.
fn report(candidate: &Candidate) -> Report {
    match candidate.total_fitness() {
        Some(fitness) => Report::Ran { fitness, code: Some(candidate.digest) },
        None => Report::Failed(Failure::Wrong),
    }
}

#[cfg(test)]
mod tests;
