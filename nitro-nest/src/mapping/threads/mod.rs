//! What each thread of a kernel does: the loops of the grid are spread over blocks, threads and the points of a
//! thread, all others stay.

mod accumulate;
mod axis;
mod copy;
mod domain;
mod runs;
mod slices;
mod stage;
mod terms;
mod tiles;
mod walk;

pub use axis::Axis;
use axis::Own;
use walk::Walk;

use super::bounds::{boxes, is_not_negative, not_negative, range};
use super::groups::KernelPlan;
use super::tiling::Tiling;
use crate::kernel::{Extent, Instruction, Kernel, Space};
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Condition, Nest, Node, Range};

/// Statements of a nest that make a kernel.
pub struct Work<'a> {
    pub nest: &'a Nest,
    pub plan: &'a KernelPlan,
    /// The iterators of the host's loops around them.
    pub host: &'a [usize],
    /// Whether sums may be added up in any order.
    pub reassociates: bool,
}

/// Which axes of a grid sums run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// Along x, and maybe others.
    AlongX,
    /// Along others than x alone.
    Across,
}

impl Work<'_> {
    /// Whether several threads add up sums, but for those that are split.
    pub fn sums(&self) -> Option<Sums> {
        let (axes, _) = self.axes(&Tiling::default());
        let mut of_sums =
            axes.iter().filter(|axis| axis.is_summed && Some(axis.iterator) != self.part()).peekable();
        of_sums.peek()?;
        let is_along_x = of_sums.any(|axis| axis.is_serial && axis.dimension == 0);
        Some(if is_along_x { Sums::AlongX } else { Sums::Across })
    }

    /// Whether a thread has loops, besides those that sums make.
    #[cfg(feature = "search")]
    pub fn has_loop(&self) -> bool {
        walk::has_loop(&self.nodes(&self.nest.body, &mut 0))
    }

    /// How many operands a long loop of a thread has that other threads of its block need too, as a product of
    /// matrices has two. 0: it is no product.
    pub fn operands(&self) -> usize {
        let tiling =
            Tiling { block: [8, 4, 1], points: [2, 2, 1], inner: 8, promotes: true, ..Tiling::default() };
        if self.plan.grid.len() < 2 || !has_long_loop(&self.nodes(&self.nest.body, &mut 0)) {
            return 0;
        }
        let kernel = self.kernel(String::new(), &tiling);
        kernel.locals.iter().filter(|local| local.space == Space::Shared).count()
    }

    /// The iterator of the kernel that is the first term of a block, where sums are split.
    fn part(&self) -> Option<usize> {
        self.plan.split.map(|_| self.nest.iterators.len())
    }

    /// The loops of the grid, in the order of its plan, and first that over parts of split sums.
    fn ranges(&self, tiling: &Tiling) -> Vec<Range> {
        let of = |iterator: &usize| {
            range(&self.nest.body, *iterator).expect("an iterator is that of a loop").clone()
        };
        let parts = self.plan.split.as_ref().zip(self.part()).map(|(split, iterator)| Range {
            iterator,
            step: tiling.part_terms(),
            ..of(split)
        });
        parts.into_iter().chain(self.plan.grid.iter().map(of)).collect()
    }

    /// The loops of the grid, and what is left of the nest.
    pub fn axes(&self, tiling: &Tiling) -> (Vec<Axis>, Vec<Node>) {
        let ranges = self.ranges(tiling);
        // The order of the nest is the one in which bounds may depend on each other.
        let mut in_order: Vec<&Range> = ranges.iter().collect();
        in_order.sort_by_key(|range| range.iterator);
        let boxes = boxes(&in_order);
        let extent = |range: &Range| {
            let at = in_order.iter().position(|other| other.iterator == range.iterator);
            boxes[at.expect("it is one of them")].clone()
        };
        let extents: Vec<Extent> = ranges.iter().map(extent).collect();
        let mut nodes = self.nodes(&self.nest.body, &mut 0);
        let mut axes = Axis::all(&ranges, &extents, &nodes, &self.plan.summed, tiling);
        if let Some((split, part)) = self.plan.split.zip(self.part()) {
            axes[0].is_summed = true;
            nodes.iter_mut().for_each(|node| within_part(node, split, part, tiling.part_terms()));
        }
        (axes, nodes)
    }

    /// The kernel with this tiling.
    pub fn kernel(&self, name: String, tiling: &Tiling) -> Kernel {
        let slices = self.slices(tiling);
        let sliced = if slices > 1 { self.kernel_of(&name, tiling, slices) } else { None };
        sliced.or_else(|| self.kernel_of(&name, tiling, 1)).expect("without slices there is always one")
    }

    /// None: there can be no slices.
    fn kernel_of(&self, name: &str, tiling: &Tiling, slices: u32) -> Option<Kernel> {
        let (axes, nodes) = self.axes(tiling);
        let part =
            self.plan.split.map(|split| self.nest.free(&format!("{}_part", self.nest.iterators[split])));
        let mut kernel = Kernel {
            name: name.to_owned(),
            statements: self.plan.statements.clone(),
            host_iterators: self.host.to_vec(),
            iterators: part.into_iter().collect(),
            grid: if axes.is_empty() {
                vec![one_thread()]
            } else {
                axes.iter().rev().map(|axis| axis.extent.clone()).collect()
            },
            block: if axes.is_empty() { [1; 3] } else { tiling.block },
            points: [1; 3],
            resident_blocks: tiling.resident_blocks,
            locals: Vec::new(),
            caching: Vec::new(),
            body: Vec::new(),
        };
        axes.iter().for_each(|axis| kernel.points[axis.dimension] = axis.points as u32);
        if slices > 1 {
            kernel.block[2] = slices;
        }
        kernel.body = Walk::new(self, &mut kernel, axes, tiling, &nodes).with_slices(slices).body(&nodes)?;
        Some(kernel)
    }

    /// What is left of the nest: these statements, without the loops of host and grid. `next` counts statements.
    fn nodes(&self, nodes: &[Node], next: &mut usize) -> Vec<Node> {
        nodes.iter().flat_map(|node| self.node(node, next)).collect()
    }

    fn node(&self, node: &Node, next: &mut usize) -> Vec<Node> {
        match node {
            Node::Assign(_) => {
                *next += 1;
                let is_kept = self.plan.statements.contains(&(*next - 1));
                if is_kept { vec![node.clone()] } else { Vec::new() }
            }
            Node::If(conditions, body) => {
                let body = self.nodes(body, next);
                if body.is_empty() { body } else { vec![Node::If(conditions.clone(), body)] }
            }
            Node::Loop(range, body) => {
                let body = self.nodes(body, next);
                let is_outside =
                    self.host.contains(&range.iterator) || self.plan.grid.contains(&range.iterator);
                if body.is_empty() || is_outside { body } else { vec![Node::Loop(range.clone(), body)] }
            }
        }
    }
}

