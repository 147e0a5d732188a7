//! What is tried on an input: a variant with values for its tuning parameters.

use nitro_core::Function;

/// A variant of a function with a configuration: what is run, timed and kept as one row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    /// Position among the function's variants.
    pub variant: usize,
    /// The values of the tuning parameters as a store keeps them; empty for a variant without any.
    pub configuration: String,
}

impl Candidate {
    /// A variant without tuning parameters.
    #[must_use]
    pub fn variant(variant: usize) -> Self {
        Self { variant, configuration: String::new() }
    }

    /// Every variant of a function.
    #[must_use]
    pub fn all(function: &Function) -> Vec<Self> {
        (0..function.variants().len()).map(Self::variant).collect()
    }
}
