//! Products at given sizes: what a model of their times counts.

use nitro_launch::SizeProduct;

use super::bounds::find_loop;
use super::draft::KernelDraft;
use super::grid::spread;
use super::groups::read_alone;
use crate::kernel::Extent;
use crate::mapping::Tiling;
use crate::nest::affine::Variable;
use crate::nest::expression::Access;
use crate::nest::{Nest, Node, Range};

/// The extents of a product at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    /// Values along x, y and z.
    pub(crate) extents: [f64; 3],
    /// Values of all loops of the grid beyond these.
    pub(crate) others: f64,
    /// Terms of each sum.
    pub(crate) terms: f64,
    /// Those of its innermost loop over sizes, of which tiles take some each.
    pub(crate) innermost: f64,
    pub(crate) operands: Vec<Operand>,
    /// Values of the loop that is split over blocks; 1: none is.
    pub(crate) split: f64,
    /// Whether sums run along x, y and z.
    pub(crate) is_summed: [bool; 3],
    /// Bytes of a number.
    pub(crate) bytes: f64,
}

/// An operand of a product.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operand {
    /// Whether it differs along x, y and z.
    pub(crate) differs: [bool; 3],
    /// Neighbouring elements are ones of neighbours along one of these, not of neighbouring terms.
    pub(crate) is_along_tile: bool,
}

impl Product {
    /// Returns the product that a kernel is at these sizes.
    ///
    /// Loops whose bounds depend on others count as with these at 0.
    pub(crate) fn new(nest: &Nest, kernel: &KernelDraft, sizes: &[i64]) -> Self {
        let mut whole = kernel.clone();
        let split = whole.group.split.take();
        let (axes, rest) = spread(nest, &whole, &Tiling::default());
        let split = split.and_then(|split| find_loop(&nest.body, split));
        // Loops that were joined go over products of sizes.
        let sizes = &SizeProduct::with_all(&nest.products, sizes);
        let mut product = Self {
            extents: [1.0; 3],
            others: 1.0,
            terms: most_terms(&rest, sizes),
            innermost: innermost_terms(&rest, sizes),
            operands: Vec::new(),
            split: split.map_or(1.0, |range| count(&extent_of(range), sizes)),
            is_summed: [false; 3],
            bytes: nest.element.bytes() as f64,
        };
        for axis in &axes {
            let values = count(&axis.extent, sizes);
            match product.extents.get_mut(axis.dimension) {
                Some(extent) => *extent = values,
                None => product.others *= values,
            }
            if let Some(is_summed) = product.is_summed.get_mut(axis.dimension) {
                *is_summed = axis.is_summed;
            }
        }
        let all = nest.statements();
        let own: Vec<_> = kernel.group.statements.iter().map(|at| all[*at].assignment).collect();
        for read in read_alone(&own) {
            let differs = [0, 1, 2].map(|dimension| {
                axes.iter().any(|axis| axis.dimension == dimension && read.depends_on(&[axis.iterator]))
            });
            let is_along_tile = axes.iter().any(|axis| axis.dimension < 3 && is_along(read, axis.iterator));
            let operand = Operand { differs, is_along_tile };
            if !product.operands.contains(&operand) {
                product.operands.push(operand);
            }
        }
        product
    }
}

/// Returns `true` if neighbouring values of an iterator touch neighbouring elements.
fn is_along(access: &Access, iterator: usize) -> bool {
    let last = access.subscripts.last();
    last.is_some_and(|last| last.coefficient(Variable::Iterator(iterator)).abs() == 1)
}

/// Returns the most terms that a thread goes through for one value.
fn most_terms(nodes: &[Node], sizes: &[i64]) -> f64 {
    let of_node = |node: &Node| match node {
        Node::Loop(range, body) => count(&extent_of(range), sizes) * most_terms(body, sizes),
        Node::If(..) | Node::Assign(_) => most_terms(node.body(), sizes),
    };
    nodes.iter().map(of_node).fold(1.0, f64::max)
}

/// Returns the terms of the loop that is staged: of the innermost one over sizes, with loops over few numbers in it.
fn innermost_terms(nodes: &[Node], sizes: &[i64]) -> f64 {
    let of_node = |node: &Node| {
        let inside = innermost_terms(node.body(), sizes);
        match node {
            Node::Loop(range, body) if inside == 1.0 && !is_of_numbers(range) => {
                count(&extent_of(range), sizes) * most_terms(body, sizes)
            }
            _ => inside,
        }
    };
    nodes.iter().map(of_node).fold(1.0, f64::max)
}

fn extent_of(range: &Range) -> Extent {
    let Range { lower, upper, step, .. } = range.clone();
    Extent { lower, upper, step }
}

fn is_of_numbers(range: &Range) -> bool {
    range.lower.iter().chain(&range.upper).all(|bound| bound.terms().is_empty())
}

/// Returns how many values a loop has, with other loops at 0, and 1 at least.
fn count(extent: &Extent, sizes: &[i64]) -> f64 {
    let value = |variable| match variable {
        Variable::Parameter(index) => sizes.get(index).copied().unwrap_or_default(),
        _ => 0,
    };
    extent.count(&value).max(1) as f64
}
