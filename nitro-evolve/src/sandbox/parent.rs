//! The sandbox, which asks workers and replaces those that are lost.

use std::collections::HashMap;
use std::process::Command;
use std::time::{Duration, Instant};

use nitro_search::Failure;

use super::limits::{Clock, Limits, Statistics, SystemClock};
use super::message::{self, Answer, Request};
use super::process::{Child, ChildFailure, Losses};
use super::quarantine::Quarantine;
use crate::effort::Effort;
use crate::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use crate::workload::{Set, Workload};

/// A runner whose candidates run in a worker process, one after the other.
///
/// A candidate may cost that process and nothing else. It fails with [`Failure::Timeout`] where it did not end in
/// time, and with [`Failure::Crash`] where the process ended or its device was lost. The next one runs in another
/// worker, which begins again with workload and original.
///
/// ```no_run
/// use std::process::Command;
///
/// use nitro_evolve::sandbox::{Limits, Sandbox};
/// use nitro_evolve::Runner;
///
/// // A program that calls `nitro_evolve::sandbox::serve` when it is started so.
/// let mut command = Command::new(std::env::current_exe()?);
/// command.args(["evolve-worker", "--device", "cuda:0"]);
/// let sandbox = Sandbox::start(command, Limits::default())?;
/// println!("candidates run on {}", sandbox.name());
/// // After some runs:
/// let statistics = sandbox.statistics();
/// println!("{} workers were lost, and replaced in {:?}", statistics.workers - 1, statistics.restarting);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sandbox {
    command: Command,
    limits: Limits,
    clock: Box<dyn Clock>,
    name: String,
    architecture: Option<u32>,
    worker: Option<ActiveWorker>,
    /// The worker that takes the place of the next one that is lost. There is one once a first was lost; it makes
    /// the inputs meanwhile and leaves the device alone.
    spare: Option<Child<Answer>>,
    task: Option<Task>,
    quarantine: Quarantine,
    losses: Losses,
    /// The reason for which the last worker was lost.
    last_loss: String,
    statistics: Statistics,
}

/// A worker with the sets that it has begun with.
struct ActiveWorker {
    child: Child<Answer>,
    sets: Vec<Set>,
    /// The set whose inputs are surely where they are needed.
    last: Option<Set>,
}

/// The task that all workers begin with.
struct Task {
    workload: Workload,
    original: Code,
    /// The longest time of a beginning: inputs that a worker had to put aside are made again in that time.
    begin: Duration,
    /// The time of the original from question to answer.
    usual: HashMap<(Set, u32, u32), Duration>,
}

impl Sandbox {
    /// Starts a runner in workers that this command starts, which has to [`serve`](super::serve).
    ///
    /// # Errors
    /// When the worker cannot be started, or has nothing to run on.
    pub fn start(command: Command, limits: Limits) -> Result<Self, RunnerError> {
        Self::with_clock(command, limits, Box::new(SystemClock::default()))
    }

    /// Starts a runner as [`Sandbox::start`] does, by another clock.
    ///
    /// # Errors
    /// As [`Sandbox::start`].
    pub fn with_clock(
        mut command: Command,
        limits: Limits,
        clock: Box<dyn Clock>,
    ) -> Result<Self, RunnerError> {
        // A candidate runs once, so that the driver need not keep what it compiles.
        command.env("CUDA_CACHE_DISABLE", "1");
        let mut sandbox = Self {
            command,
            limits,
            clock,
            name: String::new(),
            architecture: None,
            worker: None,
            spare: None,
            task: None,
            quarantine: Quarantine::default(),
            losses: Losses::default(),
            last_loss: String::new(),
            statistics: Statistics::default(),
        };
        sandbox.start_worker().map_err(|broken| RunnerError(broken.how))?;
        Ok(sandbox)
    }

    /// Returns the numbers of workers by what became of them.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Takes the spare worker, or starts one.
    fn start_worker(&mut self) -> Result<(), ChildFailure> {
        if let Some(spare) = self.spare.take()
            && self.adopt(spare).is_ok()
            && matches!(self.answer(self.limits.begin), Ok((Answer::Prepared, _)))
        {
            return Ok(());
        }
        let worker = Child::start(&mut self.command).map_err(ChildFailure::crash)?;
        self.adopt(worker)
    }

    /// Takes a worker into use, once it is ready.
    fn adopt(&mut self, child: Child<Answer>) -> Result<(), ChildFailure> {
        self.statistics.workers += 1;
        self.worker = Some(ActiveWorker { child, sets: Vec::new(), last: None });
        match self.answer(self.limits.start)? {
            (Answer::Ready { name, architecture }, _) => {
                (self.name, self.architecture) = (name, architecture)
            }
            (answer, _) => return Err(ChildFailure::crash(format!("its worker began with {answer:?}"))),
        }
        Ok(())
    }

