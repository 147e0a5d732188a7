//! Plots of lines: their frame, grid, labels and key.

use maud::{Markup, html};

/// A plot's own units; the browser stretches it, and labels stand outside, so that text keeps its size.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const HEIGHT: f64 = 400.0;
/// Colours and dashes in the style sheet.
const STYLES: usize = 9;

pub(super) struct Plot<'a> {
    /// What a reader who does not see the plot hears.
    pub(super) label: String,
    /// From the top down, a line of the grid each.
    pub(super) y_labels: &'a [String],
    /// From left to right.
    pub(super) x_labels: &'a [String],
    /// Upright lines of the grid.
    pub(super) columns: usize,
    /// The name and the path of each; the first lies on top.
    pub(super) lines: Vec<(&'a str, String)>,
}

pub(super) fn figure(plot: &Plot<'_>) -> Markup {
    html! {
        figure.curve {
            div.plot {
                div.y aria-hidden="true" { @for label in plot.y_labels { span { (label) } } }
                (drawing(plot))
                div.x aria-hidden="true" { @for label in plot.x_labels { span { (label) } } }
            }
            figcaption {
                @for (index, (name, _)) in plot.lines.iter().enumerate() {
                    span {
                        svg.key viewBox="0 0 32 8" aria-hidden="true" { (line(index, "M0 4H32")) }
                        (name)
                    }
                }
            }
        }
    }
}

fn drawing(plot: &Plot<'_>) -> Markup {
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(plot.label) {
            path.grid d=(grid(plot.y_labels.len(), plot.columns)) {}
            @for (index, (_, path)) in plot.lines.iter().enumerate().rev() { (line(index, path)) }
        }
    }
}

/// Braces close an element of SVG; with a semicolon, as of void elements of HTML, it would stay open.
fn line(index: usize, path: &str) -> Markup {
    html! {
        path.line.{ "s" (index % STYLES) } d=(path) {}
    }
}

fn grid(rows: usize, columns: usize) -> String {
    let horizontal = evenly(rows).map(|y| format!("M0 {}H{WIDTH}", HEIGHT * y));
    let vertical = evenly(columns).map(|x| format!("M{} 0V{HEIGHT}", WIDTH * x));
    horizontal.chain(vertical).collect()
}

/// So many numbers from 0 to 1; a single one is 0.
pub(super) fn evenly(count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |index| index as f64 / (count.max(2) - 1) as f64)
}

/// Through these points, `(x, y)` in the plot's units.
pub(super) fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let command = |index| if index == 0 { 'M' } else { 'L' };
    points.enumerate().map(|(index, (x, y))| format!("{}{x:.1} {y:.1}", command(index))).collect()
}
