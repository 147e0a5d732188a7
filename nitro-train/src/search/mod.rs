//! The searches of configurations of parameterised variants, and replays of searches on what was measured.

#[cfg(test)]
mod bounded_tests;
mod error;
mod first_sources;
mod generated;
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

pub use self::error::SearchError;
use self::generated::GeneratedSearch;
use self::listed::ListedSearch;
use self::plan::GeneratedVariant;
pub(crate) use self::plan::{Generators, SearchPlan, no_generator};
pub use self::replay_result::ReplayResult;
pub(crate) use self::replay_result::{ReplayExtent, replay_curves, replay_figures};
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

#[cfg(test)]
mod tests;
