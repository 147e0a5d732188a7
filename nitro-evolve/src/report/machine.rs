//! The change of the machine code.

use maud::{Markup, html};
use nitro_page::{columns, on_demand, wide};

use super::changes::lines;
use super::words;
use crate::difference::MOST_LINES;
use crate::machine_code::{InstructionCounts, MachineCode, MachineCodeChange};

/// Writes what changes in the machine code.
pub(super) fn part(machine_code: &MachineCode) -> Markup {
    html! {
        h3 { "What changes in the machine code" }
        @match machine_code {
            MachineCode::Unknown(why) => { p { "It is not shown: " (why) "." } }
            MachineCode::Compared(change) => { (compared(change)) }
        }
    }
}

/// Writes a change that is known.
fn compared(change: &MachineCodeChange) -> Markup {
    html! {
        p {
            strong { (change.summary()) } " for " code { (change.architecture) }
            ": as they stand in the code of the kernels, however often each runs."
            @if change.diff.is_empty() {
                " The assembler makes this of the original, too: on a GPU nothing is gained by the patch."
            }
        }
        (wide("narrow", "instructions of each class", &classes(change)))
        @if !change.diff.is_empty() {
            p {
                "Below, addresses, encodings and hints for the scheduler are left out; registers are as the assembler "
                "numbered them, so that a line may differ by those alone."
                @if change.diff.len() >= MOST_LINES { " Only the first " (MOST_LINES) " lines are here." }
            }
            (on_demand("The changed instructions", &lines("the changed instructions", &change.diff)))
        }
    }
}

/// Writes the instructions of each class.
fn classes(change: &MachineCodeChange) -> Markup {
    let rows = change.before.classes().into_iter().zip(change.after.classes());
    html! {
        table.numbers {
            thead { tr { (columns(&["instructions", "before", "after", "change"])) } }
            tbody {
                @for ((class, before), (_, after)) in rows {
                    @if before + after > 0 { (row(class, before, after)) }
                }
                (row("all", change.before.total(), change.after.total()))
            }
        }
    }
}

/// Writes a class.
fn row(class: &str, before: usize, after: usize) -> Markup {
    html! {
        tr { th scope="row" { (class) } td { (before) } td { (after) } td { (words::change(before, after)) } }
    }
}

/// Writes what leaving an edit out changes in the patched code.
pub(super) fn without(change: &MachineCodeChange, without: Option<&InstructionCounts>) -> Markup {
    let Some(without) = without else { return html! { small { "not known" } } };
    let classes = change.after.classes().into_iter().zip(without.classes());
    let changed = classes.filter(|((_, with), (_, without))| with != without);
    html! {
        (words::change(change.after.total(), without.total()))
        @for ((class, with), (_, without)) in changed { small { (class) " " (words::change(with, without)) } }
    }
}
