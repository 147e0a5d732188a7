//! The searches of configurations of parameterised variants, and replays of searches on what was measured.

#[cfg(test)]
mod bounded_tests;
mod certificate;
#[cfg(test)]
mod certificate_tests;
mod error;
mod first_sources;
mod generated;
mod limit;
#[cfg(test)]
mod limit_tests;
mod listed;
mod plan;
mod proving;
#[cfg(test)]
mod proving_tests;
mod replay_result;
mod result;
mod searches;
mod selection;
mod sensitivity;
mod sources;
mod strategy;
mod table;
mod variant_search;

pub use self::certificate::{Certificate, CertificateCheck, Sample};
pub use self::error::SearchError;
use self::generated::GeneratedSearch;
pub(crate) use self::limit::{Floors, InputFloor};
use self::listed::ListedSearch;
use self::plan::GeneratedVariant;
pub(crate) use self::plan::{Generators, SearchPlan, no_generator};
pub(crate) use self::replay_result::{ReplayExtent, replay_curves, replay_figures};
pub use self::replay_result::{ReplayResult, StoppedReplay};
pub use self::result::{Proof, SearchResult};
pub(crate) use self::searches::Searches;
pub(crate) use self::selection::select_configurations;
pub(crate) use self::sensitivity::{Bins, Sensitivity, best_by, sensitivities};
pub use self::strategy::SearchStrategy;
pub(crate) use self::strategy::source_names;
pub(crate) use self::table::{replay_tables, search_tables};
use self::variant_search::VariantSearch;
// The strategies, by the name that does not mistake them for those of learning.
pub use nitro_search::{Strategy, UnknownStrategy};
// What bounds a search from below, so that a trainer needs no dependency on `nitro-search`.
pub use nitro_search::{Floor, UnderFloor, Until};

#[cfg(test)]
mod tests;
