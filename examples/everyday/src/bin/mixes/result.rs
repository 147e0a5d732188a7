//! What was measured of a mix, as ratios.

use std::collections::BTreeMap;

use nitro_stats::statistics::geometric_mean;
use serde_json::{Value, json};

use crate::case::{Case, Contender};
use crate::measure::Times;
use crate::mix::Mix;

/// Inputs that a thread's inline cache remembers.
const REMEMBERED: usize = 8;

/// Total times of a mix, in nanoseconds.
pub struct MixResult {
    pub name: &'static str,
    pub function: &'static str,
    pub calls: usize,
    pub dispatched_ns: f64,
    /// The features alone.
    pub features_ns: f64,
    /// The chosen variants, called directly.
    pub chosen_ns: f64,
    pub oracle_ns: f64,
    pub default_ns: f64,
    /// Each variant for all inputs, where it may run on all of them.
    pub singles_ns: Vec<(&'static str, Option<f64>)>,
    /// Calls whose features were those of one of the last eight, so that the inline cache may have answered.
    pub repeated: usize,
    pub reasons: BTreeMap<String, usize>,
}

impl MixResult {
    pub fn new(mix: &Mix, cases: &mut [Box<dyn Case>], times: &[Times]) -> Self {
        let function = cases[0].function();
        let of = |contender| {
            let found = times.iter().find(|times| times.contender == contender);
            found.map_or(&[][..], |times| &times.medians_ns)
        };
        let total = |contender| of(contender).iter().copied().sum::<Option<f64>>();
        let variants = 0..function.variants().len();
        let fastest = |case: usize| {
            variants
                .clone()
                .filter_map(|variant| of(Contender::Variant(variant))[case])
                .fold(f64::MAX, f64::min)
        };
        let selected: Vec<_> = cases.iter_mut().map(|case| case.selected()).collect();
        let chosen = selected.iter().enumerate();
        let chosen = chosen.filter_map(|(case, one)| of(Contender::Variant(one.variant))[case]);
        let mut reasons = BTreeMap::new();
        selected.iter().for_each(|one| *reasons.entry(one.reason.clone()).or_default() += 1);
        let features: Vec<&[f64]> = selected.iter().map(|one| &*one.features).collect();
        Self {
            name: mix.name,
            function: function.name(),
            calls: cases.len(),
            dispatched_ns: total(Contender::Dispatched).unwrap_or(f64::NAN),
            features_ns: total(Contender::Features).unwrap_or(f64::NAN),
            chosen_ns: chosen.sum(),
            oracle_ns: (0..cases.len()).map(fastest).sum(),
            default_ns: total(Contender::Variant(function.default_choice().variant)).unwrap_or(f64::NAN),
            singles_ns: variants
                .clone()
                .map(|variant| (function.variants()[variant].name(), total(Contender::Variant(variant))))
                .collect(),
            repeated: repeated(&features),
            reasons,
        }
    }

    /// The variant that would have been best for all of these calls, and its time.
    pub fn best_single(&self) -> (&'static str, f64) {
        let admitted = self.singles_ns.iter().filter_map(|(name, ns)| Some((*name, (*ns)?)));
        admitted.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(("none", f64::NAN))
    }

    fn json(&self) -> Value {
        let (single, single_ns) = self.best_single();
        let singles = self.singles_ns.iter().map(|(name, ns)| ((*name).to_owned(), json!(ns)));
        json!({
            "mix": self.name, "function": self.function, "calls": self.calls, "repeated": self.repeated,
            "dispatched_ns": self.dispatched_ns, "features_ns": self.features_ns, "chosen_ns": self.chosen_ns,
            "oracle_ns": self.oracle_ns, "default_ns": self.default_ns, "best_single": single,
            "singles_ns": singles.collect::<serde_json::Map<_, _>>(), "reasons": self.reasons,
            "of_oracle": self.dispatched_ns / self.oracle_ns,
            "over_best_single": single_ns / self.dispatched_ns,
            "over_default": self.default_ns / self.dispatched_ns,
        })
    }
}

/// How many inputs, in turn again and again, have the features of one of the eight before.
fn repeated(features: &[&[f64]]) -> usize {
    let count = features.len();
    let seen = |index: &usize| {
        (1..=REMEMBERED.min(count - 1))
            .any(|back| features[(index + count - back) % count] == features[*index])
    };
    (0..count).filter(seen).count()
}

/// All mixes together, as ratios.
pub struct Total {
    /// The dispatched time over the oracle's.
    pub of_oracle: f64,
    /// The time of each mix's best single variant over the dispatched time, as in the row of a mix.
    pub over_best_single: f64,
    /// The same where one variant of each function has to serve all of its mixes; none of a mean of ratios.
    pub over_best_of_function: Option<f64>,
    /// The default's time over the dispatched time.
    pub over_default: f64,
}

impl Total {
    /// Ratios of the sums of times, each mix counted with a weight.
    fn of(results: &[MixResult], weight: impl Fn(&MixResult) -> f64) -> Self {
        let sum =
            |time: fn(&MixResult) -> f64| -> f64 { results.iter().map(|one| weight(one) * time(one)).sum() };
        let dispatched = sum(|one| one.dispatched_ns);
        Self {
            of_oracle: dispatched / sum(|one| one.oracle_ns),
            over_best_single: sum(|one| one.best_single().1) / dispatched,
            over_best_of_function: Some(best_of_functions(results, &weight) / dispatched),
            over_default: sum(|one| one.default_ns) / dispatched,
        }
    }

