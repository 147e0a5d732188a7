//! The texts of choices: `csr`, or `tiled{block=256,unroll=4}`.

use super::{Choice, Function};
use crate::error_text::error_text;
use crate::escape::{escaped, meant, split_once, strip_end, trimmed};

/// Writes a choice from the texts of its variant and configuration: `csr`, or `tiled{block=256,unroll=4}`.
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
    /// The text of a choice: `csr` or `tiled{block=256,unroll=4}`.
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
        self.parse_choice(text).map_err(|why| UnknownChoice {
            found: text.to_owned(),
            function: self.name(),
            why,
        })
    }

    /// Reads the text of a choice, or says what is wrong with it.
    fn parse_choice(&self, text: &str) -> Result<Choice, String> {
        let (name, configuration) = match split_once(text, '{') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let Some(variant) = self.variant_named(&meant(name)) else {
            let known: Vec<_> = self.variants().iter().map(|own| format!("`{}`", own.name())).collect();
            return Err(format!("its variants are {}", known.join(", ")));
        };
        let Some(configuration) = configuration else { return Ok(self.variant_choice(variant)) };
        let configuration = strip_end(trimmed(configuration), '}').ok_or("the closing `}` is missing")?;
        let info = &self.variants()[variant];
        let configuration = info.parameters().parse(configuration).map_err(|error| error.to_string())?;
        match info.is_possible(configuration) {
            true => Ok(Choice { variant, configuration }),
            false => Err("its constraint forbids this configuration on every input".to_owned()),
        }
    }
}

/// A text that names no choice of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    found: String,
    function: &'static str,
    why: String,
}

impl std::error::Error for UnknownChoice {}

error_text!(UnknownChoice: Self { found, function, why } => "`{found}` is not a choice of `{function}`: {why}");
