//! Patches of which one edit is wrong, in ways that the search does not see.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nitro_search::evolve::EvolvePlan;

use super::{
    Canned, REVERSE, REVERSE_RUN, Silent, TWICE, TWICE_RUN, assemble, request, small_inputs, subject,
};
use crate::blame::Blame;
use crate::effort::Efforts;
use crate::emulated::{EmulatorCheck, EmulatorRunner};
use crate::exactness::Exactness;
use crate::finding::{Contract, Finding, Verdict};
use crate::runner::Runner;
use crate::stages::Conditions;
use crate::{Check, CheckOutcome, Deadline, Depth, EvolveRequest, Objection, Subject, evolve};

/// Each element twice over, with two divisions that change hardly anything.
pub(super) const NEARLY: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry nearly(.param .u64 of)
{
    .reg .b32 %r<2>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [of];
    mov.u32 %r1, %tid.x;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    div.rn.f32 %f1, %f1, 0f3F801062;
    div.rn.f32 %f1, %f1, 0f3F80106A;
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f1;
    st.global.f32 [%rd3], %f2;
    ret;
}
";

pub(super) const NEARLY_RUN: &str = "\
max_error = 0.0013
[[buffer]]
name = \"of\"
type = \"f32\"
length = \"n\"
role = \"inout\"
values = \"i + 1\"
error = \"relative\"
[[step]]
kernel = \"nearly\"
grid = [1]
block = [\"n\"]
arguments = [\"of\"]
[[search]]
n = 32
[[validation]]
n = 64
[[test]]
n = 96
";

/// Makes a check that looks for races.
fn race_check(subject: &Subject, max_error: f64) -> Box<dyn Check> {
    Box::new(EmulatorCheck::new(subject.workload(), &subject.original().ptx, max_error).unwrap())
}

/// Evolves a subject for a moment from a patch, with one check. Returns the findings.
fn found(subject: &Subject, patch: &str, max_error: f64, check: Box<dyn Check>) -> Vec<Finding> {
    found_with(subject, patch, max_error, vec![check])
}

/// Evolves a subject for a moment from a patch, with these checks. Returns the findings.
fn found_with(subject: &Subject, patch: &str, max_error: f64, checks: Vec<Box<dyn Check>>) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let patch = format!("patch of {}\n{patch}", subject.base().module().digest());
    let plain = request(subject, &log, 16, checks);
    let request = EvolveRequest {
        plan: EvolvePlan { population: 4, max_error, ..plain.plan.clone() },
        begin_with: vec![patch.parse().unwrap()],
        disassembler: Err("it is not asked for".to_owned()),
        ..plain
    };
    let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
    evolve(subject, runners, &assemble, request, &Silent).unwrap().findings
}

#[test]
fn an_edit_that_makes_threads_race_is_dropped_and_the_others_are_accepted() {
    // A store that is overwritten, beside the barrier that larger blocks need.
    let wasteful = REVERSE.replace("    bar.sync 0;\n", "    st.global.u32 [%rd3], %r4;\n    bar.sync 0;\n");
    let subject = subject(&wasteful, REVERSE_RUN);
    let findings = found(&subject, "delete b12\ndelete b13\n", 0.0, race_check(&subject, 0.0));
    let repaired = findings.iter().find(|finding| !finding.dropped.is_empty()).unwrap();
    assert_eq!(repaired.verdict, Verdict::Accepted(Contract::Exact), "{findings:?}");
    let has = |edit: &str| repaired.edits.iter().any(|own| own.edit == edit);
    assert!(has("delete b12") && !has("delete b13"), "{repaired:?}");
    assert_eq!(repaired.dropped[0].edit, "delete b13");
    assert!(repaired.dropped[0].why.contains("race"), "{:?}", repaired.dropped);
    assert!(findings.iter().all(|finding| finding.verdict == repaired.verdict), "{findings:?}");
}

#[test]
fn of_edits_whose_errors_add_up_as_many_stay_as_leave_a_margin() {
    let subject = subject(NEARLY, NEARLY_RUN);
    // Each division is by 1.0005: one is within half of the error that is allowed, both together are not.
    let both = "delete b5\ndelete b6\ndelete b8\n";
    let findings = found(&subject, both, 0.0013, race_check(&subject, 0.0013));
    let repaired = findings.iter().find(|finding| !finding.dropped.is_empty()).unwrap();
    let Verdict::Accepted(Contract::Approx { max_error, .. }) = repaired.verdict else {
        panic!("{findings:?}")
    };
    assert!(max_error > 4e-4 && max_error < 6e-4, "{max_error}");
    assert_eq!((repaired.edits.len(), repaired.dropped.len()), (2, 1));
    assert!(repaired.dropped[0].why.contains("more than half of the 1.3e-3"), "{:?}", repaired.dropped);
}

#[test]
fn a_patch_of_which_nothing_is_right_is_refused_for_its_first_reason_after_a_bounded_number_of_checks() {
    let subject = subject(NEARLY, NEARLY_RUN);
    let displeased =
        Canned::new("displeased", |_| CheckOutcome::Found(Objection::new("everything is wrong")));
    let (displeased, asked) = displeased.counted();
    let findings = found(&subject, "delete b5\ndelete b6\ndelete b8\n", 0.01, displeased);
    assert!(findings.iter().any(|finding| finding.edits.len() == 3), "{findings:?}");
    for finding in &findings {
        assert_eq!(finding.verdict, Verdict::Refused("displeased: everything is wrong".to_owned()));
        assert_eq!(
            (&finding.dropped, &finding.test),
            (&Vec::new(), &Vec::new()),
            "the test has seen nothing"
        );
    }
    assert!(asked.load(Ordering::Relaxed) <= 41 * findings.len(), "{asked:?}");
}

#[test]
fn a_repair_asks_what_objected_and_the_other_checks_only_about_what_is_left() {
    let wasteful = REVERSE.replace("    bar.sync 0;\n", "    st.global.u32 [%rd3], %r4;\n    bar.sync 0;\n");
    let subject = subject(&wasteful, REVERSE_RUN);
    let (pleased, asked) = Canned::new("pleased", |_| CheckOutcome::Clean).counted();
    let checks = vec![race_check(&subject, 0.0), pleased];
    let findings = found_with(&subject, "delete b12\ndelete b13\n", 0.0, checks);
    let repaired = findings.iter().filter(|finding| !finding.dropped.is_empty()).count();
    assert!(repaired > 0, "{findings:?}");
    // About what is proved, about the whole, and about what is left after the repair, which is what is proved.
    assert_eq!((asked.load(Ordering::Relaxed), findings.len()), (3, 1), "{findings:?}");
}

#[test]
fn errors_of_parts_are_looked_at_without_any_check() {
    let subject = subject(NEARLY, NEARLY_RUN);
    let (pleased, asked) = Canned::new("pleased", |_| CheckOutcome::Clean).counted();
    let findings = found(&subject, "delete b5\ndelete b6\ndelete b8\n", 0.0013, pleased);
    let repaired = findings.iter().filter(|finding| !finding.dropped.is_empty()).count();
    assert!(repaired > 0, "{findings:?}");
    assert!(asked.load(Ordering::Relaxed) <= findings.len() + 1, "{asked:?} for {findings:?}");
}

#[test]
fn what_a_finding_names_is_all_that_is_run_again() {
    let subject = subject(REVERSE, REVERSE_RUN);
    let check = small_inputs(&subject);
    let racing = REVERSE.replace("bar.sync 0;", "");
    let CheckOutcome::Found(found) = check.check(&racing, Depth::Thorough, Deadline::NEVER) else {
        panic!("clean")
    };
    let again = |text: &str, found: &Objection| check.check_again(text, found, Deadline::NEVER);
    assert!(matches!(again(&racing, &found), CheckOutcome::Found(_)), "{found}");
    assert_eq!(again(REVERSE, &found), CheckOutcome::Clean);
    let of_one_thread = "block=1 blocks=1 seed=0";
    assert!(check.cases().contains(&of_one_thread), "{:?}", check.cases());
    let objection = Objection::with(of_one_thread, "it was");
    assert_eq!(again(&racing, &objection), CheckOutcome::Clean, "one thread does not race");
    let of_no_input = Objection::new("with block=1 blocks=1 seed=0, says somebody who does not know it");
    assert!(matches!(again(&racing, &of_no_input), CheckOutcome::Found(_)));
}

#[test]
fn patches_are_checked_when_the_minutes_for_preparation_are_over() {
    let twice = subject(TWICE, TWICE_RUN);
    let in_an_hour = Instant::now() + Duration::from_secs(3600);
    let workload = twice.workload().clone().until(in_an_hour);
    let ptx = &twice.original().ptx;
    let checks = [
        EmulatorCheck::new(&workload, ptx, 0.0).unwrap(),
        EmulatorCheck::on_unwritten_inputs(&workload, ptx, 0.0).unwrap(),
    ];
    assert_eq!(checks.map(|check| check.deadline()), [None; 2]);
}

/// Products in the place of the divisions of [`NEARLY`], which nobody approximates; the last one is by 1 in the first
/// threads.
fn nearly_for_others_than(threads: u32) -> String {
    let of_others = format!(
        "setp.ge.u32 %p1, %r1, {threads};\n    selp.f32 %f2, 0f3F80106A, 0f3F800000, %p1;\n    \
         mul.f32 %f1, %f1, %f2;"
    );
    let text =
        NEARLY.replace("div.rn.f32 %f1, %f1, 0f3F80106A;", &of_others).replace("div.rn.f32", "mul.f32");
    text.replace("{\n    .reg", "{\n    .reg .pred %p<2>;\n    .reg")
}

#[test]
fn a_patch_that_is_exact_with_the_inputs_of_the_search_alone_is_not_called_exact_in_the_search() {
    // The validation has 64 threads, the search 32.
    let subject = subject(&nearly_for_others_than(32), NEARLY_RUN);
    let check = race_check(&subject, 0.0013);
    let findings = found(&subject, "delete b8\ndelete b10\n", 0.0013, check);
    let without = |finding: &&Finding| finding.edits.iter().any(|edit| edit.edit == "delete b8");
    let errors: Vec<f64> = findings.iter().filter(without).map(|finding| finding.search.error).collect();
    assert!(!errors.is_empty() && errors.iter().all(|error| *error > 0.0), "{findings:?}");
}

#[test]
fn of_a_patch_that_only_checks_show_to_be_inexact_the_exact_part_is_found_too() {
    // The test has 96 threads, which the check runs before.
    let subject = subject(&nearly_for_others_than(64), NEARLY_RUN);
    let check = race_check(&subject, 0.0013);
    let findings = found(&subject, "delete b8\ndelete b10\n", 0.0013, check);
    let of = |is_exact: bool| {
        let is_so = |own: &&Finding| match &own.verdict {
            Verdict::Accepted(Contract::Exact) => is_exact,
            Verdict::Accepted(Contract::Approx { .. }) => !is_exact,
            Verdict::Refused(_) => false,
        };
        findings.iter().find(is_so).unwrap_or_else(|| panic!("{findings:?}"))
    };
    let edits =
        |finding: &Finding| -> Vec<String> { finding.edits.iter().map(|edit| edit.edit.clone()).collect() };
    let has = |is_exact, edit: &str| edits(of(is_exact)).contains(&edit.to_owned());
    assert!(has(true, "delete b10") && !has(true, "delete b8"), "{findings:?}");
    assert_eq!(of(true).dropped[0].edit, "delete b8");
    assert!(has(false, "delete b8"), "{findings:?}");
}

#[test]
fn what_is_right_by_chance_of_the_data_is_no_part_of_an_exact_patch() {
    // No input has numbers below 0.
    let text = NEARLY.replace("div.rn.f32 %f1, %f1, 0f3F801062;", "max.f32 %f1, %f1, 0f00000000;");
    let subject = subject(&text, &NEARLY_RUN.replace("0.0013", "0"));
    let findings = found(&subject, "delete b5\ndelete b8\n", 0.0, race_check(&subject, 0.0));
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.verdict, Verdict::Accepted(Contract::Exact), "{finding:?}");
    let has = |edit: &str| finding.edits.iter().any(|own| own.edit == edit);
    assert!(has("delete b8") && !has("delete b5"), "{finding:?}");
    let [dropped] = &finding.dropped[..] else { panic!("{finding:?}") };
    assert_eq!(dropped.edit, "delete b5");
    assert!(dropped.why.ends_with("element 0 of `of` is not the same term"), "{dropped:?}");
}