    /// Geometric means of the ratios of the mixes.
    fn mean(results: &[MixResult]) -> Self {
        let mean = |ratio: fn(&MixResult) -> f64| -> f64 {
            geometric_mean(results.iter().map(ratio)).unwrap_or(f64::NAN)
        };
        Self {
            of_oracle: mean(|one| one.dispatched_ns / one.oracle_ns),
            over_best_single: mean(|one| one.best_single().1 / one.dispatched_ns),
            over_best_of_function: None,
            over_default: mean(|one| one.default_ns / one.dispatched_ns),
        }
    }

    /// The sums of the mixes as they are and with each mix as much as any other, and means over the mixes.
    pub fn all(results: &[MixResult]) -> [(&'static str, Self); 3] {
        [
            ("all calls", Self::of(results, |_| 1.0)),
            ("all mixes alike", Self::of(results, |one| 1.0 / one.oracle_ns)),
            ("geometric mean", Self::mean(results)),
        ]
    }
}

/// The time of all mixes where each function has the one variant that is best for all of its mixes together.
fn best_of_functions(results: &[MixResult], weight: &impl Fn(&MixResult) -> f64) -> f64 {
    let mut singles: BTreeMap<(&str, &str), Option<f64>> = BTreeMap::new();
    for one in results {
        for (variant, ns) in &one.singles_ns {
            let total = singles.entry((one.function, variant)).or_insert(Some(0.0));
            *total = total.zip(*ns).map(|(total, ns)| total + weight(one) * ns);
        }
    }
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for ((function, _), ns) in singles {
        let best = best.entry(function).or_insert(f64::INFINITY);
        *best = best.min(ns.unwrap_or(f64::INFINITY));
    }
    best.values().sum()
}

/// One object with the mixes and the totals.
pub fn json(results: &[MixResult]) -> String {
    let totals = Total::all(results).map(|(name, total)| {
        let ratios = json!({
            "of_oracle": total.of_oracle,
            "over_best_single": total.over_best_single,
            "over_best_of_function": total.over_best_of_function,
            "over_default": total.over_default,
        });
        (name.to_owned(), ratios)
    });
    let mixes: Vec<Value> = results.iter().map(MixResult::json).collect();
    json!({ "mixes": mixes, "totals": totals.into_iter().collect::<serde_json::Map<_, _>>() }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(dispatched_ns: f64, oracle_ns: f64, singles: [Option<f64>; 2]) -> MixResult {
        MixResult {
            name: "mix",
            function: "sort",
            calls: 1,
            dispatched_ns,
            features_ns: 0.0,
            chosen_ns: dispatched_ns,
            oracle_ns,
            default_ns: 3.0 * dispatched_ns,
            singles_ns: vec![("a", singles[0]), ("b", singles[1])],
            repeated: 0,
            reasons: BTreeMap::new(),
        }
    }

    #[test]
    fn totals_compare_with_what_the_rows_compare_with() {
        // `a` is best for one mix and `b` for the other: dispatch loses in both rows, and so it does in all totals.
        let results =
            [mix(12.0, 10.0, [Some(10.0), Some(50.0)]), mix(120.0, 100.0, [Some(500.0), Some(100.0)])];
        for (name, total) in Total::all(&results) {
            assert!((total.over_best_single - 1.0 / 1.2).abs() < 1e-12, "{name}");
            assert!(
                (total.of_oracle - 1.2).abs() < 1e-12 && (total.over_default - 3.0).abs() < 1e-12,
                "{name}"
            );
        }
        // With one variant for both, `b` takes 150.
        let [calls, alike, mean] = Total::all(&results).map(|(_, total)| total.over_best_of_function);
        assert!((calls.unwrap() - 150.0 / 132.0).abs() < 1e-12);
        assert!((alike.unwrap() - 6.0 / 2.4).abs() < 1e-12);
        assert_eq!(mean, None);
    }

    #[test]
    fn a_variant_that_may_not_run_everywhere_is_no_single_one() {
        let results = [mix(12.0, 10.0, [Some(10.0), None]), mix(12.0, 10.0, [None, Some(10.0)])];
        let (_, total) = &Total::all(&results)[0];
        assert_eq!(total.over_best_of_function, Some(f64::INFINITY), "none serves both mixes");
        assert!((total.over_best_single - 20.0 / 24.0).abs() < 1e-12);
    }
}
