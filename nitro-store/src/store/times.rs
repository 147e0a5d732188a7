//! Times of features, by name.

use std::collections::BTreeMap;

use crate::exact::Exact;

/// The times of features by name, as the back ends keep them.
pub(super) type NamedTimes = BTreeMap<String, Exact>;

pub(super) fn named_times(names: &[String], times_ns: impl Iterator<Item = Option<f64>>) -> NamedTimes {
    names.iter().zip(times_ns).filter_map(|(name, time_ns)| Some((name.clone(), Exact(time_ns?)))).collect()
}

/// Returns times in the order of these features.
pub(super) fn ordered_times(names: &[String], known: &NamedTimes) -> Vec<Option<f64>> {
    names.iter().map(|name| known.get(name).map(|&Exact(time_ns)| time_ns)).collect()
}
