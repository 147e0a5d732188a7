//! The change of the PTX.

use maud::{Markup, html};
use nitro_page::{Change, on_demand, plural};

use crate::difference::{DiffLine, MOST_LINES};

/// The most lines that are shown at once; more are closed until they are asked for.
const MOST_OPEN: usize = 150;

/// Writes what changes in the PTX.
pub(super) fn part(diff: &[DiffLine]) -> Markup {
    let removed = diff.iter().filter(|line| matches!(line, DiffLine::Removed(_))).count();
    let added = diff.iter().filter(|line| matches!(line, DiffLine::Added(_))).count();
    html! {
        @if removed + added > 0 {
            h3 { "What changes in the PTX" }
            p {
                (plural(removed, "line")) " less and " (plural(added, "line")) " more."
                @if diff.len() >= MOST_LINES { " Only the first " (MOST_LINES) " lines are here." }
            }
            @let lines = lines("the changed lines", diff);
            @if diff.len() <= MOST_OPEN { (lines) } @else { (on_demand("The changed lines", &lines)) }
        }
    }
}

/// Returns the box with the lines of a difference.
pub(super) fn lines(label: &str, diff: &[DiffLine]) -> Markup {
    let changes = diff.iter().map(|line| match line {
        DiffLine::Both(text) => Change::Both(text),
        DiffLine::Removed(text) => Change::Removed(text),
        DiffLine::Added(text) => Change::Added(text),
        DiffLine::Skipped(lines) => Change::Skipped(*lines),
    });
    nitro_page::changes(label, changes)
}
