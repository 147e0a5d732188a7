//! Why a space cannot be searched.

use nitro_search::{SpaceError, Strategy, WalkError};

use crate::printable::{excerpt, list};
use crate::recordings::Recordings;
use crate::store::StoreError;

/// Why the configurations of a variant cannot be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum SearchError {
    /// No variant has parameters.
    #[error(
        "no variant of `{function}` has configurations to search: give one tuning parameters and record it, or import its configurations with --parameters or \
         --kernel-tuner"
    )]
    NoSpace { function: String },

    /// The variant that was asked for has none.
    #[error(
        "variant `{}` of `{function}` has no configurations to search; those that have are {}",
        excerpt(variant),
        list(known)
    )]
    NoSuchVariant { function: String, variant: String, known: Vec<String> },

    /// Nobody writes the code of a variant.
    #[error(
        "variant `{}` of `{function}` runs generated code, and this trainer has no generator for it: add one with `Tunable::generated`",
        excerpt(variant)
    )]
    NoGenerator { function: String, variant: String },

    /// A generator of what is not generated.
    #[error(
        "the generator of variant `{variant}` of `{function}` is for a variant with a parameter `in artifacts`; those are {}",
        list(known)
    )]
    NotGenerated { function: String, variant: String, known: Vec<String> },

    /// A strategy for configurations that are listed.
    #[error(
        "`{strategy}` proposes configurations that are listed; the generated code of variant `{variant}` is searched by ants, genetic or random: leave out --strategy, or name another \
         --variant"
    )]
    Strategy { variant: String, strategy: Strategy },

    /// The decisions of a generator break what they promise.
    #[error("the generator of variant `{variant}`: {source}")]
    Walk { variant: String, source: WalkError },

    /// Generated code is in no list.
    #[error(
        "the generated code of variant `{variant}` cannot be replayed: no store has what another search would have generated; search without --replay"
    )]
    NothingToReplay { variant: String },

    /// A device that was not measured.
    #[error(
        "nothing was measured of `{function}` on device `{}`; devices with measurements are {}",
        excerpt(device),
        list(known)
    )]
    NoSuchDevice { function: String, device: String, known: Vec<String> },

    /// A configuration whose values cannot be told.
    #[error(
        "configuration `{}` of variant `{variant}` does not say the value of each parameter ({}); import the values with --parameters",
        excerpt(configuration),
        list(parameters)
    )]
    Values { variant: String, configuration: String, parameters: Vec<String> },

    /// More than can be walked through.
    #[error(
        "variant `{variant}` has {count} configurations, of which at most {most} can be searched: give its parameters fewer values"
    )]
    TooMany { variant: String, count: u64, most: u64 },

    /// What the store keeps of its beginning.
    #[error(
        "what the store keeps of the beginning of the search {}: {source}; another --seed begins another search",
        excerpt(search)
    )]
    Begun { search: String, source: serde_json::Error },

    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),

    /// What is listed is no space.
    #[error("the configurations of variant `{variant}`: {source}")]
    Space { variant: String, source: SpaceError },
}

impl SearchError {
    /// These recordings are of other devices.
    pub(crate) fn no_such_device(recordings: &Recordings, device: &str) -> Self {
        Self::NoSuchDevice {
            function: recordings.function.clone(),
            device: device.to_owned(),
            known: recordings.devices.iter().map(|device| device.id.clone()).collect(),
        }
    }
}
