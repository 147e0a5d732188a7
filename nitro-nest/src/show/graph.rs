//! The drawn graph of a nest's dependences: its statements where they stand in their loops, and arcs between them.

use maud::{Markup, html};
use nitro_page::{Drawing, LETTER, LINE, at, short, text_at, text_width};

use super::edges::{Edge, edges};
use crate::lower::AnalysedNest;
use crate::nest::{Nest, Node, display};

/// The most letters of a line.
const MOST_LETTERS: usize = 62;
/// The distance of arcs.
const LANE: f64 = 21.0;
/// The distance of remarks on arcs.
const LEGEND: f64 = 38.0;
/// The radius of the circle with an arc's number.
const RADIUS: f64 = 8.0;

/// A line of the nest.
struct Row {
    text: String,
    statement: Option<usize>,
}

/// Draws the dependences of a nest: arcs at the left, the nest, and below what each arc is.
pub(super) fn drawing(input: &AnalysedNest) -> Drawing {
    let edges = edges(input);
    let mut rows = Vec::new();
    add_rows(&input.nest, input.nest.body(), 0, &mut 0, &mut rows);
    let spans: Vec<[usize; 2]> =
        edges.iter().map(|edge| [edge.source, edge.sink].map(|statement| row_of(&rows, statement))).collect();
    let lanes = lanes(&spans);
    let left = lanes.iter().max().map_or(0.0, |lane| (lane + 1) as f64 * LANE + RADIUS + 4.0);
    let letters = rows.iter().map(|row| row.text.chars().count()).max().unwrap_or(0);
    let right = left + letters as f64 * LETTER + 12.0;
    let legend_top = rows.len() as f64 * LINE + 26.0;
    let legends: Vec<Legend> =
        edges.iter().enumerate().flat_map(|(index, edge)| legends(index, edge)).collect();
    let said = legends.iter().flat_map(|legend| [&legend.what, &legend.how]);
    let widest = said.map(|text| text_width(text) + 30.0).fold(right, f64::max);
    let parts = html! {
        @for (index, row) in rows.iter().enumerate() { (line(index, row, [left, right])) }
        @for (index, (edge, lane)) in edges.iter().zip(&lanes).enumerate() {
            (arc(edge, index, spans[index], [left, left - (*lane + 1) as f64 * LANE]))
        }
        @for (row, legend) in legends.iter().enumerate() {
            @let y = legend_top + row as f64 * LEGEND;
            @if let Some(index) = legend.begins { (number(&edges[index], index, RADIUS + 2.0, y - 4.0)) }
            (text_at("small", 26.0, y, &legend.what))
            (text_at("small soft", 26.0, y + 15.0, &legend.how))
        }
    };
    Drawing {
        width: widest + 4.0,
        height: legend_top + legends.len() as f64 * LEGEND,
        title: format!(
            "The dependences of {}: {} arcs between its statements.",
            input.nest.name(),
            edges.len()
        ),
        parts,
    }
}

/// A remark on an arc, or on a part of it.
struct Legend {
    /// The arc, where this is the first of its parts.
    begins: Option<usize>,
    what: String,
    how: String,
}

fn legends(index: usize, edge: &Edge<'_>) -> Vec<Legend> {
    let mut legends = Vec::new();
    for (at, part) in edge.parts.iter().enumerate() {
        legends.push(Legend {
            begins: (at == 0).then_some(index),
            what: format!("S{} → S{} by {}, {}", edge.source, edge.sink, part.array, part.carrier()),
            how: part.kinds(),
        });
    }
    legends
}

/// Adds the lines of a nest: its loops and conditions, and its statements by their numbers.
fn add_rows(nest: &Nest, nodes: &[Node], depth: usize, next: &mut usize, rows: &mut Vec<Row>) {
    for node in nodes {
        let (text, statement) = match node {
            Node::Loop(range, _) => {
                let name = &nest.iterators()[range.iterator];
                (format!("for {name} in {}", display::range(nest, range)), None)
            }
            Node::If(conditions, _) => (format!("if {}", display::conditions(nest, conditions)), None),
            Node::Assign(assignment) => {
                let text = display::assignment(nest, assignment);
                *next += 1;
                (format!("S{} {}", *next - 1, text.trim_end_matches(';')), Some(*next - 1))
            }
        };
        rows.push(Row { text: short(&("  ".repeat(depth) + &text), MOST_LETTERS), statement });
        add_rows(nest, node.body(), depth + 1, next, rows);
    }
}

fn line(index: usize, row: &Row, [left, right]: [f64; 2]) -> Markup {
    let top = index as f64 * LINE;
    let class = if row.statement.is_some() { "statement" } else { "soft" };
    let indent = left + (row.text.len() - row.text.trim_start().len()) as f64 * LETTER;
    html! {
        @if row.statement.is_some() {
            rect.row x=(at(indent)) y=(at(top + 1.5)) width=(at(right - indent)) height=(at(LINE - 3.0)) rx="3" {}
        }
        (text_at(class, indent + 4.0, top + 15.0, row.text.trim_start()))
    }
}

/// Returns the row of a statement.
fn row_of(rows: &[Row], statement: usize) -> usize {
    rows.iter().position(|row| row.statement == Some(statement)).unwrap_or(0)
}

/// Returns the lane that each arc goes through, as far in as those before leave room.
fn lanes(spans: &[[usize; 2]]) -> Vec<usize> {
    // Short arcs first.
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|index| {
        let [from, to] = spans[*index];
        (from.abs_diff(to), from.min(to))
    });
    let mut lanes = vec![0; spans.len()];
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    for index in order {
        let [from, to] = spans[index];
        let (top, bottom) = (from.min(to), from.max(to));
        let free = taken.iter().position(|lane| lane.iter().all(|other| other.1 < top || bottom < other.0));
        lanes[index] = free.unwrap_or(taken.len());
        if free.is_none() {
            taken.push(Vec::new());
        }
        taken[lanes[index]].push((top, bottom));
    }
    lanes
}

/// Draws an arc from one row to another, through a lane at the left, with its number on it.
fn arc(edge: &Edge<'_>, index: usize, [source, sink]: [usize; 2], [left, lane]: [f64; 2]) -> Markup {
    // What begins at a statement does so a little above what ends there.
    let from = source as f64 * LINE + LINE / 2.0 - 5.0;
    let to = sink as f64 * LINE + LINE / 2.0 + 5.0;
    // A curve goes as far as three quarters of the way to the points that it is drawn by.
    let by = left - 4.0 - (left - lane) * 4.0 / 3.0;
    let [x, from_y, to_y, by, end] = [left, from, to, by, left - 7.0].map(at);
    let path = format!("M{x} {from_y} C{by} {from_y} {by} {to_y} {end} {to_y}");
    let head = format!("M{x} {to_y} l-7 -3.5 v7 z");
    html! {
        path.edge.flow[edge.has_flow()] d=(path) {}
        path.head.flow[edge.has_flow()] d=(head) {}
        (number(edge, index, lane, f64::midpoint(from, to)))
    }
}

fn number(edge: &Edge<'_>, index: usize, x: f64, y: f64) -> Markup {
    html! {
        circle.number.flow[edge.has_flow()] cx=(at(x)) cy=(at(y)) r=(RADIUS) {}
        (text_at("small middle", x, y + 4.0, &(index + 1).to_string()))
    }
}
