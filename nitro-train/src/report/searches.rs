//! The number of evaluations that search strategies need to find the best configuration of a variant.

use maud::{Markup, html};
use nitro_page::{Percent, columns, list, number, on_demand, wide};

use super::plot::{Plot, by_factor, count_labels, figure};
use super::space_data::{SearchCurves, SpaceReport};

/// Numbers of evaluations that a reader looks for.
const MARKED: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// Returns the plot of one variant, which is named where the function has several with parameters.
pub(super) fn part(space: &SpaceReport, variant: Option<&str>) -> Markup {
    let Some(searches) = &space.searches else { return html! {} };
    let Some(most) = searches.evaluations.last().copied() else { return html! {} };
    let places: Vec<f64> = searches.evaluations.iter().map(|&count| by_factor(count, most)).collect();
    let (mut lines, mut bands) = (Vec::new(), Vec::new());
    for own in &searches.strategies {
        let at = places.iter().copied();
        lines.push((own.strategy.as_str(), at.clone().zip(own.mean.iter().copied()).collect()));
        bands.push(at.zip(&own.least).zip(&own.most).map(|((x, &least), &most)| (x, least, most)).collect());
    }
    html! {
        h3 { "How soon searches find the best" @if let Some(variant) = variant { " of " code { (variant) } } }
        p {
            (verdict(searches, space.configurations)) " How fast the best configuration found so far is, in % of the \
                best of all " (space.configurations) ", after so many evaluations (each step right is a like \
                    factor): searches replayed on what is recorded of " (pairs(searches.pairs, space.pairs)) ". "
            @if searches.seeds == 1 { "A line is the mean of one search of each." } @else {
                "A line is the mean of " (searches.seeds) " searches of each, its band lies between their worst and \
                    their best seed."
            }
        }
        (figure(&Plot {
            label: label(searches),
            x_labels: &count_labels(&MARKED, most, 3, format!("{most} evaluations")),
            lines,
            bands,
        }))
        (on_demand("The searches in numbers", &wide("", "The searches in numbers", &table(searches))))
    }
}

/// Counts the pairs of device and input that were searched, of those that could be.
fn pairs(searched: usize, all: usize) -> Markup {
    html! {
        @if searched < all { (searched) " of the " }
        (all) @if all == 1 { " pair of a device and an input" } @else { " pairs of a device and an input" }
    }
}

/// Names the strategies by the evaluations that they need until they are good.
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
            strong {
                "95\u{a0}% of the best speed takes " code { (first.1) } " " (number(first.0)) " of "
                (configurations) " evaluations"
            }
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
    let mut lines = Vec::new();
    for own in &searches.strategies {
        let points = searches.evaluations.iter().zip(&own.mean);
        let marked = points.filter(|(count, _)| is_shown(searches, **count));
        let words: Vec<String> =
            marked.map(|(count, share)| format!("{count}: {}", Percent(*share))).collect();
        lines.push(format!("{}: {}", own.strategy, words.join(", ")));
    }
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
