//! What was measured of a mix, as ratios.

use std::collections::BTreeMap;

use nitro_stats::statistics::{geometric_mean, median};
use serde_json::{Value, json};

use crate::case::{Call, Case};
use crate::measure::{Contender, Times};
use crate::mix::Mix;

/// Inputs that a thread's inline cache remembers.
const REMEMBERED: usize = 8;

/// Total times of a mix, in nanoseconds.
pub struct MixResult {
    pub name: &'static str,
    pub function: &'static str,
    pub calls: usize,
    pub dispatched_ns: f64,
    /// The same with the model in caches.
    pub warm_ns: f64,
    /// The features alone.
    pub features_ns: f64,
    /// A developer's `if`, and the variants that it names.
    pub rule_ns: f64,
    /// The chosen variants, called directly.
    pub chosen_ns: f64,
    /// The fastest variants, called directly.
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
            found.map_or(&[][..], |times| &*times.medians_ns)
        };
        let total = |contender| of(contender).iter().copied().sum::<Option<f64>>();
        let needed = |contender| total(contender).unwrap_or(f64::NAN);
        let variant = |index| Contender::All(Call::Variant(index));
        let selected: Vec<_> = cases.iter_mut().map(|case| case.selected()).collect();
        let mut reasons = BTreeMap::new();
        selected.iter().for_each(|one| *reasons.entry(one.reason.clone()).or_default() += 1);
        let features: Vec<&[f64]> = selected.iter().map(|one| &*one.features).collect();
        Self {
            name: mix.name,
            function: function.name(),
            calls: cases.len(),
            dispatched_ns: needed(Contender::All(Call::Dispatched)),
            warm_ns: needed(Contender::Warm),
            features_ns: needed(Contender::All(Call::Features)),
            rule_ns: needed(Contender::All(Call::Rule)),
            chosen_ns: needed(Contender::Chosen),
            oracle_ns: needed(Contender::Oracle),
            default_ns: needed(variant(function.default_choice().variant)),
            singles_ns: (function.variants().iter().enumerate())
                .map(|(index, own)| (own.name(), total(variant(index))))
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

    /// The dispatched time over the oracle's.
    pub fn of_oracle(&self) -> f64 {
        self.dispatched_ns / self.oracle_ns
    }

    /// The time of the best single variant over the dispatched time.
    pub fn over_best_single(&self) -> f64 {
        self.best_single().1 / self.dispatched_ns
    }

    /// The time of the developer's `if` over the dispatched time.
    pub fn over_rule(&self) -> f64 {
        self.rule_ns / self.dispatched_ns
    }

    /// The default's time over the dispatched time.
    pub fn over_default(&self) -> f64 {
        self.default_ns / self.dispatched_ns
    }

    fn json(&self) -> Value {
        let singles = self.singles_ns.iter().map(|(name, ns)| ((*name).to_owned(), json!(ns)));
        json!({
            "mix": self.name, "function": self.function, "calls": self.calls, "repeated": self.repeated,
            "dispatched_ns": self.dispatched_ns, "warm_ns": self.warm_ns, "features_ns": self.features_ns, "rule_ns": self.rule_ns,
            "chosen_ns": self.chosen_ns, "oracle_ns": self.oracle_ns, "default_ns": self.default_ns,
            "best_single": self.best_single().0, "singles_ns": singles.collect::<serde_json::Map<_, _>>(),
            "reasons": self.reasons, "of_oracle": self.of_oracle(), "over_best_single": self.over_best_single(),
            "over_rule": self.over_rule(), "over_default": self.over_default(),
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
    /// The time of the developer's `if` over the dispatched time.
    pub over_rule: f64,
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
            over_rule: sum(|one| one.rule_ns) / dispatched,
            over_default: sum(|one| one.default_ns) / dispatched,
        }
    }

    /// Geometric means of the ratios of the mixes.
    fn mean(results: &[MixResult]) -> Self {
        let mean = |ratio: fn(&MixResult) -> f64| -> f64 {
            geometric_mean(results.iter().map(ratio)).unwrap_or(f64::NAN)
        };
        Self {
            of_oracle: mean(MixResult::of_oracle),
            over_best_single: mean(MixResult::over_best_single),
            over_best_of_function: None,
            over_rule: mean(MixResult::over_rule),
            over_default: mean(MixResult::over_default),
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

/// A value of several runs.
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    pub fn of<T>(runs: &[T], value: impl Fn(&T) -> f64) -> Self {
        let mut values: Vec<f64> = runs.iter().map(value).collect();
        let median = median(&mut values).unwrap_or(f64::NAN); // sorts
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        Self { median, least: end(values.first()), most: end(values.last()) }
    }
}

/// The ratios whose range is printed.
const RATIOS: [&str; 5] =
    ["of_oracle", "over_best_single", "over_best_of_function", "over_rule", "over_default"];

/// One object with the mixes and the totals: medians of the runs, and the ranges of ratios.
pub fn json(runs: &[Vec<MixResult>]) -> String {
    let objects: Vec<Value> = runs.iter().map(|results| run_json(results)).collect();
    medians(&objects).to_string()
}

fn run_json(results: &[MixResult]) -> Value {
    let totals = Total::all(results).map(|(name, total)| {
        let ratios = json!({
            "of_oracle": total.of_oracle,
            "over_best_single": total.over_best_single,
            "over_best_of_function": total.over_best_of_function,
            "over_rule": total.over_rule,
            "over_default": total.over_default,
        });
        (name.to_owned(), ratios)
    });
    let mixes: Vec<Value> = results.iter().map(MixResult::json).collect();
    json!({ "mixes": mixes, "totals": totals.into_iter().collect::<serde_json::Map<_, _>>() })
}

/// Puts what several runs say of the same into one: numbers become their medians, all else is as the first run has
/// it. Where there are several runs, ratios get a range beside them.
fn medians(runs: &[Value]) -> Value {
    let numbers: Option<Vec<f64>> = runs.iter().map(Value::as_f64).collect();
    match (&runs[0], numbers) {
        (first, Some(numbers)) if numbers.iter().any(|number| *number != numbers[0]) => {
            let median = Spread::of(&numbers, |number| *number).median;
            serde_json::Number::from_f64(median).map_or(first.clone(), Value::Number)
        }
        (Value::Array(first), _) => {
            let of = |index| medians(&runs.iter().map(|run| run[index].clone()).collect::<Vec<_>>());
            (0..first.len()).map(of).collect()
        }
        (Value::Object(first), _) => {
            let mut all = serde_json::Map::new();
            for name in first.keys() {
                let own: Vec<Value> = runs.iter().map(|run| run[name].clone()).collect();
                all.insert(name.clone(), medians(&own));
                if runs.len() > 1 && own[0].is_number() && RATIOS.contains(&name.as_str()) {
                    let range = Spread::of(&own, |ratio| ratio.as_f64().unwrap_or(f64::NAN));
                    all.insert(format!("{name}_range"), json!([range.least, range.most]));
                }
            }
            Value::Object(all)
        }
        (first, _) => first.clone(),
    }
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
            warm_ns: dispatched_ns,
            features_ns: 0.0,
            rule_ns: 2.0 * dispatched_ns,
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
            for (ratio, expected) in
                [(total.of_oracle, 1.2), (total.over_default, 3.0), (total.over_rule, 2.0)]
            {
                assert!((ratio - expected).abs() < 1e-12, "{name}: {ratio}");
            }
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

    #[test]
    fn several_runs_become_medians_with_ranges() {
        let runs = [11.0, 14.0, 12.0].map(|ns| vec![mix(ns, 10.0, [Some(ns), None])]);
        let found: Value = serde_json::from_str(&json(&runs)).unwrap();
        let mix = &found["mixes"][0];
        assert_eq!((&mix["dispatched_ns"], &mix["oracle_ns"]), (&json!(12.0), &json!(10.0)));
        assert_eq!((&mix["of_oracle"], &mix["of_oracle_range"]), (&json!(1.2), &json!([1.1, 1.4])));
        assert_eq!((&mix["calls"], &mix["singles_ns"]["b"]), (&json!(1), &Value::Null));
        assert_eq!(found["totals"]["all calls"]["of_oracle_range"], json!([1.1, 1.4]));
        let one: Value = serde_json::from_str(&json(&runs[..1])).unwrap();
        assert_eq!(one["mixes"][0].get("of_oracle_range"), None, "of one run there is no range");
    }
}
