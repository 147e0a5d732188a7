//! The table, a line a mix.

use crate::result::{MixResult, Total};

const HEADING: [[&str; 10]; 2] = [
    ["", "", "time, us", "of the", "over best", "", "over", "wrong", "overhead", "features"],
    ["mix", "calls", "a call", "oracle", "single", "which is", "default", "choice", "ns", "ns"],
];

const LEGEND: &str = "\
of the oracle: dispatched / oracle, less is better; over X: X / dispatched, more is better
best single: the variant that is best for the mix; by function: for all mixes of its function
wrong choice: what the chosen variants, called directly, take more than the oracle
overhead: what a dispatched call takes more than its variant, features and choice; features: all of them, alone";

pub fn table(results: &[MixResult]) -> String {
    let heading = HEADING.map(|cells| line(&cells.map(str::to_owned)));
    let mixes = results.iter().map(|one| line(&mix(one)));
    let totals = Total::all(results).map(|(name, total)| line(&sum(name, &total)));
    let unpredicted: Vec<String> = results.iter().filter_map(unpredicted).collect();
    let lines: Vec<String> = heading
        .into_iter()
        .chain(mixes)
        .chain(totals)
        .chain([String::new(), LEGEND.to_owned()])
        .chain(unpredicted)
        .collect();
    lines.join("\n")
}

fn line(cells: &[String; 10]) -> String {
    let [mix, calls, time, oracle, single, which, default, wrong, overhead, features] = cells;
    let times = format!("{mix:34} {calls:>5} {time:>9} {oracle:>7} {single:>9}  {which:21} {default:>7}");
    format!("{times} {wrong:>7} {overhead:>8} {features:>8}").trim_end().to_owned()
}

fn mix(one: &MixResult) -> [String; 10] {
    let ((single, single_ns), calls) = (one.best_single(), one.calls as f64);
    [
        one.name.to_owned(),
        one.calls.to_string(),
        format!("{:.3}", one.dispatched_ns / calls / 1e3),
        format!("{:.2}", one.dispatched_ns / one.oracle_ns),
        format!("{:.2}", single_ns / one.dispatched_ns),
        single.to_owned(),
        format!("{:.2}", one.default_ns / one.dispatched_ns),
        format!("{:.1} %", 100.0 * (one.chosen_ns / one.oracle_ns - 1.0)),
        format!("{:.0}", (one.dispatched_ns - one.chosen_ns) / calls),
        format!("{:.0}", one.features_ns / calls),
    ]
}

fn sum(name: &str, total: &Total) -> [String; 10] {
    let mut cells = [const { String::new() }; 10];
    cells[0] = name.to_owned();
    cells[3] = format!("{:.2}", total.of_oracle);
    cells[4] = format!("{:.2}", total.over_best_single);
    cells[5] = total.over_best_of_function.map_or(String::new(), |ratio| format!("{ratio:.2} by function"));
    cells[6] = format!("{:.2}", total.over_default);
    cells
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
