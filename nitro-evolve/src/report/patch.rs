//! A patch: its verdict, the gain of its edits, its test, and the text.

use maud::{Markup, html};
use nitro_page::{code_box, on_demand, plural};

use super::{cases, changes, edits, machine, pairs, verdict, words};
use crate::finding::{Finding, Verdict};

/// Writes the section of a finding.
pub(super) fn section(number: usize, finding: &Finding, is_counted: bool) -> Markup {
    html! {
        section.function id={ "patch-" (number) } {
            h2 { "Patch " (number) ": " (words::finding(finding)) }
            p.facts {
                (plural(finding.edits.len(), "edit"))
                @if finding.edits_before != finding.edits.len() {
                    ", of " (finding.edits_before) " that the search had"
                }
                @if finding.edits.iter().any(|edit| edit.is_barrier) {
                    "; it changes where threads wait for each other"
                }
                @if is_counted { "; counted, not measured" }
            }
            p.line { (judged(finding)) }
            (dropped(finding))
            @if let Some(undone) = finding.what_is_undone() { p { (undone) "." } }
            (edits::part(finding))
            (pairs::part(finding))
            (cases::part(finding, is_counted))
            (changes::part(&finding.diff))
            (machine::part(&finding.machine_code))
            @let text = code_box("the text of the patch", &finding.patch);
            (on_demand("The patch, as a file that can be applied again", &text))
        }
    }
}

/// Lists the edits that were dropped, each with its reason.
fn dropped(finding: &Finding) -> Markup {
    html! {
        @if !finding.dropped.is_empty() {
            p { (plural(finding.dropped.len(), "edit")) " had to be dropped before the test:" }
            ul { @for dropped in &finding.dropped { li { code { (dropped.edit) } ", since with it " (dropped.why) } } }
        }
    }
}

/// Writes the verdict.
fn judged(finding: &Finding) -> Markup {
    html! {
        @match &finding.verdict {
            Verdict::Accepted(contract) => { strong { "Accepted" } ", " (verdict::contract(contract, finding)) "." }
            Verdict::Refused(why) => { strong.refused { "Refused" } ": " (why) "." }
        }
    }
}
