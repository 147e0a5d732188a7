//! Kernels of a plan: the loops of the grid become the indices of threads, all others stay.

use super::Mapping;
use super::groups::Plan;
use crate::kernel::{Extent, Host, Instruction, Kernel, Program};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Relation;
use crate::nest::{Condition, Nest, Node, Range};

/// The program of these plans.
pub fn program(nest: &Nest, plans: &[Plan], mapping: &Mapping) -> Program {
    let mut lowering = Lowering { nest, mapping, kernels: Vec::new(), host: Vec::new() };
    let host = lowering.host(plans);
    Program { nest: nest.clone(), kernels: lowering.kernels, host }
}

struct Lowering<'a> {
    nest: &'a Nest,
    mapping: &'a Mapping,
    kernels: Vec<Kernel>,
    /// The iterators of the host's loops around what is lowered.
    host: Vec<usize>,
}

impl Lowering<'_> {
    fn host(&mut self, plans: &[Plan]) -> Vec<Host> {
        plans.iter().map(|plan| self.plan(plan)).collect()
    }

    fn plan(&mut self, plan: &Plan) -> Host {
        match plan {
            Plan::Host(iterator, plans) => {
                let range = range(&self.nest.body, *iterator).expect("an iterator is that of a loop").clone();
                self.host.push(*iterator);
                let body = self.host(plans);
                self.host.pop();
                Host::Loop(range, body)
            }
            Plan::Kernel { statements, grid } => {
                let kernel = self.kernel(statements, grid);
                self.kernels.push(kernel);
                Host::Launch(self.kernels.len() - 1)
            }
        }
    }

    fn kernel(&self, statements: &[usize], grid: &[usize]) -> Kernel {
        let ranges: Vec<&Range> =
            grid.iter().filter_map(|iterator| range(&self.nest.body, *iterator)).collect();
        let block = match grid.len() {
            0 => [1; 3],
            dimensions => self.mapping.blocks[dimensions - 1],
        };
        // The innermost loop is x: it is the one along which elements are usually neighbours.
        let extents = boxes(&ranges);
        let of_axis = extents.iter().rev().cloned();
        let mut body: Vec<_> = ranges
            .iter()
            .zip(&extents)
            .enumerate()
            .map(|(index, (range, extent))| define(range, extent, ranges.len() - 1 - index, block))
            .collect();
        let kept = Kept { host: &self.host, grid, statements };
        body.extend(guarded(&ranges, kept.nodes(&self.nest.body, &mut 0)));
        Kernel {
            name: format!("{}_{}", self.nest.name, self.kernels.len()),
            host_iterators: self.host.clone(),
            grid: if extents.is_empty() { vec![one_thread()] } else { of_axis.collect() },
            block,
            locals: Vec::new(),
            body,
        }
    }
}

fn one_thread() -> Extent {
    Extent { lower: vec![Affine::from(0)], upper: vec![Affine::from(1)], step: 1 }
}

/// The loop of an iterator.
fn range(nodes: &[Node], iterator: usize) -> Option<&Range> {
    nodes.iter().find_map(|node| match node {
        Node::Loop(range, _) if range.iterator == iterator => Some(range),
        Node::Loop(_, body) | Node::If(_, body) => self::range(body, iterator),
        Node::Assign(_) => None,
    })
}

/// A box around the values of the loops of a grid: bounds of a loop that mention another one get the extremes of that one.
fn boxes(ranges: &[&Range]) -> Vec<Extent> {
    let mut found: Vec<Extent> = Vec::new();
    for range in ranges {
        let outer: Vec<(Variable, &Extent)> = ranges
            .iter()
            .zip(&found)
            .map(|(outer, extent)| (Variable::Iterator(outer.iterator), extent))
            .collect();
        let lower = extremes(&range.lower, &outer, true);
        let upper = extremes(&range.upper, &outer, false);
        found.push(Extent { lower, upper, step: range.step });
    }
    found
}

