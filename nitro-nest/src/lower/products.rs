//! Products at given sizes: what a model of their times counts.

use super::draft::KernelDraft;
use super::grid::spread;
use super::groups::read_alone;
use crate::kernel::Extent;
use crate::mapping::Tiling;
use crate::nest::affine::Variable;
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
            let values = count(&axis.extent, sizes);
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
            let Range { lower, upper, step, .. } = range.clone();
            count(&Extent { lower, upper, step }, sizes) * most_terms(body, sizes)
        }
        Node::If(..) | Node::Assign(_) => most_terms(node.body(), sizes),
    };
    nodes.iter().map(of_node).fold(1.0, f64::max)
}

/// Returns how many values a loop has, with other loops at 0, and 1 at least.
fn count(extent: &Extent, sizes: &[i64]) -> f64 {
    let value = |variable| match variable {
        Variable::Parameter(index) => sizes.get(index).copied().unwrap_or_default(),
        _ => 0,
    };
    extent.count(&value).max(1) as f64
}
