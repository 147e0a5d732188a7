//! Lines of two texts that are held against each other.

use std::fmt::{self, Display, Formatter};

use maud::{Markup, html};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::{plural, wide};

/// A line of two texts, shown with a sign before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// In both.
    Both(&'a str),
    /// In the first alone.
    Removed(&'a str),
    /// In the second alone.
    Added(&'a str),
    /// The number of lines of both that are not shown.
    Skipped(usize),
}

impl Display for Change<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Both(text) => write!(formatter, "  {text}"),
            Self::Removed(text) => write!(formatter, "- {text}"),
            Self::Added(text) => write!(formatter, "+ {text}"),
            Self::Skipped(lines) => write!(formatter, "  … {}", plural(*lines, "line")),
        }
    }
}

/// Returns the lines of both texts, with many in common.
///
/// ```
/// use nitro_page::{Change::{Added, Both, Removed}, compared};
///
/// assert_eq!(compared("a\nb\nc", "a\nx\nc"), [Both("a"), Removed("b"), Added("x"), Both("c")]);
/// ```
#[must_use]
pub fn compared<'a>(before: &'a str, after: &'a str) -> Vec<Change<'a>> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut lines = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        let (tag, old, new) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            lines.extend(before[old].iter().map(|line| Change::Both(line)));
        } else {
            lines.extend(before[old].iter().map(|line| Change::Removed(line)));
            lines.extend(after[new].iter().map(|line| Change::Added(line)));
        }
    }
    lines
}

/// Returns a box with the lines; what differs is marked by signs as well as by colour.
#[must_use]
pub fn changes<'a>(label: &str, lines: impl IntoIterator<Item = Change<'a>>) -> Markup {
    let text = html! {
        pre.changes { code {
            @for line in lines {
                @match line {
                    Change::Both(_) => { (line) "\n" }
                    Change::Removed(_) => { del { (line) } "\n" }
                    Change::Added(_) => { ins { (line) } "\n" }
                    Change::Skipped(_) => { span.gap { (line) } "\n" }
                }
            }
        } }
    };
    wide("code", label, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Change::{Added, Both, Removed, Skipped};

    #[test]
    fn what_is_common_stays_in_place() {
        assert_eq!(
            compared("a\nb\nc", "a\nx\nc\nd"),
            [Both("a"), Removed("b"), Added("x"), Both("c"), Added("d")]
        );
        assert_eq!(compared("", "a"), [Added("a")]);
        assert_eq!(compared("a\nb", "b\n"), [Removed("a"), Both("b")]);
    }

    #[test]
    fn lines_are_text() {
        let shown = changes("lines", [Both("<a>"), Removed("b"), Added("c"), Skipped(1200)]).into_string();
        for part in ["  &lt;a&gt;\n", "<del>- b</del>", "<ins>+ c</ins>", "… 1200 lines"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