/// Keeps the loop of this iterator to a part of its values: so many from the first of them.
fn within_part(node: &mut Node, iterator: usize, part: usize, terms: i64) {
    match node {
        Node::Loop(range, _) if range.iterator == iterator => {
            let first = Affine::from(Variable::Iterator(part));
            range.upper.push(first.clone() + terms);
            range.lower = vec![first];
        }
        Node::Loop(_, body) | Node::If(_, body) => {
            body.iter_mut().for_each(|node| within_part(node, iterator, part, terms));
        }
        Node::Assign(_) => {}
    }
}

/// Whether a loop goes on for longer the larger the sizes are.
fn has_long_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(range, body) => {
            let is_number =
                |upper: &Affine, lower: &Affine| (upper.clone() - lower.clone()).terms().is_empty();
            let is_short =
                range.upper.iter().any(|upper| range.lower.iter().any(|lower| is_number(upper, lower)));
            !is_short || has_long_loop(body)
        }
        Node::If(_, body) => has_long_loop(body),
        Node::Assign(_) => false,
    })
}

fn one_thread() -> Extent {
    Extent { lower: vec![Affine::from(0)], upper: vec![Affine::from(1)], step: 1 }
}

/// Iterators with the least and the largest value that they have in a tile.
type Tile = Vec<(usize, Affine, Affine)>;

/// The least or the largest of an expression in a tile.
fn extreme(affine: &Affine, tile: &Tile, is_least: bool) -> Affine {
    tile.iter().fold(affine.clone(), |value, (iterator, least, largest)| {
        let variable = Variable::Iterator(*iterator);
        let by = if (value.coefficient(variable) > 0) == is_least { least } else { largest };
        value.substitute(variable, by)
    })
}

/// That conditions hold everywhere in a tile (`is_least`), or that each of them may hold somewhere in it.
fn in_tile(conditions: &[Condition], tile: &Tile, is_least: bool) -> Vec<Condition> {
    let values = conditions.iter().flat_map(not_negative).map(|value| extreme(&value, tile, is_least));
    let open = values.filter(|value| !value.terms().is_empty() || value.constant() < 0);
    let mut found: Vec<Condition> = Vec::new();
    for condition in open.map(is_not_negative) {
        if !found.contains(&condition) {
            found.push(condition);
        }
    }
    found
}

/// The instructions under conditions, if there are any.
fn guarded(conditions: Vec<Condition>, body: Vec<Instruction>) -> Vec<Instruction> {
    if conditions.is_empty() || body.is_empty() {
        body
    } else {
        vec![Instruction::If(conditions, body, Vec::new())]
    }
}

/// One of two lists: the first where the conditions hold.
fn either(
    conditions: Vec<Condition>,
    then: Vec<Instruction>,
    otherwise: Vec<Instruction>,
) -> Vec<Instruction> {
    if conditions.is_empty() { then } else { vec![Instruction::If(conditions, then, otherwise)] }
}
