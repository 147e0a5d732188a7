//! The selectors beside one another on devices left out (Muralidharan et al., ASPLOS 2016, Figures 6 and 7).

use maud::{Markup, html};

use super::data::HeldOut;
use super::html::{Percent, width};

/// What no selector can be that is shipped: they look at the device that is left out.
const CEILINGS: [&str; 2] = ["target-trained", "best-single-feature"];

pub(super) fn part(held_out: &HeldOut) -> Markup {
    let rows = rows(held_out);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Selectors on devices left out" }
        p {
            "Share of exhaustive search in percent: bars are means over the devices left out, strokes the single devices. Hollow \
             bars know the device left out, and are there for comparison."
        }
        figure.strategies role="img" aria-label=(label(&rows)) {
            @for row in &rows { (bar(row)) }
            div.strategy.axis {
                span {}
                span.scale { span { "0" } span { "50" } span { "100" } }
                span {}
            }
        }
        (held_out.note())
    }
}

struct Row<'a> {
    selector: &'a str,
    /// That it does not apply to every device.
    mark: &'static str,
    mean: f64,
    /// One a device that the selector applies to.
    shares: Vec<f64>,
}

/// Selectors that apply to some device.
fn rows(held_out: &HeldOut) -> Vec<Row<'_>> {
    let row = |(column, selector)| {
        let (mark, mean) = (held_out.mark(column), held_out.mean(column)?);
        Some(Row { selector, mark, mean, shares: held_out.of(selector) })
    };
    held_out.selectors.iter().map(String::as_str).enumerate().filter_map(row).collect()
}

/// What a reader who does not see the bars hears.
fn label(rows: &[Row<'_>]) -> String {
    let means = rows.iter().map(|row| format!("{}{} {} %", row.selector, row.mark, Percent(row.mean)));
    format!("Means over the devices left out: {}", means.collect::<Vec<_>>().join(", "))
}

fn bar(row: &Row<'_>) -> Markup {
    let (own, ceiling) = (row.selector == "auto", CEILINGS.contains(&row.selector));
    let strokes: String = row.shares.iter().map(|&share| format!("M{} 0V10", width(share))).collect();
    html! {
        div.strategy.own[own].ceiling[ceiling] {
            span { (row.selector) (row.mark) }
            svg viewBox="0 0 100 10" preserveAspectRatio="none" {
                rect x="0" y="2.5" width=(width(row.mean)) height="5" {}
                path d=(strokes) {}
            }
            span { (Percent(row.mean)) }
        }
    }
}
