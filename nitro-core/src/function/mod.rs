//! Functions and their variants, as the macro describes them.

pub(crate) mod choice;
pub(crate) mod choice_table;
mod forced;
mod model_search;
pub(crate) mod resolve;
pub(crate) mod state;

use std::error::Error;
use std::fmt;

use self::state::FunctionState;
use crate::name::MAX_FUNCTION_BYTES;
use crate::replaceable::Replaceable;
use crate::{Configuration, MAX_FEATURES, MAX_VARIANTS, Unit, VariantInfo, feature};

/// A variant of a function with a value for each of its parameters. Its text: [`Function::choice_text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// Index of the variant.
    pub variant: usize,
    /// Its configuration.
    pub configuration: Configuration,
}

/// The result of preparing a choice.
pub type Prepared = Result<(), Box<dyn Error + Send + Sync>>;

/// One computation with several implementations: the descriptor that `#[code_variant]` generates, one static a
/// function.
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
/// let function = sort::function(); // beside the function `sort`
/// assert_eq!((function.name(), function.features()), ("sort", &["length"][..]));
/// let names: Vec<_> = function.variants().iter().map(|variant| variant.name()).collect();
/// assert_eq!(names, ["merge", "radix"]);
/// assert_eq!(function.choice_text(function.default_choice()), "merge");
/// ```
pub struct Function {
    name: &'static str,
    variants: &'static [VariantInfo],
    features: &'static [&'static str],
    feature_digests: &'static [u64],
    feature_units: &'static [Option<Unit>],
    /// Bit by bit.
    free_features: u32,
    default_variant: usize,
    embedded_model: Option<fn() -> &'static [u8]>,
    pub(crate) prepare: Option<fn(Choice) -> Prepared>,
    /// The settings and the model, read by the first call.
    pub(crate) state: Replaceable<FunctionState>,
}

impl Function {
    /// A descriptor without features, whose default is the first variant; `#[code_variant]` calls this.
    ///
    /// # Panics
    /// At compile time, when there is no variant or more than [`MAX_VARIANTS`], or when the name is longer than
    /// [`MAX_FUNCTION_BYTES`].
    #[must_use]
    pub const fn new(name: &'static str, variants: &'static [VariantInfo]) -> Self {
        assert!(!variants.is_empty(), "a function has a variant");
        assert!(variants.len() <= MAX_VARIANTS, "a function has at most 64 variants");
        assert!(
            name.len() <= MAX_FUNCTION_BYTES,
            "a function's path has at most 200 bytes: give it `name = ..`"
        );
        Self {
            name,
            variants,
            features: &[],
            feature_digests: &[],
            feature_units: &[],
            free_features: 0,
            default_variant: 0,
            embedded_model: None,
            prepare: None,
            state: Replaceable::new(),
        }
    }

    /// Adds these input features.
    ///
    /// # Panics
    /// At compile time, when there are more than [`MAX_FEATURES`].
    #[must_use]
    pub const fn with_features(mut self, features: &'static [&'static str]) -> Self {
        assert!(features.len() <= MAX_FEATURES, "a function has at most 32 features");
        self.features = features;
        self
    }

    /// Adds a digest of each feature's expression: another one where the feature means something else.
    ///
    /// # Panics
    /// At compile time, when there is not one for each feature.
    #[must_use]
    pub const fn with_feature_digests(mut self, digests: &'static [u64]) -> Self {
        assert!(digests.len() == self.features.len(), "each feature has a digest");
        self.feature_digests = digests;
        self
    }

    /// Adds the unit of each feature, where it is declared.
    ///
    /// # Panics
    /// At compile time, when there is not one for each feature.
    #[must_use]
    pub const fn with_feature_units(mut self, units: &'static [Option<Unit>]) -> Self {
        assert!(units.len() == self.features.len(), "each feature has a unit or none");
        self.feature_units = units;
        self
    }

    /// Says, bit by bit, which features are there anyway, as lengths are: to compute them takes no time that counts.
    #[must_use]
    pub const fn with_free_features(mut self, features: u32) -> Self {
        self.free_features = features;
        self
    }

    /// Makes the variant of this index the default.
    ///
    /// # Panics
    /// At compile time, when there is no such variant.
    #[must_use]
    pub const fn with_default(mut self, variant: usize) -> Self {
        assert!(variant < self.variants.len(), "the default is one of the variants");
        self.default_variant = variant;
        self
    }

    /// Adds the bytes of a model that the program carries.
    #[must_use]
    pub const fn with_model(mut self, bytes: fn() -> &'static [u8]) -> Self {
        self.embedded_model = Some(bytes);
        self
    }

    /// Adds a function that prepares a choice for its first call, e.g. compiles its kernels.
    #[must_use]
    pub const fn with_prepare(mut self, prepare: fn(Choice) -> Prepared) -> Self {
        self.prepare = Some(prepare);
        self
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

    /// The digests of the features' expressions in the order of their declaration; empty where they are not known.
    #[must_use]
    pub fn feature_digests(&self) -> &'static [u64] {
        self.feature_digests
    }

    /// The units of the features in the order of their declaration; empty where none is declared.
    #[must_use]
    pub fn feature_units(&self) -> &'static [Option<Unit>] {
        self.feature_units
    }

    /// Returns `true` if the feature of this index is there anyway.
    pub(crate) fn is_free(&self, feature: usize) -> bool {
        self.free_features >> feature & 1 == 1
    }

    /// Index of the variant that is admissible for every input.
    #[must_use]
    pub fn default_variant(&self) -> usize {
        self.default_variant
    }

    /// Bit by bit the features that are hints of variants.
    pub(crate) fn hints(&self) -> u32 {
        feature::bits(self.variants.iter().filter_map(VariantInfo::hint))
    }

    /// The bytes of the model that the program carries, if it does. No bytes are no model, but the place of one to
    /// come.
    #[must_use]
    pub fn embedded_model(&self) -> Option<&'static [u8]> {
        self.embedded_model.map(|bytes| bytes()).filter(|bytes| !bytes.is_empty())
    }

    /// Returns true where a choice gives the results of the default choice, bit for bit. It is the default then, or
    /// its variant stands in one `exact(..)` group with the default variant. Other configurations of the default
    /// variant are exact only in a group.
    ///
    /// # Panics
    /// When there is no such variant.
    #[must_use]
    pub fn is_exact(&self, choice: Choice) -> bool {
        choice == self.default_choice() || self.is_in_default_group(choice.variant)
    }

    /// Returns true where the variant of this index stands in one `exact(..)` group with the default variant.
    pub(crate) fn is_in_default_group(&self, variant: usize) -> bool {
        let group = self.variants[variant].exact_group();
        group.is_some() && group == self.variants[self.default_variant].exact_group()
    }

    /// The default variant with the defaults of its parameters.
    #[must_use]
    pub fn default_choice(&self) -> Choice {
        self.variant_choice(self.default_variant)
    }

    /// The variant of this index with the defaults of its parameters.
    ///
    /// # Panics
    /// When there is no such variant.
    #[must_use]
    pub fn variant_choice(&self, variant: usize) -> Choice {
        Choice { variant, configuration: self.variants[variant].parameters().default_configuration() }
    }

    /// Every variant with the defaults of its parameters, in the order of declaration.
    pub fn default_choices(&self) -> impl ExactSizeIterator<Item = Choice> + '_ {
        (0..self.variants.len()).map(|variant| self.variant_choice(variant))
    }

    /// Index of the variant of this name.
    #[must_use]
    pub fn variant_named(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|variant| variant.name() == name)
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
