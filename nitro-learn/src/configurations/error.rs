//! Errors of configurations that are no space.

use nitro_search::SpaceError;
use nitro_store::printable::{excerpt, list};

/// The reason that the configurations of a variant cannot be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum ConfigurationsError {
    /// No variant has parameters.
    #[error(
        "no variant of `{function}` has configurations to search: give one tuning parameters and record it, or import \
         its configurations with --parameters or --kernel-tuner"
    )]
    NoSpace { function: String },

    /// The variant that was asked for has none.
    #[error(
        "variant `{}` of `{function}` has no configurations to search; those that have are {}",
        excerpt(variant),
        list(known)
    )]
    NoSuchVariant { function: String, variant: String, known: Vec<String> },

    /// Generated code is in no list.
    #[error(
        "the generated code of variant `{variant}` cannot be replayed: no store has what another search would have \
         generated; search without --replay"
    )]
    NothingToReplay { variant: String },

    /// A configuration whose values cannot be told.
    #[error(
        "configuration `{}` of variant `{variant}` does not say the value of each parameter ({}); import the values \
         with --parameters",
        excerpt(configuration),
        list(parameters)
    )]
    Values { variant: String, configuration: String, parameters: Vec<String> },

    /// The listed configurations are no space.
    #[error("the configurations of variant `{variant}`: {source}")]
    Space { variant: String, source: SpaceError },
}
