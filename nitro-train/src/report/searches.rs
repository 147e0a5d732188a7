//! How soon search strategies find the best configuration of a variant.

use maud::{Markup, html};
use nitro_page::{Percent, columns, list, number, on_demand, wide};

use super::plot::{Plot, figure};
use super::space_data::SpaceReport;
use super::space_data::{SearchCurve, SearchCurves};

/// Numbers of evaluations that a reader looks for.
const MARKED: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// The variant is named where the function has several with parameters.
pub(super) fn part(space: &SpaceReport, variant: Option<&str>) -> Markup {
    let Some(searches) = &space.searches else { return html! {} };
    let Some(most) = searches.evaluations.last().copied() else { return html! {} };
    let place = |count: usize| 100.0 * (count as f64).ln() / (most.max(2) as f64).ln();
    // The last one has the words, and needs room for them.
    let early =
        MARKED.into_iter().filter(|mark| mark * 3 <= most).map(|mark| (place(mark), mark.to_string()));
    let x_labels: Vec<(f64, String)> = early.chain([(100.0, format!("{most} evaluations"))]).collect();
    let points = |shares: &[f64]| -> Vec<(f64, f64)> {
        searches.evaluations.iter().map(|&count| place(count)).zip(shares.iter().copied()).collect()
    };
    let band = |own: &SearchCurve| -> Vec<(f64, f64, f64)> {
        points(&own.least).into_iter().zip(&own.most).map(|((x, least), &most)| (x, least, most)).collect()
    };
    html! {
        h3 { "How soon searches find the best" @if let Some(variant) = variant { " of " code { (variant) } } }
        p {
            (verdict(searches, space.configurations)) " How fast the best configuration found so far is, in % of the best of all " (space.configurations) ", after so many evaluations (each step \
             right is a like factor): searches replayed on what is recorded of " (pairs(searches.pairs, space.pairs)) ". "
            @if searches.seeds == 1 { "A line is the mean of one search of each." } @else {
                "A line is the mean of " (searches.seeds) " searches of each, its band lies between their worst and their best seed."
            }
        }
        (figure(&Plot {
            label: label(searches),
            x_labels: &x_labels,
            lines: searches.strategies.iter().map(|own| (own.strategy.as_str(), points(&own.mean))).collect(),
            bands: searches.strategies.iter().map(band).collect(),
        }))
        (on_demand("The searches in numbers", &wide("", "The searches in numbers", &table(searches))))
    }
}

/// On how many devices and inputs, of how many that could be searched.
fn pairs(searched: usize, all: usize) -> Markup {
    html! {
        @if searched < all { (searched) " of the " }
        (all) @if all == 1 { " pair of a device and an input" } @else { " pairs of a device and an input" }
    }
}

/// Which strategy needs least until it is good.
fn verdict(searches: &SearchCurves, configurations: usize) -> Markup {
    let mut good: Vec<(f64, &str)> =
        searches.strategies.iter().filter_map(|own| Some((own.to_95?, own.strategy.as_str()))).collect();
    good.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable
    let never: Vec<&str> = searches
        .strategies
        .iter()
        .filter(|own| own.to_95.is_none())
        .map(|own| own.strategy.as_str())
        .collect();
    html! {
        @if let Some((first, rest)) = good.split_first() {
            strong { "95\u{a0}% of the best speed takes " code { (first.1) } " " (number(first.0)) " of " (configurations) " evaluations" }
            " in the median"
            @for (count, strategy) in rest { ", " code { (strategy) } " " (number(*count)) }
            "."
        }
        @if !never.is_empty() {
            " Not there in half of the searches or more: " (list(&never)) "."
        }
    }
}

fn label(searches: &SearchCurves) -> String {
    let line = |own: &SearchCurve| {
        let shown =
            searches.evaluations.iter().zip(&own.mean).filter(|(count, _)| is_shown(searches, **count));
        let points: Vec<String> =
            shown.map(|(count, share)| format!("{count}: {}", Percent(*share))).collect();
        format!("{}: {}", own.strategy, points.join(", "))
    };
    let lines: Vec<String> = searches.strategies.iter().map(line).collect();
    format!("% of the best configuration by evaluations; {}", lines.join("; "))
}

fn is_shown(searches: &SearchCurves, count: usize) -> bool {
    MARKED.contains(&count) || searches.evaluations.last() == Some(&count)
}

fn table(searches: &SearchCurves) -> Markup {
    let at: Vec<usize> = searches
        .evaluations
        .iter()
        .enumerate()
        .filter(|(_, count)| is_shown(searches, **count))
        .map(|(at, _)| at)
        .collect();
    html! {
        table.numbers {
            thead {
                tr {
                    th scope="col" { "strategy, evaluations" }
                    @for &at in &at { th scope="col" { (searches.evaluations[at]) } }
                    (columns(&["until 95 %"]))
                }
            }
            tbody {
                @for own in &searches.strategies {
                    tr {
                        th scope="row" { (own.strategy) }
                        @for &at in &at { td { (own.mean.get(at).map_or(Percent(f64::NAN), |share| Percent(*share))) } }
                        td { (own.to_95.map_or("–".to_owned(), number)) }
                    }
                }
            }
        }
    }
}
