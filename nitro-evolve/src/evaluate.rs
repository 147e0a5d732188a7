//! From edits to times and errors: candidates are assembled on several threads, and run on as many benches as there are.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use nitro_codegen::ptx::{Base, Edit, machine_code};
use nitro_search::Failure;
use nitro_search::evolve::{Evolution, Fitness, Purpose, Report, Trial};

use crate::Subject;
use crate::bench::{Bench, BenchError, CaseResult, Code, Effort, RunOutcome};
use crate::first_run::FirstRun;
use crate::workload::Set;

/// Makes something that can be run of a text, or says why that cannot be.
pub type Assemble<'a> = dyn Fn(String) -> Result<Code, String> + Sync + 'a;

/// How much is run for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Efforts {
    /// For a first run of each candidate, in which [loops end](nitro_codegen::ptx::Module::with_deadline) and [what is not theirs](nitro_codegen::ptx::Module::with_bounds) is not accessed: else it
    /// takes its process with it, which costs a device half a second. None where nothing is lost by it.
    pub first: Option<Effort>,
    /// For the inputs of the search.
    pub search: Effort,
    /// For those of the validation, and while a patch is made smaller.
    pub validation: Effort,
    /// For those of the test.
    pub test: Effort,
}

impl Efforts {
    /// For times that vary.
    pub const MEASURED: Self = Self {
        first: Some(Effort { runs: 1, checks: 1 }),
        search: Effort { runs: 7, checks: 1 },
        validation: Effort { runs: 15, checks: 3 },
        test: Effort { runs: 31, checks: 1000 },
    };
    /// For times that are counted, and so the same again.
    pub const COUNTED: Self = Self {
        first: None,
        search: Effort { runs: 1, checks: 1 },
        validation: Effort { runs: 1, checks: 2 },
        test: Effort { runs: 1, checks: 5 },
    };
}

/// Turns edits into reports.
pub(crate) struct Evaluator<'a> {
    pub subject: &'a Subject,
    pub assemble: &'a Assemble<'a>,
    pub benches: Vec<Box<dyn Bench>>,
    /// How candidates run first.
    pub first: Option<FirstRun>,
    pub efforts: Efforts,
    /// The most error that a result may have.
    pub max_error: f64,
    /// Threads that assemble.
    pub threads: usize,
}

/// A candidate that can be run, and by what it is known.
struct Assembled {
    code: Code,
    digest: u64,
}

/// What becomes of a trial.
enum Step<'a> {
    /// Nothing has to be run.
    Known(Report),
    Run(&'a Assembled),
    /// Another one, at this place, has this machine code, and is run.
    SameAs(usize, u64),
}

impl Evaluator<'_> {
    /// What these trials give, in their order. Of those with the same machine code the first is run.
    pub(crate) fn evaluate(
        &mut self,
        evolution: &Evolution<&Base>,
        trials: &[Trial<Edit>],
    ) -> Result<Vec<Report>, BenchError> {
        let (subject, assemble) = (self.subject, self.assemble);
        let assembled = on_threads(self.threads, trials, |trial| assembled(subject, assemble, &trial.edits));
        let steps = steps(evolution, trials, &assembled);
        let open: Vec<(usize, &Assembled)> = steps
            .iter()
            .enumerate()
            .filter_map(
                |(at, step)| if let Step::Run(candidate) = step { Some((at, *candidate)) } else { None },
            )
            .collect();
        let to_beat_ns = evolution.to_beat_ns().unwrap_or(f64::INFINITY);
        let judge = Judge { efforts: self.efforts, max_error: self.max_error, to_beat_ns };
        let mut ran = self.failures(&open, trials)?;
        let open: Vec<_> = open.into_iter().filter(|(at, _)| !ran.contains_key(at)).collect();
        let reports = run_all(&mut self.benches, &open, |bench, &(at, candidate)| {
            judge.report(bench, candidate, trials[at].purpose)
        })?;
        ran.extend(open.iter().map(|(at, _)| *at).zip(reports));
        let report = |(at, step): (usize, &Step<'_>)| match step {
            Step::Known(report) => *report,
            Step::Run(_) => ran[&at],
            Step::SameAs(first, digest) => match ran[first] {
                Report::Ran { .. } => Report::Same(*digest),
                failed => failed,
            },
        };
        Ok(steps.iter().enumerate().map(report).collect())
    }

    /// What one candidate gives on a set, on the first bench.
    pub(crate) fn run(&mut self, edits: &[Edit], set: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
        let code = match self.subject.candidate(edits) {
            Ok(text) => (self.assemble)(text),
            Err(error) => return Ok(RunOutcome::Failed(Failure::Invalid, error.to_string())),
        };
        match (code, self.benches.first_mut()) {
            (Ok(code), Some(bench)) => bench.run(&code, set, effort),
            (Err(why), _) => Ok(RunOutcome::Failed(Failure::Compile, why)),
            (_, None) => Err(BenchError("there is no device to run on".to_owned())),
        }
    }

    /// Of these candidates those that fail in a first run, by their places.
    fn failures(
        &mut self,
        open: &[(usize, &Assembled)],
        trials: &[Trial<Edit>],
    ) -> Result<HashMap<usize, Report>, BenchError> {
        let Some(first) = self.first else { return Ok(HashMap::new()) };
        // What is measured again, or with other inputs, has run.
        let new: Vec<usize> =
            open.iter().map(|(at, _)| *at).filter(|at| trials[*at].purpose == Purpose::Search).collect();
        let (subject, assemble) = (self.subject, self.assemble);
        let codes = on_threads(self.threads, &new, |at| first.code(subject, assemble, &trials[*at].edits));
        let failures = run_all(&mut self.benches, &codes, |bench, code| {
            let Some(code) = code else { return Ok(None) };
            Ok(match bench.run(code, Set::Search, first.effort)? {
                RunOutcome::Failed(failure, _) => Some(Report::Failed(failure)),
                RunOutcome::Ran(cases) if fitness(&cases).is_none() => Some(Report::Failed(Failure::Wrong)),
                RunOutcome::Ran(_) => None,
            })
        })?;
        Ok(new.into_iter().zip(failures).filter_map(|(at, failure)| Some((at, failure?))).collect())
    }
}

