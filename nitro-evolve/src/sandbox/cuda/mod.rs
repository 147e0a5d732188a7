//! The bench on a CUDA device: what the worker of a sandbox serves.

mod bounded;
mod case;
mod kernels;
mod loaded;
mod run;
mod stop;

use std::collections::BTreeMap;

use nitro_cuda::{Cuda, CudaError};

use self::case::Case;
use self::loaded::Loaded;
use self::run::{Programs, Runner};
use self::stop::Stop;
use crate::bench::{Bench, BenchError, CaseResult, Code, Effort, RunOutcome};
use crate::workload::Inputs;
use crate::{Set, Workload};

/// How the original is run when its times are asked for the first time.
const FIRST: Effort = Effort::new(7, 2);
/// How much of the device's memory is left to others: programs have local memory.
const LEFT_TO_OTHERS: u64 = 10;

/// Runs programs on a CUDA device, and compares their results there.
///
/// Every buffer has a mapping of its own with nothing beside it ([`GuardedBuffer`](nitro_cuda::GuardedBuffer)).
/// Before each run inputs are copied anew, and what is not an input is filled with a pattern; of runs that are
/// checked, buffers are elsewhere each time, the pattern is another one, and inputs and what stands beside buffers
/// have to be as they were. Times are of events around all launches of a case, by
/// [`Device::stopwatch`](nitro_core::Device::stopwatch), with the device given something to do until the host is
/// ahead.
///
/// A program that takes the device with it, by an illegal access say, makes an error of every later call: run it in
/// a [`Sandbox`](super::Sandbox), whose worker calls [`serve`](super::serve).
///
/// ```no_run
/// use nitro_evolve::sandbox::{CudaBench, serve};
///
/// // All that a worker does.
/// serve(|| CudaBench::open("cuda:0"), std::io::stdin(), std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct CudaBench {
    device: Cuda,
    runner: Runner,
    task: Option<Task>,
    /// Inputs that were made of a workload's text before it begins.
    prepared: Option<(String, Prepared)>,
}

/// The inputs of cases, by set and number.
type Prepared = BTreeMap<(Set, usize), Inputs>;

struct Task {
    workload: Workload,
    device: Cuda,
    original: Loaded,
    /// The sets whose cases are on the device.
    loaded: BTreeMap<Set, Vec<Case>>,
    /// What was made before, until it is on the device.
    prepared: Prepared,
}

impl CudaBench {
    /// The bench on the device that a text names, as in `cuda:0` or `cuda:0/16sm`.
    ///
    /// # Errors
    /// When there is no such device, or NVRTC is missing.
    pub fn open(device: &str) -> Result<Self, BenchError> {
        let opened = nitro_cuda::parse(device)
            .ok_or_else(|| BenchError(format!("`{device}` is no CUDA device; write cuda:0")))?;
        let bench = opened.and_then(Self::on);
        bench.map_err(|error| BenchError(error.to_string()))
    }

    /// The bench on a device.
    ///
    /// # Errors
    /// When NVRTC is missing, or the device cannot be used.
    pub fn on(device: Cuda) -> Result<Self, CudaError> {
        kernels::prepare(device)?;
        Ok(Self { device, runner: Runner::new(device.stream()), task: None, prepared: None })
    }
}