#[test]
fn what_is_right_by_chance_of_the_data_is_worth_the_error_that_is_permitted() {
    let text = NEARLY.replace("div.rn.f32 %f1, %f1, 0f3F801062;", "max.f32 %f1, %f1, 0f00000000;");
    let subject = subject(&text, NEARLY_RUN);
    let findings = found(&subject, "delete b5\ndelete b8\n", 0.0013, race_check(&subject, 0.0013));
    for finding in &findings {
        let has_chance = finding.edits.iter().any(|edit| edit.edit == "delete b5");
        let is_exact = match &finding.verdict {
            Verdict::Accepted(Contract::Exact) => true,
            Verdict::Accepted(Contract::Approx { max_error, .. }) => *max_error != 0.0013,
            Verdict::Refused(why) => panic!("{why}"),
        };
        assert_eq!(has_chance, !is_exact, "{finding:?}");
    }
    let is_exact = |finding: &Finding| finding.verdict == Verdict::Accepted(Contract::Exact);
    assert!(findings.iter().any(is_exact) && !findings.iter().all(is_exact), "{findings:?}");
}

/// Returns what is proved of some edits of a subject.
fn proof(subject: &Subject, edits: &str) -> Exactness {
    let conditions = Conditions {
        subject,
        assemble: &assemble,
        efforts: Efforts::COUNTED,
        margin: 0.01,
        least_gain: 0.01,
        until: Deadline::NEVER,
        blame: &Blame::default(),
        max_error: 0.0,
        to_beat_ns: f64::INFINITY,
        first_run: None,
        small_inputs: None,
        relies_on_inputs: false,
        checks: &[race_check(subject, 0.0)],
    };
    let patch = format!("patch of {}\n{edits}", subject.base().module().digest());
    conditions.prove(&patch.parse::<nitro_ptx::Patch>().unwrap().edits, Deadline::NEVER)
}

