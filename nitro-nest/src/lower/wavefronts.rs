//! The pass that skews loops none of which is parallel, so that all but one are.

use super::bounds::{iterator, within};
use super::components::components;
use super::{AnalysedNest, rewritten};
use crate::dependence::{DependenceError, Dependences};
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Condition, Nest, Node, Range, nested};

/// The most multiples of an iterator in a hyperplane.
///
/// Those of a stencil with all its neighbours, in two dimensions and time, are 4, 2 and 1.
const MOST_MULTIPLE: i64 = 4;

/// Skews loops of a nest, if there is a use for it.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut skewed = input.nest.clone();
    let all = Place { depth: 0, statement: 0 };
    skewed.body = skew_all(&input.nest.body, all, &input.dependences, &mut skewed);
    if skewed == input.nest { Ok(None) } else { AnalysedNest::new(skewed).map(Some) }
}

impl Nest {
    /// Puts a loop over wavefronts around loops none of which is parallel.
    ///
    /// All iterations on one hyperplane `c·i = w` may run at the same time, where every dependence leads to a later
    /// one (Lamport, *The Parallel Execution of DO Loops*, 1974). Of the hyperplanes with coefficients up to 4 it is
    /// the one with the fewest wavefronts. The loops go over sizes alone, with nothing between them. Other loops
    /// stay as they are.
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
        rewritten(self, run)
    }
}

/// The place of nodes: how many loops are around them, and the index of their first statement.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    statement: usize,
}

fn skew_all(nodes: &[Node], mut place: Place, dependences: &Dependences, nest: &mut Nest) -> Vec<Node> {
    let mut skewed = Vec::new();
    for node in nodes {
        skewed.push(skew(node, place, dependences, nest));
        place.statement += node.statements();
    }
    skewed
}

fn skew(node: &Node, place: Place, dependences: &Dependences, nest: &mut Nest) -> Node {
    let among: Vec<usize> = (place.statement..place.statement + node.statements()).collect();
    // The outermost loops that can be skewed are.
    if let Some(band) = Band::new(node)
        && let Some(multiples) = band.hyperplane(&among, place.depth, dependences)
    {
        return band.skewed(&multiples, nest);
    }
    match node {
        // What is in a loop that is parallel has that.
        Node::Loop(range, body) if !dependences.is_parallel(&among, place.depth) => {
            let inside = Place { depth: place.depth + 1, ..place };
            Node::Loop(range.clone(), skew_all(body, inside, dependences, nest))
        }
        Node::If(conditions, body) => Node::If(conditions.clone(), skew_all(body, place, dependences, nest)),
        Node::Loop(..) | Node::Assign(_) => node.clone(),
    }
}

/// Loops over sizes with nothing between them.
struct Band<'a> {
    loops: Vec<&'a Range>,
    body: &'a [Node],
}

