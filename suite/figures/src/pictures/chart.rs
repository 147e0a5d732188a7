//! The parts of a chart: axes, lines with their names, and marks.

use maud::{Markup, PreEscaped, html};
use nitro_page::{Axis, Drawing, LETTER, apart, at, text_at};

/// The width of every chart in pixels: a telephone shows it in its own size.
pub const WIDTH: f64 = 350.0;
/// The distance of names that stand below each other, in pixels.
const NAME: f64 = 13.0;
/// The height between the axes in pixels.
const HEIGHT: f64 = 190.0;
const STYLE: &str = include_str!("chart.css");

/// The place between the axes, in pixels.
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Frame {
    /// A frame with this much room at its sides; above it is a line of text.
    pub fn new(left: f64, right: f64) -> Self {
        Self { left, right: WIDTH - right, top: 24.0, bottom: 24.0 + HEIGHT }
    }

    /// Returns where a place in percent of the width lies.
    pub fn x(&self, place: f64) -> f64 {
        self.left + (self.right - self.left) * place / 100.0
    }

    /// Returns where a place in percent of the height lies.
    pub fn y(&self, place: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * place / 100.0
    }

    /// Draws a line across for each marked value, and what the values are above them.
    pub fn heights(&self, axis: &Axis, what: &str) -> Markup {
        html! {
            (text_at("soft", 2.0, 12.0, what))
            @for value in axis.ticks() {
                @let height = self.y(axis.place(value));
                path.line d={ "M" (at(self.left)) " " (at(height)) "H" (at(self.right)) } {}
                (text_at("soft end", self.left - 6.0, height + 4.0, &number(value)))
            }
        }
    }

    /// Draws what stands below the frame: labels at their places in percent, and what they are.
    pub fn below(&self, labels: &[(f64, String)], what: &str) -> Markup {
        html! {
            @for (place, label) in labels { (text_at("soft middle", self.x(*place), self.bottom + 17.0, label)) }
            (text_at("soft middle", self.left.midpoint(self.right), self.bottom + 34.0, what))
        }
    }

    /// Draws a line down for each marked value, with the value below.
    pub fn widths(&self, axis: &Axis, what: &str) -> Markup {
        let labels: Vec<(f64, String)> =
            axis.ticks().into_iter().map(|value| (axis.place(value), number(value))).collect();
        html! {
            @for (place, _) in &labels {
                path.line d={ "M" (at(self.x(*place))) " " (at(self.top)) "V" (at(self.bottom)) } {}
            }
            (self.below(&labels, what))
        }
    }

    /// Returns the chart, with so much height below the labels.
    pub fn drawing(&self, title: String, parts: &Markup, below: f64) -> Drawing {
        let parts = html! { style { (PreEscaped(STYLE)) } (parts) };
        Drawing { width: WIDTH, height: self.bottom + 42.0 + below, title, parts }
    }
}

/// A line over labels that are evenly apart.
pub struct Line {
    /// The name where it ends.
    pub name: String,
    /// Its look: nothing, `dashed` or `strong`.
    pub class: &'static str,
    /// A value a label, in percent lost.
    pub values: Vec<f64>,
}

/// Draws lines from 0 up, the last ones on top.
pub fn lines(title: String, (lost, what): (&str, &str), labels: &[String], lines: &[Line]) -> Drawing {
    let widest = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let frame = Frame::new(30.0, widest as f64 * LETTER + 14.0);
    let highest = lines.iter().flat_map(|line| line.values.iter().copied()).fold(1.0, f64::max);
    let axis = Axis::around(0.0, highest);
    let place = |at: usize| 100.0 * at as f64 / (labels.len() - 1).max(1) as f64;
    let labels: Vec<(f64, String)> =
        labels.iter().enumerate().map(|(at, label)| (place(at), label.clone())).collect();
    let ends: Vec<f64> = lines.iter().map(|line| frame.y(end_of(line, &axis)) - frame.top).collect();
    let names = apart(&ends, NAME, HEIGHT);
    let parts = html! {
        (frame.heights(&axis, lost))
        (frame.below(&labels, what))
        @for line in lines {
            path.series.(line.class) d=(path_of(line, &axis, &labels, &frame)) {}
        }
        @for (line, height) in lines.iter().zip(names) {
            @let class = if line.class == "strong" { "strong-text" } else { "soft" };
            (text_at(class, frame.right + 8.0, frame.top + height + 4.0, &line.name))
        }
    };
    frame.drawing(title, &parts, 0.0)
}

/// Returns the place in percent of the height where a line ends.
fn end_of(line: &Line, axis: &Axis) -> f64 {
    axis.place(line.values.last().copied().unwrap_or(0.0))
}

/// Returns the way of a line.
fn path_of(line: &Line, axis: &Axis, labels: &[(f64, String)], frame: &Frame) -> String {
    let mut path = String::new();
    for ((place, _), value) in labels.iter().zip(&line.values) {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        path += &format!("{} {}", at(frame.x(*place)), at(frame.y(axis.place(*value))));
    }
    path
}

/// Returns a marked value, with a minus sign that is as wide as a plus.
fn number(value: f64) -> String {
    at(value).replace('-', "−")
}
