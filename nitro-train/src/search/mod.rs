//! Searching the configurations of parameterised variants: what a store holds of them as spaces and answers of
//! [`nitro_search`], and replays of searches on what was measured.

mod begun;
#[cfg(test)]
mod bounded_tests;
mod error;
mod generated;
mod kept;
mod known;
mod landscape;
mod live;
mod plan;
mod proving;
#[cfg(test)]
mod proving_tests;
mod replayed;
mod result;
mod searches;
mod sources;
mod strategy;
mod table;
mod variant_search;

pub(crate) use self::begun::first_sources;
pub use self::error::SearchError;
pub(crate) use self::generated::GeneratedSearch;
pub(crate) use self::kept::kept;
pub(crate) use self::landscape::{Bins, Explained, best_by, explained};
pub(crate) use self::live::{InputSearch, InputSpace};
pub(crate) use self::plan::{GeneratedVariant, Generators, SearchPlan, no_generator};
pub use self::replayed::Replayed;
pub(crate) use self::replayed::{Extent, curves, run};
pub use self::result::{Proof, SearchResult};
pub(crate) use self::searches::Searches;
pub(crate) use self::sources::told;
pub use self::strategy::SearchStrategy;
pub(crate) use self::table::{replay_tables, search_tables};
pub(crate) use self::variant_search::VariantSearch;
// The strategies, by the name that does not mistake them for those of learning.
pub use nitro_search::{Strategy, UnknownStrategy};

#[cfg(test)]
mod tests;
