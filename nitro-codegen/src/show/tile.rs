//! One block's tile: where it is in the iteration space, and which of its points two threads have.

use maud::{Markup, html};

use super::NestView;
use super::svg::{self, Drawing, at};
use crate::mapping::roles::{Axis, place};

/// The sides of the drawing of a tile.
const SIDE: f64 = 330.0;
/// The distance of lines of text.
const LEGEND: f64 = 17.0;
/// The most values that are drawn along an axis: more are finer than a pixel.
const MOST_VALUES: i64 = 160;
/// The sides of a drawn value.
const CELL: std::ops::RangeInclusive<f64> = 2.0..=16.0;

/// An axis as it is drawn.
struct Side<'a> {
    axis: Option<&'a Axis>,
    /// Values that are drawn, and all that the tile has.
    drawn: i64,
    all: i64,
    cell: f64,
}

impl<'a> Side<'a> {
    fn new(axis: Option<&'a Axis>) -> Self {
        let all = axis.map_or(1, |axis| axis.threads * axis.points);
        let drawn = all.min(MOST_VALUES);
        let cell = (SIDE / drawn as f64).clamp(*CELL.start(), *CELL.end());
        Self { axis, drawn, all, cell }
    }

    fn length(&self) -> f64 {
        self.drawn as f64 * self.cell
    }

    /// Where the points of a thread are, as far as they are drawn.
    fn places(&self, thread: i64) -> Vec<i64> {
        let Some(axis) = self.axis else { return vec![0] };
        let all = (0..axis.points.min(MOST_VALUES)).map(|point| place(axis, thread, point));
        all.filter(|place| *place < self.drawn).collect()
    }

    /// A thread other than the first, some of whose points are drawn.
    fn other(&self) -> i64 {
        let Some(axis) = self.axis else { return 0 };
        let is_drawn = |thread: &i64| place(axis, *thread, 0) < self.drawn;
        let threads: Vec<i64> = (0..axis.threads).filter(is_drawn).collect();
        threads[threads.len() * 5 / 8]
    }

    /// As `j: 128 = 32 threads × 4 points`.
    fn says(&self, view: &NestView) -> String {
        let Some(axis) = self.axis else { return String::new() };
        let name = &view.mapped().nest.iterators()[axis.iterator];
        let shown = if self.drawn < self.all {
            format!(", of which {} are drawn", self.drawn)
        } else {
            String::new()
        };
        let covered = match axis.points {
            1 => format!("{} threads", axis.threads),
            points => format!("{} = {} threads × {points} points", self.all, axis.threads),
        };
        format!("{name}: {covered}{shown}")
    }
}

/// The tile of a kernel; none of one that one thread runs.
pub fn drawing(view: &NestView, kernel: usize) -> Option<Drawing> {
    let axes = &view.roles[kernel].axes;
    let of = |dimension| axes.iter().find(|axis| axis.dimension == dimension);
    let x = Side::new(Some(of(0)?));
    let y = Side::new(of(1));
    let (name, says) = (&view.program.kernels[kernel].name, says(view, [&x, &y], of(2)));
    let top = 112.0;
    let bottom = top + y.length() + 20.0;
    let widest = says.iter().map(|(_, text)| svg::width(text) + 17.0).fold(SIDE, f64::max);
    let parts = html! {
        (space(&x, &y, top))
        rect.space x="1" y=(at(top)) width=(at(x.length())) height=(at(y.length())) {}
        (lines(&x, &y, top))
        (points(&x, &y, top, "other", [x.other(), y.other()]))
        (points(&x, &y, top, "mine", [0, 0]))
        (legend(&says, bottom))
    };
    Some(Drawing {
        width: x.length().max(widest) + 4.0,
        height: bottom + LEGEND * says.len() as f64,
        title: format!("One block's tile of kernel {name}, with the points of two of its threads."),
        parts,
    })
}

/// The iteration space as blocks, not to scale, of which the first is seen below.
fn space(x: &Side<'_>, y: &Side<'_>, tile_top: f64) -> Markup {
    let (columns, rows) = (6, if y.axis.is_some() { 3 } else { 1 });
    let (width, height, left, top) = (34.0, 22.0, 1.0, 1.0);
    html! {
        @for row in 0..rows {
            @for column in 0..columns {
                rect.space x=(at(left + f64::from(column) * width)) y=(at(top + f64::from(row) * height)) width=(width) height=(height) {}
            }
        }
        rect.box x=(left) y=(top) width=(width) height=(height) {}
        path.zoom d={ "M" (left) " " (at(top + height)) " V" (at(tile_top)) " M" (at(left + width)) " " (at(top + height)) " L" (at(x.length())) " " (at(tile_top)) } {}
        (svg::text("small soft", left + f64::from(columns) * width + 8.0, 14.0, "the grid: a block"))
        (svg::text("small soft", left + f64::from(columns) * width + 8.0, 28.0, "for each tile"))
    }
}

/// Lines between the values, or between the threads' parts where values are too small.
fn lines(x: &Side<'_>, y: &Side<'_>, top: f64) -> Markup {
    let step = |side: &Side<'_>| {
        if side.cell >= 6.0 { 1 } else { (side.axis.map_or(1, |axis| axis.threads)).max(8) }
    };
    let steps = |side: &Side<'_>| {
        (1..side.drawn).filter(|at| at % step(side) == 0).map(|at| at as f64 * side.cell).collect::<Vec<_>>()
    };
    html! {
        @for offset in steps(x) { path.line d={ "M" (at(1.0 + offset)) " " (at(top)) " v" (at(y.length())) } {} }
        @for offset in steps(y) { path.line d={ "M1 " (at(top + offset)) " h" (at(x.length())) } {} }
    }
}

/// The points of a thread.
fn points(x: &Side<'_>, y: &Side<'_>, top: f64, class: &str, [of_x, of_y]: [i64; 2]) -> Markup {
    html! {
        @for row in y.places(of_y) {
            @for column in x.places(of_x) {
                rect.(class) x=(at(1.0 + column as f64 * x.cell)) y=(at(top + row as f64 * y.cell)) width=(at(x.cell)) height=(at(y.cell)) {}
            }
        }
    }
}

/// What is said below the tile, with the class of what it is said of.
fn says(view: &NestView, [x, y]: [&Side<'_>; 2], z: Option<&Axis>) -> Vec<(&'static str, String)> {
    let mut says = vec![("", format!("→ {}", x.says(view)))];
    if y.axis.is_some() {
        says.push(("", format!("↓ {}", y.says(view))));
    }
    says.extend(z.map(|axis| {
        let name = &view.mapped().nest.iterators()[axis.iterator];
        ("", format!("and {name}: {} a block", axis.threads * axis.points))
    }));
    says.push(("mine", "the points of thread (0, 0)".to_owned()));
    says.push(("other", format!("the points of thread ({}, {})", x.other(), y.other())));
    says
}

fn legend(says: &[(&str, String)], top: f64) -> Markup {
    html! {
        @for (index, (class, text)) in says.iter().enumerate() {
            @let y = top + index as f64 * LEGEND;
            @if class.is_empty() {
                (svg::text("small", 1.0, y, text))
            } @else {
                rect.(class) x="1" y=(at(y - 9.0)) width="10" height="10" {}
                (svg::text("small", 17.0, y, text))
            }
        }
    }
}
