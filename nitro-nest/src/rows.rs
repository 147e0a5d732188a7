//! Two loops over the rows of arrays with several dimensions as one, so that tiles span both.

use std::cell::{Cell, RefCell};

use nitro_launch::SizeProduct;

use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;
use crate::nest::{Nest, Node, Range};
use crate::storage::rewrite;

impl Nest {
    /// The nest with one loop instead of two that go over the rows of arrays: where `a[r][q]` is all that uses `r`
    /// and `q`, and `q` goes over that whole dimension, `r` and `q` only number the rows of an array with a
    /// dimension less. What is done, and in which order, stays the same. Loops are joined where others inside still
    /// make tiles.
    ///
    /// ```
    /// use nitro_nest::{Array2, Array3, nest};
    ///
    /// #[nest]
    /// fn products(n: usize, m: usize, #[shape(n, n, m)] a: &Array3<f32>, #[shape(m, m)] b: &Array2<f32>, #[shape(n, n, m)] c: &mut Array3<f32>) {
    ///     for r in 0..n {
    ///         for q in 0..n {
    ///             for p in 0..m {
    ///                 for s in 0..m {
    ///                     c[[r, q, p]] += a[[r, q, s]] * b[[s, p]];
    ///                 }
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let joined = products::nest().with_joined_rows();
    /// assert!(joined.to_string().contains("for rq in 0..n_n {"), "{joined}");
    /// assert!(joined.to_string().contains("c[rq, p] = c[rq, p] + (a[rq, s] * b[s, p]);"), "{joined}");
    /// ```
    #[must_use]
    pub fn with_joined_rows(&self) -> Nest {
        self.rows_joined().unwrap_or_else(|| self.clone())
    }

    /// With rows joined, if any can be.
    pub(crate) fn rows_joined(&self) -> Option<Nest> {
        let pairs = pairs(&self.body);
        let joined = pairs.iter().find_map(|pair| Joining::of(self, pair)?.joined())?;
        Some(joined.rows_joined().unwrap_or(joined))
    }

    /// The parameter that is the product of these two, a new one if there is none yet.
    fn product(&mut self, factors: [usize; 2]) -> usize {
        let sizes = self.parameters().len();
        if let Some(at) = self
            .products
            .iter()
            .position(|known| [factors, [factors[1], factors[0]]].contains(&known.factors))
        {
            return sizes + at;
        }
        let [one, other] = factors.map(|factor| self.parameters[factor].as_str());
        let name = self.free(&format!("{one}_{other}"));
        self.products.push(SizeProduct { name: name.clone(), factors });
        self.parameters.push(name);
        self.parameters.len() - 1
    }
}

/// Two loops with nothing between them.
struct Pair<'a> {
    outer: &'a Range,
    inner: &'a Range,
    body: &'a [Node],
}

/// All of them, the outermost first.
fn pairs<'a>(nodes: &'a [Node]) -> Vec<Pair<'a>> {
    let of = |node: &'a Node| match node {
        Node::Loop(outer, nodes) => {
            let pair = match &nodes[..] {
                [Node::Loop(inner, body)] => Some(Pair { outer, inner, body }),
                _ => None,
            };
            pair.into_iter().chain(pairs(nodes)).collect()
        }
        Node::If(_, body) => pairs(body),
        Node::Assign(_) => Vec::new(),
    };
    nodes.iter().flat_map(of).collect()
}

/// What becomes of a nest where two loops are joined.
struct Joining<'a> {
    nest: Nest,
    pair: &'a Pair<'a>,
    /// Values of the inner loop.
    extent: Affine,
    /// Arrays whose dimensions are joined, with the first of these.
    arrays: Vec<(usize, usize)>,
}

impl<'a> Joining<'a> {
    /// If both loops go over everything from 0, and all that uses one of them uses both as neighbouring subscripts.
    fn of(nest: &Nest, pair: &'a Pair<'a>) -> Option<Self> {
        let (_, extent) = (whole(pair.outer)?, whole(pair.inner)?.clone());
        let mut joining = Self { nest: nest.clone(), pair, extent, arrays: Vec::new() };
        for assignment in pair.body.iter().flat_map(Node::assignments) {
            for access in assignment.value.reads().into_iter().chain([&assignment.target]) {
                if let Some(at) = joining.first_use(access) {
                    joining.add(access.array, at)?;
                }
            }
        }
        let makes_tiles = pair.body.iter().all(|node| has_tiles(node, &[]));
        (!joining.arrays.is_empty() && makes_tiles && !joining.is_used_otherwise()).then_some(joining)
    }

    fn add(&mut self, array: usize, at: usize) -> Option<()> {
        if self.nest.arrays[array].shape[at + 1] != self.extent {
            return None;
        }
        match self.arrays.iter().find(|(known, _)| *known == array) {
            Some((_, known)) => (*known == at).then_some(()),
            None => {
                self.arrays.push((array, at));
                Some(())
            }
        }
    }

    fn iterators(&self) -> [Variable; 2] {
        [self.pair.outer, self.pair.inner].map(|range| Variable::Iterator(range.iterator))
    }

