//! The sandbox, which asks workers and replaces those that are lost.

use std::collections::HashMap;
use std::process::Command;
use std::time::{Duration, Instant};

use nitro_process::{AnsweringWorker, Losses, TooManyLosses};
use nitro_search::{Failure, Floor};

use super::limits::{Clock, Limits, Statistics, SystemClock};
use super::loss::Loss;
use super::message::{Answer, Request, WorkloadText};
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
    spare: Option<AnsweringWorker<Answer>>,
    task: Option<Task>,
    quarantine: Quarantine,
    losses: Losses,
    /// The time in which a worker made inputs ahead.
    preparing: Duration,
    /// The reason for which the last worker was lost.
    last_loss: String,
    statistics: Statistics,
}

/// A worker with the sets that it has begun with.
struct ActiveWorker {
    process: AnsweringWorker<Answer>,
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
            preparing: Duration::ZERO,
            last_loss: String::new(),
            statistics: Statistics::default(),
        };
        sandbox.start_worker()?;
        Ok(sandbox)
    }

    /// Returns the numbers of workers by what became of them.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Takes the spare worker, or starts one.
    fn start_worker(&mut self) -> Result<(), Loss> {
        if let Some(spare) = self.spare.take()
            && self.adopt(spare).is_ok()
            && matches!(self.answer(self.limits.begin), Ok(Answer::Prepared))
        {
            return Ok(());
        }
        let worker = AnsweringWorker::start(&mut self.command)?;
        self.adopt(worker)
    }

    /// Takes a worker into use, once it is ready.
    fn adopt(&mut self, process: AnsweringWorker<Answer>) -> Result<(), Loss> {
        self.statistics.workers += 1;
        self.worker = Some(ActiveWorker { process, sets: Vec::new(), last: None });
        match self.answer(self.limits.start)? {
            Answer::Ready { name, architecture } => (self.name, self.architecture) = (name, architecture),
            answer => return Err(Loss::OtherAnswer(answer)),
        }
        Ok(())
    }

    /// Starts a spare worker that makes the inputs of these sets.
    ///
    /// If that fails, the next worker is started when it is needed.
    fn start_spare(&mut self, sets: &[Set]) {
        let Some(task) = &self.task else { return };
        let request = Request::Prepare(WorkloadText::of(&task.workload), sets.to_vec());
        let spare = AnsweringWorker::start(&mut self.command).ok();
        self.spare = spare.filter(|spare| spare.ask(&request).is_ok());
    }

    /// Waits for the worker's next answer.
    fn answer(&mut self, deadline: Duration) -> Result<Answer, Loss> {
        let patience = self.clock.patience(deadline);
        match self.active()?.process.answer(patience, deadline)? {
            Answer::Lost(why) => Err(Loss::Device(why)),
            answer => Ok(answer),
        }
    }

    /// Sends a request to the worker, and waits for the answer.
    fn ask(&mut self, request: &Request, deadline: Duration) -> Result<Answer, Loss> {
        self.active()?.process.ask(request)?;
        self.answer(deadline)
    }

    /// Has the worker begin with these sets, for so long at most.
    fn begin_with(&mut self, sets: &[Set], most: Duration) -> Result<Vec<Vec<CaseResult>>, Loss> {
        let task = self.task.as_mut().ok_or(Loss::NoTask)?;
        let workload = WorkloadText::of(&task.workload);
        let request = Request::Begin(workload, task.original.clone(), sets.to_vec());
        let before = self.clock.now();
        let answer = self.ask(&request, most)?;
        let taken = self.clock.now().saturating_sub(before);
        let results = match answer {
            Answer::Begun(results) if results.len() == sets.len() => results,
            answer => return Err(Loss::OtherAnswer(answer)),
        };
        if let Some(task) = &mut self.task {
            task.begin = task.begin.max(taken + self.preparing);
        }
        let worker = self.active()?;
        (worker.sets, worker.last) = (sets.to_vec(), sets.last().copied());
        Ok(results)
    }

    /// Returns the longest time of a first beginning: later workers begin with what has been run in time.
    fn most_of_first(&self, workload: &Workload) -> Duration {
        let left = workload.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(self.limits.begin, |left| left.min(self.limits.begin))
    }

    /// Returns the worker.
    fn active(&mut self) -> Result<&mut ActiveWorker, Loss> {
        self.worker.as_mut().ok_or(Loss::NoTask)
    }

    /// Makes sure that there is a worker which has begun with a set.
    fn ready(&mut self, set: Set) -> Result<(), RunnerError> {
        loop {
            // What ends an idle worker is nothing that the next candidate does.
            if self.worker.as_mut().is_some_and(|worker| worker.process.has_ended()) {
                self.lose(&Loss::Idle)?;
            }
            let mut sets = self.worker.as_ref().map_or_else(Vec::new, |worker| worker.sets.clone());
            if sets.contains(&set) {
                return Ok(());
            }
            let before = self.clock.now();
            let Limits { restarts_in_a_row, restarts_per_minute, .. } = self.limits;
            let lost = self.losses.check(restarts_in_a_row, restarts_per_minute, before);
            lost.map_err(|too_many| self.given_up(too_many))?;
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
                Err(loss) => self.lose(&loss)?,
            }
        }
    }

    /// Returns the error after too many losses.
    fn given_up(&self, too_many: TooManyLosses) -> RunnerError {
        RunnerError(format!(
            "{too_many}, the last one so: {}; {} may be used by others or broken",
            self.last_loss, self.name
        ))
    }

    /// Ends the worker, and notes its loss.
    fn lose(&mut self, loss: &Loss) -> Result<(), RunnerError> {
        self.last_loss = loss.to_string();
        let before = self.clock.now();
        self.losses.add(before);
        let patience = self.clock.patience(self.limits.end);
        let ended = self.worker.take().map_or(Ok(()), |worker| worker.process.kill(patience));
        self.statistics.restarting += self.clock.now().saturating_sub(before);
        Ok(ended?)
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
        let why = match outcome {
            Ok(RunOutcome::Ran(_)) => None,
            Ok(RunOutcome::Failed(_, why)) => Some(why),
            Err(loss) => Some(loss.to_string()),
        };
        if let Some(why) = why {
            return Err(RunnerError(format!("the original itself fails: {why}")));
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
    ) -> Result<Result<RunOutcome, Loss>, RunnerError> {
        let outcome = match self.ask(&Request::Run(code.clone(), set, effort), deadline) {
            Ok(Answer::Ran(outcome)) => Ok(outcome),
            Ok(answer) => Err(Loss::OtherAnswer(answer)),
            Err(loss) => Err(loss),
        };
        match &outcome {
            Ok(_) => {
                self.losses.end_row();
                self.worker.iter_mut().for_each(|worker| worker.last = Some(set));
            }
            Err(loss) => self.lose(loss)?,
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

    fn prepare(&mut self, workload: &Workload, sets: &[Set]) -> Result<(), RunnerError> {
        let request = Request::Prepare(WorkloadText::of(workload), sets.to_vec());
        let (before, most) = (self.clock.now(), self.most_of_first(workload));
        let answer = self.ask(&request, most);
        self.preparing = self.clock.now().saturating_sub(before);
        match answer {
            Ok(_) => Ok(()),
            Err(loss) => self.lose(&loss),
        }
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        let most = self.most_of_first(workload);
        let (workload, original) = (workload.clone(), original.clone());
        self.task = Some(Task { workload, original, begin: Duration::ZERO, usual: HashMap::new() });
        self.quarantine = Quarantine::default();
        self.spare = None; // it has the inputs of another one
        if self.worker.is_none() {
            self.start_worker()?;
        }
        let results = self.begin_with(sets, most);
        results.or_else(|loss| {
            self.lose(&loss)?;
            let is_short_of_time = loss.is_late() && most < self.limits.begin;
            let more = if is_short_of_time {
                "; give more time (--minutes), or make its inputs smaller"
            } else {
                ""
            };
            Err(RunnerError(format!("the original cannot be run: {loss}{more}")))
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
            Err(loss) => {
                let (failure, count) = match loss.is_late() {
                    true => (Failure::Timeout, &mut self.statistics.timeouts),
                    false => (Failure::Crash, &mut self.statistics.crashes),
                };
                *count += 1;
                let how = loss.to_string();
                self.quarantine.add(candidate, failure, &how);
                Ok(RunOutcome::Failed(failure, how))
            }
        }
    }

    fn floors(&mut self, idle: &Code, set: Set) -> Result<Vec<Floor>, RunnerError> {
        self.ready(set)?;
        let loss = match self.ask(&Request::Floors(idle.clone(), set), self.limits.begin) {
            Ok(Answer::Floors(floors)) => return floors.map_err(RunnerError),
            Ok(answer) => Loss::OtherAnswer(answer),
            Err(loss) => loss,
        };
        self.lose(&loss)?;
        Err(RunnerError(loss.to_string()))
    }
}
