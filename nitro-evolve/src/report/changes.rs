//! The kernels as they were against the patched ones.

use maud::{Markup, html};
use nitro_train::internals::page::{on_demand, wide};

use super::words;
use crate::difference::{DiffLine, MOST_LINES};

/// Longer ones are closed until they are asked for.
const MOST_OPEN: usize = 150;

pub(super) fn part(diff: &[DiffLine]) -> Markup {
    let count = |wanted: fn(&DiffLine) -> bool| diff.iter().filter(|line| wanted(line)).count();
    let removed = count(|line| matches!(line, DiffLine::Removed(_)));
    let added = count(|line| matches!(line, DiffLine::Added(_)));
    html! {
        @if removed + added > 0 {
            h3 { "What changes in the PTX" }
            p {
                (words::count(removed, "line")) " less and " (words::count(added, "line")) " more."
                @if diff.len() >= MOST_LINES { " Only the first " (MOST_LINES) " lines are here." }
            }
            @if diff.len() <= MOST_OPEN { (lines(diff, "the changed lines")) } @else { (on_demand("The changed lines", &lines(diff, "the changed lines"))) }
        }
    }
}

pub(super) fn lines(diff: &[DiffLine], what: &str) -> Markup {
    let text = html! {
        pre.changes { code {
            @for line in diff {
                @match line {
                    DiffLine::Both(text) => { "  " (text) "\n" }
                    DiffLine::Removed(text) => { del { "- " (text) } "\n" }
                    DiffLine::Added(text) => { ins { "+ " (text) } "\n" }
                    DiffLine::Skipped(count) => { span.gap { "  … " (words::count(*count, "line")) } "\n" }
                }
            }
        } }
    };
    wide("code", what, &text)
}
