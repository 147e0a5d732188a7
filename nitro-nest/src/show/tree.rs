//! The loops as a tree: the host's loops, kernels, the loops of their grids, what a thread repeats, statements.

use maud::{Markup, html};
use nitro_page::{Drawing, LINE, at, short, text_at, text_width};

use super::NestView;
use crate::kernel::display::KernelNames;
use crate::kernel::{Host, Instruction, Kernel, Space};
use crate::lower::{Axis, KernelDraft, Temporal};
use crate::nest::affine::Variable;
use crate::nest::display::Names;
use crate::nest::{Nest, Node, Range, display};

/// A kind of branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Host,
    Kernel,
    Grid,
    Serial,
    Storage,
    Statement,
}

/// A part of a program, and what is in it.
struct Branch {
    part: Part,
    /// The name of a loop or kernel, or a statement.
    name: String,
    /// A remark on what became of it.
    role: String,
    inside: Vec<Branch>,
}

/// Describes what the host does.
fn host(view: &NestView, all: &[Host]) -> Vec<Branch> {
    let mut branches = Vec::new();
    for one in all {
        branches.push(match one {
            Host::Launch(index) => kernel(view, *index),
            Host::Loop(range, body) => {
                let nest = &view.mapped().nest;
                let role = format!("the host repeats what is inside for {}", display::range(nest, range));
                let name = nest.iterators()[range.iterator].clone();
                Branch { part: Part::Host, name, role, inside: host(view, body) }
            }
        });
    }
    branches
}

fn kernel(view: &NestView, index: usize) -> Branch {
    let (kernel, draft) = (&view.program.kernels[index], &view.kernels[index]);
    let names = KernelNames { program: &view.program, kernel };
    let [x, y, z] = kernel.block;
    let role = format!("blocks of {x} × {y} × {z} = {} threads", kernel.threads());
    let mut next = draft.group.statements.iter().copied();
    let mut inside = storage(kernel);
    inside.extend(rest(&names, draft, &draft.rest, &mut next));
    inside.extend(draft.temporal.as_ref().map(|temporal| of_time(&names, temporal)));
    for axis in draft.axes.iter().rev() {
        let name = names.variable(Variable::Iterator(axis.iterator)).to_owned();
        let role = if draft.group.row.is_some() { of_rows(axis) } else { on_grid(axis) };
        inside = vec![Branch { part: Part::Grid, name, role, inside }];
    }
    Branch { part: Part::Kernel, name: kernel.name.clone(), role, inside }
}

/// Describes the loop in time of which a kernel runs several iterations, and its sweeps.
fn of_time(names: &KernelNames<'_>, temporal: &Temporal) -> Branch {
    let Temporal { stencil, geometry, steps, time, .. } = temporal;
    let [rows, y, x] = geometry.written;
    let tile =
        if stencil.dimensions == 2 { format!("{rows} × {x}") } else { format!("{rows} × {y} × {x}") };
    let sweeps = stencil.sweeps.iter().map(|sweep| Branch {
        part: Part::Statement,
        name: format!("S{}", sweep.statement),
        role: display::assignment(names, &sweep.assignment),
        inside: Vec::new(),
    });
    Branch {
        part: Part::Serial,
        name: names.variable(Variable::Iterator(*time)).to_owned(),
        role: format!(
            "{steps} iterations a launch; a block writes {tile} cells and computes its neighbours' edges"
        ),
        inside: sweeps.collect(),
    }
}

/// Describes an axis that numbers rows.
fn of_rows(axis: &Axis) -> String {
    let letter = ["x", "y", "z"][axis.dimension];
    let rows = if axis.threads == 1 { "a row".to_owned() } else { format!("{} rows", axis.threads) };
    format!("{letter}: {rows} a block")
}

