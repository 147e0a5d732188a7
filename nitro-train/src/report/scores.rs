//! The results of the selectors on this machine.

use maud::{Markup, html};
use nitro_page::{Percent, columns, wide, width};

use super::data::Score;
use super::html::bar_scale;

/// Returns the part of a function with the scores of selectors.
pub(super) fn part(scores: &[Score]) -> Markup {
    if scores.is_empty() {
        return html! {};
    }
    let table = html! {
        table.numbers.scores {
            thead {
                tr {
                    (columns(&["selector", "mean %"])) (bar_scale()) (columns(&["5th percentile", "worst input"]))
                }
            }
            tbody { @for score in scores { (row(score)) } }
        }
    };
    html! {
        h3 { "Share of exhaustive search on this machine" }
        (wide("bars", "Share of exhaustive search on this machine", &table))
    }
}

fn row(score: &Score) -> Markup {
    html! {
        tr class=[score.highlighted.then_some("own")] style={ "--share:" (width(score.mean)) "%" } {
            th scope="row" {
                (score.selector)
                @if !score.description.is_empty() { small { (score.description) } }
            }
            td.mean { (Percent(score.mean)) }
            td.bar aria-hidden="true" { span {} }
            td { (Percent(score.p05)) }
            td { (Percent(score.worst)) }
        }
    }
}
