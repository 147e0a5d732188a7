//! Mistakes are gathered and reported at once, each at the token to change.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds a mistake.
    pub fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Adds a mistake at these tokens.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// The number of mistakes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true where there is no mistake.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` a mistake.
    pub fn to_compile_errors(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}

impl Extend<syn::Error> for Errors {
    fn extend<I: IntoIterator<Item = syn::Error>>(&mut self, others: I) {
        self.0.extend(others);
    }
}

impl IntoIterator for Errors {
    type Item = syn::Error;
    type IntoIter = std::vec::IntoIter<syn::Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The names in backquotes, for a message.
pub(crate) fn quoted<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// The one of `known` that the user most likely meant: at most a third of its letters differ.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.into_iter().map(|name| (edit_distance(written, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= name.chars().count().div_ceil(3)).then_some(name)
}

/// Levenshtein's distance: the fewest insertions, deletions and replacements of one letter.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_changed_letters() {
        for (from, to, expected) in
            [("", "abc", 3), ("name", "name", 0), ("nmae", "name", 2), ("kitten", "sitting", 3)]
        {
            assert_eq!(edit_distance(from, to), expected, "{from} {to}");
            assert_eq!(edit_distance(to, from), expected, "{to} {from}");
        }
    }

    #[test]
    fn nearest_is_silent_when_nothing_is_near() {
        let known = ["features", "variants", "default", "name"];
        assert_eq!(nearest("feature", known), Some("features"));
        assert_eq!(nearest("defualt", known), Some("default"));
        assert_eq!(nearest("constraint", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
