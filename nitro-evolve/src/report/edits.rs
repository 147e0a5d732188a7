//! The edits of a patch, with their gains.

use maud::{Markup, html};
use nitro_page::{Percent, wide};

use super::machine;
use crate::finding::{ExplainedEdit, Finding};
use crate::machine_code::{MachineCode, MachineCodeChange};

/// Writes the edits of a finding.
pub(super) fn part(finding: &Finding) -> Markup {
    // One for each edit, or none at all.
    let known = match &finding.machine_code {
        MachineCode::Compared(change) if change.without.len() == finding.edits.len() => Some(change),
        _ => None,
    };
    let table = html! {
        table.numbers.edits {
            thead {
                tr {
                    th scope="col" { "edit, and the instructions that it names, as they were" }
                    th scope="col" { "alone" } th scope="col" { "lost without it" }
                    th.text scope="col" { "with the others" }
                    @if known.is_some() { th scope="col" { "machine code without it" } }
                }
            }
            tbody { @for (at, edit) in finding.edits.iter().enumerate() { (row(at, edit, known)) } }
        }
    };
    html! {
        h3 { "The edits" }
        p {
            "What one brings, in percent of the original's time, with the inputs of the search: when it is made "
            "alone, and what is lost when all others are made. Where the two are the same, it is independent; else it "
            "is " em { "epistatic" } ": it matters together with others."
            @if known.is_some() {
                " What the machine code has more or less of when one is left out is in instructions."
            }
        }
        (wide("", "the edits of the patch", &table))
    }
}

/// Writes an edit.
fn row(at: usize, edit: &ExplainedEdit, machine_code: Option<&MachineCodeChange>) -> Markup {
    let (shown, more) = edit.first_instructions();
    html! {
        tr {
            th scope="row" {
                span.edit-number { (at + 1) }
                div.edit {
                    code { (edit.edit) }
                    @if edit.is_barrier { " " strong.badge { "barrier" } }
                    @for instruction in shown { code.instruction { (instruction) } }
                    @if more > 0 { small { "and " (more) " more" } }
                }
            }
            td { (gain(edit.alone, "cannot be made alone")) }
            td { (gain(edit.loss, "the others do not go without it")) }
            td.text { (edit.kind()) }
            @if let Some(change) = machine_code {
                td { (machine::without(change, change.without[at].as_ref())) }
            }
        }
    }
}

/// Writes a gain, or why there is none.
fn gain(share: Option<f64>, none: &str) -> Markup {
    html! {
        @match share {
            Some(share) => { (Percent(share)) " %" }
            None => small { (none) }
        }
    }
}
