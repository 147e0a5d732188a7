//! The choices one by one: test inputs sorted from the worst choice to the best.

use maud::{Markup, html};

use super::data::Curve;
use super::plot::{HEIGHT, Plot, WIDTH, evenly, figure, path};

/// More points than pixels show nothing more.
const MAX_POINTS: usize = 200;

pub(super) fn part(curves: &[Curve]) -> Markup {
    let curves: Vec<(&str, Vec<f64>)> = curves
        .iter()
        .filter(|curve| !curve.shares.is_empty())
        .map(|curve| (curve.selector.as_str(), sorted(curve)))
        .collect();
    if curves.is_empty() {
        return html! {};
    }
    let plot = Plot {
        label: label(&curves),
        y_labels: &["100 %", "75", "50", "25", "0"].map(str::to_owned),
        x_labels: &["worst choice", "median", "best choice"].map(str::to_owned),
        columns: 5,
        lines: curves.iter().map(|(selector, shares)| (*selector, line(shares))).collect(),
    };
    html! {
        h3 { "Choice by choice" }
        p {
            "Share of exhaustive search of every choice for a test input, sorted from the worst choice to the best; a line at the \
             top is the best variant."
        }
        (figure(&plot))
    }
}

/// Ascending, within 0 to 1; what is no number counts as 0.
fn sorted(curve: &Curve) -> Vec<f64> {
    let mut shares: Vec<f64> =
        curve.shares.iter().map(|share| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

fn line(shares: &[f64]) -> String {
    let points = shares.len().min(MAX_POINTS);
    let share = |along: f64| shares[(along * (shares.len() - 1) as f64).round() as usize];
    let mut line = path(evenly(points).map(|along| (WIDTH * along, HEIGHT * (1.0 - share(along)))));
    if points == 1 {
        line += &format!("H{WIDTH}");
    }
    line
}

fn label(curves: &[(&str, Vec<f64>)]) -> String {
    let median = |shares: &[f64]| 100.0 * shares[shares.len() / 2];
    let medians = curves.iter().map(|(selector, shares)| format!("{selector} {:.0} %", median(shares)));
    format!("Sorted shares of exhaustive search; medians: {}", medians.collect::<Vec<_>>().join(", "))
}