/// Runs each on whichever bench is free; what came of them in their order.
fn run_all<T: Sync, R: Send>(
    benches: &mut [Box<dyn Bench>],
    items: &[T],
    run: impl Fn(&mut dyn Bench, &T) -> Result<R, BenchError> + Sync,
) -> Result<Vec<R>, BenchError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for bench in benches {
            let (next, done, run) = (&next, &done, &run);
            scope.spawn(move || {
                while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len())
                {
                    let result = run(bench.as_mut(), &items[at]);
                    let failed = result.is_err();
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
                    if failed {
                        next.store(items.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

fn steps<'a>(
    evolution: &Evolution<&Base>,
    trials: &[Trial<Edit>],
    assembled: &'a [Result<Assembled, Failure>],
) -> Vec<Step<'a>> {
    let mut first: HashMap<u64, usize> = HashMap::new();
    let step = |(at, (trial, candidate)): (usize, (&Trial<Edit>, &'a Result<Assembled, Failure>))| {
        let candidate = match candidate {
            Err(failure) => return Step::Known(Report::Failed(*failure)),
            Ok(candidate) => candidate,
        };
        let digest = candidate.digest;
        // What is measured again, or with other inputs, is run whatever is known.
        if trial.purpose != Purpose::Search {
            return Step::Run(candidate);
        }
        if evolution.measured(digest).is_some() {
            return Step::Known(Report::Same(digest));
        }
        match *first.entry(digest).or_insert(at) {
            earlier if earlier == at => Step::Run(candidate),
            earlier => Step::SameAs(earlier, digest),
        }
    };
    trials.iter().zip(assembled).enumerate().map(step).collect()
}

fn assembled(subject: &Subject, assemble: &Assemble<'_>, edits: &[Edit]) -> Result<Assembled, Failure> {
    let text = subject.candidate(edits).map_err(|_| Failure::Invalid)?;
    let code = assemble(text).map_err(|_| Failure::Compile)?;
    let of_image = code.image.as_deref().and_then(machine_code);
    let digest = of_image.unwrap_or_else(|| nitro_core::Artifact::of(&code.ptx)).digest();
    Ok(Assembled { code, digest })
}

/// What candidates that run are held against.
struct Judge {
    efforts: Efforts,
    max_error: f64,
    /// What takes less with the inputs of the search looks faster than the original.
    to_beat_ns: f64,
}

impl Judge {
    fn report(
        &self,
        bench: &mut dyn Bench,
        candidate: &Assembled,
        purpose: Purpose,
    ) -> Result<Report, BenchError> {
        let (set, effort) = match purpose {
            Purpose::Search | Purpose::Again => (Set::Search, self.efforts.search),
            Purpose::Validation => (Set::Validation, self.efforts.validation),
        };
        let fitness = match bench.run(&candidate.code, set, effort)? {
            RunOutcome::Ran(cases) => fitness(&cases),
            RunOutcome::Failed(failure, _) => return Ok(Report::Failed(failure)),
        };
        let Some(fitness) = fitness else { return Ok(Report::Failed(Failure::Wrong)) };
        let failure = match purpose {
            Purpose::Search if fitness.time_ns < self.to_beat_ns => {
                self.failure_elsewhere(bench, candidate)?
            }
            _ => None,
        };
        Ok(failure.map_or(Report::Ran { fitness, code: Some(candidate.digest) }, Report::Failed))
    }

    /// How a candidate fails with the inputs of the validation, if it does. What is wrong in a way that the inputs of the search do not show, and fast by that, would else fill the population with its
    /// descendants.
    fn failure_elsewhere(
        &self,
        bench: &mut dyn Bench,
        candidate: &Assembled,
    ) -> Result<Option<Failure>, BenchError> {
        Ok(match bench.run(&candidate.code, Set::Validation, Effort { runs: 1, checks: 1 })? {
            RunOutcome::Failed(failure, _) => Some(failure),
            RunOutcome::Ran(cases) => {
                let is_right = fitness(&cases).is_some_and(|fitness| fitness.error <= self.max_error);
                (!is_right).then_some(Failure::Wrong)
            }
        })
    }
}

/// The mean time and the largest error; none where a result has no error that is a number.
pub(crate) fn fitness(cases: &[CaseResult]) -> Option<Fitness> {
    let time_ns = cases.iter().map(|case| case.time_ns).sum::<f64>() / cases.len() as f64;
    let error = cases.iter().map(|case| case.error).fold(0.0, f64::max);
    let are_numbers = cases.iter().all(|case| case.error.is_finite()) && time_ns.is_finite();
    are_numbers.then_some(Fitness { time_ns, error })
}

/// What a function makes of each item, on so many threads, in the order of the items.
pub(crate) fn on_threads<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let worker = || {
            let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len());
            std::iter::from_fn(claim).map(|at| (at, make(&items[at]))).collect::<Vec<_>>()
        };
        let threads: Vec<_> =
            (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(worker)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}