fn on_grid(axis: &Axis) -> String {
    let letter = display::DIMENSIONS[axis.dimension];
    let covered = match (axis.threads, axis.points) {
        (1, 1) => "a block for each value".to_owned(),
        (1, points) => format!("a thread covers {points}"),
        (threads, 1) => format!("{threads} threads"),
        (threads, points) => format!("{threads} threads of {points} points, {} a block", axis.tile()),
    };
    let summed = if axis.is_summed || axis.is_scattered { "; parts of sums, added atomically" } else { "" };
    format!("{letter}: {covered}{summed}")
}

/// Describes what is kept in shared memory and registers.
fn storage(kernel: &Kernel) -> Vec<Branch> {
    let mut branches = Vec::new();
    for (space, role) in [
        (Space::Shared, "in shared memory, for the block"),
        (Space::Register, "in registers, for each thread"),
    ] {
        let locals = kernel.locals.iter().filter(|local| local.space == space);
        let names: Vec<String> = locals.map(|local| format!("{}{:?}", local.name, local.shape)).collect();
        if !names.is_empty() {
            let (part, role, inside) = (Part::Storage, role.to_owned(), Vec::new());
            branches.push(Branch { part, name: names.join(", "), role, inside });
        }
    }
    branches
}

/// Describes what a thread does at each point.
fn rest(
    names: &KernelNames<'_>,
    draft: &KernelDraft,
    nodes: &[Node],
    next: &mut dyn Iterator<Item = usize>,
) -> Vec<Branch> {
    let mut branches = Vec::new();
    for node in nodes {
        let (part, name, role) = match node {
            Node::Loop(range, _) => {
                let name = names.variable(Variable::Iterator(range.iterator)).to_owned();
                (Part::Serial, name, in_thread(names, draft, range))
            }
            Node::If(conditions, _) => {
                (Part::Serial, "if".to_owned(), display::conditions(names, conditions))
            }
            Node::Assign(assignment) => {
                let number = next.next().map_or("S".to_owned(), |index| format!("S{index}"));
                (Part::Statement, number, display::assignment(names, assignment))
            }
        };
        branches.push(Branch { part, name, role, inside: rest(names, draft, node.body(), next) });
    }
    branches
}

fn in_thread(names: &KernelNames<'_>, draft: &KernelDraft, range: &Range) -> String {
    if draft.group.row.as_ref().is_some_and(|row| row.shared.contains(&range.iterator)) {
        return format!("the threads of a row share out {}", display::range(names, range));
    }
    let of_row = draft.group.row.as_ref().filter(|_| draft.tiling().thread_tile[0] > 1);
    if of_row.is_some_and(|row| row.together.contains(&range.iterator)) {
        let values = display::range(names, range);
        return format!("the threads of a row that fits registers share out {values} with the loops in it");
    }
    let mut role = format!("each thread repeats for {}", display::range(names, range));
    let tile = tile_depth(&names.program.nest, &names.kernel.body, range.iterator, &mut Vec::new());
    let Some(depth) = tile else { return role };
    role += &format!(", staged by {depth}");
    let stages = i64::from(draft.tiling().stages);
    if stages > 1 {
        role += &format!(", {} ahead", depth * (stages - 1));
    }
    let slices = names.kernel.block[2];
    if slices > 1 && draft.axes.len() == 2 {
        role += &format!(", {} for each of {slices} slices", depth / i64::from(slices));
    }
    role
}

/// Returns the step of the loop around a loop's part, if it runs in tiles.
fn tile_depth(
    nest: &Nest,
    all: &[Instruction],
    iterator: usize,
    around: &mut Vec<(usize, i64)>,
) -> Option<i64> {
    all.iter().find_map(|instruction| match instruction {
        Instruction::Loop(range, _, _) if range.iterator == iterator => {
            let mut tiles = around.iter().filter(|(own, step)| *step > 1 && *own >= nest.iterators().len());
            let found = tiles
                .find(|(own, _)| range.lower.iter().any(|lower| lower.mentions(Variable::Iterator(*own))));
            found.map(|(_, step)| *step)
        }
        Instruction::Loop(range, _, body) => {
            around.push((range.iterator, range.step));
            let found = tile_depth(nest, body, iterator, around);
            around.pop();
            found
        }
        Instruction::If(_, body, otherwise) => {
            tile_depth(nest, body, iterator, around).or_else(|| tile_depth(nest, otherwise, iterator, around))
        }
        _ => None,
    })
}