    /// Starts a spare worker that makes the inputs of these sets.
    ///
    /// If that fails, the next worker is started when it is needed.
    fn start_spare(&mut self, sets: &[Set]) {
        let Some(Ok(request)) = self.task.as_ref().map(|task| Request::prepare(&task.workload, sets)) else {
            return;
        };
        self.spare = Child::start(&mut self.command).ok();
        self.spare.iter().for_each(|spare| spare.ask(request.clone()));
    }

    /// Waits for the worker's next answer.
    fn answer(&mut self, deadline: Duration) -> Result<(Answer, Vec<u8>), ChildFailure> {
        let patience = self.clock.patience(deadline);
        let Some(worker) = &mut self.worker else { return Err(ChildFailure::crash("there is no worker")) };
        match worker.child.answer(patience, deadline)? {
            (Answer::Lost(why), _) => Err(ChildFailure::crash(why)),
            answer => Ok(answer),
        }
    }

    /// Sends a request to the worker, and waits for the answer.
    fn ask(&mut self, request: Vec<u8>, deadline: Duration) -> Result<(Answer, Vec<u8>), ChildFailure> {
        if let Some(worker) = &self.worker {
            worker.child.ask(request);
        }
        self.answer(deadline)
    }

    /// Has the worker begin with these sets, for so long at most.
    fn begin_with(&mut self, sets: &[Set], most: Duration) -> Result<Vec<Vec<CaseResult>>, ChildFailure> {
        let Some(task) = &self.task else { return Err(ChildFailure::crash("no workload was begun with")) };
        let request = Request::begin(&task.workload, &task.original, sets).map_err(ChildFailure::crash)?;
        let before = self.clock.now();
        let (answer, payload) = self.ask(request, most)?;
        let taken = self.clock.now().saturating_sub(before);
        let results = begun(&answer, &payload, sets.len())
            .ok_or_else(|| ChildFailure::crash(format!("its worker answered {answer:?} to a beginning")))?;
        if let Some(task) = &mut self.task {
            task.begin = task.begin.max(taken);
        }
        if let Some(worker) = &mut self.worker {
            (worker.sets, worker.last) = (sets.to_vec(), sets.last().copied());
        }
        Ok(results)
    }

    /// Makes sure that there is a worker which has begun with a set.
    fn ready(&mut self, set: Set) -> Result<(), RunnerError> {
        loop {
            // What ends an idle worker is nothing that the next candidate does.
            if self.worker.as_mut().is_some_and(|worker| worker.child.has_ended()) {
                self.lose(&ChildFailure::crash("its worker ended while it ran nothing"))?;
            }
            let mut sets = self.worker.as_ref().map_or_else(Vec::new, |worker| worker.sets.clone());
            if sets.contains(&set) {
                return Ok(());
            }
            let before = self.clock.now();
            let Limits { restarts_in_a_row, restarts_per_minute, .. } = self.limits;
            let lost = self.losses.check(restarts_in_a_row, restarts_per_minute, before);
            lost.map_err(|why| self.given_up(&why))?;
            let is_restart = self.worker.is_none();
            let started = if is_restart { self.start_worker() } else { Ok(()) };
            sets.push(set);
            let ready = started.and_then(|()| self.begin_with(&sets, self.limits.begin));
            if is_restart {
                self.statistics.restarting += self.clock.now().saturating_sub(before);
            }
            match ready {
                // Beginning, it ran the original: the device is as good as ever.
                Ok(_) => {
                    self.losses.end_row();
                    if is_restart {
                        self.start_spare(&sets);
                    }
                }
                Err(broken) => self.lose(&broken)?,
            }
        }
    }

    /// Returns the error after too many losses.
    fn given_up(&self, why: &str) -> RunnerError {
        RunnerError(format!(
            "{why}, the last one so: {}; {} may be used by others or broken",
            self.last_loss, self.name
        ))
    }

    /// Ends the worker, and notes its loss.
    fn lose(&mut self, broken: &ChildFailure) -> Result<(), RunnerError> {
        self.last_loss.clone_from(&broken.how);
        let before = self.clock.now();
        self.losses.add(before);
        let patience = self.clock.patience(self.limits.end);
        let ended = self.worker.take().map_or(Ok(()), |worker| worker.child.end(patience));
        self.statistics.restarting += self.clock.now().saturating_sub(before);
        ended.map_err(RunnerError)
    }

