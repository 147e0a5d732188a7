//! Reasons for which threads are ended before their time.

use std::fmt;

use crate::text::module::{Module, Piece};

/// The reason for which a thread of a module with [bounds](Module::with_bounds) or a
/// [deadline](Module::with_deadline) was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It accessed global memory outside of the ranges.
    Global,
    /// It accessed shared memory that its block has not.
    Shared,
    /// It accessed an address that is no multiple of the access's size.
    Misaligned,
    /// It came to a `trap`.
    Trap,
    /// It was in a loop when time was over.
    Deadline,
}

impl Violation {
    /// The variable of such a module, of four bytes, that [tells](Self::of) of one of them.
    pub const VARIABLE: &'static str = "nitro_violation";

    const ALL: [Self; 5] = [Self::Global, Self::Shared, Self::Misaligned, Self::Trap, Self::Deadline];

    /// Returns the meaning of the variable's value; none where no thread was ended.
    #[must_use]
    pub fn of(value: u32) -> Option<Self> {
        Self::ALL.get(value.checked_sub(1)? as usize).copied()
    }

    /// The instruction that tells.
    pub(crate) fn told(self) -> String {
        format!("st.volatile.global.u32 [{}], {}", Self::VARIABLE, self as u32 + 1)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Global => "it accesses global memory outside of its buffers",
            Self::Shared => "it accesses shared memory that its block has not",
            Self::Misaligned => "it accesses an address that is no multiple of the access's size",
            Self::Trap => "it comes to a `trap`",
            Self::Deadline => "its loops do not end in time",
        })
    }
}

impl Module {
    /// Puts declarations before all functions, and before them, once, that of the variable, which they may use.
    ///
    /// Returns false where the text has no directives to put them behind.
    pub(crate) fn declare(&mut self, declarations: &str) -> bool {
        let head = self.pieces.iter_mut().find_map(|piece| match piece {
            Piece::Text(text) => Some((behind_directives(text)?, text)),
            Piece::Function(_) => None,
        });
        let Some((at, text)) = head else { return false };
        let variable = format!("\n.global .align 4 .u32 {} = 0;", Violation::VARIABLE);
        if !text[at..].starts_with(&variable) {
            text.insert_str(at, &variable);
        }
        text.insert_str(at + variable.len(), declarations);
        true
    }
}

/// Returns the end of the lines that say what the text is for.
fn behind_directives(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut end = None;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if [".version", ".target", ".address_size"].iter().any(|word| line.trim_start().starts_with(word)) {
            end = Some(at - (line.len() - line.trim_end().len()));
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_means_what_was_told() {
        for (at, violation) in Violation::ALL.into_iter().enumerate() {
            assert_eq!(Violation::of(at as u32 + 1), Some(violation));
            assert!(violation.told().ends_with(&format!(", {}", at + 1)));
        }
        assert_eq!([Violation::of(0), Violation::of(6)], [None; 2]);
    }
}