/// Returns the tree as text.
pub(super) fn text(view: &NestView) -> String {
    let mut text = view.written.nest.name().to_owned() + "\n";
    add_lines(&host(view, &view.program.host), "", &mut text);
    text
}

fn add_lines(branches: &[Branch], before: &str, text: &mut String) {
    for (index, branch) in branches.iter().enumerate() {
        let is_last = index + 1 == branches.len();
        let (fork, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let arrow = if branch.part == Part::Statement { " " } else { " → " };
        *text += &format!("{before}{fork}{}{arrow}{}\n", branch.name, branch.role);
        add_lines(&branch.inside, &format!("{before}{below}"), text);
    }
}

const INDENT: f64 = 14.0;
const MOST_LETTERS: usize = 58;

/// A line of the drawing.
struct Row<'a> {
    branch: &'a Branch,
    depth: usize,
    parent: Option<usize>,
}

/// Draws the tree.
pub(super) fn drawing(view: &NestView) -> Drawing {
    let tree = host(view, &view.program.host);
    let mut rows = Vec::new();
    add_rows(&tree, 0, None, &mut rows);
    let drawn: Vec<(Markup, f64)> = rows.iter().enumerate().map(|(index, row)| drawn(index, row)).collect();
    let width = drawn.iter().map(|(_, right)| *right).fold(0.0, f64::max) + 8.0;
    Drawing {
        width,
        height: rows.len() as f64 * 2.0 * LINE * 0.8 + 4.0,
        title: format!("What became of the loops of {}, as a tree.", view.written.nest.name()),
        parts: html! { @for (row, _) in &drawn { (row) } },
    }
}

fn add_rows<'a>(branches: &'a [Branch], depth: usize, parent: Option<usize>, rows: &mut Vec<Row<'a>>) {
    for branch in branches {
        rows.push(Row { branch, depth, parent });
        let own = rows.len() - 1;
        add_rows(&branch.inside, depth + 1, Some(own), rows);
    }
}

/// Draws two lines: what a branch is, and what became of it.
fn drawn(index: usize, row: &Row<'_>) -> (Markup, f64) {
    let height = 2.0 * LINE * 0.8;
    let (x, y) = (row.depth as f64 * INDENT + 6.0, index as f64 * height + 14.0);
    let (class, what) = match row.branch.part {
        Part::Host => ("host", "loop of the host"),
        Part::Kernel => ("", "kernel"),
        Part::Grid => ("grid", "loop of the grid"),
        Part::Serial => ("serial", "loop of a thread"),
        Part::Storage => ("soft", ""),
        Part::Statement => ("", ""),
    };
    let what = if row.branch.name == "if" { "" } else { what };
    let (name, role) = (short(&row.branch.name, MOST_LETTERS), short(&row.branch.role, MOST_LETTERS));
    let right = x + 10.0 + (text_width(&name) + 8.0 + text_width(what)).max(text_width(&role));
    let markup = html! {
        @if let Some(parent) = row.parent {
            @let (from, top) = (x - INDENT, parent as f64 * height + 18.0);
            path.branch d={ "M" (at(from)) " " (at(top)) " V" (at(y - 4.0)) " H" (at(x - 4.0)) } {}
        }
        circle.dot.(class) cx=(at(x)) cy=(at(y - 4.0)) r="3.5" {}
        (text_at(&format!("statement {class}"), x + 10.0, y, &name))
        @if !what.is_empty() { (text_at("soft small", x + 18.0 + text_width(&name), y, what)) }
        (text_at("small", x + 10.0, y + 14.0, &role))
    };
    (markup, right)
}
