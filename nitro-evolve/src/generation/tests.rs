use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nitro_ptx::{InstructionId, Operation};
use nitro_search::evolve::{Evolution, EvolvePlan, PatchSpace, Purpose};
use nitro_search::{Ask, Budget, Engine};

use super::*;
use crate::blame::Blame;
use crate::deadline::Deadline;
use crate::effort::{Effort, Efforts};
use crate::runner::{CaseResult, Code, RunOutcome};
use crate::stages::{About, Context, FirstRunForm, Refusal, STAGES};
use crate::subject::Subject;
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

impl Runner for Slow<'_> {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn begin(&mut self, _: &Workload, _: &Code, _: &[Set]) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        Ok(Vec::new())
    }

    fn run(&mut self, candidate: &Code, _: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        let run = self.0.fetch_add(1, Ordering::SeqCst);
        let number: u64 = candidate.ptx.parse().unwrap();
        give_way(number * 7919 % 30);
        if number == LOST {
            return Err(RunnerError(format!("lost in run {run}")));
        }
        let error = if effort.runs == 0 && number % 5 == 4 { f64::INFINITY } else { 0.0 };
        Ok(RunOutcome::Ran(vec![CaseResult { time_ns: 1e3 + number as f64, error }]))
    }
}

fn code(number: u64) -> Code {
    Code::text(number.to_string())
}

/// A stage that judges edits by a function, and passes those for which that gives none.
struct Judging {
    cost: Cost,
    takes: fn(&Candidate, &Conditions<'_>) -> bool,
    judge: fn(&mut Candidate) -> Option<Failure>,
}

impl Stage for Judging {
    fn about(&self) -> About {
        About { name: "judging", demand: "a function finds nothing", cost: self.cost }
    }

    fn takes(&self, candidate: &Candidate, conditions: &Conditions<'_>) -> bool {
        (self.takes)(candidate, conditions)
    }

    fn judge(&self, candidate: &mut Candidate, _: &mut Context<'_>) -> Result<(), Stop> {
        let failure = (self.judge)(candidate);
        failure.map_or(Ok(()), |failure| Err(Stop::Refused(Refusal { failure, why: "so it is".to_owned() })))
    }
}

fn is_new(candidate: &Candidate, _: &Conditions<'_>) -> bool {
    candidate.aim == Aim::Join
}

/// Two in a hundred cannot be assembled, of others each three have the same machine code.
fn make(candidate: &mut Candidate) -> Option<Failure> {
    let number = number(&candidate.edits);
    give_way(number * 104_729 % 50);
    if [7, 13].contains(&(number % 100)) {
        return Some(Failure::Compile);
    }
    candidate.code = Some(code(number / 3 * 3));
    candidate.digest = number / 3;
    None
}

/// Of the stages on devices those that evolution has; around them what is made up.
fn evaluate(
    trials: &[Trial<Edit>],
    threads: usize,
    runners: usize,
    make: fn(&mut Candidate) -> Option<Failure>,
) -> Result<Evaluation, RunnerError> {
    const CORE: Cost = Cost::Core("made up");
    let assembly = Judging { cost: CORE, takes: |_, _| true, judge: make };
    let early = Judging {
        cost: CORE,
        takes: is_new,
        judge: |candidate| (number(&candidate.edits) % 7 == 2).then_some(Failure::Wrong),
    };
    let bounds = Judging {
        cost: CORE,
        takes: is_new,
        judge: |candidate| {
            candidate.bounded = Some(code(number(&candidate.edits)));
            None
        },
    };
    let late = Judging {
        cost: CORE,
        takes: |candidate, conditions| {
            is_new(candidate, conditions)
                && candidate.fitness.is_some_and(|fitness| fitness.time_ns < conditions.to_beat_ns)
        },
        judge: |candidate| (number(&candidate.edits) % 11 == 3).then_some(Failure::Wrong),
    };
    let of_devices = STAGES
        .iter()
        .copied()
        .filter(|stage| ["first run", "timing", "validation"].contains(&stage.about().name));
    let mut stages: Vec<&dyn Stage> = vec![&assembly, &early, &bounds];
    stages.extend(of_devices);
    stages.push(&late);
    let subject = subject();
    let conditions = Conditions {
        subject: &subject,
        assemble: &|_| panic!("nothing is assembled"),
        efforts: Efforts::COUNTED,
        margin: 0.01,
        least_gain: 0.01,
        until: Deadline::NEVER,
        blame: &Blame::default(),
        max_error: 0.01,
        to_beat_ns: 1.5e3,
        first_run: Some(FirstRunForm { effort: Effort::new(0, 1), most_ns: 1, is_bounded: true }),
        small_inputs: None,
        relies_on_inputs: false,
        checks: &[],
    };
    let known = |digest| (digest == 100).then_some(Report::Same(digest));
    let generation = Generation { stages: &stages, conditions: &conditions, trials, known: &known };
    let runs: &AtomicUsize = Box::leak(Box::default());
    let mut runners: Vec<Box<dyn Runner>> =
        (0..runners).map(|_| Box::new(Slow(runs)) as Box<dyn Runner>).collect();
    generation.evaluate(threads, &mut runners)
}

/// The subject of a kernel that does nothing.
fn subject() -> Subject {
    let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
    let workload = r#"
        buffer = [{ name = "x", type = "f32", length = "n", role = "out" }]
        step = [{ kernel = "k", grid = [1], block = [32], arguments = [] }]
        search = [{ n = 1 }]
        validation = [{ n = 2 }]
        test = [{ n = 3 }]
    "#;
    Subject::new(ptx, Workload::parse(Path::new("k.toml"), workload).unwrap()).unwrap()
}

#[test]
fn what_is_ready_first_makes_no_difference() {
    let trials = trials();
    let one = evaluate(&trials, 1, 1, make).unwrap();
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
    for (threads, runners) in [(4, 1), (2, 3), (16, 2)] {
        let many = evaluate(&trials, threads, runners, make).unwrap();
        assert_eq!(many.reports, one.reports, "{threads} threads, {runners} runners");
        assert_eq!(many.failed, one.failed);
    }
    let time = |name: &str| one.time.stages.iter().find(|stage| stage.about.name == name).unwrap().time;
    assert!(time("first run") > Duration::ZERO && time("timing") > Duration::ZERO);
    assert!(time("judging") > Duration::ZERO && one.time.restarts == Duration::ZERO);
}

#[test]
fn a_device_that_is_lost_ends_it_and_without_one_it_does_not_begin() {
    let mut trials = trials();
    trials[200].edits = vec![deletion(LOST)];
    let error = evaluate(&trials, 3, 2, make).err().unwrap();
    assert!(error.0.starts_with("lost in run"), "{error}");
    let error = evaluate(&trials, 3, 0, make).err().unwrap();
    assert_eq!(error.0, "there is no device to run on");
}

#[test]
#[should_panic(expected = "scoped thread panicked")]
fn a_panic_ends_it_as_well() {
    let _ = evaluate(&trials(), 2, 1, |candidate| {
        if number(&candidate.edits) > 500 { panic!("as it was told") } else { make(candidate) }
    });
}
