//! The pass that reduces in two stages: Σ over o and i of x is the sum over o of partial results, each over i alone.
//!
//! Partial results are computed first, in loops of their own: as many rows as results times iterations of o, each of
//! which is read once. Sums of squared differences are among them, where what is subtracted is known only afterwards:
//! Σ (x − c)² = Σ (x − p)² + n·(p − c)² with the mean p of n elements (Chan, Golub and LeVeque, "Updating formulae and
//! a pairwise algorithm for computing sample variances", 1979).
//!
//! One extreme of a long array has a partial result for each chunk of it. Places are affine, so the array of these is
//! as long as the other one, and the first of each chunk is used.

use super::AnalysedNest;
use super::bounds::{iterator, may_grow, not_empty, whole};
use super::row_kernels::shared_reduction;
use crate::dependence::DependenceError;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Nest, Node, Range, nested};

/// The iterations of a loop that have one partial result, where there is no other loop to have it.
const CHUNK: i64 = 4096;

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut stages = Stages { nest: input.nest.clone(), groups: Vec::new() };
    let mut body = std::mem::take(&mut stages.nest.body);
    stages.part_in(&mut body, &mut Vec::new());
    let Stages { mut nest, groups } = stages;
    if groups.is_empty() {
        return Ok(None);
    }
    nest.body = groups.into_iter().flat_map(Group::into_nodes).chain(body).collect();
    AnalysedNest::new(nest).map(Some)
}

/// A nest of which reductions are being parted, and the loops of partial results that come before it.
struct Stages {
    nest: Nest,
    groups: Vec<Group>,
}

/// Loops of partial results.
struct Group {
    /// The loops around a partial result, one iteration of each.
    outer: Vec<Range>,
    /// The loops that it is reduced over.
    inner: Vec<Range>,
    partials: Vec<Partial>,
}

/// A partial result: an element for each iteration of the outer loops.
struct Partial {
    element: Access,
    operator: Binary,
    term: Expression,
}

/// A reduction over two loops or more that begins with a node.
struct Reduction<'n> {
    around: &'n [Range],
    loops: Vec<Range>,
    operator: Binary,
    term: Expression,
    assignment: Assignment,
}

impl Stages {
    /// Parts the reductions in these nodes, which have loops around them.
    fn part_in(&mut self, nodes: &mut [Node], around: &mut Vec<Range>) {
        for node in nodes {
            let chunked = self.in_chunks(node, around);
            let wanted = chunked.as_ref().unwrap_or(node);
            if let Some(parted) = Reduction::new(&self.nest, wanted, around).and_then(|one| self.part(&one)) {
                *node = parted;
            } else if let Node::Loop(range, body) = node {
                around.push(range.clone());
                self.part_in(body, around);
                around.pop();
            }
        }
    }

    /// Returns a loop as two, over chunks and over the iterations of each, where it finds one extreme of all.
    ///
    /// Blocks add to one sum, but no block finds an extreme with others.
    fn in_chunks(&mut self, node: &Node, around: &[Range]) -> Option<Node> {
        let Node::Loop(range, body) = node else { return None };
        let [Node::Assign(assignment)] = &body[..] else { return None };
        let operator = shared_reduction(&self.nest, assignment)?;
        let upper = whole(range).filter(|_| may_grow(range))?.clone();
        if operator == Binary::Add || around.iter().any(may_grow) {
            return None;
        }
        let chunk = self.nest.new_iterator("chunk");
        let chunks = Range { iterator: chunk, step: CHUNK, ..range.clone() };
        let (lower, upper) = (vec![iterator(chunk)], vec![upper, iterator(chunk) + CHUNK]);
        let iterations = Range { lower, upper, ..range.clone() };
        Some(Node::Loop(chunks, vec![Node::Loop(iterations, body.clone())]))
    }

    /// Returns what reduces the partial results of a reduction.
    fn part(&mut self, reduction: &Reduction<'_>) -> Option<Node> {
        let Assignment { target, .. } = &reduction.assignment;
        let term = self.parted(reduction, &reduction.term)?;
        let mut body = vec![Node::Assign(Assignment::reduce(target.clone(), reduction.operator, term))];
        // A chunk has something.
        let may_be_empty = if reduction.is_in_chunks() { &[] } else { &reduction.loops[1..] };
        let conditions: Vec<_> = may_be_empty.iter().flat_map(not_empty).collect();
        if !conditions.is_empty() {
            body = vec![Node::If(conditions, body)];
        }
        Some(Node::Loop(reduction.loops[0].clone(), body))
    }

