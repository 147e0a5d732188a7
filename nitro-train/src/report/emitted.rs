//! The choices among which a model may choose, where each of them is best, and how many are enough.

use maud::{Markup, html};
use nitro_page::{Percent, choice, columns, on_demand, wide, width};

use super::plot::{Plot, by_factor, count_labels, figure};
use super::space_data::{EmittedChoice, EmittedChoices};

/// Number of choices that are shown at first; further ones are on demand.
const FIRST: usize = 8;
/// Numbers of choices that a reader looks for.
const MARKED: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Returns the part of a function about the choices that a model may pick.
pub(super) fn part(emitted: &EmittedChoices) -> Markup {
    if emitted.choices.is_empty() {
        return html! {};
    }
    let (first, others) = emitted.choices.split_at(emitted.choices.len().min(FIRST));
    html! {
        h3 { "Choices that are told apart" }
        p {
            strong {
                "A model may choose among " (emitted.choices.len()) " of " (emitted.of) " choices"
                (shares(&emitted.reached)) "."
            }
            " So much the best of them reaches: the best of each variant, and whatever else adds at least 0.2 \
             points. How often each is the best of them, of " (emitted.pairs)
            " pairs of a device and an input, and what it reaches where it always runs:"
        }
        (wide("bars", "Choices that are told apart", &table(first, emitted.pairs)))
        @if !others.is_empty() {
            (on_demand(
                &format!("The other {}", others.len()),
                &wide("bars", "The other choices", &table(others, emitted.pairs)),
            ))
        }
        (curve(emitted))
    }
}

fn shares(reached: &[(String, f64)]) -> Markup {
    html! {
        @for (index, (kind, share)) in reached.iter().enumerate() {
            @if index == 0 { ": " } @else { ", " }
            (Percent(*share)) "\u{a0}% on " (if kind == "all inputs" { "these inputs" } else { kind.as_str() })
        }
    }
}

fn table(choices: &[EmittedChoice], pairs: usize) -> Markup {
    html! {
        table.numbers.shares.emitted {
            thead {
                tr {
                    (columns(&["choice", "best on", "inputs", "devices", "always, %"]))
                    td.bar-head aria-hidden="true" {}
                }
            }
            tbody { @for own in choices { (row(own, pairs)) } }
        }
    }
}

fn row(own: &EmittedChoice, pairs: usize) -> Markup {
    html! {
        tr style={ "--share:" (width(own.wins as f64 / pairs as f64)) "%" } {
            th scope="row" { (choice(&own.choice)) }
            td { (own.wins) }
            td { (own.inputs) }
            td { (own.devices) }
            td { (Percent(own.alone)) }
            td.bar aria-hidden="true" { span {} }
        }
    }
}

/// Plots the share that the best of the first choices reach, by their number.
fn curve(emitted: &EmittedChoices) -> Markup {
    let most = emitted.greedy.iter().map(|(_, shares)| shares.len()).max().unwrap_or(0);
    if most < 2 {
        return html! {};
    }
    let mut lines = Vec::new();
    for (kind, shares) in &emitted.greedy {
        let points = shares.iter().enumerate().map(|(at, &share)| (by_factor(at + 1, most), share));
        lines.push((kind.as_str(), points.collect()));
    }
    html! {
        p {
            "How many are enough: % of exhaustive search that the best of so many reaches on each input, where \
             whatever adds most is taken next"
            @if emitted.greedy.len() > 1 { " on the training inputs" } ", to the one that adds less than 0.2 points."
        }
        (figure(&Plot {
            label: label(emitted),
            x_labels: &count_labels(&MARKED, most, 2, format!("{most} choices")),
            lines,
            bands: Vec::new(),
        }))
    }
}

fn label(emitted: &EmittedChoices) -> String {
    let mut lines = Vec::new();
    for (kind, shares) in &emitted.greedy {
        let points = shares.iter().enumerate().map(|(at, share)| format!("{}: {}", at + 1, Percent(*share)));
        lines.push(format!("{kind}: {}", points.collect::<Vec<_>>().join(", ")));
    }
    format!("% of exhaustive search by number of choices; {}", lines.join("; "))
}
