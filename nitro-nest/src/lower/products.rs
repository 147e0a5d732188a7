//! Products at given sizes: what a model of their times counts.

use super::draft::KernelDraft;
use super::grid::spread;
use super::groups::read_alone;
use crate::mapping::Tiling;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Nest, Node};

/// The extents of a product at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    /// Values along x, y and z.
    pub(crate) extents: [f64; 3],
    /// Values of all loops of the grid beyond these.
    pub(crate) others: f64,
    /// Terms of each sum.
    pub(crate) terms: f64,
    /// For each operand, whether it differs along x, y and z.
    pub(crate) operands: Vec<[bool; 3]>,
    /// Bytes of a number.
    pub(crate) bytes: f64,
}

impl Product {
    /// Returns the product that a kernel is at these sizes.
    ///
    /// Loops whose bounds depend on others count as with these at 0.
    pub(crate) fn new(nest: &Nest, kernel: &KernelDraft, sizes: &[i64]) -> Self {
        let (axes, rest) = spread(nest, kernel, &Tiling::default());
        let mut product = Self {
            extents: [1.0; 3],
            others: 1.0,
            terms: most_terms(&rest, sizes),
            operands: Vec::new(),
            bytes: nest.element.bytes() as f64,
        };
        for axis in &axes {
            let values = count(&axis.extent.lower, &axis.extent.upper, axis.extent.step, sizes);
            match product.extents.get_mut(axis.dimension) {
                Some(extent) => *extent = values,
                None => product.others *= values,
            }
        }
        let all = nest.statements();
        let own: Vec<_> = kernel.group.statements.iter().map(|at| all[*at].assignment).collect();
        for read in read_alone(&own) {
            let differs = [0, 1, 2].map(|dimension| {
                axes.iter().any(|axis| axis.dimension == dimension && read.depends_on(&[axis.iterator]))
            });
            if !product.operands.contains(&differs) {
                product.operands.push(differs);
            }
        }
        product
    }
}

/// Returns the most terms that a thread goes through for one value.
fn most_terms(nodes: &[Node], sizes: &[i64]) -> f64 {
    let of_node = |node: &Node| match node {
        Node::Loop(range, body) => {
            count(&range.lower, &range.upper, range.step, sizes) * most_terms(body, sizes)
        }
        Node::If(..) | Node::Assign(_) => most_terms(node.body(), sizes),
    };
    nodes.iter().map(of_node).fold(1.0, f64::max)
}

/// Returns how many values a loop has, with other loops at 0.
fn count(lower: &[Affine], upper: &[Affine], step: i64, sizes: &[i64]) -> f64 {
    let value = |variable| match variable {
        Variable::Parameter(index) => sizes.get(index).copied().unwrap_or_default(),
        _ => 0,
    };
    let first = lower.iter().map(|bound| bound.evaluate(&value)).max().unwrap_or_default();
    let end = upper.iter().map(|bound| bound.evaluate(&value)).min().unwrap_or_default();
    (end.saturating_sub(first).max(1) as f64 / step.max(1) as f64).ceil()
}
