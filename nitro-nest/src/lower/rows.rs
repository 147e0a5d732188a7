//! The pass that makes two loops over the rows of arrays with several dimensions one, so that tiles span both.

use super::AnalysedNest;
use super::arrange::is_few;
use super::bounds::{iterator, mentions, whole};
use crate::dependence::{DependenceError, reduction};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Nest, Node, Range, has_loop};

/// Joins rows of a nest, as long as any can be.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    join_all(&input.nest).map(AnalysedNest::new).transpose()
}

impl Nest {
    /// Makes one loop of two that go over the rows of arrays.
    ///
    /// Where `a[r][q]` is all that uses `r` and `q`, and `q` goes over that whole dimension, `r` and `q` only number
    /// the rows of an array with a dimension less. Results and their order stay the same. Loops are joined where
    /// others inside still make tiles.
    ///
    /// ```
    /// use nitro_nest::{Array2, Array3, nest};
    ///
    /// #[nest]
    /// fn products(
    ///     n: usize,
    ///     m: usize,
    ///     #[shape(n, n, m)] a: &Array3<f32>,
    ///     #[shape(m, m)] b: &Array2<f32>,
    ///     #[shape(n, n, m)] c: &mut Array3<f32>,
    /// ) {
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
        join_all(self).unwrap_or_else(|| self.clone())
    }
}

fn join_all(nest: &Nest) -> Option<Nest> {
    let mut pairs = Vec::new();
    gather(&nest.body, &mut pairs);
    let joined = pairs.iter().find_map(|pair| Joining::new(nest, &pairs, pair)?.joined())?;
    Some(join_all(&joined).unwrap_or(joined))
}

/// Two loops with nothing between them.
struct Pair<'a> {
    outer: &'a Range,
    inner: &'a Range,
    body: &'a [Node],
}

/// Gathers all pairs of loops, the outermost first.
fn gather<'a>(nodes: &'a [Node], pairs: &mut Vec<Pair<'a>>) {
    for node in nodes {
        if let Node::Loop(outer, inside) = node
            && let [Node::Loop(inner, body)] = &inside[..]
        {
            pairs.push(Pair { outer, inner, body });
        }
        gather(node.body(), pairs);
    }
}

impl Pair<'_> {
    fn iterators(&self) -> [usize; 2] {
        [self.outer.iterator, self.inner.iterator]
    }

    fn assignments(&self) -> Vec<&Assignment> {
        self.body.iter().flat_map(Node::assignments).collect()
    }

    /// Returns the first of two neighbouring subscripts that are the loops' iterators, the first maybe of a row that
    /// is so many after the outer loop's.
    fn first_use(&self, access: &Access) -> Option<usize> {
        let [outer, inner] = self.iterators().map(iterator);
        access.subscripts.windows(2).position(|pair| {
            let after = pair[0].clone() - outer.clone();
            pair[1] == inner && !mentions(&after, &self.iterators())
        })
    }

    /// Returns `true` if each statement still makes tiles.
    fn makes_tiles(&self) -> bool {
        self.body.iter().all(|node| has_tiles(node, &[]))
    }

    /// Returns `true` if the inner loop is one of few numbers, as those of colours, and each element has values of both
    /// loops: then neighbours along the outer one are no neighbours in memory.
    fn is_of_few(&self) -> bool {
        let all = self.assignments();
        is_few(self.inner) && all.iter().all(|one| one.target.depends_on_each(&self.iterators()))
    }

    /// Returns `true` if all that is in the loops adds up along both: the longer a loop, the more threads it feeds.
    fn adds_up(&self) -> bool {
        let assignments = self.assignments();
        !has_loop(self.body)
            && assignments
                .iter()
                .all(|one| reduction(one).is_some() && !one.target.depends_on(&self.iterators()))
    }
}

/// A nest in which pairs of loops are being joined.
struct Joining<'a> {
    nest: Nest,
    /// Pairs over the same values, which go over the same arrays.
    pairs: Vec<&'a Pair<'a>>,
    /// Values of the inner loop.
    extent: Affine,
    /// Arrays whose dimensions are joined, with the first of these.
    arrays: Vec<(usize, usize)>,
}

