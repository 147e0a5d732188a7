//! Loops that follow each other joined into one, so that what both touch is touched once.

mod sums;

use crate::dependence::{DependenceError, Dependences};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::{Assignment, Nest, Node, Range};

impl Nest {
    /// The nest with neighbouring loops joined where they go over the same values, touch the same elements then,
    /// and isl finds nothing that forbids it. Loops around a single statement are interchanged for that where this
    /// is legal.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn both(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] rows: &mut [f32], #[shape(n)] columns: &mut [f32]) {
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
        let fused = self.fused(&self.dependences()?)?;
        Ok(fused.map_or_else(|| self.clone(), |(fused, _)| fused))
    }

    /// With loops joined, if any can be, and the dependences then.
    pub(crate) fn fused(
        &self,
        dependences: &Dependences,
    ) -> Result<Option<(Nest, Dependences)>, DependenceError> {
        let (mut nest, mut dependences) = (self.clone(), dependences.clone());
        let (mut at, mut is_fused) = (0, false);
        while at + 1 < nest.body.len() {
            match nest.fused_at(at, &dependences)? {
                Some(fused) => ((nest, dependences), is_fused) = (fused, true),
                None => at += 1,
            }
        }
        Ok(is_fused.then_some((nest, dependences)))
    }

    /// With the node at this place and the next one joined, if they can be, and the dependences then.
    fn fused_at(
        &self,
        at: usize,
        dependences: &Dependences,
    ) -> Result<Option<(Nest, Dependences)>, DependenceError> {
        let (first, second) = (Chain::of(&self.body[at]), Chain::of(&self.body[at + 1]));
        let before: usize = self.body[..at].iter().map(Node::statements).sum();
        let joint = before + self.body[at].statements();
        let end = joint + self.body[at + 1].statements();
        let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
        for order in second.orders(&first) {
            let in_order: Vec<usize> = (0..order.len()).collect();
            if order != in_order && !dependences.permits(&self.statements()[joint], &order) {
                continue;
            }
            let (body, is_shared) = first.with(&second, &order);
            if !is_shared {
                continue;
            }
            let mut fused = self.clone();
            fused.body.splice(at..at + 2, [first.around(body)]);
            let after = fused.dependences()?;
            let is_backwards = |source: usize, sink: usize| {
                (joint..end).contains(&source) && (before..joint).contains(&sink)
            };
            if !after.all().iter().any(|found| is_backwards(found.source, found.sink)) {
                return Ok(Some((fused, after)));
            }
        }
        Ok(None)
    }
}

/// Loops with nothing between them, and what is in the innermost one.
struct Chain<'a> {
    loops: Vec<&'a Range>,
    body: &'a [Node],
}

impl<'a> Chain<'a> {
    fn of(node: &'a Node) -> Option<Self> {
        let Node::Loop(range, body) = node else { return None };
        let mut chain = Self { loops: vec![range], body };
        while let [Node::Loop(range, body)] = chain.body {
            chain.loops.push(range);
            chain.body = body;
        }
        Some(chain)
    }

    /// The orders in which its loops go over the same values as those of `first`, one for one.
    fn orders(&self, first: &Self) -> Vec<Vec<usize>> {
        if self.loops.len() != first.loops.len() {
            return Vec::new();
        }
        let in_order: Vec<usize> = (0..self.loops.len()).collect();
        let mut orders = vec![in_order.clone()];
        if matches!(self.body, [Node::Assign(_)]) && self.loops.iter().all(|range| is_of_sizes(range)) {
            orders = permutations(&in_order);
        }
        orders.retain(|order| self.is_alike(first, order));
        orders
    }

    fn is_alike(&self, first: &Self, order: &[usize]) -> bool {
        let renamed = self.renamed(first, order);
        order.iter().zip(&first.loops).all(|(at, other)| {
            let range = self.loops[*at];
            let bounds = |all: &[Affine]| all.iter().map(&renamed).collect::<Vec<_>>();
            bounds(&range.lower) == other.lower
                && bounds(&range.upper) == other.upper
                && (range.step, range.is_reversed) == (other.step, other.is_reversed)
        })
    }

    /// An integer with the iterators of `first` instead of its own.
    fn renamed<'b>(&'b self, first: &'b Self, order: &'b [usize]) -> impl Fn(&Affine) -> Affine + 'b {
        move |affine| {
            let pairs = order.iter().zip(&first.loops);
            pairs.fold(affine.clone(), |affine, (at, other)| {
                let by = Affine::from(Variable::Iterator(other.iterator));
                affine.substitute(Variable::Iterator(self.loops[*at].iterator), &by)
            })
        }
    }

    /// Its body and then that of `second`, and whether both touch the same element in the same iteration.
    fn with(&self, second: &Self, order: &[usize]) -> (Vec<Node>, bool) {
        let renamed = second.renamed(self, order);
        let mut others = second.body.to_vec();
        others.iter_mut().for_each(|node| node.map_integers(&renamed));
        let (own, of_others) = (accesses(self.body), accesses(&others));
        let is_shared = own.iter().any(|access| access.subscripts.len() > 1 && of_others.contains(access));
        ([self.body, &others].concat(), is_shared)
    }

    fn around(&self, body: Vec<Node>) -> Node {
        let mut loops = self.loops.iter().rev();
        let innermost = loops.next().expect("a chain has a loop");
        let node = Node::Loop((*innermost).clone(), body);
        loops.fold(node, |node, range| Node::Loop((*range).clone(), vec![node]))
    }
}

fn is_of_sizes(range: &Range) -> bool {
    range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes)
}

fn permutations(all: &[usize]) -> Vec<Vec<usize>> {
    if all.len() < 2 {
        return vec![all.to_vec()];
    }
    let beginning_with = |at: usize| {
        let mut rest = all.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..all.len()).flat_map(beginning_with).collect()
}

fn accesses(nodes: &[Node]) -> Vec<Access> {
    let of = |assignment: &Assignment| {
        let reads = assignment.value.reads().into_iter().cloned();
        reads.chain([assignment.target.clone()]).collect::<Vec<_>>()
    };
    nodes.iter().flat_map(Node::assignments).flat_map(of).collect()
}
