//! What came of it, in words.

use maud::{Markup, html};
use nitro_page::{plural, wide};

use super::{is_counted, words};
use crate::Evolved;
use crate::evolve::patches;
use crate::finding::{Contract, Finding, Verdict};

/// What was evolved.
pub(super) fn subject(evolved: &Evolved) -> Markup {
    html! {
        @for (at, kernel) in evolved.kernels.iter().enumerate() { @if at > 0 { ", " } code { (kernel) } }
        @if !evolved.kernels.is_empty() { ": " }
        (plural(evolved.instructions, "instruction")) " of PTX, on "
        @match evolved.on.is_empty() { true => "nothing", false => (evolved.on.join(", ")) }
        "."
    }
}

pub(super) fn section(evolved: &Evolved) -> Markup {
    html! {
        @if is_counted(evolved) { (counted()) }
        section.verdict {
            h2 { "What came of it" }
            p.headline { (headline(evolved)) }
            @if evolved.findings.len() > 1 { (list(&evolved.findings)) }
            p {
                (plural(evolved.history.counts.trials, "candidate")) " in " (plural(evolved.generations, "generation"))
                " and " (words::duration(evolved.seconds)) "; " (words::allowed(evolved.max_error)) " was allowed."
            }
            @if evolved.begun_with > 0 {
                p { "It began with " (patches(evolved.begun_with)) " found elsewhere, each evaluated anew." }
            }
            (original(&evolved.original, is_counted(evolved)))
        }
    }
}

/// Nobody may take counts for times.
fn counted() -> Markup {
    html! {
        p.counted role="note" {
            strong { "Counted, not measured." } " Nothing of this ran on a GPU: an emulator counted what the programs do. All times on this page, and whatever is as fast as something, are such counts; "
            "they say what a patch leaves out, not how fast it is."
        }
    }
}

/// How fast it is and what it promises, where it may be used.
fn accepted(finding: &Finding) -> Option<(f64, &Contract)> {
    match &finding.verdict {
        Verdict::Accepted(contract) => finding.speedup().map(|speedup| (speedup, contract)),
        Verdict::Refused(_) => None,
    }
}

fn headline(evolved: &Evolved) -> Markup {
    let numbered = || (1..).zip(&evolved.findings);
    let known = numbered().filter_map(|(number, finding)| Some((edits(number, finding), accepted(finding)?)));
    let fastest = known.max_by(|one, other| one.1.0.total_cmp(&other.1.0));
    let refused = numbered().find_map(|(number, finding)| match &finding.verdict {
        Verdict::Refused(why) => Some((edits(number, finding), why)),
        Verdict::Accepted(_) => None,
    });
    html! {
        @if let Some((edits, (speedup, contract))) = fastest {
            strong { (words::times(speedup)) " times as fast" }
            @if is_counted(evolved) { " (counted, not measured)" }
            " with inputs that the search never saw, by " (edits) ", "
            (self::contract(contract)) "."
        } @else if let Some((edits, why)) = refused {
            "A patch of " (edits) " was found and " strong { "refused" } ": " (why) "."
        } @else if evolved.history.counts.trials == 0 {
            strong { "Nothing was tried." } " There was no time, or no instruction that may be edited."
        } @else {
            strong { "Nothing was found" } " that is faster than the original by more than times vary."
        }
    }
}

/// How many, which lead to the patch.
fn edits(number: usize, finding: &Finding) -> Markup {
    html! { a href={ "#patch-" (number) } { (plural(finding.edits.len(), "edit")) } }
}

/// What a patch promises.
pub(super) fn contract(contract: &Contract) -> Markup {
    html! {
        @match contract {
            Contract::Exact => "exact: the results are the original's",
            Contract::Approx { max_error, over } => {
                "off by up to " (words::error(*max_error))
                @if !over.is_empty() { " over " (over) }
            }
        }
    }
}

fn list(findings: &[Finding]) -> Markup {
    html! {
        ol {
            @for (number, finding) in (1..).zip(findings) {
                li {
                    a href={ "#patch-" (number) } { (words::finding(finding)) } ", " (plural(finding.edits.len(), "edit"))
                    @if let Verdict::Refused(why) = &finding.verdict { ": " (why) }
                }
            }
        }
    }
}

fn original(cases: &[(String, f64)], is_counted: bool) -> Markup {
    let table = html! {
        table.numbers.narrow {
            thead { tr { th scope="col" { "the original, with an input of the search" } th scope="col" { "time" } } }
            tbody {
                @for (case, time_ns) in cases { tr { th scope="row" { code { (case) } } td { (words::time(*time_ns, is_counted)) } } }
            }
        }
    };
    html! { @if !cases.is_empty() { (wide("", "what the original takes", &table)) } }
}
