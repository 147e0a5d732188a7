//! What sets or scales elements joined with the loops that sum them up after that: an element is touched once, and
//! is in a register meanwhile.

use super::{Chain, permutations};
use crate::dependence::{DependenceError, Dependences, is_sum};
use crate::nest::affine::Variable;
use crate::nest::{Nest, Node};

impl Nest {
    /// The nest with what sets or scales elements in the loops that sum into them after that, where these are
    /// neighbours and isl finds nothing that forbids it. The loops of such a sum are interchanged for that where
    /// this is legal. Each sum keeps its order.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn product(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n, n)] c: &mut Array2<f32>) {
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             c[[i, j]] *= 2.0;
    ///         }
    ///         for k in 0..n {
    ///             for j in 0..n {
    ///                 c[[i, j]] += a[[i, k]] * a[[k, j]];
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let joined = product::nest().with_joined_sums()?;
    /// assert_eq!(joined.to_string().matches("for ").count(), 3, "{joined}"); // over i, j and k
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dependences`](Self::dependences).
    pub fn with_joined_sums(&self) -> Result<Nest, DependenceError> {
        let joined = self.sums_joined(&self.dependences()?)?;
        Ok(joined.map_or_else(|| self.clone(), |(joined, _)| joined))
    }

    /// With sums joined, if any can be, and the dependences then.
    pub(crate) fn sums_joined(
        &self,
        dependences: &Dependences,
    ) -> Result<Option<(Nest, Dependences)>, DependenceError> {
        for place in places(&self.body) {
            if let Some((joined, after)) = self.joined_at(&place, dependences)? {
                let further = joined.sums_joined(&after)?;
                return Ok(further.or(Some((joined, after))));
            }
        }
        Ok(None)
    }

    /// With the node at this place and the next one joined, if they can be, and the dependences then.
    fn joined_at(
        &self,
        place: &Place,
        dependences: &Dependences,
    ) -> Result<Option<(Nest, Dependences)>, DependenceError> {
        let body = body(&self.body, &place.path);
        let (set, sum) = (place.statement, place.statement + 1);
        let (Some(first), Some(second)) = (Chain::of(&body[place.at]), Chain::of(&body[place.at + 1])) else {
            return Ok(None);
        };
        let depth = place.path.len();
        for order in second.orders_that_begin_as(&first) {
            let outer = 0..depth;
            let of_all: Vec<usize> = outer.chain(order.iter().map(|at| depth + at)).collect();
            let is_in_order = of_all.iter().copied().eq(0..of_all.len());
            if !is_in_order && !dependences.permits(&self.statements()[sum], &of_all) {
                continue;
            }
            let Some(node) = first.begins(&second, &order) else { continue };
            let mut joined = self.clone();
            body_mut(&mut joined.body, &place.path).splice(place.at..place.at + 2, [node]);
            let after = joined.dependences()?;
            // What the loops outside carry was so before.
            let is_backwards =
                |source, sink, level: Option<usize>| source == sum && sink == set && level >= Some(depth);
            if !after.all().iter().any(|found| is_backwards(found.source, found.sink, found.level)) {
                return Ok(Some((joined, after)));
            }
        }
        Ok(None)
    }
}

/// Two neighbouring nodes, where the first one has a single statement.
struct Place {
    /// The loops around them, each by its index in its body.
    path: Vec<usize>,
    /// The index of the first.
    at: usize,
    /// The index of its statement.
    statement: usize,
}

fn places(nodes: &[Node]) -> Vec<Place> {
    let mut found = Vec::new();
    gather(nodes, &mut Vec::new(), &mut 0, &mut found);
    found
}

fn gather(nodes: &[Node], path: &mut Vec<usize>, statement: &mut usize, found: &mut Vec<Place>) {
    for (at, node) in nodes.iter().enumerate() {
        if at + 1 < nodes.len() && node.statements() == 1 {
            found.push(Place { path: path.clone(), at, statement: *statement });
        }
        match node {
            Node::Loop(_, body) => {
                path.push(at);
                gather(body, path, statement, found);
                path.pop();
            }
            // What is done under a condition stays as it is.
            Node::If(..) | Node::Assign(_) => *statement += node.statements(),
        }
    }
}

fn body<'a>(nodes: &'a [Node], path: &[usize]) -> &'a [Node] {
    path.iter().fold(nodes, |nodes, at| match &nodes[*at] {
        Node::Loop(_, body) => body,
        Node::If(..) | Node::Assign(_) => unreachable!("a path leads through loops"),
    })
}

fn body_mut<'a>(nodes: &'a mut Vec<Node>, path: &[usize]) -> &'a mut Vec<Node> {
    path.iter().fold(nodes, |nodes, at| match &mut nodes[*at] {
        Node::Loop(_, body) => body,
        Node::If(..) | Node::Assign(_) => unreachable!("a path leads through loops"),
    })
}

impl Chain<'_> {
    /// The orders of its loops, which are more, in which the first of them go over the same values as those of
    /// `first`, one for one, and the others stay in order.
    fn orders_that_begin_as(&self, first: &Self) -> Vec<Vec<usize>> {
        let own: Vec<Variable> = self.loops.iter().map(|range| Variable::Iterator(range.iterator)).collect();
        let mut bounds = self.loops.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
        let is_alone = matches!(self.body, [Node::Assign(_)]);
        if !is_alone
            || self.loops.len() <= first.loops.len()
            || bounds.any(|bound| own.iter().any(|one| bound.mentions(*one)))
        {
            return Vec::new();
        }
        let in_order: Vec<usize> = (0..self.loops.len()).collect();
        let mut orders = permutations(&in_order);
        orders.retain(|order| {
            let (begin, others) = order.split_at(first.loops.len());
            others.is_sorted() && self.is_alike(first, begin)
        });
        orders
    }

    /// Its loops around its statement and then what is left of `sum`'s loops, if that sums up the very elements
    /// that the statement sets.
    fn begins(&self, sum: &Self, order: &[usize]) -> Option<Node> {
        let renamed = sum.renamed(self, order);
        let mut body = sum.body.to_vec();
        body.iter_mut().for_each(|node| node.map_integers(&renamed));
        let ([Node::Assign(set)], [Node::Assign(adds)]) = (self.body, &body[..]) else { return None };
        if set.target != adds.target || !is_sum(adds) {
            return None;
        }
        let others = order[self.loops.len()..].iter().rev();
        let sum = others.fold(body, |body, at| vec![Node::Loop(sum.loops[*at].clone(), body)]);
        Some(self.around([self.body, &sum].concat()))
    }
}
