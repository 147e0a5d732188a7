//! The trait of the searches of a variant, whatever they search.

use nitro_store::store::Evaluated;

use super::SearchResult;
use super::error::SearchError;
use crate::measure::Candidate;

/// A search of one variant on one input: among configurations that are listed, or of generated code.
///
/// What it asks for depends on its seed and on what it was told alone: whoever begins it again and tells it what is
/// known is where it was.
pub(crate) trait VariantSearch: Send {
    /// Returns the candidates to evaluate next, in any order, by whomever; none once the search is over.
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError>;

    /// Returns what is probably asked for after the open candidates.
    fn ahead(&self) -> Vec<Candidate> {
        Vec::new()
    }

    /// Takes what is known of the [`open`](Self::open) candidates, in their order.
    fn tell(&mut self, known: Vec<Option<Evaluated>>);

    /// Returns what was found.
    fn finish(self: Box<Self>) -> SearchResult;
}
