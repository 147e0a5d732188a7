//! The types that `#[code_variant]` makes for a function's variants and choices.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::Choice;
use crate::error_text::error_text;

/// The enum of a function's variants; `#[code_variant]` implements it for `FUNCTION::Variant`.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::CodeVariant;
///
/// /// What a program may offer on its command line.
/// fn names<V: CodeVariant>() -> Vec<&'static str> {
///     V::ALL.iter().map(|variant| variant.name()).collect()
/// }
///
/// assert_eq!(names::<sort::Variant>(), ["merge", "radix"]);
/// assert_eq!("radix".parse(), Ok(sort::Variant::Radix));
/// let error = "quick".parse::<sort::Variant>().unwrap_err().to_string();
/// assert_eq!(error, "`quick` is not a variant of `sort`; its variants are `merge`, `radix`");
/// ```
pub trait CodeVariant:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = UnknownVariant> + 'static
{
    /// A variant with values for its parameters; the variant itself where no variant of the function has any.
    type Choice: CodeChoice<Variant = Self>;

    /// All variants in the order of their declaration.
    const ALL: &'static [Self];

    /// Index in [`CodeVariant::ALL`].
    fn index(self) -> usize;

    /// The name as it was declared, e.g. `csr_scalar`.
    fn name(self) -> &'static str;
}

/// A text that names no variant of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariant {
    function: &'static str,
    found: String,
    known: String,
}

impl std::error::Error for UnknownVariant {}

error_text!(UnknownVariant: Self { function, found, known } =>
    "`{found}` is not a variant of `{function}`; its variants are {known}");

impl UnknownVariant {
    /// The error for `found`, which is not among `known`.
    pub fn new(function: &'static str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known = known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Self { function, found: found.to_owned(), known }
    }
}

/// The type of a function's choices, `FUNCTION::Choice`; `#[code_variant]` implements it.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::{CodeChoice, Function, UnknownChoice};
///
/// /// The typed choice that a configuration file names.
/// fn named<C: CodeChoice>(function: &Function, text: &str) -> Result<C, UnknownChoice> {
///     function.choice(text).map(C::of)
/// }
///
/// let choice: sort::Choice = named(sort::function(), "radix")?;
/// assert_eq!(choice.variant(), sort::Variant::Radix);
/// assert!(named::<sort::Choice>(sort::function(), "quick").is_err());
/// # Ok::<(), UnknownChoice>(())
/// ```
pub trait CodeChoice: Copy + PartialEq + fmt::Debug + fmt::Display + From<Self::Variant> + 'static {
    /// The enum of the variants.
    type Variant: CodeVariant<Choice = Self>;

    /// The choice with typed values.
    ///
    /// # Panics
    /// When the function has no variant of this index.
    fn of(choice: Choice) -> Self;

    /// The variant.
    fn variant(self) -> Self::Variant;
}
