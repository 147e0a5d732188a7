//! What became of each loop, as a tree: the host's loops, kernels, the loops of their grids, what a thread repeats,
//! statements.

use std::fmt::Write;

use maud::{Markup, html};
use nitro_page::{Drawing, LINE, at, short, text_at, text_width};

use super::NestView;
use crate::kernel::display::KernelNames;
use crate::kernel::{Host, Instruction, Kernel, Space};
use crate::mapping::roles::Roles;
use crate::nest::affine::Variable;
use crate::nest::display::Names;
use crate::nest::{Nest, Node, Range, display};

/// What something of the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Host,
    Kernel,
    Grid,
    Serial,
    Storage,
    Statement,
}

/// A part, what it says, and what is in it.
pub struct Branch {
    pub part: Part,
    /// The name of a loop or kernel, or a statement.
    pub name: String,
    /// What became of it.
    pub role: String,
    pub inside: Vec<Branch>,
}

/// The tree of a program.
pub fn tree(view: &NestView) -> Vec<Branch> {
    host(view, &view.program.host)
}

fn host(view: &NestView, all: &[Host]) -> Vec<Branch> {
    let of = |one: &Host| match one {
        Host::Launch(index) => kernel(view, *index),
        Host::Loop(range, body) => {
            let nest = &view.mapped().nest;
            let role = format!("the host repeats what is inside for {}", display::range(nest, range));
            let name = nest.iterators()[range.iterator].clone();
            Branch { part: Part::Host, name, role, inside: host(view, body) }
        }
    };
    all.iter().map(of).collect()
}

fn kernel(view: &NestView, index: usize) -> Branch {
    let (kernel, roles) = (&view.program.kernels[index], &view.roles[index]);
    let names = KernelNames { program: &view.program, kernel };
    let [x, y, z] = kernel.block;
    let role = format!("blocks of {x} × {y} × {z} = {} threads", kernel.threads());
    let mut next = roles.statements.iter().copied();
    let mut inside = storage(kernel);
    inside.extend(rest(&names, roles, &roles.rest, &mut next));
    for axis in roles.axes.iter().rev() {
        let name = names.variable(Variable::Iterator(axis.iterator)).to_owned();
        inside = vec![Branch { part: Part::Grid, name, role: on_grid(axis), inside }];
    }
    Branch { part: Part::Kernel, name: kernel.name.clone(), role, inside }
}

fn on_grid(axis: &crate::mapping::roles::Axis) -> String {
    let letter = ["x", "y", "z"][axis.dimension];
    let tile = axis.threads * axis.points;
    let covered = match (axis.threads, axis.points) {
        (1, 1) => "a block for each value".to_owned(),
        (1, points) => format!("a thread covers {points}"),
        (threads, 1) => format!("{threads} threads"),
        (threads, points) => format!("{threads} threads of {points} points, {tile} a block"),
    };
    let summed = if axis.is_summed { "; parts of sums, added atomically" } else { "" };
    format!("{letter}: {covered}{summed}")
}

/// What is kept in shared memory and registers.
fn storage(kernel: &Kernel) -> Vec<Branch> {
    let of = |space, role: &str| {
        let names: Vec<String> = kernel
            .locals
            .iter()
            .filter(|local| local.space == space)
            .map(|local| format!("{}{:?}", local.name, local.shape))
            .collect();
        let part = Part::Storage;
        (!names.is_empty()).then(|| Branch {
            part,
            name: names.join(", "),
            role: role.to_owned(),
            inside: Vec::new(),
        })
    };
    let shared = of(Space::Shared, "in shared memory, for the block");
    shared.into_iter().chain(of(Space::Register, "in registers, for each thread")).collect()
}

/// What a thread does at each point.
fn rest(
    names: &KernelNames<'_>,
    roles: &Roles,
    nodes: &[Node],
    next: &mut dyn Iterator<Item = usize>,
) -> Vec<Branch> {
    let mut branches = Vec::new();
    for node in nodes {
        let branch = match node {
            Node::Loop(range, body) => {
                let name = names.variable(Variable::Iterator(range.iterator)).to_owned();
                let inside = rest(names, roles, body, next);
                Branch { part: Part::Serial, name, role: in_thread(names, roles, range), inside }
            }
            Node::If(conditions, body) => Branch {
                part: Part::Serial,
                name: "if".to_owned(),
                role: display::conditions(names, conditions),
                inside: rest(names, roles, body, next),
            },
            Node::Assign(assignment) => {
                let number = next.next().map_or("S".to_owned(), |index| format!("S{index}"));
                let role = display::assignment(names, assignment);
                Branch { part: Part::Statement, name: number, role, inside: Vec::new() }
            }
        };
        branches.push(branch);
    }
    branches
}

