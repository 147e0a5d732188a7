//! The runner on a CUDA device, which the worker of a sandbox serves.

mod bounded;
mod case;
mod fits;
mod floors;
mod kernels;
mod loaded;
mod prepared;
mod run;
mod stop;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nitro_cuda::{Cuda, CudaError};
use nitro_search::{Floor, MemoryRates};
use nitro_train::BoxError;

use self::case::Case;
use self::floors::Question;
use self::loaded::LoadedCode;
use self::run::{CaseRunner, Programs};
use self::stop::Stop;
use crate::effort::Effort;
use crate::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use crate::workload::{Inputs, Set, Workload};

/// The effort of the original when its times are asked for the first time.
const FIRST: Effort = Effort::new(7, 2);
/// The part of the device's memory that is left to others, as 1 in so many: programs have local memory.
const LEFT_TO_OTHERS: u64 = 10;

/// Runs programs on a CUDA device, and compares their results there.
///
/// Every buffer has a mapping of its own with nothing beside it ([`GuardedBuffer`](nitro_cuda::GuardedBuffer)).
/// Before each run inputs are copied anew, and what is not an input is filled with a pattern. In runs that are checked,
/// buffers are elsewhere each time, and the pattern is another one. Inputs and what stands beside buffers have to be
/// as they were.
///
/// Times are of events around all launches of a case ([`Device::stopwatch`](nitro_core::Device::stopwatch)). The
/// device is given something to do until the host is ahead.
///
/// A program that takes the device with it, by an illegal access say, makes an error of every later call. So it runs
/// in a [`Sandbox`](super::Sandbox), whose worker calls [`serve`](super::serve).
///
/// ```no_run
/// use nitro_evolve::sandbox::{CudaRunner, serve};
///
/// // All that a worker does.
/// serve(|| CudaRunner::open("cuda:0"), std::io::stdin(), std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct CudaRunner {
    device: Cuda,
    runner: CaseRunner,
    task: Option<Task>,
    /// The inputs that were made of a workload's text before it begins.
    prepared: Option<(String, PreparedInputs)>,
    /// What the device's memory moves at most, once that was asked for.
    rates: Option<MemoryRates>,
}

/// The inputs of cases, by set and number.
type PreparedInputs = BTreeMap<(Set, usize), Inputs>;

/// A workload with the original, and its cases on the device.
struct Task {
    workload: Workload,
    device: Cuda,
    original: LoadedCode,
    /// The sets whose cases are on the device.
    loaded: BTreeMap<Set, Vec<Case>>,
    /// The inputs that were made before, until they are on the device.
    prepared: PreparedInputs,
}

impl CudaRunner {
    /// Opens the device that a text names, such as `cuda:0` or `cuda:0/16sm`.
    ///
    /// # Errors
    /// When there is no such device, or NVRTC is missing.
    pub fn open(device: &str) -> Result<Self, RunnerError> {
        let opened = nitro_cuda::parse(device)
            .ok_or_else(|| RunnerError(format!("`{device}` is no CUDA device; write cuda:0")))?;
        let runner = opened.and_then(Self::on);
        runner.map_err(|error| RunnerError(error.to_string()))
    }

    /// Creates the runner on a device.
    ///
    /// # Errors
    /// When NVRTC is missing, or the device cannot be used.
    pub fn on(device: Cuda) -> Result<Self, CudaError> {
        kernels::prepare(device)?;
        Ok(Self { device, runner: CaseRunner::new(device.stream()), task: None, prepared: None, rates: None })
    }
}

impl CudaRunner {
    /// Returns what the device's memory moves at most, which is measured the first time.
    fn memory_rates(&mut self) -> Result<MemoryRates, BoxError> {
        if let Some(rates) = self.rates {
            return Ok(rates);
        }
        let mut features = self.device.attributes().features(self.device.multiprocessors());
        features.extend(nitro_cuda::memory_rates(self.device)?);
        let feature = |name: &str| Some(features.iter().find(|feature| feature.name == name)?.value);
        Ok(*self.rates.insert(MemoryRates::from_features(feature)?))
    }

    /// Runs a program once on each case of these sets, the smallest first, and compares nothing. No case begins once
    /// this time is over.
    ///
    /// It is for whoever watches this process, under whom a run takes a hundred times as long.
    pub(crate) fn run_once(
        &mut self,
        workload: &Workload,
        program: &Code,
        sets: &[Set],
        most_time: Duration,
    ) -> Result<(), RunnerError> {
        let module = LoadedCode::new(self.device, program, "the program")?;
        let mut all = Vec::new();
        for &set in sets {
            for number in 0..workload.cases(set) {
                all.push(inputs(workload, set, number)?);
            }
        }
        all.sort_by_key(Inputs::threads);
        let began = Instant::now();
        for (at, inputs) in all.into_iter().enumerate() {
            if at > 0 && began.elapsed() >= most_time {
                break;
            }
            let stream = self.device.stream();
            let mut case = Case::new(stream, inputs).map_err(Stop::from)?;
            self.runner.once(&mut case, &Programs::new(&module, &module))?;
            stream.synchronize().map_err(Stop::from)?;
        }
        Ok(())
    }
}

/// Tells whether bytes fit into what is free, with a part left to others.
fn fits(bytes: u64, free: u64) -> bool {
    bytes <= free - free / LEFT_TO_OTHERS
}

/// Makes the inputs of a case.
fn inputs(workload: &Workload, set: Set, number: usize) -> Result<Inputs, RunnerError> {
    workload.inputs(set, number).map_err(|error| RunnerError(error.to_string()))
}

