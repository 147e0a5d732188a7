//! Texts that a spreadsheet would take for a formula: a name in a table that somebody opens must not compute
//! anything there.

use std::borrow::Cow;

/// The text as a cell: one that a spreadsheet would compute gets a `'` before it, which spreadsheets take for "this
/// is text".
pub fn guard(text: &str) -> Cow<'_, str> {
    match is_guarded_or_formula(text) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// The text of a cell, without the `'` of [`guard`].
pub(super) fn unguard(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_guarded_or_formula(text)).unwrap_or(cell)
}

/// Guarded texts are guarded again, so that every text comes back.
fn is_guarded_or_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_computed_is_text() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r", "'=1", "''@x"] {
            assert_eq!(guard(text), format!("'{text}"));
        }
        for text in ["", "a=1", "'", "'a", "''", " =1", "train/x-1"] {
            assert_eq!(guard(text), text);
        }
    }

    #[test]
    fn every_text_comes_back() {
        for text in ["=1+1", "'=1", "''=1", "'", "''", "'a", "", "a", "-", "@", "'-'"] {
            assert_eq!(unguard(&guard(text)), text);
        }
    }
}
