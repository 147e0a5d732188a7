//! Floors: what no patch takes less than which does with all data what the original does.

use std::fmt::Write;

use nitro_search::{Floor, UnderFloor, Until};
use nitro_stats::statistics::mean;

use crate::effort::Effort;
use crate::error::EvolveError;
use crate::evaluator::Evaluator;
use crate::evolve::EvolveResult;
use crate::finding::{Contract, TestCase, Verdict};
use crate::observer::Observer;
use crate::runner::{Assemble, Runner, RunnerError};
use crate::subject::Subject;
use crate::workload::Set;

/// The floors with the inputs of the search, and what follows for the search.
pub(crate) struct SearchFloors {
    /// The floor of each case by its name; empty where they are not known.
    pub named: Vec<(String, Floor)>,
    /// The mean time at which the search is over.
    pub target_ns: Option<f64>,
}

impl SearchFloors {
    /// Asks the first device for them, and holds the original against them.
    ///
    /// # Errors
    /// When they are not known and a rule asks for them, or the original is faster.
    pub(crate) fn new(
        subject: &Subject,
        assemble: &Assemble<'_>,
        runners: &mut [Box<dyn Runner>],
        (original, effort): (&[(String, f64)], Effort),
        until: Option<Until>,
        observer: &dyn Observer,
    ) -> Result<Self, EvolveError> {
        let mut named = Vec::new();
        if let Some(runner) = runners.first_mut() {
            let floors = of_set(subject, assemble, runner.as_mut(), Set::Search, observer);
            named = original.iter().map(|(case, _)| case.clone()).zip(floors).collect();
            check_search(&named, original, effort, &runner.name())?;
        }
        let Some(until) = until else { return Ok(Self { named, target_ns: None }) };
        let together = together(named.iter().map(|(_, floor)| floor));
        match together.and_then(|floor| until.target_ns(&floor)) {
            Some(target_ns) => Ok(Self { named, target_ns: Some(target_ns) }),
            None => Err(EvolveError::NoFloor(until)),
        }
    }
}

/// Asks a device for the floors with the inputs of a set. Where they are not known, that is said.
pub(crate) fn of_set(
    subject: &Subject,
    assemble: &Assemble<'_>,
    runner: &mut dyn Runner,
    set: Set,
    observer: &dyn Observer,
) -> Vec<Floor> {
    let idle = assemble(idle(subject)).map_err(RunnerError);
    let floors = idle.and_then(|idle| runner.floors(&idle, set)).unwrap_or_else(|why| {
        observer.message(&format!("no floor of the times is known: {why}"));
        Vec::new()
    });
    // One that is 0 says nothing.
    if floors.iter().any(|floor| floor.ns > 0.0) { floors } else { Vec::new() }
}

/// Returns the text of the kernels that are launched, with nothing in them.
fn idle(subject: &Subject) -> String {
    let mut text = String::new();
    let lines: Vec<&str> = subject.original().ptx.lines().map(str::trim).collect();
    for directive in [".version", ".target", ".address_size"] {
        text.extend(lines.iter().find(|line| line.starts_with(directive)).map(|line| format!("{line}\n")));
    }
    for kernel in subject.workload().kernels() {
        let taken = subject.base().module().parameter_bytes(kernel).unwrap_or_default();
        let each = |(at, bytes)| format!(".param .align 8 .b8 p{at}[{bytes}]");
        let parameters: Vec<String> = taken.into_iter().enumerate().map(each).collect();
        let written = writeln!(text, ".visible .entry {kernel}({}) {{ ret; }}", parameters.join(", "));
        written.expect("a string takes everything");
    }
    text
}

/// Adds the floors to the cases of tests, where those of the search are known.
pub(crate) fn add_to_tests(evaluator: &mut Evaluator<'_>, known: &mut EvolveResult, observer: &dyn Observer) {
    let is_wanted = !known.floors.is_empty() && known.findings.iter().any(|own| !own.test.is_empty());
    let Some(runner) = evaluator.runners.first_mut().filter(|_| is_wanted) else { return };
    let (subject, assemble) = (evaluator.conditions.subject, evaluator.conditions.assemble);
    let floors = of_set(subject, assemble, runner.as_mut(), Set::Test, observer);
    for finding in &mut known.findings {
        finding.test.iter_mut().zip(&floors).for_each(|(case, floor)| case.floor = Some(floor.clone()));
    }
}

/// Refuses a time of the original, with an input on a device, under its floor.
pub(crate) fn check_original(
    floor: &Floor,
    (case, time_ns): (&str, f64),
    effort: Effort,
    on: &str,
) -> Result<(), UnderFloor> {
    floor.check(time_ns, || format!("the original on {on} with {case}, the median of {} runs", effort.runs))
}

/// Refuses times of the original with the inputs of the search under their floors.
fn check_search(
    floors: &[(String, Floor)],
    original: &[(String, f64)],
    effort: Effort,
    on: &str,
) -> Result<(), UnderFloor> {
    let mut timed = floors.iter().zip(original);
    timed.try_for_each(|((case, floor), (_, time_ns))| check_original(floor, (case, *time_ns), effort, on))
}

/// Refuses times of the original, and of patches that were accepted as exact, under their floors.
pub(crate) fn check(known: &EvolveResult, [search, test]: [Effort; 2]) -> Result<(), UnderFloor> {
    let on = known.on.join(", ");
    check_search(&known.floors, &known.original, search, &on)?;
    for (number, finding) in (1..).zip(&known.findings) {
        if finding.verdict != Verdict::Accepted(Contract::Exact) {
            continue;
        }
        for TestCase { case, floor, original_ns, patched_ns, .. } in &finding.test {
            let Some(floor) = floor else { continue };
            check_original(floor, (case, *original_ns), test, &on)?;
            floor.check(*patched_ns, || {
                format!(
                    "patch {number}, exact as far as is known, on {on} with {case}, the median of {} runs",
                    test.runs
                )
            })?;
        }
    }
    Ok(())
}

/// Returns the floor of the mean time of some cases, with the reason of the largest.
pub(crate) fn together<'f>(floors: impl Iterator<Item = &'f Floor> + Clone) -> Option<Floor> {
    let largest = floors.clone().cloned().reduce(Floor::larger)?;
    Some(Floor { ns: mean(floors.map(|floor| floor.ns))?, ..largest })
}

/// Says how near the original and the fastest exact candidate are to the floor with the inputs of the search.
pub(crate) fn nearness(known: &EvolveResult) -> Option<String> {
    let floor = together(known.floors.iter().map(|(_, floor)| floor))?;
    let original_ns = mean(known.original.iter().map(|(_, time_ns)| *time_ns))?;
    let exact = known.front.iter().map(|(fitness, _)| fitness).find(|fitness| fitness.error == 0.0);
    let exact = exact.map(|fitness| format!(", the fastest exact candidate {}", floor.of(fitness.time_ns)));
    Some(format!("the original has {}{}", floor.of(original_ns), exact.unwrap_or_default()))
}

/// Says how near a patch is to the floor with the inputs of the test.
pub(crate) fn nearness_of_test(test: &[TestCase]) -> Option<String> {
    let floor = together(test.iter().filter_map(|case| case.floor.as_ref()))?;
    Some(floor.of(mean(test.iter().map(|case| case.patched_ns))?))
}

#[cfg(test)]
mod tests;
