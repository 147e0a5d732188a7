use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nitro_ptx::{InstructionId, Operation};
use nitro_search::evolve::{Evolution, EvolvePlan, PatchSpace};
use nitro_search::{Ask, Budget, Engine};

use super::*;
use crate::bench::{CaseResult, RunOutcome};
use crate::evaluate::Efforts;
use crate::workload::{Set, Workload};

/// What takes the device with it; nothing that is drawn is.
const LOST: u64 = 1998;

/// Deletes the instruction of a number that is drawn.
struct Deletions;

fn deletion(number: u64) -> Edit {
    Edit { operation: Operation::Delete(InstructionId::Base(number as u32)), fixes: Vec::new() }
}

fn number(edits: &[Edit]) -> u64 {
    match edits.first().map(|edit| &edit.operation) {
        Some(Operation::Delete(InstructionId::Base(number))) => u64::from(*number),
        _ => 0,
    }
}

impl PatchSpace for Deletions {
    type Edit = Edit;

    fn mutate(&self, _: &[Edit], seed: u64) -> Option<Edit> {
        Some(deletion(seed % 1000))
    }

    fn is_valid(&self, _: &[Edit]) -> bool {
        true
    }
}

fn trials() -> Vec<Trial<Edit>> {
    match Engine::new(Evolution::new(Deletions, EvolvePlan::default()), Budget::default()).ask(usize::MAX) {
        Ok(Ask::Evaluate(trials)) => trials,
        _ => panic!("it has begun"),
    }
}

/// Lets others go on so often.
fn give_way(times: u64) {
    (0..times).for_each(|_| std::thread::yield_now());
}

/// Takes as many nanoseconds as the text says, and gives way to others; one in five is wrong in its first run.
struct Slow<'a>(&'a AtomicUsize);

impl Bench for Slow<'_> {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn begin(&mut self, _: &Workload, _: &Code, _: &[Set]) -> Result<Vec<Vec<CaseResult>>, BenchError> {
        Ok(Vec::new())
    }

    fn run(&mut self, candidate: &Code, _: Set, effort: Effort) -> Result<RunOutcome, BenchError> {
        let run = self.0.fetch_add(1, Ordering::SeqCst);
        let number: u64 = candidate.ptx.parse().unwrap();
        give_way(number * 7919 % 30);
        if number == LOST {
            return Err(BenchError(format!("lost in run {run}")));
        }
        let error = if effort.runs == 0 && number % 5 == 4 { f64::INFINITY } else { 0.0 };
        Ok(RunOutcome::Ran(vec![CaseResult { time_ns: 1e3 + number as f64, error }]))
    }
}

fn code(number: u64) -> Code {
    Code::text(number.to_string())
}

/// Two in a hundred cannot be assembled, of others each three have the same machine code.
fn made(edits: &[Edit]) -> Result<Assembled, Failure> {
    let number = number(edits);
    give_way(number * 104_729 % 50);
    match number % 100 {
        7 | 13 => Err(Failure::Compile),
        _ => Ok(Assembled { code: code(number / 3 * 3), digest: number / 3 }),
    }
}

fn evaluate(
    trials: &[Trial<Edit>],
    threads: usize,
    benches: usize,
    assemble: fn(&[Edit]) -> Result<Assembled, Failure>,
) -> Result<Evaluated, BenchError> {
    let runs: &AtomicUsize = Box::leak(Box::default());
    let mut benches: Vec<Box<dyn Bench>> =
        (0..benches).map(|_| Box::new(Slow(runs)) as Box<dyn Bench>).collect();
    let make = |edits: &[Edit]| Some(code(number(edits)));
    let candidates = Candidates {
        trials,
        assemble: &assemble,
        looks_right: &|edits| number(edits) % 7 != 2,
        passes: &|edits| number(edits) % 11 != 3,
        first: Some(First { make: &make, effort: Effort::new(0, 1) }),
        known: &|digest| (digest == 100).then_some(Report::Same(digest)),
        judge: Judge { efforts: Efforts::COUNTED, max_error: 0.01, to_beat_ns: 1.5e3 },
    };
    candidates.evaluate(threads, &mut benches)
}

#[test]
fn what_is_ready_first_makes_no_difference() {
    let trials = trials();
    let one = evaluate(&trials, 1, 1, made).unwrap();
    let same = one.reports.iter().filter(|report| matches!(report, Report::Same(_))).count();
    let failed = |failure| one.reports.iter().filter(|report| **report == Report::Failed(failure)).count();
    assert!(same > 3 && failed(Failure::Compile) > 0 && failed(Failure::Wrong) > 10);
    // What looks faster than 1.5 us has to pass, and nothing else.
    let ran = |number: u64| {
        let at = trials
            .iter()
            .position(|trial| self::number(&trial.edits) == number && trial.purpose == Purpose::Search);
        at.is_some_and(|at| matches!(one.reports[at], Report::Ran { .. }))
    };
    let refused = |number: &u64| number % 11 == 3;
    assert!(!(0..500).filter(refused).any(ran) && (500..1000).filter(refused).any(ran));
    for (threads, benches) in [(4, 1), (2, 3), (16, 2)] {
        let many = evaluate(&trials, threads, benches, made).unwrap();
        assert_eq!(many.reports, one.reports, "{threads} threads, {benches} benches");
        assert_eq!(many.failed, one.failed);
    }
    assert!(one.spent.first_runs > Duration::ZERO && one.spent.timed_runs > Duration::ZERO);
    assert!(one.spent.assembling > Duration::ZERO && one.spent.restarts == Duration::ZERO);
}

#[test]
fn a_device_that_is_lost_ends_it_and_without_one_it_does_not_begin() {
    let mut trials = trials();
    trials[200].edits = vec![deletion(LOST)];
    let error = evaluate(&trials, 3, 2, made).err().unwrap();
    assert!(error.0.starts_with("lost in run"), "{error}");
    let error = evaluate(&trials, 3, 0, made).err().unwrap();
    assert_eq!(error.0, "there is no device to run on");
}

#[test]
#[should_panic(expected = "scoped thread panicked")]
fn a_panic_ends_it_as_well() {
    let _ =
        evaluate(
            &trials(),
            2,
            1,
            |edits| if number(edits) > 500 { panic!("as it was told") } else { made(edits) },
        );
}
