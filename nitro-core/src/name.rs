//! The rules for names. Names are keys in stores and models, and reach files and terminals from there.
//!
//! ```
//! use nitro_core::name::{self, NameError};
//!
//! assert_eq!(name::check("train/a b.mtx"), Ok(()));
//! assert_eq!(name::check_function("sort keys"), Err(NameError::Sign(' ')));
//! let error = NameError::Sign(' ').to_string();
//! assert_eq!(error, "contains ' ': write it with letters, digits, `_`, `-`, and `::` between its parts");
//! assert_eq!(name::file_stem("app::sparse::spmv"), "app.sparse.spmv");
//! ```

use crate::error_text::error_text;

/// The most bytes of a function's name. A file of that name, with an ending, has to fit every file system.
pub const MAX_FUNCTION_BYTES: usize = 200;
/// The most bytes of the name of a variant, feature, device or input.
pub const MAX_BYTES: usize = 1024;

/// An error in a name. `Display` goes on after the name, and says what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// There is none.
    Empty,
    /// It is too long.
    TooLong {
        /// The most bytes.
        most: usize,
    },
    /// A character that a terminal would obey.
    Control(char),
    /// A character that the names of functions do not have.
    Sign(char),
    /// Nothing before, behind or between two `::`.
    EmptyPart,
}

error_text! {
    NameError:
    Self::Empty => "is empty: give it a name",
    Self::TooLong { most } => "has more than {most} bytes: shorten it",
    Self::Control(letter) => "contains the control character {letter:?}: leave it out",
    Self::Sign(letter) =>
        "contains {letter:?}: write it with letters, digits, `_`, `-`, and `::` between its parts",
    Self::EmptyPart => "has an empty part: write `::` between two parts only",
}

impl std::error::Error for NameError {}

/// Checks the name of a variant, feature, device or input: any text of one line.
///
/// # Errors
/// When it is empty, longer than [`MAX_BYTES`], or has control characters.
pub fn check(name: &str) -> Result<(), NameError> {
    match name.chars().find(|letter| letter.is_control()) {
        _ if name.is_empty() => Err(NameError::Empty),
        _ if name.len() > MAX_BYTES => Err(NameError::TooLong { most: MAX_BYTES }),
        Some(control) => Err(NameError::Control(control)),
        None => Ok(()),
    }
}

/// Checks the name of a function: parts with `::` between them. They are of letters and digits of any alphabet, `_`,
/// `-` and `#` (of raw identifiers). It is a key in `NITRO_FORCE` and the name of a file.
///
/// # Errors
/// When it is another text, or longer than [`MAX_FUNCTION_BYTES`].
pub fn check_function(name: &str) -> Result<(), NameError> {
    match name.replace("::", "").chars().find(|&letter| !is_of_function(letter)) {
        _ if name.is_empty() => Err(NameError::Empty),
        _ if name.len() > MAX_FUNCTION_BYTES => Err(NameError::TooLong { most: MAX_FUNCTION_BYTES }),
        Some(sign) => Err(NameError::Sign(sign)),
        None if name.split("::").any(str::is_empty) => Err(NameError::EmptyPart),
        None => Ok(()),
    }
}

/// Returns true for a letter of a function's name. Beyond ASCII that is everything that is seen: Rust's identifiers
/// have marks that are no letters.
fn is_of_function(letter: char) -> bool {
    match letter.is_ascii() {
        true => letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '#'),
        false => !letter.is_control() && !letter.is_whitespace(),
    }
}

/// The name of a function as that of a file or folder, without an ending. Two names are never the same file, and
/// none is a path.
///
/// `::` is not portable there and becomes `.`. Of a name that no function has, every byte but letters and digits is
/// written as `%2F`.
#[must_use]
pub fn file_stem(function: &str) -> String {
    if check_function(function).is_ok() {
        return function.replace("::", ".");
    }
    let mut stem = String::new();
    for byte in function.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => stem.push(byte.into()),
            false => stem += &format!("%{byte:02X}"),
        }
    }
    stem
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn names_of_functions() {
        for name in ["spmv", "app::sparse::spmv", "ginkgo-spmv", "app::r#loop", "größe::नमस्ते", "2"]
        {
            assert_eq!(check_function(name), Ok(()), "{name}");
        }
        for sign in "=,./\\ :*?\"<>|'`%~$\0\n\x1b\x7f\u{80}\u{a0}\u{2028}".chars() {
            assert_eq!(check_function(&format!("a{sign}b")), Err(NameError::Sign(sign)));
        }
        for name in ["::", "a::", "::a", "a::::b"] {
            assert_eq!(check_function(name), Err(NameError::EmptyPart), "{name}");
        }
        assert_eq!(check_function(""), Err(NameError::Empty));
        assert_eq!(check_function(&"a".repeat(200)), Ok(()));
        assert_eq!(check_function(&"a".repeat(201)), Err(NameError::TooLong { most: 200 }));
    }

    #[test]
    fn other_names_are_any_text_of_one_line() {
        for name in ["train/a b.mtx", "host:4@x", "=1+1", " ", "\u{e9}\u{1F980}", &"a".repeat(1024)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for control in "\0\t\n\r\x1b\x7f\u{9b}".chars() {
            assert_eq!(check(&format!("a{control}")), Err(NameError::Control(control)));
        }
        assert_eq!(check(""), Err(NameError::Empty));
        assert_eq!(check(&"a".repeat(1025)), Err(NameError::TooLong { most: 1024 }));
    }

    #[test]
    fn no_two_names_are_one_file_and_none_is_a_path() {
        let signs = ["a", "b", ":", "::", ".", "/", "\\", "%", "%2E", "2E", "-", "é", "\0", " ", ""];
        let mut stems = BTreeMap::new();
        for at in 0..signs.len().pow(3) {
            let digits = [at, at / signs.len(), at / signs.len().pow(2)];
            let name = digits.map(|digit| signs[digit % signs.len()]).concat();
            let stem = file_stem(&name);
            assert!(!stem.contains(['/', '\\', ':', '\0']) && !stem.contains(".."), "{name} is {stem}");
            let before = stems.insert(stem.clone(), name.clone());
            assert!(before.as_ref().is_none_or(|before| *before == name), "{before:?} and {name} are {stem}");
        }
    }

    #[test]
    fn functions_keep_the_names_of_their_files() {
        for (function, stem) in [("cuda_spmv", "cuda_spmv"), ("app::sparse::spmv", "app.sparse.spmv")] {
            assert_eq!(file_stem(function), stem);
        }
        assert_eq!(file_stem("../../x"), "%2E%2E%2F%2E%2E%2Fx");
        assert_eq!(file_stem("/etc/x"), "%2Fetc%2Fx");
    }
}