    /// The first of two neighbouring subscripts that are the loops' iterators.
    fn first_use(&self, access: &Access) -> Option<usize> {
        let [outer, inner] = self.iterators().map(Affine::from);
        access.subscripts.windows(2).position(|pair| pair[0] == outer && pair[1] == inner)
    }

    /// Whether anything else depends on one of the loops.
    fn is_used_otherwise(&self) -> bool {
        let mut body = self.pair.body.to_vec();
        rewrite(&mut body, &|access| {
            let mut access = access.clone();
            if let Some(at) = self.first_use(&access) {
                access.subscripts[at..at + 2].fill(Affine::from(0));
            }
            access
        });
        let is_used = Cell::new(false);
        let look = |affine: &Affine| {
            is_used.set(is_used.get() || self.iterators().iter().any(|iterator| affine.mentions(*iterator)));
            affine.clone()
        };
        body.iter_mut().for_each(|node| node.map_integers(&look));
        is_used.get()
    }

    /// None where the row of an access elsewhere cannot be written.
    fn joined(mut self) -> Option<Nest> {
        let rows = self.times_extent(whole(self.pair.outer)?)?;
        for (array, at) in self.arrays.clone() {
            let outer = self.nest.arrays[array].shape[at].clone();
            let extent = self.times_extent(&outer)?;
            self.nest.arrays[array].shape.splice(at..at + 2, [extent]);
        }
        let mut body = std::mem::take(&mut self.nest.body);
        let [outer, inner] = [self.pair.outer, self.pair.inner].map(|range| range.iterator);
        let joining = RefCell::new((self, true));
        rewrite(&mut body, &|access| {
            let (joining, is_sound) = &mut *joining.borrow_mut();
            let row = joining.access(access);
            *is_sound &= row.is_some();
            row.unwrap_or_else(|| access.clone())
        });
        let (Self { mut nest, .. }, is_sound) = joining.into_inner();
        nest.body = body.into_iter().map(|node| in_one(node, outer, &rows)).collect();
        let name = format!("{}{}", nest.iterators[outer], nest.iterators[inner]);
        nest.iterators[outer] = nest.free(&name);
        is_sound.then_some(nest)
    }

    /// The same element of an array with a dimension less.
    fn access(&mut self, access: &Access) -> Option<Access> {
        let Some((_, at)) = self.arrays.iter().copied().find(|(array, _)| *array == access.array) else {
            return Some(access.clone());
        };
        let [outer, inner] = [&access.subscripts[at], &access.subscripts[at + 1]];
        let row = match self.first_use(access) == Some(at) {
            true => outer.clone(),
            false => self.times_extent(outer)? + inner,
        };
        let mut subscripts = access.subscripts.clone();
        subscripts.splice(at..at + 2, [row]);
        Some(Access { array: access.array, subscripts })
    }

    /// So many times as many as the inner loop has values, if that can be written.
    fn times_extent(&mut self, affine: &Affine) -> Option<Affine> {
        let sizes = self.nest.parameters().len();
        let factor = match self.extent.terms() {
            [] => return Some(affine.clone() * self.extent.constant()),
            [(Variable::Parameter(factor), 1)] if self.extent.constant() == 0 && *factor < sizes => *factor,
            _ => return None,
        };
        let mut all = Variable::Parameter(factor) * affine.constant();
        for (variable, coefficient) in affine.terms() {
            match variable {
                Variable::Parameter(other) if *other < sizes => {
                    let product = self.nest.product([*other, factor]);
                    all = all + Variable::Parameter(product) * *coefficient;
                }
                _ => return None,
            }
        }
        Some(all)
    }
}

/// The two loops, of which this is the iterator of the outer one, as one.
fn in_one(node: Node, outer: usize, rows: &Affine) -> Node {
    let in_all = |nodes: Vec<Node>| nodes.into_iter().map(|node| in_one(node, outer, rows)).collect();
    match node {
        Node::Loop(range, mut body) if range.iterator == outer => {
            let Some(Node::Loop(_, body)) = body.pop() else {
                unreachable!("a loop is in it, and nothing else")
            };
            Node::Loop(Range { upper: vec![rows.clone()], ..range }, body)
        }
        Node::Loop(range, body) => Node::Loop(range, in_all(body)),
        Node::If(conditions, body) => Node::If(conditions, in_all(body)),
        Node::Assign(_) => node,
    }
}

/// The values of a loop that goes on from 0 by one: as many as that.
fn whole(range: &Range) -> Option<&Affine> {
    let [upper] = &range.upper[..] else { return None };
    let is_whole =
        range.lower == [Affine::from(0)] && range.step == 1 && !range.is_reversed && upper.is_of_sizes();
    is_whole.then_some(upper)
}

/// Whether each statement has a loop of these around it that its target depends on.
fn has_tiles(node: &Node, around: &[usize]) -> bool {
    match node {
        Node::Assign(assignment) => around.iter().any(|iterator| assignment.target.depends_on(&[*iterator])),
        Node::If(_, body) => body.iter().all(|node| has_tiles(node, around)),
        Node::Loop(range, body) => {
            let around = [around, &[range.iterator]].concat();
            body.iter().all(|node| has_tiles(node, &around))
        }
    }
}