impl<'a> Band<'a> {
    /// Returns the loops that begin with a node, if they are two at least.
    fn new(node: &'a Node) -> Option<Self> {
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

    /// Returns the multiples of the iterators by which wavefronts are numbered.
    ///
    /// None: a loop is parallel as it is, also where it is another one for statements that can be apart, or no
    /// hyperplane does.
    fn hyperplane(&self, among: &[usize], depth: usize, dependences: &Dependences) -> Option<Vec<i64>> {
        let depths = depth..depth + self.loops.len();
        let has_parallel_loop = |own: &Vec<usize>| depths.clone().any(|at| dependences.is_parallel(own, at));
        if components(dependences, among, depth).iter().all(has_parallel_loop) {
            return None;
        }
        // The least distances of those dependences that a loop of the band carries.
        let mut distances: Vec<Vec<Option<i64>>> = Vec::new();
        for found in dependences.within(among, depth) {
            if found.level.is_some_and(|level| depths.contains(&level)) {
                distances.push(found.distances[depths.clone()].iter().map(|one| one.least).collect());
            }
        }
        // Wavefronts are the fewer the smaller the multiples are.
        let mut all = multiples(self.loops.len());
        all.sort_by_key(|own| own.iter().sum::<i64>());
        all.into_iter().find(|own| own.contains(&1) && distances.iter().all(|least| is_later(own, least)))
    }

    /// Puts a loop over wavefronts in the place of an iterator of which there is one in each of them.
    fn skewed(&self, multiples: &[i64], nest: &mut Nest) -> Node {
        let replaced = multiples.iter().position(|multiple| *multiple == 1).expect("it was looked for");
        let wave = self.loops[replaced].iterator;
        nest.iterators[wave] = nest.free("wave");
        let others: Vec<usize> = (0..self.loops.len()).filter(|at| *at != replaced).collect();
        let mut value = iterator(wave);
        for at in &others {
            value = value - iterator(self.loops[*at].iterator) * multiples[*at];
        }
        // The iterator that was replaced is what is left of the wavefront's number.
        let mut body = self.body.to_vec();
        for node in &mut body {
            node.map_integers(&|affine| affine.substitute(Variable::Iterator(wave), &value));
        }
        // The iterator that was replaced has to be within its bounds: one other loop can be narrowed to that.
        let mut loops: Vec<Range> = others.iter().map(|at| self.loops[*at].clone()).collect();
        match (&mut loops[..], others.as_slice()) {
            ([only], [at]) if multiples[*at] == 1 => self.narrow(only, replaced, wave),
            _ => body = vec![Node::If(self.within(replaced, &value), body)],
        }
        Node::Loop(self.waves(multiples, wave), nested(loops.into_iter(), body))
    }

    /// Returns the loop from the least of all sums to the largest.
    fn waves(&self, multiples: &[i64], iterator: usize) -> Range {
        let (mut lower, mut last) = (vec![Affine::from(0)], vec![Affine::from(0)]);
        for (range, multiple) in self.loops.iter().zip(multiples) {
            let lasts: Vec<Affine> = range.upper.iter().map(|bound| bound.clone() - 1).collect();
            lower = sums(&lower, &range.lower, *multiple);
            last = sums(&last, &lasts, *multiple);
        }
        let upper = last.into_iter().map(|last| last + 1).collect();
        Range { iterator, lower, upper, step: 1, is_reversed: false }
    }

    /// Keeps the one other loop to the values for which the iterator that was replaced is within its bounds.
    fn narrow(&self, other: &mut Range, replaced: usize, wave: usize) {
        let Range { lower, upper, .. } = self.loops[replaced];
        other.lower.extend(upper.iter().map(|bound| iterator(wave) + 1 - bound));
        other.upper.extend(lower.iter().map(|bound| iterator(wave) + 1 - bound));
    }

    /// Returns the conditions that the iterator that was replaced is within its bounds.
    fn within(&self, replaced: usize, value: &Affine) -> Vec<Condition> {
        let mut conditions = within(self.loops[replaced], |_, _| true);
        conditions.iter_mut().for_each(|condition| condition.left = value.clone());
        conditions
    }
}

/// Returns the sums of each bound's multiple with each sum.
fn sums(sums: &[Affine], bounds: &[Affine], multiple: i64) -> Vec<Affine> {
    let mut all = Vec::new();
    for bound in bounds {
        let term = bound.clone() * multiple;
        all.extend(sums.iter().map(|sum| sum.clone() + &term));
    }
    all
}

/// Returns `true` if all pairs with these least distances are on later wavefronts.
fn is_later(multiples: &[i64], least: &[Option<i64>]) -> bool {
    let mut sum = 0;
    for (multiple, least) in multiples.iter().zip(least).filter(|(multiple, _)| **multiple != 0) {
        let Some(least) = least else { return false };
        sum += multiple * least;
    }
    sum >= 1
}

/// Returns all multiples of so many iterators.
fn multiples(iterators: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..iterators {
        let mut longer = Vec::new();
        for own in &all {
            longer.extend((0..=MOST_MULTIPLE).map(|next| [&own[..], &[next]].concat()));
        }
        all = longer;
    }
    all
}
