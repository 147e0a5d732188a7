//! Plots of lines, each named where it ends, and of whatever else a page draws between the same axes.
//!
//! The browser stretches the drawing; labels stand outside of it, so that text keeps its size.

use maud::{Markup, html};

use crate::mark;

/// The width of a plot in its own units.
pub const WIDTH: f64 = 1000.0;
/// The height of a plot in its own units.
pub const HEIGHT: f64 = 400.0;
/// The least distance between two names, in percent of the height.
const NAME_DISTANCE: f64 = 8.0;
/// All of the height, in percent.
const WHOLE: f64 = 100.0;

/// A label of an axis, with its place in percent of it; lines of a label are separated by `\n`.
pub type Tick = (f64, String);

/// A line of a plot.
#[derive(Clone, Debug, Default)]
pub struct Series<'a> {
    /// The name where it ends; empty for none.
    pub name: &'a str,
    /// A number below [`STYLES`](crate::STYLES).
    pub style: usize,
    /// Points from left to right, in percent of the width and of the height, from below.
    pub points: Vec<(f64, f64)>,
    /// A range around the line at some places: place, lower and upper end in percent.
    pub band: Vec<(f64, f64, f64)>,
}

/// A plot: series between two axes, and what a page adds to it.
///
/// ```
/// use nitro_page::{Plot, Series};
///
/// let series = [Series { name: "auto", points: vec![(0.0, 50.0), (100.0, 100.0)], ..Series::default() }];
/// let y = [(0.0, "80".to_owned()), (100.0, "100 %".to_owned())];
/// let plot = Plot { label: "auto: 90 to 100 %".to_owned(), y: &y, series: &series, ..Plot::default() };
/// assert!(plot.figure().into_string().contains("M0.0 200.0L1000.0 0.0"));
/// ```
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// Classes besides that of all plots.
    pub class: &'a str,
    /// The words for a reader who does not see it.
    pub label: String,
    /// Labels of the horizontal axis.
    pub x: &'a [Tick],
    /// Labels of the vertical axis, the lowest first.
    pub y: &'a [Tick],
    /// Drawn behind the series, in the plot's own units.
    pub behind: Markup,
    /// The first one is drawn last, on top.
    pub series: &'a [Series<'a>],
    /// Elements of HTML above the drawing.
    pub marks: Markup,
}

impl Default for Plot<'_> {
    fn default() -> Self {
        let nothing = || html! {};
        Self {
            class: "",
            label: String::new(),
            x: &[],
            y: &[],
            behind: nothing(),
            series: &[],
            marks: nothing(),
        }
    }
}

impl Plot<'_> {
    /// Returns the plot as a figure of its own.
    #[must_use]
    pub fn figure(&self) -> Markup {
        html! { figure.curve { (self.markup()) } }
    }

    /// Returns the plot, for a figure that has more than it.
    #[must_use]
    pub fn markup(&self) -> Markup {
        let has_names = self.series.iter().any(|series| !series.name.is_empty());
        html! {
            div.plot.named[has_names].(self.class) {
                div.y aria-hidden="true" {
                    @for (place, label) in self.y {
                        span style={ "top:" (format_args!("{:.1}", 100.0 - place)) "%" } { (label) }
                    }
                }
                div.canvas { (self.drawing()) (self.marks) }
                @if has_names { (self.names()) }
                div.x aria-hidden="true" {
                    @for (place, label) in self.x {
                        span.end[*place > 99.0] style={ "left:" (format_args!("{place:.1}")) "%" } { (lines(label)) }
                    }
                }
            }
        }
    }

    fn drawing(&self) -> Markup {
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(self.label) {
                path.grid d=(self.grid()) {}
                (self.behind)
                @for series in self.series.iter().rev() {
                    @if !series.band.is_empty() { path.band.{ "b" (series.style) } d=(outline(&series.band)) {} }
                }
                @for series in self.series.iter().rev() {
                    path.line.{ "s" (series.style) } d=(path(&series.points)) {}
                }
            }
        }
    }

    /// Returns a line for each label of both axes.
    fn grid(&self) -> String {
        let across = self.y.iter().map(|(y, _)| format!("M0 {:.1}H{WIDTH}", HEIGHT * (1.0 - y / 100.0)));
        let down = self.x.iter().map(|(x, _)| format!("M{:.1} 0V{HEIGHT}", WIDTH * x / 100.0));
        across.chain(down).collect()
    }

    /// Returns the names at the heights where their lines end, the highest first.
    fn names(&self) -> Markup {
        let mut ends = Vec::new();
        for series in self.series {
            ends.push(100.0 - series.points.last().map_or(0.0, |(_, height)| *height));
        }
        // Where there is no room beside the lines, the order of the names alone tells which is the highest.
        let mut names: Vec<(&Series<'_>, f64)> =
            self.series.iter().zip(apart(&ends, NAME_DISTANCE, WHOLE)).collect();
        names.sort_by(|(_, one), (_, other)| one.total_cmp(other)); // stable
        html! {
            div.names aria-hidden="true" {
                @for (series, top) in names {
                    span.{ "t" (series.style) } style={ "top:" (format_args!("{top:.1}")) "%" } {
                        (mark(series.style)) (series.name)
                    }
                }
            }
        }
    }
}