    /// Returns what partial results say of a term's reduction over the inner loops; none: nothing.
    fn parted(&mut self, reduction: &Reduction<'_>, term: &Expression) -> Option<Expression> {
        if let (Expression::Binary(operator, left, right), Binary::Add) = (term, reduction.operator) {
            // What scales all terms may be known only afterwards.
            if matches!(operator, Binary::Multiply | Binary::Divide) && reduction.is_fixed(right) {
                let left = self.parted(reduction, left)?;
                return Some(Expression::Binary(*operator, Box::new(left), right.clone()));
            }
            if *operator == Binary::Multiply && reduction.is_fixed(left) {
                return Some((**left).clone() * self.parted(reduction, right)?);
            }
            let squares =
                (*operator == Binary::Multiply && left == right).then(|| self.squares(reduction, left));
            if let Some(squares) = squares.flatten() {
                return Some(squares);
            }
        }
        self.is_known(term).then(|| self.partial(reduction, reduction.operator, term.clone()))
    }

    /// Returns `true` if a value is known before the nest begins.
    fn is_known(&self, value: &Expression) -> bool {
        reads_alone(value, &|read| !self.nest.arrays[read.array].is_written)
    }

    /// Returns the sum of the squares of differences, by those from the partial means.
    fn squares(&mut self, reduction: &Reduction<'_>, difference: &Expression) -> Option<Expression> {
        let Expression::Binary(Binary::Subtract, left, right) = difference else { return None };
        let (value, fixed) = if reduction.is_fixed(left) { (right, left) } else { (left, right) };
        if !self.is_known(value) || !reduction.is_fixed(fixed) {
            return None;
        }
        let sum = self.partial(reduction, Binary::Add, (**value).clone());
        let mean = sum / reduction.count();
        let off = (**value).clone() - mean.clone();
        let squares = self.partial(reduction, Binary::Add, off.clone() * off);
        let off = mean - (**fixed).clone();
        Some(squares + off.clone() * off * reduction.count())
    }

    /// Returns the partial result of a term, in the loops of its reduction.
    fn partial(&mut self, reduction: &Reduction<'_>, operator: Binary, term: Expression) -> Expression {
        let own: Vec<usize> = reduction.all().map(|range| range.iterator).collect();
        let at = self.group(reduction);
        let Group { outer, inner, partials } = &self.groups[at];
        let places: Vec<Affine> = outer.iter().chain(inner).map(|range| iterator(range.iterator)).collect();
        let renamed = |affine: &Affine| {
            own.iter()
                .zip(&places)
                .fold(affine.clone(), |affine, (from, to)| affine.substitute(Variable::Iterator(*from), to))
        };
        let mut wanted = term;
        wanted.map_integers(&renamed);
        let known = partials.iter().find(|one| one.operator == operator && one.term == wanted);
        let array = if let Some(known) = known {
            known.element.array
        } else {
            let shape = outer.iter().map(|range| range.upper[0].clone()).collect();
            let subscripts = places[..outer.len()].to_vec();
            let name = format!("{}_part", self.nest.arrays[reduction.assignment.target.array].name);
            let array = self.nest.new_temporary(&name, shape);
            let element = Access { array, subscripts };
            self.groups[at].partials.push(Partial { element, operator, term: wanted });
            array
        };
        let subscripts = own[..=reduction.around.len()].iter().map(|own| iterator(*own)).collect();
        Expression::Load(Access { array, subscripts })
    }

    /// Returns the group of loops over the same values, a new one if there is none yet.
    fn group(&mut self, reduction: &Reduction<'_>) -> usize {
        let all: Vec<Range> = reduction.all().cloned().collect();
        let outer = reduction.around.len() + 1;
        let is_alike = |group: &Group| {
            let own: Vec<Range> = group.outer.iter().chain(&group.inner).cloned().collect();
            group.outer.len() == outer && own == with_iterators(&all, own.iter().map(|range| range.iterator))
        };
        if let Some(known) = self.groups.iter().position(is_alike) {
            return known;
        }
        let mut own = Vec::new();
        for range in &all {
            own.push(self.nest.new_iterator(&format!("{}_part", self.nest.iterators[range.iterator])));
        }
        let mut own = with_iterators(&all, own.into_iter());
        let inner = own.split_off(outer);
        self.groups.push(Group { outer: own, inner, partials: Vec::new() });
        self.groups.len() - 1
    }
}

