//! The hardware counters of the parts of a candidate.

use std::collections::BTreeMap;
use std::fmt;

use nitro_core::Choice;
use nitro_core::recording::PartTime;

/// Metrics of a part besides its time, from 0 to 1.
type Metrics = Vec<(String, f64)>;

/// A source of hardware counters: the metrics of the parts of a choice on an input, by the parts' names.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use std::collections::BTreeMap;
///
/// use nitro_train::measure::{Counters, Inputs, Plan, Repeats, Share};
///
/// let names = ["10".to_owned()];
/// let hits = || vec![("l2_hits".to_owned(), 0.5)];
/// let counters = |_: nitro::Choice, _: &str| BTreeMap::from([("merge".to_owned(), hits())]);
/// let plan = Plan::new(Inputs::Generated(&names), Repeats::default(), Share::default());
/// let plan = Plan { counters: Some(Counters(&counters)), ..plan }; // for a search of generated code
/// # let _ = (plan, keys, sort::function(), Desk);
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Counters<'a>(pub &'a (dyn Fn(Choice, &str) -> BTreeMap<String, Metrics> + Sync));

impl fmt::Debug for Counters<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Counters").finish_non_exhaustive()
    }
}

impl Counters<'_> {
    /// Adds what is counted to the metrics of parts; it replaces metrics of the same name.
    pub(super) fn added(self, choice: Choice, input: &str, mut parts: Vec<PartTime>) -> Vec<PartTime> {
        if parts.is_empty() {
            return parts;
        }
        let mut counted = (self.0)(choice, input);
        for part in &mut parts {
            let counted = counted.remove(&part.name).unwrap_or_default();
            part.metrics.retain(|(name, _)| !counted.iter().any(|(other, _)| other == name));
            part.metrics.extend(counted);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::Configuration;

    use super::*;

    #[test]
    fn what_was_counted_is_added_to_its_part_and_counts_more_than_what_was_known() {
        let own = |metrics: &[(&str, f64)]| -> Metrics {
            metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
        };
        let part = |name: &str, metrics| PartTime { name: name.to_owned(), time_ns: 1.0, metrics };
        let choice = Choice { variant: 0, configuration: Configuration::of_rank(0) };
        let counted = |_: Choice, _: &str| {
            let of = |name: &str| (name.to_owned(), own(&[("occupancy", 0.25), ("l2_hits", 0.5)]));
            BTreeMap::from([of("a"), of("gone")])
        };
        let known = own(&[("occupancy", 1.0), ("other", 0.5)]);
        let parts = vec![part("a", known.clone()), part("b", known.clone())];
        let expected =
            [part("a", own(&[("other", 0.5), ("occupancy", 0.25), ("l2_hits", 0.5)])), part("b", known)];
        assert_eq!(Counters(&counted).added(choice, "i", parts), expected);
        let none = |_: Choice, _: &str| -> BTreeMap<String, Metrics> { panic!("nobody asks of no parts") };
        assert_eq!(Counters(&none).added(choice, "i", Vec::new()), []);
    }
}