/// The least or the largest that bounds can be where the outer iterators are within their boxes.
fn extremes(bounds: &[Affine], outer: &[(Variable, &Extent)], is_least: bool) -> Vec<Affine> {
    let replace = |bounds: Vec<Affine>, (variable, extent): &(Variable, &Extent)| -> Vec<Affine> {
        let of_one = |bound: Affine| match bound.coefficient(*variable) {
            0 => vec![bound],
            coefficient if (coefficient > 0) == is_least => {
                // The iterator is at least each of its lower bounds: the largest of what comes out holds too.
                extent.lower.iter().map(|lower| bound.substitute(*variable, lower)).collect()
            }
            _ => {
                let last = extent.upper.iter().map(|upper| upper.clone() - 1);
                last.map(|last| bound.substitute(*variable, &last)).collect()
            }
        };
        bounds.into_iter().flat_map(of_one).collect()
    };
    outer.iter().rev().fold(bounds.to_vec(), replace)
}

/// The iterator of a thread: the first value, and a step for each thread before it.
fn define(range: &Range, extent: &Extent, axis: usize, block: [u32; 3]) -> Instruction {
    let index = Variable::Block(axis) * i64::from(block[axis]) + Variable::Thread(axis);
    let values = extent.lower.iter().map(|lower| lower.clone() + index.clone() * range.step);
    Instruction::Define(range.iterator, values.collect())
}

/// What of a nest a thread keeps.
struct Kept<'a> {
    host: &'a [usize],
    grid: &'a [usize],
    statements: &'a [usize],
}

impl Kept<'_> {
    /// `next` counts statements.
    fn nodes(&self, nodes: &[Node], next: &mut usize) -> Vec<Instruction> {
        nodes.iter().flat_map(|node| self.node(node, next)).collect()
    }

    fn node(&self, node: &Node, next: &mut usize) -> Vec<Instruction> {
        match node {
            Node::Assign(assignment) => {
                *next += 1;
                let is_kept = self.statements.contains(&(*next - 1));
                if is_kept { vec![Instruction::Assign(assignment.clone())] } else { Vec::new() }
            }
            Node::If(conditions, body) => {
                let body = self.nodes(body, next);
                if body.is_empty() { body } else { vec![Instruction::If(conditions.clone(), body)] }
            }
            Node::Loop(range, body) => {
                let body = self.nodes(body, next);
                let is_outside = self.host.contains(&range.iterator) || self.grid.contains(&range.iterator);
                if body.is_empty() || is_outside {
                    body
                } else {
                    vec![Instruction::Loop(range.clone(), body)]
                }
            }
        }
    }
}

/// What a thread does if its iterators are within their bounds, which depend on no loop that runs in the thread.
fn guarded(ranges: &[&Range], body: Vec<Instruction>) -> Vec<Instruction> {
    let conditions: Vec<Condition> = ranges.iter().flat_map(|range| within(range)).collect();
    if conditions.is_empty() { body } else { vec![Instruction::If(conditions, body)] }
}

/// That an iterator is within its bounds: the grid is a box and has whole blocks.
fn within(range: &Range) -> Vec<Condition> {
    let iterator = Affine::from(Variable::Iterator(range.iterator));
    let is_known = |bound: &&Affine| {
        !bound.terms().iter().any(|(variable, _)| matches!(variable, Variable::Iterator(_)))
    };
    // A thread's iterator begins at its lower bounds, except where those depend on another iterator.
    let lower = range.lower.iter().filter(|bound| !is_known(bound));
    let lower = lower.map(|bound| (Relation::GreaterOrEqual, bound));
    let upper = range.upper.iter().map(|bound| (Relation::Less, bound));
    let condition = |(relation, bound): (Relation, &Affine)| Condition {
        relation,
        left: iterator.clone(),
        right: bound.clone(),
    };
    lower.chain(upper).map(condition).collect()
}
