//! The drawn graph of a nest's dependences: its statements where they stand in their loops, and arcs between them.

use maud::{Markup, html};
use nitro_page::{Drawing, LETTER, LINE, at, short, text_at, text_width};

use super::Stage;
use super::edges::{Edge, Part, edges};
use crate::nest::{Nest, Node, display};

/// The most letters of a line.
const MOST_LETTERS: usize = 62;
/// The distance of arcs.
const LANE: f64 = 21.0;
/// The distance of what is said of arcs.
const LEGEND: f64 = 38.0;
/// The radius of the circle with an arc's number.
const RADIUS: f64 = 8.0;

/// A line of the nest.
struct Row {
    text: String,
    statement: Option<usize>,
}

/// The graph of the dependences of a nest: arcs at the left, the nest, and below what each arc is.
pub fn drawing(stage: &Stage) -> Drawing {
    let (rows, edges) = (rows(&stage.nest), edges(stage));
    let row_of = |statement| rows.iter().position(|row| row.statement == Some(statement)).unwrap_or(0);
    let lanes = lanes(&edges, &row_of);
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
            (arc(edge, index, [row_of(edge.source), row_of(edge.sink)], [left, left - (*lane + 1) as f64 * LANE]))
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
            stage.nest.name(),
            edges.len()
        ),
        parts,
    }
}

/// What is said of an arc, or of a part of it.
struct Legend {
    /// The arc, where this is the first of its parts.
    begins: Option<usize>,
    what: String,
    how: String,
}

fn legends(index: usize, edge: &Edge<'_>) -> Vec<Legend> {
    let of = |(at, part): (usize, &Part<'_>)| Legend {
        begins: (at == 0).then_some(index),
        what: format!("S{} → S{} by {}, {}", edge.source, edge.sink, part.array, part.carrier()),
        how: part.kinds(),
    };
    edge.parts.iter().enumerate().map(of).collect()
}

/// The lines of a nest: its loops and conditions, and its statements by their numbers.
fn rows(nest: &Nest) -> Vec<Row> {
    fn add(nest: &Nest, nodes: &[Node], depth: usize, next: &mut usize, rows: &mut Vec<Row>) {
        for node in nodes {
            let indent = "  ".repeat(depth);
            let (text, statement, body): (String, Option<usize>, &[Node]) = match node {
                Node::Loop(range, body) => {
                    let name = &nest.iterators()[range.iterator];
                    (format!("for {name} in {}", display::range(nest, range)), None, body)
                }
                Node::If(conditions, body) => {
                    (format!("if {}", display::conditions(nest, conditions)), None, body)
                }
                Node::Assign(assignment) => {
                    *next += 1;
                    let text = display::assignment(nest, assignment);
                    (format!("S{} {}", *next - 1, text.trim_end_matches(';')), Some(*next - 1), &[])
                }
            };
            rows.push(Row { text: short(&(indent + &text), MOST_LETTERS), statement });
            add(nest, body, depth + 1, next, rows);
        }
    }
    let mut rows = Vec::new();
    add(nest, nest.body(), 0, &mut 0, &mut rows);
    rows
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

/// For each arc the lane that it goes through, as far in as those before leave room.
fn lanes(edges: &[Edge<'_>], row_of: &dyn Fn(usize) -> usize) -> Vec<usize> {
    let span = |edge: &Edge<'_>| {
        let (source, sink) = (row_of(edge.source), row_of(edge.sink));
        (source.min(sink), source.max(sink))
    };
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|index| {
        let (top, bottom) = span(&edges[*index]);
        (bottom - top, top)
    });
    let mut lanes = vec![0; edges.len()];
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    for index in order {
        let (top, bottom) = span(&edges[index]);
        let is_free = |lane: &Vec<(usize, usize)>| lane.iter().all(|other| other.1 < top || bottom < other.0);
        let lane = taken.iter().position(is_free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[lane].push((top, bottom));
        lanes[index] = lane;
    }
    lanes
}

/// From one row to another, through a lane at the left, with its number on it.
fn arc(edge: &Edge<'_>, index: usize, [source, sink]: [usize; 2], [left, lane]: [f64; 2]) -> Markup {
    let middle = |row: usize| row as f64 * LINE + LINE / 2.0;
    // What begins at a statement does so a little above what ends there.
    let (from, to) = (middle(source) - 5.0, middle(sink) + 5.0);
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
