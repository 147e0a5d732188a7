//! Evolutions that begin with what was found elsewhere.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use nitro_ptx::{Edit, Operation, Patch};
use nitro_search::evolve::{EvolvePlan, PatchSpace, Purpose, Report};

use super::{REVERSE, REVERSE_RUN, TWICE, TWICE_RUN, assemble, edits, request, subject};
use crate::emulated::EmulatorRunner;
use crate::runner::Runner;
use crate::{EvolveError, EvolveRequest, EvolveResult, Observer, Progress, Subject, evolve};

/// The store that is overwritten and the barrier that nobody waits for.
const BOTH: &str = "delete b6\ndelete b11\n";

#[derive(Default)]
struct Lines(RefCell<Vec<String>>);

impl Observer for Lines {
    fn message(&self, line: &str) {
        self.0.borrow_mut().push(line.to_owned());
    }

    fn progress(&self, _: &Progress) {}
}

/// A patch of a subject.
fn patch(subject: &Subject, lines: &str) -> Patch {
    format!("patch of {}\n{lines}", subject.base().module().digest()).parse().unwrap()
}

fn run(
    subject: &Subject,
    log: &Path,
    most_trials: usize,
    begin_with: &[Patch],
) -> Result<EvolveResult, EvolveError> {
    let plan = EvolvePlan {
        population: 16,
        generations: usize::MAX,
        max_error: 0.0,
        seed: 4,
        ..EvolvePlan::default()
    };
    let request = EvolveRequest {
        plan,
        disassembler: Err("it is not asked for".to_owned()),
        begin_with: begin_with.to_vec(),
        ..request(subject, log, most_trials, Vec::new())
    };
    let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
    evolve(subject, runners, &assemble, request, &Lines::default())
}

/// The trials of a log, each with its generation.
fn trials(log: &Path) -> Vec<(u64, super::Told)> {
    let text = std::fs::read_to_string(log).unwrap();
    let generation =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["generation"].as_u64();
    text.lines().skip(1).map(|line| (generation(line).unwrap(), super::told(line))).collect()
}

#[test]
fn what_one_run_found_is_in_the_first_generation_of_another_and_evaluated_anew() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str| folder.path().join(name);
    let subject = subject(TWICE, TWICE_RUN);
    let first = run(&subject, &log("first"), 400, &[]).unwrap();
    let found: Patch = first.findings[0].patch.parse().unwrap();
    assert_eq!(first.begun_with, 0);
    // Beside it one that is wrong: it leaves out the guard.
    let given = [found.clone(), patch(&subject, "delete b11\ndelete b13\n"), found.clone()];
    let second = run(&subject, &log("second"), 40, &given).unwrap();
    assert_eq!(second.begun_with, 2, "one of them stands twice");
    let tried = trials(&log("second"));
    let told = |patch: &Patch| {
        let mut same = tried.iter().filter(|(_, told)| {
            let own = told.trial.purpose == Purpose::Search;
            own && edits(&subject, &told.trial.edits).iter().eq(&patch.edits)
        });
        let (generation, told) = same.next().unwrap();
        assert!(same.next().is_none(), "nothing is new twice");
        (*generation, told.report)
    };
    assert!(matches!(told(&found), (0, Report::Ran { .. })), "{:?}", told(&found));
    assert!(matches!(told(&given[1]), (0, Report::Failed(_))), "whoever has found it, it is wrong");
    assert!(
        tried.iter().any(|(generation, told)| *generation == 1 && told.trial.edits.len() > 2),
        "it is bred from"
    );
    assert_eq!(second.findings[0].patch, first.findings[0].patch);
    let page = crate::report::page("twice", &second);
    assert!(page.contains("It began with 2 patches found elsewhere, each evaluated anew."));
}

