//! Everything that searches have left in a store, as it is copied to another.

use std::collections::BTreeMap;

use super::row::{ChoiceName, Evaluated, Row};

/// Everything that searches have left in a store, by name.
///
/// ```
/// use nitro_store::recordings::Outcome;
/// use nitro_store::store::{self, ChoiceName, Row};
///
/// let (mut store, mut copy) = (store::memory()?, store::memory()?);
/// let row = Row { configuration: "block=64", ..Row::new("tiled", Outcome::Time(1200.0)) };
/// store.put_evaluation("mm", "cuda:0", "train/256", &row)?;
/// let searches = store.searches()?;
/// let (key, evaluated) = searches.evaluations.first_key_value().expect("it was put");
/// assert_eq!((key.input.as_str(), evaluated.row(key.choice())), ("train/256", row));
/// copy.add_searches(&searches)?;
/// assert_eq!(copy.searches()?, searches);
/// # Ok::<(), store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searches {
    /// Their evaluations ([`Store::put_evaluation`](super::Store::put_evaluation)).
    pub evaluations: BTreeMap<EvaluationKey, Evaluated>,
    /// The beginning of each ([`Store::begin_search`](super::Store::begin_search)), by the name of the search.
    pub begun: BTreeMap<String, String>,
}

/// The names that an evaluation is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvaluationKey {
    /// The function.
    pub function: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// The variant.
    pub variant: String,
    /// The values of its tuning parameters, empty for a variant without any.
    pub configuration: String,
}

impl EvaluationKey {
    /// Variant and configuration.
    #[must_use]
    pub fn choice(&self) -> ChoiceName<'_> {
        ChoiceName { variant: &self.variant, configuration: &self.configuration }
    }
}

impl Searches {
    /// Function, device, input and row of each evaluation.
    pub(super) fn rows(&self) -> impl Iterator<Item = ([&str; 3], Row<'_>)> {
        self.evaluations.iter().map(|(key, own)| {
            let subject: [&str; 3] = [&key.function, &key.device, &key.input];
            (subject, own.row(key.choice()))
        })
    }

    /// Returns what `other` has beside these searches.
    pub(super) fn lacking(&self, other: &Self) -> Self {
        let mut lacking = other.clone();
        lacking.evaluations.retain(|key, _| !self.evaluations.contains_key(key));
        lacking.begun.retain(|name, _| !self.begun.contains_key(name));
        lacking
    }
}