impl CudaBench {
    /// Runs a program once on each case of these sets, and compares nothing: for whoever watches this process,
    /// under whom each run takes long.
    pub(crate) fn run_once(
        &mut self,
        workload: &Workload,
        program: &Code,
        sets: &[Set],
    ) -> Result<(), BenchError> {
        let module = Loaded::new(self.device, program, "the program")?;
        for &set in sets {
            for number in 0..workload.cases(set) {
                let inputs = inputs(workload, set, number)?;
                let failed = |error: CudaError| BenchError(error.to_string());
                let mut case = Case::new(self.device.stream(), inputs).map_err(failed)?;
                self.runner.once(&mut case, &Programs::new(&module, &module))?;
                self.device.stream().synchronize().map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn inputs(workload: &Workload, set: Set, number: usize) -> Result<Inputs, BenchError> {
    workload.inputs(set, number).map_err(|error| BenchError(error.to_string()))
}

impl Task {
    /// Brings the cases of a set to the device, unless they are there, with what the original makes of them.
    fn load(&mut self, runner: &mut Runner, set: Set) -> Result<(), BenchError> {
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
                .map_err(|stop| self.with(set, number, BenchError::from(stop).0))?;
            cases.push(case);
        }
        self.loaded.insert(set, cases);
        Ok(())
    }

    /// Puts other sets aside where memory is short.
    fn make_room(&mut self, bytes: u64) -> Result<(), String> {
        let has_room = |device: Cuda| {
            let free = device.free_bytes().map_err(|error| error.to_string())?;
            Ok::<_, String>((bytes <= free - free / LEFT_TO_OTHERS, free))
        };
        let device = self.device;
        if !has_room(device)?.0 {
            self.loaded.clear();
        }
        match has_room(device)? {
            (true, _) => Ok(()),
            (false, free) => {
                let [needed, free] = [bytes, free].map(|bytes| bytes as f64 / f64::from(1 << 30));
                Err(format!(
                    "its buffers and their copies take {needed:.1} GiB, and {device} has {free:.1} GiB; make it smaller"
                ))
            }
        }
    }

    fn with(&self, set: Set, number: usize, why: String) -> BenchError {
        BenchError(format!("with {}: {why}", self.workload.case_name(set, number)))
    }

    /// Runs a candidate, or the original.
    fn run(
        &mut self,
        runner: &mut Runner,
        candidate: Option<&Loaded>,
        set: Set,
        effort: Effort,
    ) -> Result<Vec<CaseResult>, Stop> {
        let original = &self.original;
        let programs = Programs::new(candidate.unwrap_or(original), original);
        let cases = self.loaded.get_mut(&set).into_iter().flatten();
        cases.map(|case| runner.run(case, &programs, effort)).collect()
    }
}

impl Bench for CudaBench {
    fn name(&self) -> String {
        let device = self.device.to_string();
        let name = device.split('@').next().unwrap_or_default();
        format!("{name} ({})", self.device.attributes().name)
    }

    fn architecture(&self) -> Option<u32> {
        Some(self.device.architecture())
    }

    fn prepare(&mut self, workload: &Workload, sets: &[Set]) -> Result<(), BenchError> {
        let cases = sets.iter().flat_map(|&set| (0..workload.cases(set)).map(move |number| (set, number)));
        let made = cases.map(|(set, number)| Ok(((set, number), inputs(workload, set, number)?)));
        self.prepared = Some((workload.text().to_owned(), made.collect::<Result<_, BenchError>>()?));
        Ok(())
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, BenchError> {
        self.task = None; // its memory is needed
        let (device, original) = (self.device, Loaded::new(self.device, original, "the original")?);
        let prepared = self.prepared.take().filter(|(text, _)| text == workload.text());
        let (workload, loaded) = (workload.clone(), BTreeMap::new());
        let prepared = prepared.map_or_else(Prepared::new, |(_, prepared)| prepared);
        let task = self.task.insert(Task { workload, device, original, loaded, prepared });
        let runner = &mut self.runner;
        let results = sets.iter().map(|&set| {
            task.load(runner, set)?;
            Ok(task.run(runner, None, set, FIRST)?)
        });
        results.collect()
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
        let Some(task) = &mut self.task else {
            return Err(BenchError("no workload was begun with".to_owned()));
        };
        task.load(&mut self.runner, set)?;
        let candidate = Loaded::new(self.device, candidate, "the candidate");
        let ran = candidate.and_then(|candidate| task.run(&mut self.runner, Some(&candidate), set, effort));
        ran.map_or_else(Stop::outcome, |results| Ok(RunOutcome::Ran(results)))
    }
}