#[test]
fn what_compilers_make_as_one_step_is_not_said_to_be_right_by_chance() {
    // A sum of doubles that were floats, as a float: nearly that of the floats, and another term.
    let doubles =
        "cvt.f64.f32 %fd1, %f1;\n    add.f64 %fd1, %fd1, 0d3FF19999A0000001;\n    cvt.rn.f32.f64 %f1, %fd1;";
    let text = NEARLY.replace("div.rn.f32 %f1, %f1, 0f3F801062;", doubles);
    let text = text.replace("div.rn.f32 %f1, %f1, 0f3F80106A;", "max.f32 %f1, %f1, 0f00000000;");
    let text = text.replace("{\n    .reg", "{\n    .reg .f64 %fd<2>;\n    .reg");
    let subject = subject(&text, NEARLY_RUN);
    let step = proof(&subject, "narrow all of nearly\n");
    assert!(matches!(&step, Exactness::Tested { why } if why.ends_with("is not the same term")), "{step}");
    for edits in ["delete b8\n", "delete b8\nnarrow all of nearly\n"] {
        assert!(matches!(proof(&subject, edits), Exactness::ByChance { .. }), "{edits}");
    }
}

#[test]
fn a_quotient_of_ordinary_numbers_is_proved_for_those_whatever_else_is_changed() {
    let subject = subject(NEARLY, NEARLY_RUN);
    let ordinary =
        "provided that operands and results of quotients and roots are ordinary numbers, as in the test";
    for (edits, over) in [("", "at all sizes"), ("delete b8\n", "sizes up to n=")] {
        let quick = proof(&subject, &format!("{edits}quick all of nearly\n")).to_string();
        let is_proved = quick.starts_with("proved for all data") && quick.ends_with(ordinary);
        assert!(is_proved && quick.contains(over), "{quick}");
    }
    let wrong = proof(&subject, "delete b5\nquick b6\n");
    assert!(matches!(wrong, Exactness::ByChance { .. }), "{wrong}");
}

