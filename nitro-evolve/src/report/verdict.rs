//! The findings in words.

use maud::{Markup, html};
use nitro_page::{columns, plural, wide};

use super::times::is_counted;
use super::words;
use crate::evolve::EvolveResult;
use crate::finding::{Contract, Finding, Verdict};
use crate::floors::nearness;
use crate::words::patches;

/// Names the subject and the devices.
pub(super) fn subject(evolved: &EvolveResult) -> Markup {
    html! {
        @for (at, kernel) in evolved.kernels.iter().enumerate() { @if at > 0 { ", " } code { (kernel) } }
        @if !evolved.kernels.is_empty() { ": " }
        (plural(evolved.instructions, "instruction")) " of PTX, on "
        @match evolved.on.is_empty() { true => "nothing", false => (evolved.on.join(", ")) }
        "."
    }
}

/// Writes the section.
pub(super) fn section(evolved: &EvolveResult) -> Markup {
    html! {
        @if is_counted(evolved) { (counted()) }
        section.verdict {
            h2 { "What came of it" }
            p.headline { (headline(evolved)) }
            @if evolved.is_under_way { p { "This was written while patches were still tested: there may be more." } }
            @if evolved.findings.len() > 1 { (list(&evolved.findings)) }
            p {
                (plural(evolved.history.counts.trials, "candidate"))
                " in " (plural(evolved.generations, "generation"))
                " and " (words::duration(evolved.seconds)) "; " (words::allowed(evolved.max_error)) " was allowed."
            }
            @if evolved.begun_with > 0 {
                p { "It began with " (patches(evolved.begun_with)) " found elsewhere, each evaluated anew." }
            }
            (original(&evolved.original, is_counted(evolved)))
            (floors(evolved))
        }
    }
}

/// Writes a warning, since nobody may take counts for times.
fn counted() -> Markup {
    html! {
        p.counted role="note" {
            strong { "Counted, not measured." }
            " Nothing of this ran on a GPU: an emulator counted what the programs do. All times on this page, and "
            "whatever is as fast as something, are such counts; they say what a patch leaves out, not how fast it is."
        }
    }
}

/// Returns the speedup and the promise of an accepted finding.
fn accepted(finding: &Finding) -> Option<(f64, Markup)> {
    match &finding.verdict {
        Verdict::Accepted(contract) => {
            finding.speedup().map(|speedup| (speedup, self::contract(contract, finding)))
        }
        Verdict::Refused(_) => None,
    }
}

/// Writes the fastest accepted finding, or else why there is none.
fn headline(evolved: &EvolveResult) -> Markup {
    let mut fastest: Option<(Markup, (f64, Markup))> = None;
    let mut refused = None;
    for (number, finding) in (1..).zip(&evolved.findings) {
        if let Verdict::Refused(why) = &finding.verdict {
            refused.get_or_insert((edits(number, finding), why));
        }
        let Some((speedup, contract)) = accepted(finding) else { continue };
        if fastest.as_ref().is_none_or(|(_, (least, _))| speedup >= *least) {
            fastest = Some((edits(number, finding), (speedup, contract)));
        }
    }
    html! {
        @if let Some((edits, (speedup, contract))) = fastest {
            strong { (words::times(speedup)) " times as fast" }
            @if is_counted(evolved) { " (counted, not measured)" }
            " with inputs that the search never saw, by " (edits) ", "
            (contract) "."
        } @else if let Some((edits, why)) = refused {
            "A patch of " (edits) " was found and " strong { "refused" } ": " (why) "."
        } @else if evolved.history.counts.trials == 0 {
            strong { "Nothing was tried." } " There was no time, or no instruction that may be edited."
        } @else {
            strong { "Nothing was found" } " that is faster than the original by more than times vary."
        }
    }
}

/// Writes the number of edits, with a link to the patch.
fn edits(number: usize, finding: &Finding) -> Markup {
    html! { a href={ "#patch-" (number) } { (plural(finding.edits.len(), "edit")) } }
}

/// Writes the promise of a patch, and its ground.
pub(super) fn contract(contract: &Contract, finding: &Finding) -> Markup {
    html! {
        @match contract {
            Contract::Exact => "exact: the results are the original's",
            Contract::Approx { max_error, over } => {
                "off by up to " (words::error(*max_error))
                @if !over.is_empty() { " over " (over) }
            }
        }
        @if let Some(exactness) = &finding.exactness { ", " (exactness) }
    }
}

/// Lists the findings.
fn list(findings: &[Finding]) -> Markup {
    html! {
        ol {
            @for (number, finding) in (1..).zip(findings) {
                li {
                    a href={ "#patch-" (number) } { (words::finding(finding)) }
                    ", " (plural(finding.edits.len(), "edit"))
                    @if let Verdict::Refused(why) = &finding.verdict { ": " (why) }
                }
            }
        }
    }
}

/// Writes how near the times are to their floors, and the reasons of these.
fn floors(evolved: &EvolveResult) -> Markup {
    html! {
        @if let Some(nearness) = nearness(evolved) {
            p {
                "No patch that is exact with all data takes less than the floor: its launches do nothing, or memory "
                "moves what has to be read and written. With the inputs of the search " (nearness) "."
            }
            ul { @for (case, floor) in &evolved.floors { li { code { (case) } ": " (floor) } } }
        }
    }
}

/// Writes the times of the original.
fn original(cases: &[(String, f64)], is_counted: bool) -> Markup {
    let table = html! {
        table.numbers.narrow {
            thead { tr { (columns(&["the original, with an input of the search", "time"])) } }
            tbody {
                @for (case, time_ns) in cases {
                    tr { th scope="row" { code { (case) } } td { (words::time(*time_ns, is_counted)) } }
                }
            }
        }
    };
    html! { @if !cases.is_empty() { (wide("", "what the original takes", &table)) } }
}
