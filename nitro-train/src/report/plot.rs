//! Plots of shares by selector.

use maud::{Markup, html};
use nitro_page::{Axis, Series, Tick};

use super::series::{heading, styles};

/// A plot of lines, each named as its selector is.
pub(super) struct Plot<'a> {
    /// The words for a reader who does not see the plot.
    pub(super) label: String,
    /// The labels from left to right, at percent of the width.
    pub(super) x_labels: &'a [Tick],
    /// The name of each and its points, from left to right: place in percent of the width, share.
    pub(super) lines: Vec<(&'a str, Vec<(f64, f64)>)>,
    /// The range of shares around each line at some places; empty where nothing is known of that.
    pub(super) bands: Vec<Vec<(f64, f64, f64)>>,
}

/// Returns the place of the step at this index, of so many steps at even distances.
pub(super) fn evenly(at: usize, steps: usize) -> f64 {
    100.0 * at as f64 / (steps.max(2) - 1) as f64
}

/// Returns the points of shares at even distances.
pub(super) fn even_points(shares: &[f64]) -> Vec<(f64, f64)> {
    shares.iter().enumerate().map(|(at, &share)| (evenly(at, shares.len()), share)).collect()
}

/// Returns the place of a count from 1 to `most`: each step to the right is a like factor.
pub(super) fn by_factor(count: usize, most: usize) -> f64 {
    100.0 * (count as f64).ln() / (most.max(2) as f64).ln()
}

/// Returns the labels of an axis of counts: round ones, and the last one in words.
///
/// The last one needs room for its words, so counts above `most` divided by `room` have no label.
pub(super) fn count_labels(marked: &[usize], most: usize, room: usize, last: String) -> Vec<Tick> {
    let early = marked.iter().filter(|&&mark| mark * room <= most);
    early.map(|&mark| (by_factor(mark, most), mark.to_string())).chain([(100.0, last)]).collect()
}

/// Returns the plot, and a note where its axis does not start at 0.
pub(super) fn figure(plot: &Plot<'_>) -> Markup {
    let lines = plot.lines.iter().flat_map(|(_, points)| points.iter().map(|(_, share)| *share));
    let axis = Axis::of_shares(lines.chain(plot.bands.iter().flatten().map(|(_, least, _)| *least)));
    let styles = styles(&plot.lines.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let mut series = Vec::new();
    for (at, (name, points)) in plot.lines.iter().enumerate() {
        let band = plot.bands.get(at).map_or(&[][..], Vec::as_slice);
        series.push(Series {
            name: heading(name),
            style: styles[at],
            points: points.iter().map(|&(x, share)| (x, axis.place(share))).collect(),
            band: band.iter().map(|&(x, least, most)| (x, axis.place(least), axis.place(most))).collect(),
        });
    }
    let y: Vec<Tick> =
        axis.ticks().into_iter().map(|share| axis.place(share)).zip(axis.percent_labels()).collect();
    let plot = nitro_page::Plot {
        label: plot.label.clone(),
        x: plot.x_labels,
        y: &y,
        series: &series,
        ..nitro_page::Plot::default()
    };
    html! { (plot.figure()) (axis.note()) }
}