    /// Returns the time of the original, which is measured when it is first needed.
    fn usual(&mut self, set: Set, effort: Effort) -> Result<Duration, RunnerError> {
        let key = (set, effort.runs, effort.checks);
        let Some(task) = &self.task else { return Err(RunnerError("no workload was begun with".to_owned())) };
        if let Some(usual) = task.usual.get(&key) {
            return Ok(*usual);
        }
        let original = task.original.clone();
        let before = self.clock.now();
        let outcome = self.attempt(&original, set, effort, self.limits.begin)?;
        let usual = self.clock.now().saturating_sub(before);
        match outcome {
            Ok(RunOutcome::Ran(_)) => {}
            Ok(RunOutcome::Failed(_, why)) | Err(ChildFailure { how: why, .. }) => {
                return Err(RunnerError(format!("the original itself fails: {why}")));
            }
        }
        if let Some(task) = &mut self.task {
            task.usual.insert(key, usual);
        }
        Ok(usual)
    }

    /// Runs something, by which the worker may be lost.
    fn attempt(
        &mut self,
        code: &Code,
        set: Set,
        effort: Effort,
        deadline: Duration,
    ) -> Result<Result<RunOutcome, ChildFailure>, RunnerError> {
        let request = Request::run(code, set, effort).map_err(RunnerError)?;
        let answer = self.ask(request, deadline);
        let outcome = answer.and_then(|(answer, payload)| {
            outcome(&answer, &payload)
                .ok_or_else(|| ChildFailure::crash(format!("its worker answered {answer:?} to a run")))
        });
        match &outcome {
            Ok(_) => {
                self.losses.end_row();
                self.worker.iter_mut().for_each(|worker| worker.last = Some(set));
            }
            Err(broken) => self.lose(broken)?,
        }
        Ok(outcome)
    }

    /// Returns the time within which a candidate has to answer.
    fn deadline(&self, candidate: &Code, set: Set, usual: Duration) -> Duration {
        let deadline = self.limits.deadline(usual, !candidate.images.is_empty());
        if self.worker.as_ref().is_some_and(|worker| worker.last == Some(set)) {
            return deadline;
        }
        // The inputs of this set may have to be made again.
        deadline.saturating_add(self.task.as_ref().map_or(Duration::ZERO, |task| task.begin))
    }
}

impl Runner for Sandbox {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn architecture(&self) -> Option<u32> {
        self.architecture
    }

    fn replaced(&self) -> (u64, Duration) {
        (self.statistics.crashes + self.statistics.timeouts, self.statistics.restarting)
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        // Later workers begin with what has been run in time.
        let left = workload.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let most = left.map_or(self.limits.begin, |left| left.min(self.limits.begin));
        let (workload, original) = (workload.clone(), original.clone());
        self.task = Some(Task { workload, original, begin: Duration::ZERO, usual: HashMap::new() });
        self.quarantine = Quarantine::default();
        self.spare = None; // it has the inputs of another one
        if self.worker.is_none() {
            self.start_worker().map_err(|broken| RunnerError(broken.how))?;
        }
        let results = self.begin_with(sets, most);
        results.or_else(|broken| {
            self.lose(&broken)?;
            let is_short_of_time = broken.is_late && most < self.limits.begin;
            let more = if is_short_of_time {
                "; give more time (--minutes), or make its inputs smaller"
            } else {
                ""
            };
            Err(RunnerError(format!("the original cannot be run: {}{more}", broken.how)))
        })
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        if let Some((failure, how)) = self.quarantine.find(candidate) {
            self.statistics.quarantined += 1;
            return Ok(RunOutcome::Failed(failure, how));
        }
        self.ready(set)?;
        let usual = self.usual(set, effort)?;
        let deadline = self.deadline(candidate, set, usual);
        match self.attempt(candidate, set, effort, deadline)? {
            Ok(outcome) => Ok(outcome),
            Err(ChildFailure { is_late, how }) => {
                let failure = if is_late { Failure::Timeout } else { Failure::Crash };
                let count =
                    if is_late { &mut self.statistics.timeouts } else { &mut self.statistics.crashes };
                *count += 1;
                self.quarantine.add(candidate, failure, &how);
                Ok(RunOutcome::Failed(failure, how))
            }
        }
    }
}

/// Takes the results of the original with each set out of an answer.
fn begun(answer: &Answer, payload: &[u8], sets: usize) -> Option<Vec<Vec<CaseResult>>> {
    let Answer::Begun { cases } = answer else { return None };
    let mut rest = &message::results(payload)?[..];
    let mut begun = Vec::with_capacity(sets);
    for &count in cases {
        let (these, others) = rest.split_at_checked(count)?;
        begun.push(these.to_vec());
        rest = others;
    }
    (begun.len() == sets && rest.is_empty()).then_some(begun)
}

/// Takes the outcome of a run out of an answer.
fn outcome(answer: &Answer, payload: &[u8]) -> Option<RunOutcome> {
    match answer {
        Answer::Ran => message::results(payload).map(RunOutcome::Ran),
        Answer::Failed(failure, how) => Some(RunOutcome::Failed(*failure, how.clone())),
        _ => None,
    }
}
