//! Plots of a few lines, each named where it ends.

use maud::{Markup, html};

use super::axis::Axis;
use super::series::{mark, styles};

/// A plot's own units; the browser stretches it, and labels stand outside, so that text keeps its size.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;
/// Least distance between two names, in percent of the height.
const NAME_DISTANCE: f64 = 8.0;

pub(super) struct Plot<'a> {
    /// What a reader who does not see the plot hears.
    pub(super) label: String,
    /// From left to right, in percent of the width.
    pub(super) x_labels: &'a [(f64, String)],
    /// The name of each and its points, from left to right: place in percent of the width, share.
    pub(super) lines: Vec<(&'a str, Vec<(f64, f64)>)>,
    /// For each line between which shares it may lie, at some places; empty where nothing is known of that.
    pub(super) bands: Vec<Vec<(f64, f64, f64)>>,
}

pub(super) fn figure(plot: &Plot<'_>) -> Markup {
    let lines = plot.lines.iter().flat_map(|(_, points)| points.iter().map(|(_, share)| *share));
    let axis = Axis::below(lines.chain(plot.bands.iter().flatten().map(|(_, least, _)| *least)));
    let styles = styles(&plot.lines.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    html! {
        figure.curve {
            div.plot {
                div.y aria-hidden="true" { @for label in axis.labels().iter().rev() { span { (label) } } }
                (drawing(plot, &axis, &styles))
                (names(plot, &axis, &styles))
                div.x aria-hidden="true" {
                    @for (place, label) in plot.x_labels { span.end[*place > 99.0] style={ "left:" (place) "%" } { (label) } }
                }
            }
        }
        (axis.note())
    }
}

/// The first line is drawn last, on top.
fn drawing(plot: &Plot<'_>, axis: &Axis, styles: &[usize]) -> Markup {
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(plot.label) {
            path.grid d=(grid(plot.x_labels)) {}
            @for (band, style) in plot.bands.iter().zip(styles).rev() {
                @if !band.is_empty() { path.band.{ "b" (style) } d=(outline(band, axis)) {} }
            }
            @for ((_, points), style) in plot.lines.iter().zip(styles).rev() {
                path.line.{ "s" (style) } d=(path(points, axis)) {}
            }
        }
    }
}

/// The names stand at the heights where their lines end, moved apart where those are near one another, the highest first.
fn names(plot: &Plot<'_>, axis: &Axis, styles: &[usize]) -> Markup {
    let end = |points: &[(f64, f64)]| 100.0 - points.last().map_or(0.0, |&(_, share)| axis.place(share));
    let ends: Vec<f64> = plot.lines.iter().map(|(_, points)| end(points)).collect();
    let mut names: Vec<_> = plot.lines.iter().zip(styles).zip(apart(&ends)).collect();
    names.sort_by(|(_, a), (_, b)| a.total_cmp(b)); // stable
    html! {
        div.names aria-hidden="true" {
            @for (((name, _), style), top) in names {
                span.{ "t" (style) } style={ "top:" (format_args!("{top:.1}")) "%" } { (mark(*style)) (super::series::heading(name)) }
            }
        }
    }
}

/// Heights in percent at least [`NAME_DISTANCE`] apart where there is room, in the same order.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b])); // stable
    let mut placed = heights.to_vec();
    let mut least = 0.0;
    for &at in &order {
        placed[at] = placed[at].max(least);
        least = placed[at] + NAME_DISTANCE;
    }
    let mut most = 100.0;
    for &at in order.iter().rev() {
        placed[at] = placed[at].min(most);
        most = placed[at] - NAME_DISTANCE;
    }
    placed
}

/// A line a label of both axes.
fn grid(x_labels: &[(f64, String)]) -> String {
    let horizontal = [0.0, 0.5, 1.0].map(|y| format!("M0 {}H{WIDTH}", HEIGHT * y));
    let vertical = x_labels.iter().map(|(x, _)| format!("M{:.1} 0V{HEIGHT}", WIDTH * x / 100.0));
    horizontal.into_iter().chain(vertical).collect()
}

/// Along the upper edge and back along the lower one.
fn outline(band: &[(f64, f64, f64)], axis: &Axis) -> String {
    let upper = band.iter().map(|&(x, _, most)| (x, most));
    let lower = band.iter().rev().map(|&(x, least, _)| (x, least));
    path(&upper.chain(lower).collect::<Vec<_>>(), axis) + "Z"
}

fn path(points: &[(f64, f64)], axis: &Axis) -> String {
    let command = |index| if index == 0 { 'M' } else { 'L' };
    let place = |(x, share): (f64, f64)| (WIDTH * x / 100.0, HEIGHT * (1.0 - axis.place(share) / 100.0));
    let step = |(index, point): (usize, &(f64, f64))| {
        let (x, y) = place(*point);
        format!("{}{x:.1} {y:.1}", command(index))
    };
    points.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_apart_and_in_order() {
        assert_eq!(apart(&[10.0, 50.0]), [10.0, 50.0]);
        assert_eq!(apart(&[50.0, 50.0, 10.0]), [50.0, 58.0, 10.0]);
        assert_eq!(apart(&[100.0, 99.0, 98.0]), [100.0, 92.0, 84.0]);
    }
}
