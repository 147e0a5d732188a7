//! The strategies of a search that measures: those of `nitro-search`, and branch and bound.

use std::fmt;

use nitro_search::{Sources, Strategy};

/// The strategy of a search that measures.
///
/// ```
/// use nitro_train::search::{SearchStrategy, Strategy};
///
/// assert_eq!(SearchStrategy::from(Strategy::Ants).to_string(), "ants");
/// assert_eq!(SearchStrategy::Prove.to_string(), "prove");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStrategy {
    /// A strategy that looks for something fast.
    Find(Strategy),
    /// Branch and bound, which looks for the fastest until nothing that is left can be faster. It searches generated
    /// code whose generator has a lower bound of the times
    /// ([`Generator::prover`](crate::generate::Generator::prover)).
    Prove,
}

impl From<Strategy> for SearchStrategy {
    fn from(strategy: Strategy) -> Self {
        Self::Find(strategy)
    }
}

impl fmt::Display for SearchStrategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Find(strategy) => strategy.fmt(formatter),
            Self::Prove => formatter.pad("prove"),
        }
    }
}

/// Returns the names of the devices that a search learns from: one strategy looks at them.
pub(crate) fn source_names(strategy: Strategy, sources: &Sources) -> Vec<String> {
    match strategy {
        Strategy::Transfer => sources.devices.iter().map(|source| source.device.clone()).collect(),
        _ => Vec::new(),
    }
}
