//! What was measured of a mix, as ratios.

use std::collections::BTreeMap;

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

/// All mixes together.
pub struct Total {
    pub dispatched: f64,
    pub oracle: f64,
    pub single: f64,
    pub default: f64,
}

impl Total {
    /// The sums, each mix counted with a weight. The best single variant in hindsight is one for each function.
    fn of(results: &[MixResult], weight: impl Fn(&MixResult) -> f64) -> Self {
        let sum = |time: fn(&MixResult) -> f64| results.iter().map(|one| weight(one) * time(one)).sum();
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
        Self {
            dispatched: sum(|one| one.dispatched_ns),
            oracle: sum(|one| one.oracle_ns),
            single: best.values().sum(),
            default: sum(|one| one.default_ns),
        }
    }

    /// The sums of the mixes as they are, and with each mix as much as any other.
    pub fn both(results: &[MixResult]) -> [(&'static str, Self); 2] {
        [
            ("all calls", Self::of(results, |_| 1.0)),
            ("all mixes alike", Self::of(results, |one| 1.0 / one.oracle_ns)),
        ]
    }
}

/// One object with the mixes and the totals.
pub fn json(results: &[MixResult]) -> String {
    let totals = Total::both(results).map(|(name, total)| {
        let ratios = json!({
            "of_oracle": total.dispatched / total.oracle,
            "over_best_single": total.single / total.dispatched,
            "over_default": total.default / total.dispatched,
        });
        (name.to_owned(), ratios)
    });
    let mixes: Vec<Value> = results.iter().map(MixResult::json).collect();
    json!({ "mixes": mixes, "totals": totals.into_iter().collect::<serde_json::Map<_, _>>() }).to_string()
}
