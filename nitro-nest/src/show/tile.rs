//! One block's tile: where it is in the iteration space, and which of its points two threads have.

use std::collections::BTreeSet;

use maud::{Markup, html};
use nitro_page::{Drawing, at, text_at, text_width};

use super::{NestView, points};
use crate::kernel::display::KernelNames;
use crate::lower::Axis;
use crate::nest::affine::Variable;
use crate::nest::display::Names;

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

    /// Describes it, as `j: 128 = 32 threads × 4 points`.
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

/// Draws the tile of a kernel; there is none where one thread runs it, or threads share rows.
pub(super) fn drawing(view: &NestView, kernel: usize) -> Option<Drawing> {
    if view.kernels[kernel].group.row.is_some() {
        return None;
    }
    let axes = &view.kernels[kernel].axes;
    let [x, y, z] = [0, 1, 2].map(|dimension| axes.iter().find(|axis| axis.dimension == dimension));
    let (x, y) = (Side::new(Some(x?)), Side::new(y));
    let (name, first) = (&view.program.kernels[kernel].name, points::points(axes, [0; 3]));
    let (other, others) = other(axes, [&x, &y]);
    let says = says(view, kernel, [&x, &y], z, other);
    let top = 112.0;
    let bottom = top + y.length() + 20.0;
    let widest = says.iter().map(|(_, text)| text_width(text) + 17.0).fold(SIDE, f64::max);
    let parts = html! {
        (space(&x, &y, top))
        rect.space x="1" y=(at(top)) width=(at(x.length())) height=(at(y.length())) {}
        (lines(&x, &y, top))
        (points(&x, &y, top, "other", &others))
        (points(&x, &y, top, "mine", &first))
        (legend(&says, bottom))
    };
    Some(Drawing {
        width: x.length().max(widest) + 4.0,
        height: bottom + LEGEND * says.len() as f64,
        title: format!("One block's tile of kernel {name}, with the points of two of its threads."),
        parts,
    })
}

/// Draws the iteration space as blocks, not to scale, of which the first is seen below.
fn space(x: &Side<'_>, y: &Side<'_>, tile_top: f64) -> Markup {
    let (columns, rows) = (6, if y.axis.is_some() { 3 } else { 1 });
    let (width, height, left, top) = (34.0, 22.0, 1.0, 1.0);
    html! {
        @for row in 0..rows {
            @for column in 0..columns {
                @let (x, y) = (left + f64::from(column) * width, top + f64::from(row) * height);
                rect.space x=(at(x)) y=(at(y)) width=(width) height=(height) {}
            }
        }
        rect.box x=(left) y=(top) width=(width) height=(height) {}
        path.zoom d={
            "M" (left) " " (at(top + height)) " V" (at(tile_top))
            " M" (at(left + width)) " " (at(top + height)) " L" (at(x.length())) " " (at(tile_top))
        } {}
        (text_at("small soft", left + f64::from(columns) * width + 8.0, 14.0, "the grid: a block"))
        (text_at("small soft", left + f64::from(columns) * width + 8.0, 28.0, "for each tile"))
    }
}

/// Draws lines between the values, or between the threads' parts where values are too small.
fn lines(x: &Side<'_>, y: &Side<'_>, top: f64) -> Markup {
    html! {
        @for offset in line_offsets(x) { path.line d={ "M" (at(1.0 + offset)) " " (at(top)) " v" (at(y.length())) } {} }
        @for offset in line_offsets(y) { path.line d={ "M1 " (at(top + offset)) " h" (at(x.length())) } {} }
    }
}

/// Returns the offsets of lines along a side.
fn line_offsets(side: &Side<'_>) -> Vec<f64> {
    let step = if side.cell >= 6.0 { 1 } else { side.axis.map_or(1, |axis| axis.threads).max(8) };
    (1..side.drawn).filter(|at| at % step == 0).map(|at| at as f64 * side.cell).collect()
}

/// Draws the points of a thread.
fn points(x: &Side<'_>, y: &Side<'_>, top: f64, class: &str, points: &BTreeSet<[i64; 3]>) -> Markup {
    html! {
        @for [column, row, depth] in points {
            @if *column < x.drawn && *row < y.drawn && *depth == 0 {
                @let (left, top) = (1.0 + *column as f64 * x.cell, top + *row as f64 * y.cell);
                rect.(class) x=(at(left)) y=(at(top)) width=(at(x.cell)) height=(at(y.cell)) {}
            }
        }
    }
}

/// Finds a thread other than the first, some of whose points are drawn, and its points.
fn other(axes: &[Axis], sides: [&Side<'_>; 2]) -> ([i64; 2], BTreeSet<[i64; 3]>) {
    let mut thread = sides.map(|side| side.axis.map_or(0, |axis| axis.threads * 5 / 8));
    loop {
        let points = points::points(axes, [thread[0], thread[1], 0]);
        let beyond = [0, 1].map(|axis| points.iter().all(|point| point[axis] >= sides[axis].drawn));
        if beyond == [false; 2] || thread == [0; 2] {
            return (thread, points);
        }
        for axis in 0..2 {
            thread[axis] /= if beyond[axis] { 2 } else { 1 };
        }
    }
}

/// Returns what is said below the tile, with the class of what it is said of.
fn says(
    view: &NestView,
    kernel: usize,
    [x, y]: [&Side<'_>; 2],
    z: Option<&Axis>,
    other: [i64; 2],
) -> Vec<(&'static str, String)> {
    let mut says = vec![("", format!("→ {}", x.says(view)))];
    if y.axis.is_some() {
        says.push(("", format!("↓ {}", y.says(view))));
    }
    says.extend(z.map(|axis| {
        let names = KernelNames { program: &view.program, kernel: &view.program.kernels[kernel] };
        let name = names.variable(Variable::Iterator(axis.iterator));
        ("", format!("and {name}: {} a block", axis.threads * axis.points))
    }));
    says.push(("mine", "the points of thread (0, 0)".to_owned()));
    says.push(("other", format!("the points of thread ({}, {})", other[0], other[1])));
    says
}

fn legend(says: &[(&str, String)], top: f64) -> Markup {
    html! {
        @for (index, (class, text)) in says.iter().enumerate() {
            @let y = top + index as f64 * LEGEND;
            @if class.is_empty() {
                (text_at("small", 1.0, y, text))
            } @else {
                rect.(class) x="1" y=(at(y - 9.0)) width="10" height="10" {}
                (text_at("small", 17.0, y, text))
            }
        }
    }
}
