//! A choice: a variant with values for its parameters. It is what is measured, learned, predicted, pinned and called.

use std::fmt;

use crate::escape::{escaped, meant, split_once, strip_end, trimmed};
use crate::{CodeVariant, Configuration, Function};

/// A variant of a function with a value for each of its parameters. What it is called: [`Function::choice_text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// Index of the variant.
    pub variant: usize,
    /// Its configuration.
    pub configuration: Configuration,
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

/// What the choice of a variant and a configuration in words is called: `csr`, or `tiled{block=256,unroll=4}`.
///
/// In the names of variants and parameters and in values, each of `\` `,` `=` `{` `}` and a blank at an end stands
/// behind a `\`: `NITRO_FORCE='print=joined{separator=\,}'`. [`Function::choice`] and `NITRO_FORCE` read it so.
///
/// ```
/// assert_eq!(nitro_core::choice_text("tiled", "block=256,unroll=4"), "tiled{block=256,unroll=4}");
/// assert_eq!(nitro_core::choice_text("csr", ""), "csr");
/// ```
#[must_use]
pub fn choice_text(variant: &str, configuration: &str) -> String {
    match configuration {
        "" => escaped(variant).into_owned(), // it has no parameters
        configuration => format!("{}{{{configuration}}}", escaped(variant)),
    }
}

impl Function {
    /// What a choice is called: `csr` or `tiled{block=256,unroll=4}`.
    ///
    /// # Panics
    /// When the function has no such variant.
    #[must_use]
    pub fn choice_text(&self, choice: Choice) -> String {
        let variant = &self.variants()[choice.variant];
        choice_text(variant.name(), &variant.parameters().text(choice.configuration))
    }

    /// The choice of this name; a variant's name alone is the variant with the defaults of its parameters.
    ///
    /// ```
    /// # use nitro_core as nitro;
    /// # mod sort {
    /// #     use nitro_core::{Function, Parameter, ParameterKind, VariantInfo};
    /// #     static VARIANTS: [VariantInfo; 2] = [
    /// #         VariantInfo::new("merge"),
    /// #         VariantInfo::new("radix")
    /// #             .with_parameters(&[Parameter::new("bits", ParameterKind::Number, &["4", "8"], 1)]),
    /// #     ];
    /// #     static FUNCTION: Function = Function::new("sort", &VARIANTS).with_features(&["length"]);
    /// #     pub fn function() -> &'static Function { &FUNCTION }
    /// # }
    /// let radix = sort::function().choice("radix{bits=4}")?;
    /// assert_eq!((radix.variant, radix.configuration.rank()), (1, 0));
    /// assert_eq!(sort::function().choice("radix"), sort::function().choice("radix{bits=8}"));
    /// let error = sort::function().choice("radix{bits=5}").unwrap_err().to_string();
    /// assert!(error.ends_with("`bits` cannot be `5`; it is one of 4, 8"), "{error}");
    /// # Ok::<(), nitro::UnknownChoice>(())
    /// ```
    ///
    /// # Errors
    /// When the function has no such variant, or the variant no such configuration.
    pub fn choice(&self, text: &str) -> Result<Choice, UnknownChoice> {
        let (name, configuration) = match split_once(text, '{') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let name = &*meant(name);
        let unknown = |why: String| UnknownChoice { found: text.to_owned(), function: self.name(), why };
        let known =
            || self.variants().iter().map(|own| format!("`{}`", own.name())).collect::<Vec<_>>().join(", ");
        let variant =
            self.variant_named(name).ok_or_else(|| unknown(format!("its variants are {}", known())))?;
        let Some(configuration) = configuration else { return Ok(self.variant_choice(variant)) };
        let configuration = strip_end(trimmed(configuration), '}')
            .ok_or_else(|| unknown("the closing `}` is missing".to_owned()))?;
        let info = &self.variants()[variant];
        let configuration =
            info.parameters().parse(configuration).map_err(|error| unknown(error.to_string()))?;
        match info.is_possible(configuration) {
            true => Ok(Choice { variant, configuration }),
            false => Err(unknown("its constraint forbids this configuration on every input".to_owned())),
        }
    }
}

/// A text that names no choice of the function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a choice of `{function}`: {why}")]
pub struct UnknownChoice {
    found: String,
    function: &'static str,
    why: String,
}
