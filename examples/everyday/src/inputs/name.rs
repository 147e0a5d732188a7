//! Names of inputs.

use super::Random;

/// A name taken apart: `train/random-n4096-s3` has the family `random` and the parameters n and s.
///
/// ```
/// use nitro_everyday::inputs::Name;
///
/// let name = Name::parse("train/random-n4096-s3")?;
/// assert_eq!((name.family, name.number('n')?), ("random", 4096));
/// assert!(name.number('k').is_err());
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    whole: &'a str,
    /// What kind of input it is: the part between `/` and the first `-`.
    pub family: &'a str,
    rest: &'a str,
}

/// A name that makes no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError(String);

impl std::fmt::Display for NameError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NameError {}

impl<'a> Name<'a> {
    /// Takes a name apart.
    ///
    /// # Errors
    /// When it has no `/` with a family and its parameters behind it.
    pub fn parse(whole: &'a str) -> Result<Self, NameError> {
        let parts = whole.split_once('/').and_then(|(_, made)| made.split_once('-'));
        let (family, rest) =
            parts.ok_or_else(|| NameError(format!("`{whole}` is not named like `train/random-n4096-s3`")))?;
        Ok(Self { whole, family, rest })
    }

    /// The number behind this letter.
    ///
    /// # Errors
    /// When the name has none.
    pub fn number(&self, letter: char) -> Result<usize, NameError> {
        let of_letter = |part: &str| part.strip_prefix(letter)?.parse().ok();
        let error = || NameError(format!("`{}` lacks `-{letter}` with a number", self.whole));
        self.rest.split('-').find_map(of_letter).ok_or_else(error)
    }

    /// The random numbers of an instance of the name.
    ///
    /// # Errors
    /// When the name has no seed.
    pub(super) fn random(&self, instance: u64) -> Result<Random, NameError> {
        Ok(Random::new(((self.number('s')? as u64) << 20) + instance))
    }

    /// The error of a family that a function does not have.
    pub(super) fn unknown_family(&self, known: &[&str]) -> NameError {
        NameError(format!("`{}`: `{}` is no family; there are {}", self.whole, self.family, known.join(", ")))
    }
}