fn in_thread(names: &KernelNames<'_>, roles: &Roles, range: &Range) -> String {
    let serial = format!("each thread repeats for {}", display::range(names, range));
    let chunk = chunk(&names.program.nest, &names.kernel.body, range.iterator, &mut Vec::new());
    let staged = match (chunk, roles.tiling.buffers) {
        (None, _) => String::new(),
        (Some(step), 0 | 1) => format!(", staged by {step}"),
        (Some(step), buffers) => format!(", staged by {step}, {} ahead", step * i64::from(buffers - 1)),
    };
    let slices = match (chunk, roles.axes.len(), names.kernel.block[2]) {
        (None, ..) | (_, 3, _) | (_, _, 1) => String::new(),
        (Some(step), _, slices) => format!(", {} for each of {slices} slices", step / i64::from(slices)),
    };
    serial + &staged + &slices
}

/// The step of the loop around a loop's part, if it runs in parts.
fn chunk(nest: &Nest, all: &[Instruction], iterator: usize, around: &mut Vec<(usize, i64)>) -> Option<i64> {
    for instruction in all {
        let found = match instruction {
            Instruction::Loop(range, _, body) => {
                if range.iterator == iterator {
                    let begins_at = |own: usize| {
                        own >= nest.iterators().len()
                            && range.lower.iter().any(|lower| lower.mentions(Variable::Iterator(own)))
                    };
                    return around
                        .iter()
                        .find(|(own, step)| *step > 1 && begins_at(*own))
                        .map(|(_, step)| *step);
                }
                around.push((range.iterator, range.step));
                let found = chunk(nest, body, iterator, around);
                around.pop();
                found
            }
            Instruction::If(_, body, otherwise) => {
                chunk(nest, body, iterator, around).or_else(|| chunk(nest, otherwise, iterator, around))
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The tree as text.
pub fn text(view: &NestView) -> String {
    fn add(branches: &[Branch], before: &str, text: &mut String) {
        for (index, branch) in branches.iter().enumerate() {
            let is_last = index + 1 == branches.len();
            let (fork, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let arrow = if branch.part == Part::Statement { " " } else { " → " };
            writeln!(text, "{before}{fork}{}{arrow}{}", branch.name, branch.role)
                .expect("a string takes everything");
            add(&branch.inside, &format!("{before}{below}"), text);
        }
    }
    let mut text = view.written.nest.name().to_owned() + "\n";
    add(&tree(view), "", &mut text);
    text
}

const INDENT: f64 = 14.0;
const MOST_LETTERS: usize = 58;

/// A line of the drawing.
struct Row<'a> {
    branch: &'a Branch,
    depth: usize,
    parent: Option<usize>,
}

/// The tree as a drawing.
pub fn drawing(view: &NestView) -> Drawing {
    fn add<'a>(branches: &'a [Branch], depth: usize, parent: Option<usize>, rows: &mut Vec<Row<'a>>) {
        for branch in branches {
            rows.push(Row { branch, depth, parent });
            let own = rows.len() - 1;
            add(&branch.inside, depth + 1, Some(own), rows);
        }
    }
    let tree = tree(view);
    let mut rows = Vec::new();
    add(&tree, 0, None, &mut rows);
    let drawn: Vec<(Markup, f64)> = rows.iter().enumerate().map(|(index, row)| drawn(index, row)).collect();
    let width = drawn.iter().map(|(_, right)| *right).fold(0.0, f64::max) + 8.0;
    Drawing {
        width,
        height: rows.len() as f64 * 2.0 * LINE * 0.8 + 4.0,
        title: format!("What became of the loops of {}, as a tree.", view.written.nest.name()),
        parts: html! { @for (row, _) in &drawn { (row) } },
    }
}

/// Two lines: what it is, and what became of it.
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
