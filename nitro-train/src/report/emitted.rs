//! The choices among which a model may choose, where each of them is best, and how many are enough.

use maud::{Markup, html};
use nitro_page::{Percent, choice, columns, on_demand, wide, width};

use super::plot::{Plot, figure};
use super::space_data::{EmittedChoice, EmittedChoices};

/// Further ones are on demand.
const FIRST: usize = 8;
/// Numbers of choices that a reader looks for.
const MARKED: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

pub(super) fn part(emitted: &EmittedChoices) -> Markup {
    if emitted.choices.is_empty() {
        return html! {};
    }
    let (first, others) = emitted.choices.split_at(emitted.choices.len().min(FIRST));
    html! {
        h3 { "Choices that are told apart" }
        p {
            strong { "A model may choose among " (emitted.choices.len()) " of " (emitted.of) " choices" (shares(&emitted.reached)) "." }
            " So much the best of them reaches: the best of each variant, and whatever else adds at least 0.2 points. How often each is the best of them, of " (emitted.pairs)
            " pairs of a device and an input, and what it reaches where it always runs:"
        }
        (wide("bars", "Choices that are told apart", &table(first, emitted.pairs)))
        @if !others.is_empty() {
            (on_demand(&format!("The other {}", others.len()), &wide("bars", "The other choices", &table(others, emitted.pairs))))
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
            thead { tr { (columns(&["choice", "best on", "inputs", "devices", "always, %"])) td.bar-head aria-hidden="true" {} } }
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

/// What the best of so many reaches.
fn curve(emitted: &EmittedChoices) -> Markup {
    let most = emitted.greedy.iter().map(|(_, shares)| shares.len()).max().unwrap_or(0);
    if most < 2 {
        return html! {};
    }
    let place = |count: usize| 100.0 * (count as f64).ln() / (most as f64).ln();
    // The last one has the words, and needs room for them.
    let early =
        MARKED.into_iter().filter(|mark| mark * 2 <= most).map(|mark| (place(mark), mark.to_string()));
    let x_labels: Vec<(f64, String)> = early.chain([(100.0, format!("{most} choices"))]).collect();
    let points =
        |shares: &[f64]| shares.iter().enumerate().map(|(at, &share)| (place(at + 1), share)).collect();
    html! {
        p {
            "How many are enough: % of exhaustive search that the best of so many reaches on each input, where whatever adds most is taken next"
            @if emitted.greedy.len() > 1 { " on the training inputs" } ", to the one that adds less than 0.2 points."
        }
        (figure(&Plot {
            label: label(emitted),
            x_labels: &x_labels,
            lines: emitted.greedy.iter().map(|(kind, shares)| (kind.as_str(), points(shares))).collect(),
            bands: Vec::new(),
        }))
    }
}

fn label(emitted: &EmittedChoices) -> String {
    let line = |(kind, shares): &(String, Vec<f64>)| {
        let points = shares.iter().enumerate().map(|(at, share)| format!("{}: {}", at + 1, Percent(*share)));
        format!("{kind}: {}", points.collect::<Vec<_>>().join(", "))
    };
    let lines: Vec<String> = emitted.greedy.iter().map(line).collect();
    format!("% of exhaustive search by number of choices; {}", lines.join("; "))
}