#[test]
fn what_keeps_the_meaning_of_the_text_is_tested_before_what_the_test_refuses() {
    // Only threads of the test are doubled. Nothing is said of them before.
    let guarded = "setp.lt.u32 %p1, %r1, 16;\n    @%p1 bra FEW;\n    add.f32 %f1, %f1, 0f3F800000;\nFEW:\n    \
                   setp.ge.u32 %p1, %r1, 64;\n    @%p1 add.f32 %f1, %f1, %f1;\n    add.f32";
    let text = NEARLY.replacen("add.f32", guarded, 1);
    let text = text.replace("{\n    .reg", "{\n    .reg .pred %p<2>;\n    .reg");
    let subject = subject(&text, &NEARLY_RUN.replace("0.0013", "0"));
    let (pleased, _) = Canned::new("pleased", |_| CheckOutcome::Clean).counted();
    let findings = found(&subject, "predicate b8\ndelete b11\n", 0.0, pleased);
    let [kept, whole] = &findings[..] else { panic!("{findings:?}") };
    assert!(matches!(&whole.verdict, Verdict::Refused(why) if why.contains("of the test")), "{whole:?}");
    assert_eq!(kept.verdict, Verdict::Accepted(Contract::Exact), "{kept:?}");
    assert_eq!(kept.edits.iter().map(|edit| edit.edit.as_str()).collect::<Vec<_>>(), ["predicate b8"]);
}

#[test]
fn what_takes_seconds_is_not_asked_about_what_is_refused_anyway() {
    let subject = subject(TWICE, TWICE_RUN);
    let folder = tempfile::tempdir().unwrap();
    let asked = |name: &'static str, quick: fn(Depth) -> CheckOutcome| {
        let slow = Canned { takes_seconds: true, ..Canned::new("slow", |_| CheckOutcome::Clean) };
        let (slow, asked) = slow.counted();
        let checks: Vec<Box<dyn Check>> = vec![slow, Box::new(Canned::new("quick", quick))];
        let log = folder.path().join(name);
        let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
        let request = request(&subject, &log, 300, checks);
        let findings = evolve(&subject, runners, &assemble, request, &Silent).unwrap().findings;
        (findings[0].checks.len(), asked.load(Ordering::Relaxed))
    };
    assert_eq!(asked("refused", |_| CheckOutcome::Found(Objection::new("something"))), (1, 0));
    let (checks, times) = asked("passed", |_| CheckOutcome::Clean);
    assert!((checks, times > 0) == (2, true), "{checks} {times}");
}
