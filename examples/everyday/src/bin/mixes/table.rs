//! The table, a line a mix.

use std::collections::BTreeSet;

use crate::result::{MixResult, Spread, Total};

const HEADING: [[&str; 12]; 2] = [
    [
        "",
        "",
        "time, us",
        "of the",
        "over best",
        "",
        "over",
        "over",
        "wrong",
        "overhead",
        "if warm",
        "features",
    ],
    ["mix", "calls", "a call", "oracle", "single", "which is", "if", "default", "choice", "ns", "ns", "ns"],
];

const LEGEND: &str = "\
of the oracle: dispatched / oracle, less is better; over X: X / dispatched, more is better
best single: the variant that is best for the mix; by function: for all mixes of its function
if: a developer's, of the lengths and the like, written before measuring
wrong choice: what the chosen variants, called directly, take more than the oracle
overhead: what a dispatched call takes more than its variant, features and choice; if warm: with the model in caches
features: all of them, alone";

/// Of several runs the medians, with the least and the most of the ratios.
pub fn table(runs: &[Vec<MixResult>]) -> String {
    let widths = if runs.len() > 1 { [18; 3] } else { [7, 9, 7] };
    let heading = HEADING.map(|cells| line(&cells.map(str::to_owned), widths));
    let mixes = (0..runs[0].len()).map(|index| {
        let own: Vec<&MixResult> = runs.iter().map(|run| &run[index]).collect();
        line(&mix(&own), widths)
    });
    let totals: Vec<_> = runs.iter().map(|run| Total::all(run)).collect();
    let sums = (0..totals[0].len()).map(|index| {
        let own: Vec<&Total> = totals.iter().map(|total| &total[index].1).collect();
        line(&sum(totals[0][index].0, &own), widths)
    });
    let unpredicted: Vec<String> = runs[0].iter().filter_map(unpredicted).collect();
    let lines: Vec<String> = heading
        .into_iter()
        .chain(mixes)
        .chain(sums)
        .chain([String::new(), LEGEND.to_owned()])
        .chain(unpredicted)
        .collect();
    lines.join("\n")
}

fn line(cells: &[String; 12], [wide_oracle, wide_single, wide_rule]: [usize; 3]) -> String {
    let [mix, calls, time, oracle, single, which, rule, default, wrong, overhead, warm, features] = cells;
    let times =
        format!("{mix:34} {calls:>5} {time:>9} {oracle:>wide_oracle$} {single:>wide_single$}  {which:21}");
    format!("{times} {rule:>wide_rule$} {default:>7} {wrong:>7} {overhead:>8} {warm:>8} {features:>8}")
        .trim_end()
        .to_owned()
}

fn mix(runs: &[&MixResult]) -> [String; 12] {
    let calls = runs[0].calls as f64;
    let median = |value: fn(&MixResult) -> f64| Spread::of(runs, |one| value(one)).median;
    let singles: BTreeSet<&str> = runs.iter().map(|one| one.best_single().0).collect();
    [
        runs[0].name.to_owned(),
        runs[0].calls.to_string(),
        format!("{:.3}", median(|one| one.dispatched_ns) / calls / 1e3),
        ratio(runs, |one| one.of_oracle()),
        ratio(runs, |one| one.over_best_single()),
        singles.into_iter().collect::<Vec<_>>().join("|"),
        ratio(runs, |one| one.over_rule()),
        format!("{:.2}", median(MixResult::over_default)),
        format!("{:.1} %", 100.0 * median(|one| one.chosen_ns / one.oracle_ns - 1.0)),
        format!("{:.0}", median(|one| one.dispatched_ns - one.chosen_ns) / calls),
        format!("{:.0}", median(|one| one.warm_ns - one.chosen_ns) / calls),
        format!("{:.0}", median(|one| one.features_ns) / calls),
    ]
}

fn sum(name: &str, runs: &[&Total]) -> [String; 12] {
    let mut cells = [const { String::new() }; 12];
    cells[0] = name.to_owned();
    cells[3] = ratio(runs, |total| total.of_oracle);
    cells[4] = ratio(runs, |total| total.over_best_single);
    if runs[0].over_best_of_function.is_some() {
        let ratio = Spread::of(runs, |total| total.over_best_of_function.unwrap_or(f64::NAN)).median;
        cells[5] = format!("{ratio:.2} by function");
    }
    cells[6] = ratio(runs, |total| total.over_rule);
    cells[7] = format!("{:.2}", Spread::of(runs, |total| total.over_default).median);
    cells
}

/// The median of the runs; of several, with the range.
fn ratio<T>(runs: &[&T], value: impl Fn(&T) -> f64) -> String {
    let Spread { median, least, most } = Spread::of(runs, |one| value(one));
    if runs.len() > 1 { format!("{median:.2} ({least:.2}..{most:.2})") } else { format!("{median:.2}") }
}

/// What is to be said where no model decided.
fn unpredicted(one: &MixResult) -> Option<String> {
    let others: Vec<String> = one
        .reasons
        .iter()
        .filter(|(reason, _)| {
            !reason.contains("predicted by the model") && !reason.contains("best admissible")
        })
        .map(|(reason, calls)| format!("{calls} calls: {reason}"))
        .collect();
    (!others.is_empty()).then(|| format!("{}: {}", one.name, others.join("; ")))
}
