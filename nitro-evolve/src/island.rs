//! An evolution among others of the same kernel and workload.

use std::time::Duration;

use nitro_codegen::ptx::Edit;
use nitro_search::evolve::Fitness;
use nitro_train::BoxError;

/// Where islands leave texts for each other: a store, or whatever several processes can get at.
///
/// What comes from it is not trusted: it is read within bounds, and what is no patch that fits is refused with a line.
///
/// ```
/// use std::collections::BTreeMap;
///
/// /// For islands of one process.
/// struct Shared<'a>(&'a mut BTreeMap<String, String>, String);
///
/// impl nitro_evolve::Exchange for Shared<'_> {
///     fn leave(&mut self, text: &str) -> Result<(), nitro_train::BoxError> {
///         self.0.insert(self.1.clone(), text.to_owned());
///         Ok(())
///     }
///
///     fn islands(&mut self) -> Result<Vec<String>, nitro_train::BoxError> {
///         Ok(self.0.keys().cloned().collect())
///     }
///
///     fn left_by(&mut self, island: &str) -> Result<Option<String>, nitro_train::BoxError> {
///         Ok(self.0.get(island).cloned())
///     }
/// }
/// ```
pub trait Exchange {
    /// Leaves a text for the other islands, in place of what this one has left before.
    ///
    /// # Errors
    /// With a sentence, when it cannot; the evolution goes on.
    fn leave(&mut self, text: &str) -> Result<(), BoxError>;

    /// Which islands have left something; this one may be among them.
    ///
    /// # Errors
    /// With a sentence, when that cannot be known; the evolution goes on.
    fn islands(&mut self) -> Result<Vec<String>, BoxError>;

    /// What one of them has left.
    ///
    /// # Errors
    /// With a sentence, when it cannot be read; the evolution goes on.
    fn left_by(&mut self, island: &str) -> Result<Option<String>, BoxError>;
}

/// An evolution among others of the same kernel and workload, with which it now and then exchanges its best.
pub struct Island<'a> {
    /// What it is called: a name of its own among the islands.
    pub name: String,
    /// After so many generations it leaves its best and takes in those of others.
    pub every: usize,
    /// How many of its best it leaves, and takes of each other island.
    pub migrants: usize,
    /// Where they are left.
    pub exchange: &'a mut dyn Exchange,
}

/// A patch that came from another island.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Migrant {
    pub from: String,
    /// Ascending.
    pub edits: Vec<Edit>,
    /// What it did there, as they say. Nothing is decided by it: times of other devices do not compare.
    pub claim: Fitness,
}

/// What came of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct Exchanged {
    /// Time spent when it was made, over all sessions.
    pub at: Duration,
    /// Whose candidates the migrants join.
    pub generation: usize,
    pub migrants: Vec<Migrant>,
}