impl<'n> Reduction<'n> {
    /// Returns the reduction that a node is, if it may be parted and reads something new in each iteration.
    fn new(nest: &Nest, node: &Node, around: &'n [Range]) -> Option<Self> {
        let (mut loops, mut inside) = (Vec::new(), node);
        while let Node::Loop(range, body) = inside {
            let [only] = &body[..] else { return None };
            loops.push(range.clone());
            inside = only;
        }
        let Node::Assign(assignment) = inside else { return None };
        let operator = shared_reduction(nest, assignment)?;
        let Expression::Binary(_, left, right) = &assignment.value else { return None };
        let own = Expression::Load(assignment.target.clone());
        let term = if **left == own { right } else { left };
        let is_difference = matches!(assignment.value, Expression::Binary(Binary::Subtract, ..));
        let reduction =
            Self { around, loops, operator, term: (**term).clone(), assignment: assignment.clone() };
        let is_in_chunks = reduction.is_in_chunks();
        let is_plain = is_in_chunks || reduction.all().all(|range| whole(range).is_some());
        let [first, others @ ..] = &reduction.loops[..] else { return None };
        let is_long = may_grow(first) && others.iter().any(may_grow);
        let own: Vec<usize> = reduction.loops.iter().map(|range| range.iterator).collect();
        // The iterations of a chunk tell which one it is.
        let tells = |range: &&Range| !is_in_chunks || range.iterator != first.iterator;
        let all: Vec<usize> = reduction.all().filter(tells).map(|range| range.iterator).collect();
        let reads_once = term.reads().iter().any(|read| read.depends_on_each(&all));
        let may_be_parted = is_plain && is_long && reads_once && !is_difference;
        (may_be_parted && !assignment.target.depends_on(&own)).then_some(reduction)
    }

    /// Returns `true` if its first loop is one over chunks of another.
    fn is_in_chunks(&self) -> bool {
        matches!(&self.loops[..], [chunks, iterations] if iterations.lower == [iterator(chunks.iterator)])
    }

    /// Returns all loops around its statement.
    fn all(&self) -> impl Iterator<Item = &Range> {
        self.around.iter().chain(&self.loops)
    }

    /// Returns the number of elements of a partial result.
    fn count(&self) -> Expression {
        let mut ends = self.loops[1..].iter().map(|range| Expression::from(range.upper[0].clone()));
        let first = ends.next().expect("a partial result has loops");
        ends.fold(first, |all, end| all * end)
    }

    /// Returns `true` if a value is the same in all iterations.
    fn is_fixed(&self, value: &Expression) -> bool {
        let own: Vec<usize> = self.loops.iter().map(|range| range.iterator).collect();
        let mut is_fixed = reads_alone(value, &|read| !read.depends_on(&own));
        value.visit(&mut |part| {
            is_fixed &= !matches!(part, Expression::Integer(value) if !value.is_of_sizes())
        });
        is_fixed
    }
}

/// Returns loops with other iterators.
fn with_iterators(loops: &[Range], iterators: impl Iterator<Item = usize>) -> Vec<Range> {
    let iterators: Vec<usize> = iterators.collect();
    let renamed = |bound: &Affine| {
        loops.iter().zip(&iterators).fold(bound.clone(), |bound, (range, to)| {
            bound.substitute(Variable::Iterator(range.iterator), &iterator(*to))
        })
    };
    let own = loops.iter().zip(&iterators).map(|(range, to)| {
        let [lower, upper] = [&range.lower, &range.upper].map(|all| all.iter().map(renamed).collect());
        Range { iterator: *to, lower, upper, ..range.clone() }
    });
    own.collect()
}

/// Returns `true` if all that a value reads are such elements, none of them where an array says.
fn reads_alone(value: &Expression, is_such: &dyn Fn(&Access) -> bool) -> bool {
    let mut are_such = true;
    value.visit(&mut |part| {
        are_such &= match part {
            Expression::Load(access) => is_such(access),
            Expression::Quasi(_) | Expression::Gather(_) => false,
            _ => true,
        };
    });
    are_such
}

impl Group {
    /// Returns the loops of the partial results.
    fn into_nodes(self) -> Vec<Node> {
        let mut body = Vec::new();
        for Partial { element, operator, term } in self.partials {
            body.push(Node::Assign(Assignment::begin(element.clone(), operator)));
            let update = vec![Node::Assign(Assignment::reduce(element, operator, term))];
            body.extend(nested(self.inner.clone().into_iter(), update));
        }
        nested(self.outer.into_iter(), body)
    }
}