impl<'a> Joining<'a> {
    /// Finds the arrays, if both loops go over everything from 0, and all uses of them are neighbouring subscripts.
    ///
    /// Other loops over the same elements have to be joined with them.
    fn new(nest: &Nest, all: &'a [Pair<'a>], first: &'a Pair<'a>) -> Option<Self> {
        // Row `r` of `q` rows each begins at `r * q`: both loops have to go over all of them.
        let (outer, extent) = (whole(first.outer)?, whole(first.inner)?.clone());
        let mut joining = Self { nest: nest.clone(), pairs: Vec::new(), extent, arrays: Vec::new() };
        joining.add_pair(first)?;
        let is_alike =
            |pair: &Pair<'_>| whole(pair.outer) == Some(outer) && whole(pair.inner) == Some(&joining.extent);
        let alike: Vec<&Pair<'_>> = all.iter().filter(|pair| is_alike(pair)).collect();
        while let Some(next) = alike.iter().find(|pair| joining.needs(pair)) {
            joining.add_pair(next)?;
        }
        let is_worth = joining.pairs.iter().all(|pair| pair.makes_tiles() || pair.is_of_few())
            || joining.pairs.iter().any(|pair| pair.adds_up())
                && joining.pairs.iter().all(|pair| !has_loop(pair.body));
        (!joining.arrays.is_empty() && is_worth).then_some(joining)
    }

    /// Adds a pair with the arrays that it goes over.
    fn add_pair(&mut self, pair: &'a Pair<'a>) -> Option<()> {
        self.pairs.push(pair);
        for access in pair.assignments().into_iter().flat_map(Assignment::accesses) {
            if let Some(at) = pair.first_use(access) {
                self.add(access.array, at)?;
            }
        }
        (!pair.body.iter().any(|node| is_used_otherwise(pair, node))).then_some(())
    }

    /// Returns `true` if a pair goes over rows that are joined already, and is not joined itself.
    fn needs(&self, pair: &Pair<'_>) -> bool {
        let is_new = !self.pairs.iter().any(|known| known.iterators() == pair.iterators());
        let accesses = pair.assignments().into_iter().flat_map(Assignment::accesses);
        let mut rows = accesses.filter_map(|access| Some((access.array, pair.first_use(access)?)));
        is_new && rows.any(|row| self.arrays.contains(&row))
    }

    /// Adds an array whose dimension `at` is the first of those that are joined.
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

    /// Joins the loops; none: the row of an access elsewhere cannot be written.
    fn joined(mut self) -> Option<Nest> {
        // As many rows as both loops have values together, in the loop and in the arrays.
        let rows = self.times_extent(whole(self.pairs[0].outer)?)?;
        for (array, at) in self.arrays.clone() {
            let outer = self.nest.arrays[array].shape[at].clone();
            let extent = self.times_extent(&outer)?;
            self.nest.arrays[array].shape.splice(at..at + 2, [extent]);
        }
        // Then all accesses to these arrays, also those elsewhere in the nest.
        let mut body = std::mem::take(&mut self.nest.body);
        let mut is_sound = true;
        for node in &mut body {
            node.for_each_statement(&mut |assignment| {
                is_sound &= self.join_in(&mut assignment.target) && self.join_in_value(&mut assignment.value);
            });
        }
        for [outer, inner] in self.pairs.iter().map(|pair| pair.iterators()) {
            body = body.into_iter().map(|node| in_one(node, outer, &rows)).collect();
            let name = format!("{}{}", self.nest.iterators[outer], self.nest.iterators[inner]);
            self.nest.iterators[outer] = self.nest.free(&name);
        }
        self.nest.body = body;
        is_sound.then_some(self.nest)
    }

    fn join_in_value(&mut self, value: &mut Expression) -> bool {
        match value {
            Expression::Load(access) => self.join_in(access),
            Expression::Gather(gather) => !self.arrays.iter().any(|(array, _)| *array == gather.array),
            other => other.parts_mut().into_iter().all(|part| self.join_in_value(part)),
        }
    }

    /// Makes an access one of an array with a dimension less; false: its row cannot be written.
    fn join_in(&mut self, access: &mut Access) -> bool {
        let Some((_, at)) = self.arrays.iter().copied().find(|(array, _)| *array == access.array) else {
            return true;
        };
        let [outer, inner] = [access.subscripts[at].clone(), access.subscripts[at + 1].clone()];
        // Where the loops are the subscripts, the joined loop is the row, or so many rows before.
        let pair = self.pairs.iter().copied().find(|pair| pair.first_use(access) == Some(at));
        let row = match pair {
            Some(pair) => {
                let own = iterator(pair.outer.iterator);
                self.times_extent(&(outer - own.clone())).map(|after| own + after)
            }
            None => self.times_extent(&outer).map(|row| row + inner),
        };
        access.subscripts.splice(at..at + 2, row.clone());
        row.is_some()
    }

    /// Multiplies with the number of values of the inner loop, if the product can be written.
    fn times_extent(&mut self, affine: &Affine) -> Option<Affine> {
        let sizes = self.nest.parameters().len();
        // Affine expressions hold no product of sizes: it is a parameter of its own.
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

/// Returns `true` if anything else than rows of arrays depends on one of the loops.
fn is_used_otherwise(pair: &Pair<'_>, node: &Node) -> bool {
    let iterators = pair.iterators();
    match node {
        Node::Loop(range, body) => {
            range.lower.iter().chain(&range.upper).any(|bound| mentions(bound, &iterators))
                || body.iter().any(|node| is_used_otherwise(pair, node))
        }
        Node::If(conditions, body) => {
            let mut sides = conditions.iter().flat_map(|one| [&one.left, &one.right]);
            sides.any(|side| mentions(side, &iterators))
                || body.iter().any(|node| is_used_otherwise(pair, node))
        }
        Node::Assign(assignment) => {
            let mut is_used = assignment.accesses().iter().any(|access| {
                let row = pair.first_use(access).map_or(0..0, |at| at..at + 2);
                let mut others = access.subscripts.iter().enumerate().filter(|(at, _)| !row.contains(at));
                others.any(|(_, subscript)| mentions(subscript, &iterators))
            });
            assignment.value.visit(&mut |part| {
                is_used |= match part {
                    Expression::Integer(value) => mentions(value, &iterators),
                    Expression::Quasi(quasi) => {
                        quasi.integers().into_iter().any(|one| mentions(one, &iterators))
                    }
                    Expression::Gather(gather) => {
                        gather.integers().into_iter().any(|one| mentions(one, &iterators))
                    }
                    _ => false,
                };
            });
            is_used
        }
    }
}

/// Makes one loop of two, of which this is the iterator of the outer one.
fn in_one(node: Node, outer: usize, rows: &Affine) -> Node {
    match node {
        Node::Loop(range, mut body) if range.iterator == outer => {
            let Some(Node::Loop(_, body)) = body.pop() else {
                unreachable!("a loop is in it, and nothing else")
            };
            Node::Loop(Range { upper: vec![rows.clone()], ..range }, body)
        }
        Node::Loop(range, body) => {
            Node::Loop(range, body.into_iter().map(|node| in_one(node, outer, rows)).collect())
        }
        Node::If(conditions, body) => {
            Node::If(conditions, body.into_iter().map(|node| in_one(node, outer, rows)).collect())
        }
        Node::Assign(_) => node,
    }
}

/// Returns `true` if each statement has a loop of these around it that its target depends on.
fn has_tiles(node: &Node, around: &[usize]) -> bool {
    match node {
        Node::Assign(assignment) => assignment.target.depends_on(around),
        Node::If(_, body) => body.iter().all(|node| has_tiles(node, around)),
        Node::Loop(range, body) => {
            let around = [around, &[range.iterator]].concat();
            body.iter().all(|node| has_tiles(node, &around))
        }
    }
}
