//! The test of a patch with inputs that the search never saw, and its checks.

use maud::{Markup, html};
use nitro_page::{columns, wide};

use super::words;
use crate::check::{CheckOutcome, CheckReport};
use crate::finding::{Finding, TestCase};
use crate::floors::nearness_of_test;

/// Writes the test and the checks of a finding.
pub(super) fn part(finding: &Finding, is_counted: bool) -> Markup {
    html! {
        @if !finding.test.is_empty() {
            h3 { "With inputs that the search never saw" }
            @if is_counted { p { "Counted by an emulator, not measured." } }
            (wide("", "test inputs", &table(finding, is_counted)))
            @if let Some(nearness) = nearness_of_test(&finding.test) { p { "The patch has " (nearness) "." } }
        }
        (checks(&finding.checks))
    }
}

/// Writes the cases of the test.
fn table(finding: &Finding, is_counted: bool) -> Markup {
    let worst = finding.test.iter().map(|case| case.error).fold(0.0, f64::max);
    html! {
        table.numbers {
            thead {
                tr { (columns(&["input", "original", "patched", "times as fast", "error"])) }
            }
            tbody { @for case in &finding.test { (row(case, is_counted)) } }
            @if let Some(speedup) = finding.speedup().filter(|_| finding.test.len() > 1) {
                tfoot {
                    tr {
                        th scope="row" { "geometric mean, largest error" }
                        td {} td {} td { (words::times(speedup)) } td { (words::error(worst)) }
                    }
                }
            }
        }
    }
}

/// Writes a case.
fn row(case: &TestCase, is_counted: bool) -> Markup {
    html! {
        tr {
            th scope="row" { code { (case.case) } }
            td { (words::time(case.original_ns, is_counted)) } td { (words::time(case.patched_ns, is_counted)) }
            td { (words::times(case.original_ns / case.patched_ns)) } td { (words::error(case.error)) }
        }
    }
}

/// Writes the reports of the checks.
fn checks(checks: &[CheckReport]) -> Markup {
    html! {
        h3 { "Races and accesses" }
        @if checks.is_empty() {
            p {
                "Nothing looked for races or invalid accesses here: compute-sanitizer would, and is part of a CUDA "
                "toolkit."
            }
        } @else {
            ul.checks {
                @for CheckReport { check, outcome } in checks {
                    li.{ (class(outcome)) } {
                        b { (check) } ": "
                        @match outcome {
                            CheckOutcome::Clean => "nothing is wrong",
                            CheckOutcome::Off { by, .. } => { "nothing is wrong; " (by) }
                            CheckOutcome::Found(what) => { "found " (what) }
                            CheckOutcome::NotRun(why) => { "was not made: " (why) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the style of an outcome.
fn class(outcome: &CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Clean | CheckOutcome::Off { .. } => "clean",
        CheckOutcome::Found(_) => "found",
        CheckOutcome::NotRun(_) => "not-run",
    }
}
