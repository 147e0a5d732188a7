//! The pass that joins loops that follow each other, so that what both touch is touched once.

use super::bounds::iterator;
use super::{AnalysedNest, rewritten, same_rows, scales};
use crate::dependence::DependenceError;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::{Assignment, Nest, Node, Range, nested};

/// Joins neighbouring loops of a nest, as long as any can be.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    // Steps of rows are not loops over the same values.
    let mut fused = same_rows::run(input)?;
    if let Some(rows) = &fused {
        // What sets the sums of a row is in its loop now.
        fused = scales::run(rows)?.or(fused);
    }
    // A loop that was joined may be joined with the next one too.
    let mut at = 0;
    while at + 1 < fused.as_ref().unwrap_or(input).nest.body.len() {
        match fuse_at(fused.as_ref().unwrap_or(input), at)? {
            Some(further) => fused = Some(further),
            None => at += 1,
        }
    }
    Ok(fused)
}

impl Nest {
    /// Joins neighbouring loops where they go over the same values and touch the same elements then.
    ///
    /// isl has to find nothing that forbids it. Loops around a single statement are interchanged for that where this
    /// is legal. What loops do to the same rows one after the other, where a row is added up, gets one loop over rows.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn both(
    ///     n: usize,
    ///     #[shape(n, n)] a: &Array2<f32>,
    ///     #[shape(n)] rows: &mut [f32],
    ///     #[shape(n)] columns: &mut [f32],
    /// ) {
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             rows[i] += a[[i, j]];
    ///         }
    ///     }
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             columns[i] += a[[j, i]];
    ///         }
    ///     }
    /// }
    ///
    /// let fused = both::nest().with_fused_loops()?;
    /// assert!(fused.to_string().contains("columns[j] = columns[j] + a[i, j];"), "{fused}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dependences`](Self::dependences).
    pub fn with_fused_loops(&self) -> Result<Nest, DependenceError> {
        rewritten(self, run)
    }
}

/// Joins the node at this place and the next one, if they can be.
fn fuse_at(input: &AnalysedNest, at: usize) -> Result<Option<AnalysedNest>, DependenceError> {
    let nest = &input.nest;
    let (Some(first), Some(second)) = (Chain::new(&nest.body[at]), Chain::new(&nest.body[at + 1])) else {
        return Ok(None);
    };
    // Statements of the first loop are from `before` to `joint`, those of the second from there to `end`.
    let before: usize = nest.body[..at].iter().map(Node::statements).sum();
    let joint = before + nest.body[at].statements();
    let end = joint + nest.body[at + 1].statements();
    for order in second.orders(&first) {
        let is_in_order = order.iter().copied().eq(0..order.len());
        if !is_in_order && !input.dependences.permits(&nest.statements()[joint], &order) {
            continue;
        }
        let (body, is_shared) = first.with(&second, &order);
        // Without an element that both touch, joining only makes a larger kernel.
        if !is_shared {
            continue;
        }
        let mut fused = nest.clone();
        fused.body.splice(at..at + 2, [first.around(body)]);
        let fused = AnalysedNest::new(fused)?;
        // Nothing of the second loop may have to run before something of the first one.
        let mut found = fused.dependences.all().iter();
        if !found.any(|one| (joint..end).contains(&one.source) && (before..joint).contains(&one.sink)) {
            return Ok(Some(fused));
        }
    }
    Ok(None)
}

/// Loops with nothing between them, and what is in the innermost one.
pub(super) struct Chain<'a> {
    pub(super) loops: Vec<&'a Range>,
    pub(super) body: &'a [Node],
}

impl<'a> Chain<'a> {
    /// Returns the loops that begin with a node, if it is one.
    pub(super) fn new(node: &'a Node) -> Option<Self> {
        let Node::Loop(range, body) = node else { return None };
        let mut chain = Self { loops: vec![range], body };
        while let [Node::Loop(range, body)] = chain.body {
            chain.loops.push(range);
            chain.body = body;
        }
        Some(chain)
    }

    /// Returns the orders in which its loops go over the same values as those of `first`, one for one.
    fn orders(&self, first: &Self) -> Vec<Vec<usize>> {
        if self.loops.len() != first.loops.len() {
            return Vec::new();
        }
        let in_order: Vec<usize> = (0..self.loops.len()).collect();
        let mut bounds = self.loops.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
        let is_free = matches!(self.body, [Node::Assign(_)]) && bounds.all(Affine::is_of_sizes);
        // Several statements of a body would have to be interchanged together.
        let mut orders = if is_free { permutations(&in_order) } else { vec![in_order] };
        orders.retain(|order| self.is_alike(first, order));
        orders
    }

    /// Returns `true` if its loops in this order go over the same values as those of `first`.
    pub(super) fn is_alike(&self, first: &Self, order: &[usize]) -> bool {
        let renamed = self.renamed(first, order);
        order.iter().zip(&first.loops).all(|(at, other)| {
            let range = self.loops[*at];
            range.lower.iter().map(&renamed).eq(other.lower.iter().cloned())
                && range.upper.iter().map(&renamed).eq(other.upper.iter().cloned())
                && (range.step, range.is_reversed) == (other.step, other.is_reversed)
        })
    }

    /// Renames its iterators in an integer to those of `first`.
    pub(super) fn renamed<'b>(
        &'b self,
        first: &'b Self,
        order: &'b [usize],
    ) -> impl Fn(&Affine) -> Affine + 'b {
        move |affine| {
            let mut renamed = affine.clone();
            for (at, other) in order.iter().zip(&first.loops) {
                let variable = Variable::Iterator(self.loops[*at].iterator);
                renamed = renamed.substitute(variable, &iterator(other.iterator));
            }
            renamed
        }
    }

    /// Returns its body and then that of `second`, with `true` if both touch an element in the same iteration.
    fn with(&self, second: &Self, order: &[usize]) -> (Vec<Node>, bool) {
        let renamed = second.renamed(self, order);
        let mut others = second.body.to_vec();
        others.iter_mut().for_each(|node| node.map_integers(&renamed));
        let of_others = accesses(&others);
        let mut own = accesses(self.body).into_iter();
        let is_shared = own.any(|access| access.subscripts.len() > 1 && of_others.contains(&access));
        ([self.body, &others].concat(), is_shared)
    }

    /// Puts its loops around nodes.
    pub(super) fn around(&self, body: Vec<Node>) -> Node {
        nested(self.loops.iter().map(|range| (*range).clone()), body).remove(0)
    }
}

pub(super) fn permutations(all: &[usize]) -> Vec<Vec<usize>> {
    if all.len() < 2 {
        return vec![all.to_vec()];
    }
    let mut found = Vec::new();
    for at in 0..all.len() {
        let mut rest = all.to_vec();
        let first = rest.remove(at);
        found.extend(permutations(&rest).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    found
}

fn accesses(nodes: &[Node]) -> Vec<&Access> {
    nodes.iter().flat_map(Node::assignments).flat_map(Assignment::accesses).collect()
}
