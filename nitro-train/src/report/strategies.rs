//! All selectors beside one another on devices left out (Muralidharan et al., ASPLOS 2016, Figure 6).

use maud::{Markup, html};
use nitro_page::{Axis, Percent};

use super::data::HeldOut;

/// What no selector can be that is shipped: they look at the device that is left out.
const CEILINGS: [&str; 3] = ["target-trained", "nitro-2014", "best-single-feature"];
/// Drawing on chance says nothing about the others and would press them together.
const CHANCE: &str = "random";

/// Means as bars, single devices as strokes.
pub(super) fn bars(held_out: &HeldOut) -> Markup {
    let rows = rows(held_out);
    let inside = rows.iter().filter(|row| row.selector != CHANCE).flat_map(|row| row.shares.iter().copied());
    let axis = Axis::of_shares(inside);
    html! {
        @if !rows.is_empty() {
            p { "Bars are means over the devices left out, strokes the single devices. Hollow bars know the device left out." }
            figure.strategies role="img" aria-label=(label(&rows)) {
                @for row in &rows { (bar(row, &axis)) }
                div.strategy.axis { span {} span.scale { @for label in axis.percent_labels() { span { (label) } } } span {} }
            }
            (axis.note())
        }
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
