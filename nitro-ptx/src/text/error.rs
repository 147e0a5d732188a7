//! Errors of reading a text.

/// The reason for which a text is no PTX that can be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// The line of the text, from 1.
    pub line: usize,
    /// The mistake.
    pub what: String,
}
