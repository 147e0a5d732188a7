//! The choices one by one: how good they are the worse they get.

use maud::{Markup, html};
use nitro_page::on_demand;

use super::data::Curve;
use super::plot::{Plot, figure};
use super::series::FIRST;

/// The most points of a line; more than pixels show nothing more.
const MAX_POINTS: usize = 160;
/// The most lines beside the highlighted one, as there are styles.
const LINES: usize = 4;

/// Returns the part of a function with the sorted shares of selectors.
pub(super) fn part(curves: &[Curve]) -> Markup {
    let curves: Vec<(&str, Vec<f64>)> = curves
        .iter()
        .filter(|curve| !curve.shares.is_empty())
        .map(|curve| (curve.selector.as_str(), sorted(curve)))
        .collect();
    if curves.is_empty() {
        return html! {};
    }
    let (first, others) = divided(&curves);
    html! {
        h3 { "Choice by choice" }
        p {
            "All choices for test inputs, from the best at the left to the worst at the right. Right of a grid line \
             lie the worst tenth and the worst hundredth, so that rare bad choices have room. A line at the top is \
             the best variant; the sooner it falls, the more inputs are lost."
        }
        (plot(&first))
        @if !others.is_empty() {
            (on_demand("The other selectors, choice by choice", &html! { @for lines in &others { (plot(lines)) } }))
        }
    }
}

/// A line: its name, and the shares of the choices, best first.
type Line<'a> = (&'a str, Vec<f64>);

/// Splits the lines into the plot shown at once and further plots, each with `auto` to compare with.
fn divided<'a>(curves: &[Line<'a>]) -> (Vec<Line<'a>>, Vec<Vec<Line<'a>>>) {
    if curves.len() <= LINES + 1 {
        return (curves.to_vec(), Vec::new());
    }
    let mut first: Vec<Line<'a>> = FIRST.iter().filter_map(|(name, _)| line_of(curves, name)).collect();
    first.truncate(LINES + 1);
    let others = curves.iter().filter(|(name, _)| first.iter().all(|(own, _)| own != name));
    let others: Vec<Line<'a>> = others.cloned().collect();
    let mut parts: Vec<Vec<Line<'a>>> = Vec::new();
    for lines in others.chunks(LINES) {
        parts.push(line_of(curves, "auto").into_iter().chain(lines.iter().cloned()).collect());
    }
    if first.is_empty() { (parts.remove(0), parts) } else { (first, parts) }
}

/// Returns the line of a selector.
fn line_of<'a>(curves: &[Line<'a>], name: &str) -> Option<Line<'a>> {
    curves.iter().find(|(own, _)| *own == name).cloned()
}

/// Returns the shares in descending order, within 0 to 1; what is no number counts as 0.
fn sorted(curve: &Curve) -> Vec<f64> {
    let mut shares: Vec<f64> =
        curve.shares.iter().map(|share| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    shares
}

fn plot(curves: &[Line<'_>]) -> Markup {
    let most = curves.iter().map(|(_, shares)| shares.len()).max().unwrap_or(1);
    let labels = [(1.0, "all"), (10.0, "1 in 10"), (100.0, "1 in 100"), (1000.0, "1 in 1000")];
    let labels = labels.into_iter().filter(|(part, _)| *part < most as f64 / 2.0);
    let x_labels: Vec<(f64, String)> =
        labels.map(|(part, words)| (place(most as f64 / part, most), words.to_owned())).collect();
    figure(&Plot {
        label: label(curves),
        x_labels: &x_labels,
        lines: curves.iter().map(|(selector, shares)| (*selector, points(shares, most))).collect(),
        bands: Vec::new(),
    })
}

/// Returns the place of a rank on a logarithmic axis: the number of choices, itself included, that are no better.
fn place(rank: f64, most: usize) -> f64 {
    100.0 * (1.0 - rank.ln() / (most.max(2) as f64).ln())
}

/// Returns enough points of a line that no pixel is without one.
fn points(shares: &[f64], most: usize) -> Vec<(f64, f64)> {
    let count = shares.len();
    // Even steps of the logarithm of the rank, from the best choice to the worst.
    let mut points = Vec::new();
    for step in 0..MAX_POINTS {
        let rank = (count as f64).powf(1.0 - step as f64 / (MAX_POINTS - 1) as f64).round().max(1.0);
        let place = place(rank * most as f64 / count as f64, most).max(0.0);
        points.push((place, shares[count - rank as usize]));
    }
    points.dedup();
    points.push((100.0, shares[count - 1])); // the worst one up to the edge
    points
}

fn label(curves: &[Line<'_>]) -> String {
    let mut lines = Vec::new();
    for (selector, shares) in curves {
        let last = shares.len() - 1;
        let [median, tenth, worst] = [last - last / 2, last - last / 10, last].map(|at| 100.0 * shares[at]);
        lines.push(format!("{selector} {median:.0} %, {tenth:.0} %, {worst:.0} %"));
    }
    format!("Shares of exhaustive search; median, 10th percentile and worst: {}", lines.join("; "))
}
