//! Who asks workers, and replaces those that are lost.

use std::collections::HashMap;
use std::process::Command;
use std::time::{Duration, Instant};

use super::child::{Broken, Worker};
use super::limits::{Clock, Limits, Losses, Statistics, SystemClock};
use super::message::{self, Answer, Request};
use super::quarantine::Quarantine;
use crate::bench::{Bench, BenchError, CaseResult, Code, Effort, RunOutcome};
use crate::{Set, Workload};

/// A bench whose candidates run in a worker process, one after the other.
///
/// What a candidate may do to its process costs that process and nothing else:
/// [`Failure::Timeout`](nitro_search::Failure::Timeout) where it did not end in time,
/// [`Failure::Crash`](nitro_search::Failure::Crash) where the process ended or its device was lost. The next one
/// runs in another worker, which begins again with workload and original.
///
/// ```no_run
/// use std::process::Command;
///
/// use nitro_evolve::sandbox::{Limits, Sandbox};
/// use nitro_evolve::Bench;
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
    worker: Option<Begun>,
    /// Takes the place of the next worker that is lost. There is one once a first was lost; it makes the inputs
    /// meanwhile and leaves the device alone.
    spare: Option<Worker>,
    task: Option<Task>,
    quarantine: Quarantine,
    losses: Losses,
    /// How the last worker was lost.
    last_loss: String,
    statistics: Statistics,
}

/// A worker, and what it has begun with.
struct Begun {
    worker: Worker,
    sets: Vec<Set>,
    /// The set whose inputs are surely where they are needed.
    last: Option<Set>,
}

/// What the workers begin with.
struct Task {
    workload: Workload,
    original: Code,
    /// What beginning took at most: inputs that a worker had to put aside are made again in that time.
    begin: Duration,
    /// What the original takes from question to answer.
    usual: HashMap<(Set, u32, u32), Duration>,
}

impl Sandbox {
    /// A bench in workers that this command starts, which has to [`serve`](super::serve).
    ///
    /// # Errors
    /// When the worker cannot be started, or has nothing to run on.
    pub fn start(command: Command, limits: Limits) -> Result<Self, BenchError> {
        Self::with_clock(command, limits, Box::new(SystemClock::default()))
    }

    /// As [`Sandbox::start`], by another clock.
    ///
    /// # Errors
    /// As [`Sandbox::start`].
    pub fn with_clock(command: Command, limits: Limits, clock: Box<dyn Clock>) -> Result<Self, BenchError> {
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
        sandbox.start_worker().map_err(|broken| BenchError(broken.how))?;
        Ok(sandbox)
    }

