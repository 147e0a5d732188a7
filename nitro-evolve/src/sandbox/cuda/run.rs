//! Runs of a program on a case: checked, and timed.

use nitro_core::Device;
use nitro_cuda::{Argument, LaunchGraph, Place, Stream};
use nitro_search::Failure;
use nitro_stats::statistics::median;

use super::bounded::BoundedModule;
use super::case::{Case, pattern};
use super::fits::fits;
use super::kernels::{self, Verdict};
use super::loaded::LoadedCode;
use super::prepared::{PreparedLaunch, Work, clear, copy, done, left, prepare};
use super::stop::Stop;
use crate::effort::Effort;
use crate::runner::CaseResult;
use crate::workload::HostStep;

/// The runs of the original that show how far its own results are apart.
const SPREAD_RUNS: usize = 8;
/// The factor on that distance: a few runs do not show the largest one.
const SPREAD_MARGIN: f64 = 2.0;
/// The most distance of the original from itself; where more is usual, the workload says so.
const MOST_SPREAD: f64 = 0.01;
/// The most time of the host for a launch.
const LAUNCH_NS: u64 = 4_000;
/// The most launches for which the device waits.
const MOST_AHEAD: u64 = 30;
/// The runs that leave no doubt that a program is slow.
const FEW_RUNS: usize = 3;
/// The times of the original's slowest run that each of them takes.
const DOUBTFUL: f64 = 1.1;
/// The most launches of a graph, which keeps all of them on the host and on the device.
const MOST_NODES: usize = 1 << 14;

/// A program that is run, with the original that judges it.
pub(super) struct Programs<'m> {
    candidate: &'m LoadedCode,
    original: &'m LoadedCode,
    /// The candidate's modules with bounds.
    bounded: Vec<BoundedModule<'m>>,
}

impl<'m> Programs<'m> {
    /// Takes a program and the original.
    pub(super) fn new(candidate: &'m LoadedCode, original: &'m LoadedCode) -> Self {
        Self { candidate, original, bounded: candidate.bounded() }
    }

    /// Tells whether the program is the original.
    fn are_the_original(&self) -> bool {
        std::ptr::eq(self.candidate, self.original)
    }
}

/// The runner of programs on the cases of a stream's device.
pub(super) struct CaseRunner {
    pub(super) stream: Stream,
    runs: u64,
}

