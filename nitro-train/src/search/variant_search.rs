//! The searches of a variant, whatever they search.

use nitro_store::store::Evaluated;

use super::SearchResult;
use super::error::SearchError;
use crate::measure::Candidate;

/// The search of one variant on one input: among configurations that are listed, or of generated code. What it asks
/// for depends on its seed and on what it was told alone: whoever begins it again and tells it what is known is
/// where it was.
pub(crate) trait VariantSearch: Send {
    /// What is to be evaluated next, in any order, by whomever; nothing once the search is over.
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError>;

    /// What is known of those that are [`open`](Self::open), in their order.
    fn tell(&mut self, known: Vec<Option<Evaluated>>);

    /// What was found.
    fn finish(self: Box<Self>) -> SearchResult;
}