/// Returns a label of one line as it is, and of several as a block each.
fn lines(label: &str) -> Markup {
    html! {
        @if label.contains('\n') { @for line in label.split('\n') { b { (line) } } } @else { (label) }
    }
}

/// Returns heights between 0 and the whole one at least this distance apart where there is room, in the same order.
///
/// ```
/// assert_eq!(nitro_page::apart(&[50.0, 50.0, 10.0], 8.0, 100.0), [50.0, 58.0, 10.0]);
/// ```
#[must_use]
pub fn apart(heights: &[f64], distance: f64, whole: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b])); // stable
    let mut placed = heights.to_vec();
    // Downwards, each below the one before; then those that fell off the end are pushed up again.
    let mut least = 0.0;
    for &at in &order {
        placed[at] = placed[at].max(least);
        least = placed[at] + distance;
    }
    let mut most = whole;
    for &at in order.iter().rev() {
        placed[at] = placed[at].min(most);
        most = placed[at] - distance;
    }
    placed
}

/// Returns the outline of a band: along its upper edge and back along the lower one.
fn outline(band: &[(f64, f64, f64)]) -> String {
    let upper = band.iter().map(|&(x, _, most)| (x, most));
    let lower = band.iter().rev().map(|&(x, least, _)| (x, least));
    path(&upper.chain(lower).collect::<Vec<_>>()) + "Z"
}

/// Returns a line through points in percent, in a plot's own units.
///
/// ```
/// assert_eq!(nitro_page::path(&[(0.0, 0.0), (50.0, 100.0)]), "M0.0 400.0L500.0 0.0");
/// ```
#[must_use]
pub fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (x, y) in points {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        path += &format!("{:.1} {:.1}", WIDTH * x / 100.0, HEIGHT * (1.0 - y / 100.0));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_apart_and_in_order() {
        let apart = |heights: &[f64]| apart(heights, NAME_DISTANCE, WHOLE);
        assert_eq!(apart(&[10.0, 50.0]), [10.0, 50.0]);
        assert_eq!(apart(&[50.0, 50.0, 10.0]), [50.0, 58.0, 10.0]);
        assert_eq!(apart(&[100.0, 99.0, 98.0]), [100.0, 92.0, 84.0]);
        assert_eq!(apart(&[100.0, 100.0]), [92.0, 100.0]);
    }

    #[test]
    fn the_first_line_is_on_top_and_names_are_in_the_order_of_their_ends() {
        let to = |end| vec![(0.0, 0.0), (100.0, end)];
        let series = |name, style, end| Series { name, style, points: to(end), ..Series::default() };
        let all = [series("low", 0, 10.0), series("high", 1, 90.0)];
        let page = Plot { series: &all, ..Plot::default() }.figure().into_string();
        assert!(page.find("line s1") < page.find("line s0"), "{page}");
        assert!(page.find("</i>high</span>") < page.find("</i>low</span>"), "{page}");
        assert!(page.contains(" named\""), "{page}");
        let unnamed = Plot { series: &[series("", 0, 10.0)], ..Plot::default() }.figure().into_string();
        assert!(!unnamed.contains("names") && !unnamed.contains("named"), "{unnamed}");
    }
}
