//! The selectors beside one another on devices that were left out.
//!
//! As in Muralidharan et al., ASPLOS 2016, Figure 6.

use maud::{Markup, html};
use nitro_page::{Axis, Percent};

use super::data::HeldOut;

/// The selectors that cannot be shipped: they look at the device that is left out.
const CEILINGS: [&str; 3] = ["target-trained", "nitro-2014", "best-single-feature"];
/// The selector that draws at random. It says nothing about the others and would press them together.
const CHANCE: &str = "random";

/// Plots means as bars and single devices as strokes.
pub(super) fn bars(held_out: &HeldOut) -> Markup {
    let rows = rows(held_out);
    let inside = rows.iter().filter(|row| row.selector != CHANCE).flat_map(|row| row.shares.iter().copied());
    let axis = Axis::of_shares(inside);
    html! {
        @if !rows.is_empty() {
            p { "Bars are means over the devices left out, strokes the single devices. Hollow bars know the device \
                left out." }
            figure.strategies role="img" aria-label=(label(&rows)) {
                @for row in &rows { (bar(row, &axis)) }
                div.strategy.axis {
                    span {}
                    span.scale { @for label in axis.percent_labels() { span { (label) } } }
                    span {}
                }
            }
            (axis.note())
        }
    }
}

struct Row<'a> {
    selector: &'a str,
    /// The mark of a selector that does not apply to every device.
    mark: &'static str,
    mean: f64,
    /// The shares, one a device that the selector applies to.
    shares: Vec<f64>,
}

/// Returns the selectors that apply to some device.
fn rows(held_out: &HeldOut) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (column, selector) in held_out.selectors.iter().enumerate() {
        if let Some(mean) = held_out.mean(column) {
            rows.push(Row { selector, mark: held_out.mark(column), mean, shares: held_out.of(selector) });
        }
    }
    rows
}

/// Returns the words for a reader who does not see the bars.
fn label(rows: &[Row<'_>]) -> String {
    let means = rows.iter().map(|row| format!("{}{} {} %", row.selector, row.mark, Percent(row.mean)));
    format!("Means over the devices left out: {}", means.collect::<Vec<_>>().join(", "))
}

fn bar(row: &Row<'_>, axis: &Axis) -> Markup {
    let (own, ceiling) = (row.selector == "auto", CEILINGS.contains(&row.selector));
    let inside = row.shares.iter().filter(|share| axis.has(**share));
    let strokes: String = inside.map(|&share| format!("M{} 0V10", axis.place(share))).collect();
    html! {
        div.strategy.own[own].ceiling[ceiling] {
            span { (row.selector) (row.mark) }
            svg viewBox="0 0 100 10" preserveAspectRatio="none" {
                rect x="0" y="2.5" width=(axis.place(row.mean)) height="5" {}
                path d=(strokes) {}
            }
            span { (Percent(row.mean)) }
        }
    }
}