    /// What became of the workers so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn start_worker(&mut self) -> Result<(), Broken> {
        if let Some(spare) = self.spare.take()
            && self.adopt(spare).is_ok()
            && matches!(self.answer(self.limits.begin), Ok((Answer::Prepared, _)))
        {
            return Ok(());
        }
        let worker = Worker::start(&mut self.command).map_err(Broken::crash)?;
        self.adopt(worker)
    }

    /// Has candidates run by this worker, once it is ready.
    fn adopt(&mut self, worker: Worker) -> Result<(), Broken> {
        self.statistics.workers += 1;
        self.worker = Some(Begun { worker, sets: Vec::new(), last: None });
        match self.answer(self.limits.start)? {
            (Answer::Ready { name, architecture }, _) => {
                (self.name, self.architecture) = (name, architecture)
            }
            (answer, _) => return Err(Broken::crash(format!("its worker began with {answer:?}"))),
        }
        Ok(())
    }

    /// Starts a worker that waits for the end of the one which has begun with these sets. If that cannot be, the
    /// next one is started when it is needed.
    fn start_spare(&mut self, sets: &[Set]) {
        let Some(Ok(request)) = self.task.as_ref().map(|task| Request::prepare(&task.workload, sets)) else {
            return;
        };
        self.spare = Worker::start(&mut self.command).ok();
        self.spare.iter().for_each(|spare| spare.ask(request.clone()));
    }

    /// The worker's next answer.
    fn answer(&mut self, deadline: Duration) -> Result<(Answer, Vec<u8>), Broken> {
        let patience = self.clock.patience(deadline);
        match &mut self.worker {
            Some(begun) => begun.worker.answer(patience, deadline),
            None => Err(Broken::crash("there is no worker")),
        }
    }

    fn ask(&mut self, request: Vec<u8>, deadline: Duration) -> Result<(Answer, Vec<u8>), Broken> {
        if let Some(begun) = &self.worker {
            begun.worker.ask(request);
        }
        self.answer(deadline)
    }

    /// Lets the worker begin with these sets, for so long at most.
    fn begin_with(&mut self, sets: &[Set], most: Duration) -> Result<Vec<Vec<CaseResult>>, Broken> {
        let Some(task) = &self.task else { return Err(Broken::crash("no workload was begun with")) };
        let request = Request::begin(&task.workload, &task.original, sets).map_err(Broken::crash)?;
        let before = self.clock.now();
        let (answer, payload) = self.ask(request, most)?;
        let taken = self.clock.now().saturating_sub(before);
        let results = begun(&answer, &payload, sets.len())
            .ok_or_else(|| Broken::crash(format!("its worker answered {answer:?} to a beginning")))?;
        if let Some(task) = &mut self.task {
            task.begin = task.begin.max(taken);
        }
        if let Some(begun) = &mut self.worker {
            (begun.sets, begun.last) = (sets.to_vec(), sets.last().copied());
        }
        Ok(results)
    }

    /// Sees to a worker that has begun with a set.
    fn ready(&mut self, set: Set) -> Result<(), BenchError> {
        loop {
            // What ends an idle worker is nothing that the next candidate does.
            if self.worker.as_mut().is_some_and(|begun| begun.worker.has_ended()) {
                self.lose(&Broken::crash("its worker ended while it ran nothing"))?;
            }
            let mut sets = self.worker.as_ref().map_or_else(Vec::new, |begun| begun.sets.clone());
            if sets.contains(&set) {
                return Ok(());
            }
            let before = self.clock.now();
            self.losses.check(&self.limits, before).map_err(|why| self.given_up(&why))?;
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

    fn given_up(&self, why: &str) -> BenchError {
        BenchError(format!(
            "{why}, the last one so: {}; {} may be used by others or broken",
            self.last_loss, self.name
        ))
    }

    /// Ends the worker.
    fn lose(&mut self, broken: &Broken) -> Result<(), BenchError> {
        self.last_loss.clone_from(&broken.how);
        let before = self.clock.now();
        self.losses.add(before);
        let patience = self.clock.patience(self.limits.end);
        let ended = self.worker.take().map_or(Ok(()), |begun| begun.worker.end(patience));
        self.statistics.restarting += self.clock.now().saturating_sub(before);
        ended.map_err(BenchError)
    }

    /// What the original takes, which is measured when it is first needed.
    fn usual(&mut self, set: Set, effort: Effort) -> Result<Duration, BenchError> {
        let key = (set, effort.runs, effort.checks);
        let Some(task) = &self.task else { return Err(BenchError("no workload was begun with".to_owned())) };
        if let Some(usual) = task.usual.get(&key) {
            return Ok(*usual);
        }
        let original = task.original.clone();
        let before = self.clock.now();
        let outcome = self.attempt(&original, set, effort, self.limits.begin)?;
        let usual = self.clock.now().saturating_sub(before);
        match outcome {
            Ok(RunOutcome::Ran(_)) => {}
            Ok(RunOutcome::Failed(_, why)) | Err(Broken { how: why, .. }) => {
                return Err(BenchError(format!("the original itself fails: {why}")));
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
    ) -> Result<Result<RunOutcome, Broken>, BenchError> {
        let request = Request::run(code, set, effort).map_err(BenchError)?;
        let answer = self.ask(request, deadline);
        let outcome = answer.and_then(|(answer, payload)| {
            outcome(&answer, &payload)
                .ok_or_else(|| Broken::crash(format!("its worker answered {answer:?} to a run")))
        });
        match &outcome {
            Ok(_) => {
                self.losses.end_row();
                self.worker.iter_mut().for_each(|begun| begun.last = Some(set));
            }
            Err(broken) => self.lose(broken)?,
        }
        Ok(outcome)
    }

    /// Until when a candidate has to have answered.
    fn deadline(&self, candidate: &Code, set: Set, usual: Duration) -> Duration {
        let is_near = self.worker.as_ref().is_some_and(|begun| begun.last == Some(set));
        let begin = self.task.as_ref().map_or(Duration::ZERO, |task| task.begin);
        self.limits.deadline(usual, !candidate.images.is_empty()).saturating_add(if is_near {
            Duration::ZERO
        } else {
            begin
        })
    }
}

impl Bench for Sandbox {
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
    ) -> Result<Vec<Vec<CaseResult>>, BenchError> {
        // Later workers begin with what has been run in time.
        let left = workload.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let most = left.map_or(self.limits.begin, |left| left.min(self.limits.begin));
        let (workload, original) = (workload.clone(), original.clone());
        self.task = Some(Task { workload, original, begin: Duration::ZERO, usual: HashMap::new() });
        self.quarantine = Quarantine::default();
        self.spare = None; // it has the inputs of another one
        if self.worker.is_none() {
            self.start_worker().map_err(|broken| BenchError(broken.how))?;
        }
        let results = self.begin_with(sets, most);
        results.or_else(|broken| {
            self.lose(&broken)?;
            let more = match broken.failure {
                nitro_search::Failure::Timeout if most < self.limits.begin => {
                    "; give more time (--minutes), or make its inputs smaller"
                }
                _ => "",
            };
            Err(BenchError(format!("the original cannot be run: {}{more}", broken.how)))
        })
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
        if let Some((failure, how)) = self.quarantine.find(candidate) {
            self.statistics.quarantined += 1;
            return Ok(RunOutcome::Failed(failure, how));
        }
        self.ready(set)?;
        let usual = self.usual(set, effort)?;
        let deadline = self.deadline(candidate, set, usual);
        match self.attempt(candidate, set, effort, deadline)? {
            Ok(outcome) => Ok(outcome),
            Err(Broken { failure, how }) => {
                match failure {
                    nitro_search::Failure::Timeout => self.statistics.timeouts += 1,
                    _ => self.statistics.crashes += 1,
                }
                self.quarantine.add(candidate, failure, &how);
                Ok(RunOutcome::Failed(failure, how))
            }
        }
    }
}

/// What the original takes per set.
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

fn outcome(answer: &Answer, payload: &[u8]) -> Option<RunOutcome> {
    match answer {
        Answer::Ran => message::results(payload).map(RunOutcome::Ran),
        Answer::Failed(failure, how) => Some(RunOutcome::Failed(*failure, how.clone())),
        _ => None,
    }
}