#[test]
fn an_evolution_that_was_stopped_goes_on_with_what_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str| folder.path().join(name);
    let subject = subject(TWICE, TWICE_RUN);
    let [one, other] = [BOTH, "delete b13\n"].map(|lines| patch(&subject, lines));
    let given = [one.clone(), other.clone()];
    let whole = run(&subject, &log("whole"), 100, &given).unwrap();
    let text = std::fs::read_to_string(log("whole")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let turned = [other.clone(), one.clone()];
    for (kept, given) in
        [(0, &given[..]), (1, &[]), (1, &turned), (2, &[]), (9, &given), (40, &[]), (lines.len(), &[])]
    {
        let cut = log("cut");
        // What a crash has cut off is no line, also where it is the header.
        std::fs::write(&cut, lines[..kept].concat() + "{\"format\":5,\"ba").unwrap();
        let again = run(&subject, &cut, 100, given).unwrap();
        assert_eq!(std::fs::read_to_string(&cut).unwrap(), text, "stopped after line {kept}");
        assert_eq!((&again.findings, again.begun_with), (&whole.findings, 2));
    }
    for (name, given, began) in [("whole", &[one.clone()][..], "2 patches"), ("plain", &[one], "no patch")] {
        if name == "plain" {
            run(&subject, &log(name), 20, &[]).unwrap();
        }
        let before = std::fs::read(log(name)).unwrap();
        let said = run(&subject, &log(name), 200, given).unwrap_err().to_string();
        let expected = format!("{name}:1: this evolution began with {began}, and --begin-with names others");
        assert!(said.contains(&expected), "{said}");
        assert_eq!(std::fs::read(log(name)).unwrap(), before, "it stays as it is");
    }
}

#[test]
fn a_log_of_another_format_is_refused_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    for format in [4, 6] {
        std::fs::write(&log, format!("{{\"format\":{format},\"base\":\"0\"}}\n")).unwrap();
        let said = run(&subject(TWICE, TWICE_RUN), &log, 20, &[]).unwrap_err().to_string();
        assert!(
            said.contains(&format!("log:1: the log is of format {format}, and this program has 5")),
            "{said}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let subject = subject(TWICE, TWICE_RUN);
    let other = super::subject(REVERSE, REVERSE_RUN);
    let of = |lines: &str| vec![patch(&subject, lines)];
    let numbers = |range: std::ops::Range<usize>| -> String {
        range.map(|number| format!("operand b9 slot 2 = {number}\n")).collect()
    };
    let cases = [
        (vec![patch(&other, "delete b3\n")], "the patch is for the text with digest"),
        (of("delete b99\n"), "`delete b99`: there is no b99"),
        (of("delete b1\n"), "may have no value where"),
        (of("# nothing\n"), "the patch has no edits"),
        (of(&numbers(0..257)), "the patch has 257 edits, and an evolution begins with at most 256"),
        (vec![patch(&subject, BOTH); 65], "there are 65 patches, and an evolution begins with at most 64"),
    ];
    for (given, expected) in cases {
        let said = run(&subject, &log, 20, &given).unwrap_err();
        assert!(matches!(said, EvolveError::BeginWith(_)) && said.to_string().contains(expected), "{said}");
        assert!(!log.exists());
    }
}

/// So what is found elsewhere can be crossed: an instruction is the same one wherever the edit that made it was found.
#[test]
fn created_instructions_are_called_by_what_made_them() {
    let [here, there] = [(), ()].map(|()| subject(REVERSE, REVERSE_RUN));
    let drawn = |subject: &Subject, seeds: std::ops::Range<u64>| -> Vec<Edit> {
        seeds.filter_map(|seed| subject.base().mutate(&[], seed)).collect()
    };
    let (one, other) = (drawn(&here, 0..1500), drawn(&there, 1_000_000..1_001_500));
    let mut made: BTreeMap<String, Operation> = BTreeMap::new();
    let mut shared = 0;
    for edit in one.iter().chain(&other).filter(|edit| makes(&edit.operation)) {
        let id = edit.operation.created().to_string();
        let known = made.entry(id).or_insert_with(|| edit.operation.clone());
        assert_eq!(*known, edit.operation, "another edit has this number");
    }
    for edit in one.iter().filter(|edit| makes(&edit.operation)) {
        // The same operation with other repairs: together they would make one instruction twice.
        let repaired = other.iter().filter(|own| own.operation == edit.operation && own.fixes != edit.fixes);
        for twin in repaired.take(1) {
            shared += 1;
            assert!(!here.base().is_valid(&[edit.clone(), twin.clone()]), "{edit}{twin}");
        }
    }
    assert!(made.len() > 100 && shared > 0, "{} {shared}", made.len());
}

fn makes(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Copy { .. } | Operation::Move { .. } | Operation::Replace { .. } | Operation::Swap(..)
    )
}
