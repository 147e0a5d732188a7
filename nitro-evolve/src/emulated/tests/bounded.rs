//! What follows a search: it ends in time, says what was not done, and leaves what it had when it is interrupted.

use std::cell::RefCell;

use super::*;
use crate::error::EvolveError;
use crate::finding::Undone;

/// Evolves `TWICE` from a patch that takes barrier and store away.
fn from_waste(
    most_time_after: Duration,
    checks: Vec<Box<dyn Check>>,
    runner: Box<dyn Runner>,
    keep: &dyn Fn(&EvolveResult) -> Result<(), EvolveError>,
) -> Result<EvolveResult, EvolveError> {
    let folder = tempfile::tempdir().unwrap();
    let (subject, log) = (subject(TWICE, TWICE_RUN), folder.path().join("log"));
    let patch = format!("patch of {}\ndelete b6\ndelete b11\n", subject.base().module().digest());
    let plain = request(&subject, &log, 16, checks);
    let request = EvolveRequest {
        plan: EvolvePlan { population: 4, ..plain.plan.clone() },
        most_time_after,
        small_inputs: Some(Box::new(small_inputs(&subject))),
        begin_with: vec![patch.parse().unwrap()],
        disassembler: Err("it is not asked for".to_owned()),
        keep,
        ..plain
    };
    evolve(&subject, vec![runner], &assemble, request, &Silent)
}

fn twice_race_check() -> Vec<Box<dyn Check>> {
    race_check(&subject(TWICE, TWICE_RUN))
}

#[test]
fn where_no_time_is_left_after_the_search_nothing_is_accepted_unchecked() {
    let runner = Box::new(EmulatorRunner::new());
    let evolved = from_waste(Duration::ZERO, twice_race_check(), runner, &|_| Ok(())).unwrap();
    let finding = &evolved.findings[0];
    assert_eq!(finding.verdict, Verdict::Refused("no time was left for the checks".to_owned()));
    assert_eq!(finding.undone, [Undone::Explained, Undone::Minimised, Undone::Repaired]);
    assert!(finding.test.is_empty() && finding.exactness.is_none() && !finding.edits.is_empty());
    let said = crate::cli::describe(1, finding);
    assert!(
        said.contains("not known")
            && said.contains("no time was left: what each edit brings was not measured, it may have"),
        "{said}"
    );
    assert!(crate::report::page("twice", &evolved).contains("no time was left: what each edit"));
}

#[test]
fn what_is_tested_when_the_time_ends_is_accepted_and_not_proved() {
    // Without checks, nothing before the test asks for time.
    let runner = Box::new(EmulatorRunner::new());
    let text = TWICE.replace("    bar.sync 0;\n", "");
    let folder = tempfile::tempdir().unwrap();
    let (subject, log) = (subject(&text, TWICE_RUN), folder.path().join("log"));
    let patch = format!("patch of {}\ndelete b10\n", subject.base().module().digest());
    let plain = request(&subject, &log, 16, Vec::new());
    let request = EvolveRequest {
        plan: EvolvePlan { population: 4, ..plain.plan.clone() },
        most_time_after: Duration::ZERO,
        begin_with: vec![patch.parse().unwrap()],
        ..plain
    };
    let evolved = evolve(&subject, vec![runner], &assemble, request, &Silent).unwrap();
    let finding = &evolved.findings[0];
    assert_eq!(finding.verdict, Verdict::Accepted(Contract::Exact), "{finding:?}");
    assert!(matches!(finding.exactness, Some(Exactness::Tested { .. })));
    assert_eq!(finding.machine_code, MachineCode::Unknown("no time was left".to_owned()));
}

/// Runs the test of one patch, and is lost with the next measurement after that.
struct LostAfterTest {
    runner: EmulatorRunner,
    tests: usize,
}

impl Runner for LostAfterTest {
    fn name(&self) -> String {
        self.runner.name()
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        self.runner.begin(workload, original, sets)
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        // The original and the patch.
        if self.tests == 2 {
            return Err(RunnerError("the device is lost".to_owned()));
        }
        self.tests += usize::from(set == Set::Test);
        self.runner.run(candidate, set, effort)
    }
}

#[test]
fn a_patch_is_kept_as_soon_as_it_is_accepted_and_again_when_it_is_proved() {
    let kept = RefCell::new(Vec::new());
    let keep = |known: &EvolveResult| {
        let first = known.findings.first().map(|first| (first.verdict.clone(), first.exactness.clone()));
        kept.borrow_mut().push((first, known.is_under_way));
        Ok(())
    };
    let runner = Box::new(LostAfterTest { runner: EmulatorRunner::new(), tests: 0 });
    let error = from_waste(Duration::MAX, twice_race_check(), runner, &keep).unwrap_err();
    assert_eq!(error.to_string(), "the device is lost");
    let kept = kept.into_inner();
    let exact = Verdict::Accepted(Contract::Exact);
    let not_yet = Exactness::Tested { why: "no time was left".to_owned() };
    assert_eq!(kept[0], (Some((exact, Some(not_yet))), true));

    let (states, proved) = (RefCell::new(Vec::new()), RefCell::new(false));
    let keep = |known: &EvolveResult| {
        states.borrow_mut().push(known.is_under_way);
        let first = known.findings.first().and_then(|first| first.exactness.clone());
        *proved.borrow_mut() |= known.is_under_way && matches!(first, Some(Exactness::Proved { .. }));
        Ok(())
    };
    from_waste(Duration::MAX, twice_race_check(), Box::new(EmulatorRunner::new()), &keep).unwrap();
    let states = states.into_inner();
    assert!(proved.into_inner());
    assert!(states.ends_with(&[true, false]) && states[..states.len() - 1].iter().all(|state| *state));
}

#[test]
fn what_cannot_be_kept_ends_the_run_with_its_reason() {
    let keep = |_: &EvolveResult| Err(EvolveError::Foreign("the disk is full".to_owned()));
    let runner = Box::new(EmulatorRunner::new());
    let error = from_waste(Duration::MAX, twice_race_check(), runner, &keep).unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

#[test]
fn a_check_that_does_not_end_in_time_was_not_made_and_a_proof_says_so() {
    let subject = subject(TWICE, TWICE_RUN);
    let over = Deadline::after(Duration::ZERO);
    let without_store = TWICE.replace("st.global.u32 [%rd3], %r5;", "");
    let mut checks = race_check(&subject);
    checks.push(Box::new(small_inputs(&subject)));
    for check in checks {
        let not_run = CheckOutcome::NotRun("no time was left".to_owned());
        assert_eq!(check.check(&without_store, Depth::Thorough, over), not_run);
        let found = Objection::with("n=1 seed=0", "something");
        assert_eq!(check.check_again(&without_store, &found, over), not_run);
        let exactness = check.prove(&without_store, TWICE, over).unwrap();
        assert_eq!(exactness.to_string(), "tested, and not proved: no time was left");
    }
}
