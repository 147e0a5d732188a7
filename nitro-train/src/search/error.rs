//! The reasons for which a space cannot be searched.

use nitro_learn::configurations::ConfigurationsError;
use nitro_search::{Strategy, WalkError};
use nitro_store::printable::{excerpt, list};
use nitro_store::recordings::Recordings;
use nitro_store::store::StoreError;

/// The reason for which the configurations of a variant cannot be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum SearchError {
    /// A variant of generated code has no generator.
    #[error(
        "variant `{}` of `{function}` runs generated code, and this trainer has no generator for it: \
         add one with `Tunable::generated`",
        excerpt(variant)
    )]
    NoGenerator { function: String, variant: String },

    /// A generator is for a variant that is not generated.
    #[error(
        "the generator of variant `{variant}` of `{function}` is for a variant with a parameter `in artifacts`; \
         those are {}",
        list(known)
    )]
    NotGenerated { function: String, variant: String, known: Vec<String> },

    /// A strategy for listed configurations is to search generated code.
    #[error(
        "`{strategy}` proposes configurations that are listed; the generated code of variant `{variant}` \
         is searched by ants, genetic, random or prove: leave out --strategy, or name another --variant"
    )]
    Strategy { variant: String, strategy: Strategy },

    /// A proof is asked for where nothing bounds the times.
    #[error(
        "nothing can be proved of {} of `{function}` on {device}: that takes generated code whose generator bounds its \
         times (`Generator::prover`), as a space of decisions of nitro-decide does on a device whose rates are known; \
         take another --strategy",
        variant.as_ref().map_or("any variant".to_owned(), |own| format!("variant `{}`", excerpt(own)))
    )]
    NoProof { function: String, variant: Option<String>, device: String },

    /// A search is to stop near a floor that nobody knows.
    #[error(
        "no floor is known of `{function}` on {device}, input {}: that takes a function with one (`Tunable::floor`) and \
         a device whose rates are known; leave out --until",
        excerpt(input)
    )]
    NoFloor { function: String, device: String, input: String },

    /// Something took less than nothing can take.
    #[error(transparent)]
    UnderFloor(#[from] nitro_search::UnderFloor),

    /// A generator breaks what its decisions promise.
    #[error("the generator of variant `{variant}`: {source}")]
    Walk { variant: String, source: WalkError },

    /// A named device was not measured.
    #[error(
        "nothing was measured of `{function}` on device `{}`; devices with measurements are {}",
        excerpt(device),
        list(known)
    )]
    NoSuchDevice { function: String, device: String, known: Vec<String> },

    /// A variant has more configurations than can be walked through.
    #[error(
        "variant `{variant}` has {count} configurations, of which at most {most} can be searched: \
         give its parameters fewer values"
    )]
    TooMany { variant: String, count: u64, most: u64 },

    /// The store keeps sources of the search's beginning that cannot be read.
    #[error(
        "what the store keeps of the beginning of the search {}: {source}; another --seed begins another search",
        excerpt(search)
    )]
    UnreadableSources { search: String, source: serde_json::Error },

    /// The recorded configurations are no space.
    #[error(transparent)]
    Configurations(#[from] ConfigurationsError),

    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SearchError {
    /// Creates the error of a device that recordings do not have.
    pub(crate) fn no_such_device(recordings: &Recordings, device: &str) -> Self {
        Self::NoSuchDevice {
            function: recordings.function.clone(),
            device: device.to_owned(),
            known: recordings.devices.iter().map(|device| device.id.clone()).collect(),
        }
    }
}