impl CaseRunner {
    /// Creates a runner.
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, runs: 0 }
    }

    /// Checks a program as often as that is asked for, and times it.
    pub(super) fn run(
        &mut self,
        case: &mut Case,
        programs: &Programs<'_>,
        effort: Effort,
    ) -> Result<CaseResult, Stop> {
        fits(programs.candidate, &case.launches)?;
        let mut error = 0.0f64;
        for _ in 0..effort.checks.max(1) {
            error = error.max(self.check(case, programs)?);
            if let Some(why) = effort.objection(error) {
                return Err(Stop::Failed(Failure::Wrong, why));
            }
        }
        let time_ns = if effort.runs > 0 { self.time(case, programs, effort.runs)? } else { 0.0 };
        Ok(CaseResult { time_ns, error })
    }

    /// Runs a program once, and returns the largest error of a result.
    ///
    /// A distance as of the original from itself is no error.
    fn check(&mut self, case: &mut Case, programs: &Programs<'_>) -> Result<f64, Stop> {
        let verdicts = self.verdicts(case, programs)?;
        programs.bounded.iter().try_for_each(|bounded| bounded.judge(self.stream))?;
        let mut error = 0.0f64;
        for (buffer, verdict) in case.buffers.iter().zip(&verdicts) {
            if let Some(damage) = buffer.damage(verdict) {
                return Err(Stop::Failed(Failure::Wrong, damage));
            }
            let own = buffer.error(verdict);
            error = error.max(if own <= SPREAD_MARGIN * buffer.spread { 0.0 } else { own });
        }
        Ok(error)
    }

    /// Runs a program once, with buffers that are elsewhere and hold something else than last time.
    fn verdicts(&mut self, case: &mut Case, programs: &Programs<'_>) -> Result<Vec<Vec<Verdict>>, Stop> {
        let pattern = self.once(case, programs)?;
        Ok(case.verdicts(self.stream, pattern)?)
    }

    /// Runs a program once. Returns the pattern that outputs were filled with.
    pub(super) fn once(&mut self, case: &mut Case, programs: &Programs<'_>) -> Result<u32, Stop> {
        let pattern = self.begin(case, programs)?;
        self.go(case, programs)?;
        Ok(pattern)
    }

    /// Makes everything as it is before a run. Returns the pattern that outputs were filled with.
    pub(super) fn begin(&mut self, case: &mut Case, programs: &Programs<'_>) -> Result<u32, Stop> {
        let (run, pattern) = (self.runs, pattern(self.runs));
        self.runs += 1;
        // Both places are taken with both kinds of patterns.
        case.place(if (run + run / 2).is_multiple_of(2) { Place::End } else { Place::Begin })?;
        programs.bounded.iter().try_for_each(|bounded| bounded.allow(self.stream, case))?;
        case.restore(pattern)?;
        case.set_canaries(pattern)?;
        Ok(pattern)
    }

    /// Runs a program, and what judges it.
    pub(super) fn go(&self, case: &mut Case, programs: &Programs<'_>) -> Result<(), Stop> {
        self.launches(case, programs)?;
        if case.judge.is_empty() {
            return Ok(());
        }
        case.set_variables(programs.original)?;
        self.launch(&prepare(programs.original, &case.judge, case)?)?;
        Ok(case.take_variables(programs.original)?)
    }

    /// Runs a program without what judges it.
    pub(super) fn launches(&self, case: &mut Case, programs: &Programs<'_>) -> Result<(), Stop> {
        let prepared = prepare(programs.candidate, &case.launches, case)?;
        case.set_variables(programs.candidate)?;
        case.done = self.host(case, programs.candidate, &prepared)?;
        Ok(case.take_variables(programs.candidate)?)
    }

    /// Keeps the results of the original on a case, and its distance from itself.
    pub(super) fn keep_original(
        &mut self,
        case: &mut Case,
        original: &LoadedCode,
        max_error: f64,
    ) -> Result<(), Stop> {
        fits(original, &case.launches)?;
        fits(original, &case.judge)?;
        case.check_variables(original).map_err(|why| Stop::Failed(Failure::Launch, why))?;
        let programs = &Programs::new(original, original);
        let pattern = self.once(case, programs)?;
        case.keep_results(pattern)?;
        for _ in 0..SPREAD_RUNS {
            let verdicts = self.verdicts(case, programs)?;
            for (buffer, verdict) in case.buffers.iter_mut().zip(&verdicts) {
                let own = buffer.error(verdict);
                let most = max_error.max(MOST_SPREAD);
                if let Some(defect) = buffer.damage(verdict).or_else(|| unsteady(&buffer.name, own, most)) {
                    return Err(Stop::Failed(Failure::Wrong, defect));
                }
                buffer.spread = buffer.spread.max(own);
            }
        }
        Ok(())
    }

    /// Returns the median time of all launches together over so many runs.
    fn time(&self, case: &mut Case, programs: &Programs<'_>, runs: u32) -> Result<f64, Stop> {
        let mut times_ns = self.times_ns(case, programs, runs)?;
        median_of_numbers(&mut times_ns).ok_or_else(|| Stop::Lost("the device gives no times".to_owned()))
    }

    /// Returns the times of all launches together in so many runs.
    ///
    /// A few are enough where they leave no doubt that the program is slower than the original.
    pub(super) fn times_ns(
        &self,
        case: &mut Case,
        programs: &Programs<'_>,
        runs: u32,
    ) -> Result<Vec<f64>, Stop> {
        case.place(Place::End)?;
        programs.bounded.iter().try_for_each(|bounded| bounded.allow(self.stream, case))?;
        let prepared = prepare(programs.candidate, &case.launches, case)?;
        let work = done(prepared, case, programs.candidate, self.stream)?;
        let graph = self.graph(&work)?;
        let ahead_ns = LAUNCH_NS * (4 + MOST_AHEAD.min(work.len() as u64));
        let mut stopwatch = self.stream.device().stopwatch();
        let mut times_ns = Vec::new();
        while times_ns.len() < runs.max(1) as usize && !is_slow(&times_ns, case.slowest_ns) {
            case.restore(pattern(times_ns.len() as u64))?;
            case.set_variables(programs.candidate)?;
            kernels::spin(self.stream, ahead_ns)?;
            stopwatch.start();
            match &graph {
                // SAFETY: as where they are launched one by one.
                Some(graph) => unsafe { graph.launch() }.map_err(Stop::of(Failure::Launch))?,
                None => work.iter().try_for_each(|work| self.work(work))?,
            }
            times_ns.push(stopwatch.stop());
        }
        self.stream.synchronize()?; // says why when a time is no number
        programs.bounded.iter().try_for_each(|bounded| bounded.judge(self.stream))?;
        if programs.are_the_original() {
            case.slowest_ns = times_ns.iter().copied().reduce(f64::max);
        }
        Ok(times_ns)
    }

    /// Makes a graph of launches that are so many that the host would not be ahead of the device.
    ///
    /// Else the host's time would be measured, and not that of the kernels.
    fn graph<'m>(&self, work: &[Work<'m>]) -> Result<Option<LaunchGraph<'m>>, Stop> {
        let prepared: Option<Vec<&PreparedLaunch<'m>>> = work.iter().map(Work::launch).collect();
        let of_graphs = MOST_AHEAD as usize + 1..=MOST_NODES;
        let Some(prepared) = prepared.filter(|prepared| of_graphs.contains(&prepared.len())) else {
            return Ok(None);
        };
        let arguments: Vec<Vec<Argument<'_>>> = prepared
            .iter()
            .map(|prepared| prepared.arguments.iter().map(|bytes| Argument::bytes(bytes)).collect())
            .collect();
        let launches = prepared.iter().zip(&arguments);
        let launches =
            launches.map(|(prepared, arguments)| (prepared.kernel, prepared.grid, arguments.as_slice()));
        LaunchGraph::new(self.stream, launches).map(Some).map_err(Stop::of(Failure::Launch))
    }

    /// Does the steps of a case, and returns those that change something.
    fn host(
        &self,
        case: &Case,
        program: &LoadedCode,
        prepared: &[PreparedLaunch<'_>],
    ) -> Result<Vec<HostStep>, Stop> {
        let (mut at, mut done) = (0, Vec::with_capacity(prepared.len()));
        while let Some(&step) = case.host.get(at) {
            at += 1;
            match step {
                HostStep::Launch(number) => self.launch(&prepared[number..=number])?,
                HostStep::Clear(buffer) => self.launch(&[clear(case, program, buffer, self.stream)?])?,
                HostStep::Copy(step) => self.work(&copy(case, program, step, self.stream)?)?,
                HostStep::Leave { flag, to } => {
                    let is_left =
                        left(&case.buffers[flag], program, self.stream)?.iter().all(|&byte| byte == 0);
                    at = if is_left { to } else { at };
                    continue;
                }
            }
            done.push(step);
        }
        Ok(done)
    }

    /// Gives the stream work.
    fn work(&self, work: &Work<'_>) -> Result<(), Stop> {
        match work {
            Work::Launch(prepared) => self.launch(std::slice::from_ref(prepared)),
            Work::Set { variables, source } => variables.iter().try_for_each(|variable| {
                // SAFETY: so many bytes of a buffer are there, which waits for the stream when it is dropped.
                unsafe { variable.copy_from_address(self.stream, *source) }.map_err(Stop::from)
            }),
        }
    }

    /// Launches kernels one by one.
    fn launch(&self, prepared: &[PreparedLaunch<'_>]) -> Result<(), Stop> {
        let mut given = Vec::new();
        for PreparedLaunch { kernel, grid, arguments } in prepared {
            given.clear();
            given.extend(arguments.iter().map(|bytes| Argument::bytes(bytes)));
            // SAFETY: number and sizes of the arguments are the kernel's. It may do whatever it likes to this
            // process, which is there for that: its buffers have nothing beside them, and what it does to them is
            // looked at.
            unsafe { kernel.launch_on(self.stream, *grid, &given) }.map_err(Stop::of(Failure::Launch))?;
        }
        Ok(())
    }
}

/// Explains why the original's own results are of no use, if they differ too much.
fn unsteady(name: &str, error: f64, most: f64) -> Option<String> {
    (error > most).then(|| {
        format!(
            "`{name}` is not the same in two runs of it (error {error}): if it reads a buffer before it writes it, \
             give that the role \"inout\"; if its threads race, say by max_error how much that may be"
        )
    })
}

/// Tells whether these runs leave no doubt that a program is slower than the original, with its slowest time.
fn is_slow(times_ns: &[f64], slowest_ns: Option<f64>) -> bool {
    let doubtful_ns = slowest_ns.map_or(f64::INFINITY, |slowest_ns| DOUBTFUL * slowest_ns);
    times_ns.len() >= FEW_RUNS && times_ns.iter().all(|time_ns| *time_ns > doubtful_ns)
}

/// Returns the median of times, or `None` where one of them is no number.
fn median_of_numbers(times: &mut [f64]) -> Option<f64> {
    if times.iter().any(|time| time.is_nan()) { None } else { median(times) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_which_one_is_no_number_have_no_median() {
        assert_eq!(median_of_numbers(&mut [4.0, 1.0, 2.0, 9.0]), Some(3.0));
        assert_eq!(median_of_numbers(&mut [1.0, f64::NAN, 2.0]), None);
    }

    #[test]
    fn what_is_clearly_slower_than_the_slowest_run_of_the_original_needs_few_runs() {
        assert!(is_slow(&[115.0, 111.0, 130.0], Some(100.0)));
        assert!(!is_slow(&[115.0, 109.0, 130.0], Some(100.0)), "one run leaves doubt");
        assert!(!is_slow(&[200.0, 200.0], Some(100.0)), "two are too few");
        assert!(!is_slow(&[200.0; 5], None), "what the original takes is not known");
        assert!(!is_slow(&[f64::NAN; 5], Some(100.0)));
    }

    #[test]
    fn an_original_that_does_not_repeat_itself_is_none() {
        assert_eq!(unsteady("x", 0.01, 0.01), None);
        let why = unsteady("x", f64::INFINITY, 0.01).unwrap();
        assert!(why.starts_with("`x` is not the same in two runs of it (error inf): "), "{why}");
    }
}
