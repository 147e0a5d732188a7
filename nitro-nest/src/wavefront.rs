//! Loops none of which is parallel, skewed so that all but one are.

use crate::dependence::{DependenceError, Dependences};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Relation;
use crate::nest::{Condition, Nest, Node, Range};

/// Multiples of an iterator that a hyperplane has at most: those of a stencil with all its neighbours, in two
/// dimensions and time, are 4, 2 and 1.
const MOST_MULTIPLE: i64 = 4;

impl Nest {
    /// The nest with a loop over wavefronts around loops none of which is parallel: all iterations on one
    /// hyperplane `c·i = w` may run at the same time, where every dependence leads to a later one (Lamport, *The
    /// Parallel Execution of DO Loops*, 1974). Of the hyperplanes with coefficients up to 4 it is the one with the
    /// fewest wavefronts. The loops go over sizes alone, with nothing between them; what is otherwise stays as it
    /// is.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn paths(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    ///     for i in 1..n {
    ///         for j in 1..n {
    ///             a[[i, j]] += a[[i - 1, j]].min(a[[i, j - 1]]);
    ///         }
    ///     }
    /// }
    ///
    /// let skewed = paths::nest().with_wavefronts()?;
    /// assert!(skewed.to_string().contains("for wave in 2..2 * n - 1 {"), "{skewed}");
    /// assert!(skewed.to_string().contains("a[wave - j, j] ="), "{skewed}");
    /// let dependences = skewed.dependences()?;
    /// assert!(!dependences.is_parallel(&[0], 0) && dependences.is_parallel(&[0], 1));
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dependences`](Self::dependences).
    pub fn with_wavefronts(&self) -> Result<Nest, DependenceError> {
        let skewed = self.skewed(&self.dependences()?);
        Ok(skewed.unwrap_or_else(|| self.clone()))
    }

    /// With wavefronts, if there is a use for any.
    pub(crate) fn skewed(&self, dependences: &Dependences) -> Option<Nest> {
        let mut skewed = self.clone();
        skewed.body = skew_all(&self.body, &mut Place { depth: 0, statement: 0 }, dependences, &mut skewed);
        (skewed != *self).then_some(skewed)
    }
}

/// Where in the nest something is: how many loops are around it, and the index of its first statement.
struct Place {
    depth: usize,
    statement: usize,
}

fn skew_all(nodes: &[Node], place: &mut Place, dependences: &Dependences, nest: &mut Nest) -> Vec<Node> {
    nodes.iter().map(|node| skew(node, place, dependences, nest)).collect()
}

fn skew(node: &Node, place: &mut Place, dependences: &Dependences, nest: &mut Nest) -> Node {
    let first = place.statement;
    place.statement += node.statements();
    let among: Vec<usize> = (first..place.statement).collect();
    let band = Band::of(node);
    if let Some(multiples) = band.as_ref().and_then(|band| band.hyperplane(&among, place.depth, dependences))
    {
        return band.expect("it has a hyperplane").skewed(&multiples, nest);
    }
    match node {
        // What is in a loop that is parallel has that.
        Node::Loop(range, body) if !dependences.is_parallel(&among, place.depth) => {
            let mut inner = Place { depth: place.depth + 1, statement: first };
            Node::Loop(range.clone(), skew_all(body, &mut inner, dependences, nest))
        }
        Node::If(conditions, body) => {
            let mut inner = Place { depth: place.depth, statement: first };
            Node::If(conditions.clone(), skew_all(body, &mut inner, dependences, nest))
        }
        Node::Loop(..) | Node::Assign(_) => node.clone(),
    }
}

/// Loops over sizes with nothing between them.
struct Band<'a> {
    loops: Vec<&'a Range>,
    body: &'a [Node],
}

impl<'a> Band<'a> {
    /// Two loops at least.
    fn of(node: &'a Node) -> Option<Self> {
        let (mut loops, mut body) = (Vec::new(), std::slice::from_ref(node));
        while let [Node::Loop(range, inner)] = body {
            let is_of_sizes = range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes);
            if !is_of_sizes || range.step != 1 || range.is_reversed {
                break;
            }
            loops.push(range);
            body = inner;
        }
        (loops.len() >= 2).then_some(Self { loops, body })
    }

    /// The multiples of the iterators by which wavefronts are numbered; none where a loop is parallel as it is, or
    /// no hyperplane does.
    fn hyperplane(&self, among: &[usize], depth: usize, dependences: &Dependences) -> Option<Vec<i64>> {
        let depths = depth..depth + self.loops.len();
        if depths.clone().any(|at| dependences.is_parallel(among, at)) {
            return None;
        }
        let least: Vec<Vec<Option<i64>>> = dependences
            .within(among, depth)
            .filter(|found| found.level.is_some_and(|level| depths.contains(&level)))
            .map(|found| found.distances[depths.clone()].iter().map(|distance| distance.least).collect())
            .collect();
        let mut all = multiples(self.loops.len());
        all.sort_by_key(|own| own.iter().sum::<i64>());
        all.into_iter().find(|own| own.contains(&1) && least.iter().all(|least| is_later(own, least)))
    }

    /// The loop over wavefronts takes the place of an iterator of which there is one in each of them.
    fn skewed(&self, multiples: &[i64], nest: &mut Nest) -> Node {
        let replaced = multiples.iter().position(|multiple| *multiple == 1).expect("it was looked for");
        let wave = self.loops[replaced].iterator;
        nest.iterators[wave] = nest.free("wave");
        let others: Vec<usize> = (0..self.loops.len()).filter(|at| *at != replaced).collect();
        let of_others = others.iter().fold(Affine::from(0), |sum, at| {
            sum + Variable::Iterator(self.loops[*at].iterator) * multiples[*at]
        });
        let value = Affine::from(Variable::Iterator(wave)) - &of_others;
        let mut body = self.body.to_vec();
        let replace = |affine: &Affine| affine.substitute(Variable::Iterator(wave), &value);
        body.iter_mut().for_each(|node| node.map_integers(&replace));
        let mut loops: Vec<Range> = others.iter().map(|at| self.loops[*at].clone()).collect();
        match (&mut loops[..], others.as_slice()) {
            ([only], [at]) if multiples[*at] == 1 => self.narrow(only, replaced, wave),
            _ => body = vec![Node::If(self.within(replaced, &value), body)],
        }
        let nested = loops.into_iter().rev().fold(body, |body, range| vec![Node::Loop(range, body)]);
        Node::Loop(self.waves(multiples, wave), nested)
    }

    /// From the least of all sums to the largest.
    fn waves(&self, multiples: &[i64], iterator: usize) -> Range {
        let sums = |bounds: fn(&Range) -> &Vec<Affine>, of: fn(&Affine) -> Affine| {
            let pairs = self.loops.iter().zip(multiples);
            pairs.fold(vec![Affine::from(0)], |sums, (range, multiple)| {
                let add = |bound: &Affine| {
                    let term = of(bound) * *multiple;
                    sums.iter().map(move |sum| sum.clone() + &term).collect::<Vec<_>>()
                };
                bounds(range).iter().flat_map(add).collect()
            })
        };
        let upper = sums(|range| &range.upper, |bound| bound.clone() - 1);
        Range {
            iterator,
            lower: sums(|range| &range.lower, Affine::clone),
            upper: upper.into_iter().map(|last| last + 1).collect(),
            step: 1,
            is_reversed: false,
        }
    }

    /// Keeps the one other loop to the values for which the iterator that was replaced is within its bounds.
    fn narrow(&self, other: &mut Range, replaced: usize, wave: usize) {
        let Range { lower, upper, .. } = self.loops[replaced];
        let wave = Affine::from(Variable::Iterator(wave));
        other.lower.extend(upper.iter().map(|bound| wave.clone() + 1 - bound));
        other.upper.extend(lower.iter().map(|bound| wave.clone() + 1 - bound));
    }

    /// Whether the iterator that was replaced is within its bounds.
    fn within(&self, replaced: usize, value: &Affine) -> Vec<Condition> {
        let Range { lower, upper, .. } = self.loops[replaced];
        let holds =
            |relation, bound: &Affine| Condition { relation, left: value.clone(), right: bound.clone() };
        let from = lower.iter().map(|bound| holds(Relation::GreaterOrEqual, bound));
        from.chain(upper.iter().map(|bound| holds(Relation::Less, bound))).collect()
    }
}

/// Whether all pairs with these least distances are on later wavefronts.
fn is_later(multiples: &[i64], least: &[Option<i64>]) -> bool {
    let terms = multiples.iter().zip(least).filter(|(multiple, _)| **multiple != 0);
    let sum: Option<i64> = terms.map(|(multiple, least)| least.map(|least| multiple * least)).sum();
    sum.is_some_and(|sum| sum >= 1)
}

/// All multiples of so many iterators.
fn multiples(iterators: usize) -> Vec<Vec<i64>> {
    let one_more = |all: Vec<Vec<i64>>, _| {
        let with =
            |own: &Vec<i64>| (0..=MOST_MULTIPLE).map(|next| [&own[..], &[next]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(with).collect()
    };
    (0..iterators).fold(vec![Vec::new()], one_more)
}
