//! Functions and their variants, as the macro describes them.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::name::MAX_FUNCTION_BYTES;
use crate::replaceable::Replaceable;
use crate::state::FunctionState;
use crate::{Constraint, MAX_FEATURES, MAX_VARIANTS};

/// One computation with several implementations: the descriptor that `#[code_variant]` generates, one static a function.
pub struct Function {
    name: &'static str,
    variants: &'static [VariantInfo],
    features: &'static [&'static str],
    default_variant: usize,
    embedded_model: Option<fn() -> &'static [u8]>,
    /// What was read from the environment and from files; filled by the first call.
    pub(crate) state: Replaceable<FunctionState>,
}

/// One variant of a [`Function`].
#[derive(Clone, Copy, Debug)]
pub struct VariantInfo {
    /// The name in stores, models and messages.
    pub name: &'static str,
    /// For which inputs it may run; absent is all.
    pub constraint: Option<Constraint>,
    /// The `exact(..)` group that it stands in, if it does: variants of one group give the same results, bit for bit.
    pub exact_group: Option<usize>,
}

impl Function {
    /// A descriptor; `#[code_variant]` calls this.
    ///
    /// # Panics
    /// At compile time, when there are more than [`MAX_FEATURES`] features or [`MAX_VARIANTS`] variants, when
    /// `default_variant` is no variant, or when the name is longer than [`MAX_FUNCTION_BYTES`].
    #[must_use]
    pub const fn new(
        name: &'static str,
        variants: &'static [VariantInfo],
        features: &'static [&'static str],
        default_variant: usize,
        embedded_model: Option<fn() -> &'static [u8]>,
    ) -> Self {
        assert!(features.len() <= MAX_FEATURES, "a function has at most 32 features");
        assert!(variants.len() <= MAX_VARIANTS, "a function has at most 64 variants");
        assert!(default_variant < variants.len(), "the default is one of the variants");
        assert!(
            name.len() <= MAX_FUNCTION_BYTES,
            "a function's path has at most 200 bytes: give it `name = ..`"
        );
        Self { name, variants, features, default_variant, embedded_model, state: Replaceable::new() }
    }

    /// The key in stores and models, e.g. `spmv`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The variants in the order of their declaration.
    #[must_use]
    pub fn variants(&self) -> &'static [VariantInfo] {
        self.variants
    }

    /// The names of the input features in the order of their declaration.
    #[must_use]
    pub fn features(&self) -> &'static [&'static str] {
        self.features
    }

    /// Index of the variant that is admissible for every input.
    #[must_use]
    pub fn default_variant(&self) -> usize {
        self.default_variant
    }

    /// The bytes of the model that the program carries, if it does: none of them are no model, but the place of one to come.
    #[must_use]
    pub fn embedded_model(&self) -> Option<&'static [u8]> {
        self.embedded_model.map(|bytes| bytes()).filter(|bytes| !bytes.is_empty())
    }

    /// Whether the variant of this index gives the results of the default variant, bit for bit: it is the default, or stands in one
    /// `exact(..)` group with it.
    ///
    /// # Panics
    /// When there is no such variant.
    #[must_use]
    pub fn is_exact(&self, variant: usize) -> bool {
        let group = self.variants[variant].exact_group;
        variant == self.default_variant
            || group.is_some() && group == self.variants[self.default_variant].exact_group
    }

    /// Place of the variant of this name.
    #[must_use]
    pub fn variant_named(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|variant| variant.name == name)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Function")
            .field("name", &self.name)
            .field("variants", &self.variants)
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}

/// The enum of a function's variants; `#[code_variant]` implements it for `FUNCTION::Variant`.
pub trait CodeVariant:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = UnknownVariant> + 'static
{
    /// All variants in the order of their declaration.
    const ALL: &'static [Self];

    /// Place in [`CodeVariant::ALL`].
    fn index(self) -> usize;

    /// The name as it was declared, e.g. `csr_scalar`.
    fn name(self) -> &'static str;
}

/// A text that names no variant of the function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a variant of `{function}`; its variants are {known}")]
pub struct UnknownVariant {
    function: &'static str,
    found: String,
    known: String,
}

impl UnknownVariant {
    /// The error for `found`, which is not among `known`.
    pub fn new(function: &'static str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known = known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Self { function, found: found.to_owned(), known }
    }
}
