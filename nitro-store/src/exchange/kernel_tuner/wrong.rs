//! Mistakes in a file, with their lines.

use crate::printable::printable;

/// A line of the file, and what is wrong there.
pub(super) type Wrong = (usize, String);

/// Returns the line and the message of an error, cut to what anybody reads.
pub(super) fn wrong(error: &serde_json::Error, lines_before: usize) -> Wrong {
    const MAX_CHARS: usize = 300;
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let what: String = printable(what).chars().take(MAX_CHARS).collect();
    let what = match error.classify() {
        serde_json::error::Category::Eof => {
            format!("the file ends in the middle of an entry; remove that entry ({what})")
        }
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            format!("this is not JSON: {what}")
        }
        serde_json::error::Category::Data => what,
    };
    (lines_before + error.line().max(1), what)
}
