//! What would refuse a patch after a search, found during it.

use std::path::Path;

use nitro_search::evolve::EvolvePlan;

use super::repair::{NEARLY, NEARLY_RUN};
use super::{Silent, assemble, request, subject};
use crate::emulated::EmulatorRunner;
use crate::finding::{Contract, Verdict};
use crate::runner::Runner;
use crate::{Check, EmulatorCheck, EvolveRequest, evolve};

/// Evolves a program of which `max.f32` does nothing with the inputs that there are, on so many threads. Returns the
/// edits of what was accepted as exact, and the log. It may go on with the log of an earlier run.
fn found(threads: usize, most_trials: usize, log: &Path) -> (Vec<Vec<String>>, String) {
    let text = NEARLY.replace("div.rn.f32 %f1, %f1, 0f3F801062;", "max.f32 %f1, %f1, 0f00000000;");
    let text = text.replace("div.rn.f32 %f1, %f1, 0f3F80106A;", "");
    let subject = subject(&text, NEARLY_RUN);
    let race_check = EmulatorCheck::new(subject.workload(), &text, 0.0).unwrap();
    let checks: Vec<Box<dyn Check>> = vec![Box::new(race_check)];
    let plain = request(&subject, log, most_trials, checks);
    let plan = EvolvePlan { population: 16, ..plain.plan.clone() };
    let patch = format!("patch of {}\ndelete b5\ndelete b7\n", subject.base().module().digest());
    let request = EvolveRequest { plan, threads, begin_with: vec![patch.parse().unwrap()], ..plain };
    let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
    let findings = evolve(&subject, runners, &assemble, request, &Silent).unwrap().findings;
    let mut accepted = Vec::new();
    for finding in findings.iter().filter(|own| own.verdict == Verdict::Accepted(Contract::Exact)) {
        accepted.push(finding.edits.iter().map(|edit| edit.edit.clone()).collect());
    }
    (accepted, std::fs::read_to_string(log).unwrap())
}

#[test]
fn an_edit_that_is_right_by_chance_is_blamed_and_the_search_goes_on_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let (accepted, log) = found(12, 200, &folder.path().join("once"));
    assert!(log.contains(r#""report":{"blamed":["#), "{log}");
    let has = |edits: &Vec<String>, edit: &str| edits.iter().any(|own| own == edit);
    assert!(accepted.iter().any(|edits| has(edits, "delete b7")), "{accepted:?}");
    assert!(!accepted.iter().any(|edits| has(edits, "delete b5")), "{accepted:?}");
    // A run is the same on whatever cores, and goes on where it was.
    assert_eq!(found(12, 200, &folder.path().join("again")), (accepted, log.clone()));
    assert!(found(12, 300, &folder.path().join("again")).1.starts_with(&log));
}

#[test]
fn where_threads_are_few_nothing_is_looked_at_early() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!found(2, 200, &folder.path().join("log")).1.contains("blamed"));
}
