//! The lines that a patch changes.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, DiffOp, TextDiff};

/// A line of two texts that are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DiffLine {
    /// A line of both, near one that differs.
    Both(String),
    /// A line of the first text alone.
    Removed(String),
    /// A line of the second text alone.
    Added(String),
    /// The number of lines of both that are not shown.
    Skipped(usize),
}

/// The lines of both around each that is in one alone.
const CONTEXT: usize = 3;
/// The most lines; nobody reads more.
pub(crate) const MOST_LINES: usize = 2000;
/// The time after which common lines are found in a simpler way. A patch of a dozen edits takes milliseconds.
const MOST_TIME: Duration = Duration::from_secs(2);

/// Returns the lines that differ between two texts, with the lines around them; at most some thousand.
pub(crate) fn difference(before: &str, after: &str) -> Vec<DiffLine> {
    let diff = TextDiff::configure().timeout(MOST_TIME).diff_lines(before, after);
    let mut shown = Vec::new();
    let mut next = 0;
    for group in diff.grouped_ops(CONTEXT) {
        if shown.len() >= MOST_LINES {
            break;
        }
        let start = group.first().map_or(next, |op| op.old_range().start);
        shown.extend((start > next).then(|| DiffLine::Skipped(start - next)));
        next = group.last().map_or(next, |op: &DiffOp| op.old_range().end);
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end().to_owned();
            shown.push(match change.tag() {
                ChangeTag::Equal => DiffLine::Both(line),
                ChangeTag::Delete => DiffLine::Removed(line),
                ChangeTag::Insert => DiffLine::Added(line),
            });
        }
    }
    shown.truncate(MOST_LINES);
    let is_whole = shown.len() < MOST_LINES;
    let rest = before.lines().count().saturating_sub(next);
    shown.extend((is_whole && rest > 0 && !shown.is_empty()).then_some(DiffLine::Skipped(rest)));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize, changed: &[usize]) -> String {
        let line =
            |at| if changed.contains(&at) { format!("changed {at}\n") } else { format!("line {at}\n") };
        (0..count).map(line).collect()
    }

    #[test]
    fn only_what_differs_is_shown_with_three_lines_around_it() {
        let both = |at: usize| DiffLine::Both(format!("line {at}"));
        let expected = [
            DiffLine::Skipped(17),
            both(17),
            both(18),
            both(19),
            DiffLine::Removed("line 20".to_owned()),
            DiffLine::Added("changed 20".to_owned()),
            both(21),
            both(22),
            both(23),
            DiffLine::Skipped(76),
        ];
        assert_eq!(difference(&numbered(100, &[]), &numbered(100, &[20])), expected);
        assert_eq!(difference("a\n", "a\n"), []);
    }

    #[test]
    fn a_line_that_moves_is_removed_and_added_once() {
        let moved = difference("a\nb\nc\nd\n", "b\nc\nd\na\n");
        let differ = moved.iter().filter(|line| !matches!(line, DiffLine::Both(_)));
        assert_eq!(
            differ.collect::<Vec<_>>(),
            [&DiffLine::Removed("a".to_owned()), &DiffLine::Added("a".to_owned())]
        );
    }

    #[test]
    fn texts_with_nothing_in_common_give_no_more_than_is_read() {
        let (one, other) = (numbered(20_000, &[]), numbered(20_000, &(0..20_000).collect::<Vec<_>>()));
        assert!(difference(&one, &other).len() <= MOST_LINES);
    }
}