impl Task {
    /// Brings the cases of a set to the device, unless they are there, with what the original makes of them.
    fn load(&mut self, runner: &mut CaseRunner, set: Set) -> Result<(), RunnerError> {
        if self.loaded.contains_key(&set) {
            return Ok(());
        }
        let mut cases = Vec::new();
        for number in 0..self.workload.cases(set) {
            let inputs = match self.prepared.remove(&(set, number)) {
                Some(inputs) => inputs,
                None => inputs(&self.workload, set, number)?,
            };
            self.make_room(case::bytes(&inputs)).map_err(|why| self.with(set, number, why))?;
            let stream = self.device.stream();
            let mut case =
                Case::new(stream, inputs).map_err(|error| self.with(set, number, error.to_string()))?;
            runner
                .keep_original(&mut case, &self.original, self.workload.max_error())
                .map_err(|stop| self.with(set, number, RunnerError::from(stop).0))?;
            cases.push(case);
        }
        self.loaded.insert(set, cases);
        Ok(())
    }

    /// Puts other sets aside where memory is short.
    fn make_room(&mut self, bytes: u64) -> Result<(), String> {
        if !fits(bytes, self.free_bytes()?) {
            self.loaded.clear();
        }
        let free = self.free_bytes()?;
        if fits(bytes, free) {
            return Ok(());
        }
        let [needed, free] = [bytes, free].map(|bytes| bytes as f64 / f64::from(1 << 30));
        Err(format!(
            "its buffers and their copies take {needed:.1} GiB, and {} has {free:.1} GiB; make it smaller",
            self.device
        ))
    }

    /// Returns the free bytes of the device.
    fn free_bytes(&self) -> Result<u64, String> {
        self.device.free_bytes().map_err(|error| error.to_string())
    }

    /// Returns an error with the case in which it came up.
    fn with(&self, set: Set, number: usize, why: String) -> RunnerError {
        RunnerError(format!("with {}: {why}", self.workload.case_name(set, number)))
    }

    /// Runs a candidate, or the original.
    fn run(
        &mut self,
        runner: &mut CaseRunner,
        candidate: Option<&LoadedCode>,
        set: Set,
        effort: Effort,
    ) -> Result<Vec<CaseResult>, Stop> {
        let original = &self.original;
        let programs = Programs::new(candidate.unwrap_or(original), original);
        let cases = self.loaded.get_mut(&set).into_iter().flatten();
        cases.map(|case| runner.run(case, &programs, effort)).collect()
    }
}

impl Task {
    /// Returns the floor of each case of a set.
    fn floors(
        &mut self,
        runner: &mut CaseRunner,
        idle: &LoadedCode,
        set: Set,
        rates: MemoryRates,
    ) -> Result<Vec<Floor>, Stop> {
        let (workload, original) = (&self.workload, &self.original);
        let cases = self.loaded.get_mut(&set).into_iter().flatten().enumerate();
        cases
            .map(|(number, case)| {
                let question = Question { workload, case: (set, number), rates, original, idle };
                runner.floor(case, &question)
            })
            .collect()
    }
}

impl Runner for CudaRunner {
    fn name(&self) -> String {
        let device = self.device.to_string();
        let name = device.split('@').next().unwrap_or_default();
        format!("{name} ({})", self.device.attributes().name)
    }

    fn architecture(&self) -> Option<u32> {
        Some(self.device.architecture())
    }

    fn prepare(&mut self, workload: &Workload, sets: &[Set]) -> Result<(), RunnerError> {
        let cases = sets.iter().flat_map(|&set| (0..workload.cases(set)).map(move |number| (set, number)));
        let made = cases.map(|(set, number)| Ok(((set, number), inputs(workload, set, number)?)));
        self.prepared = Some((workload.text().to_owned(), made.collect::<Result<_, RunnerError>>()?));
        Ok(())
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        self.task = None; // its memory is needed
        let device = self.device;
        let original = LoadedCode::new(device, original, "the original")?;
        let prepared = self.prepared.take().filter(|(text, _)| text == workload.text());
        let (workload, loaded) = (workload.clone(), BTreeMap::new());
        let prepared = prepared.map_or_else(PreparedInputs::new, |(_, prepared)| prepared);
        let task = self.task.insert(Task { workload, device, original, loaded, prepared });
        let runner = &mut self.runner;
        let results = sets.iter().map(|&set| {
            task.load(runner, set)?;
            Ok(task.run(runner, None, set, FIRST)?)
        });
        results.collect()
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        let Some(task) = &mut self.task else {
            return Err(RunnerError("no workload was begun with".to_owned()));
        };
        task.load(&mut self.runner, set)?;
        let candidate = LoadedCode::new(self.device, candidate, "the candidate");
        let ran = candidate.and_then(|candidate| task.run(&mut self.runner, Some(&candidate), set, effort));
        ran.map_or_else(Stop::outcome, |results| Ok(RunOutcome::Ran(results)))
    }

    fn floors(&mut self, idle: &Code, set: Set) -> Result<Vec<Floor>, RunnerError> {
        let rates = self.memory_rates().map_err(|error| RunnerError(error.to_string()))?;
        let Some(task) = &mut self.task else {
            return Err(RunnerError("no workload was begun with".to_owned()));
        };
        task.load(&mut self.runner, set)?;
        let idle = LoadedCode::new(self.device, idle, "kernels that do nothing")?;
        Ok(task.floors(&mut self.runner, &idle, set, rates)?)
    }
}
