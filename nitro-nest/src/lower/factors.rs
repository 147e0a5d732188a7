//! The pass that takes factors out of sums: Σ Σ a·b·c is Σ (Σ a·b)·c, where c is the same along one of the loops.
//!
//! What is inside is a sum of its own then, as a product of matrices is, and each operand of it is reused.

#[cfg(feature = "polyhedral")]
use super::AnalysedNest;
use super::arrange::is_coalesced;
use super::bounds::{may_grow, whole};
#[cfg(feature = "polyhedral")]
use crate::dependence::DependenceError;
use crate::dependence::is_sum;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Nest, Node, Range, nested};

/// Runs the pass.
#[cfg(feature = "polyhedral")]
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    factored(&input.nest).map(AnalysedNest::new).transpose()
}

/// Takes factors out of the sums of a nest that permits another order of additions, one loop of each.
///
/// None: it has no such sum.
pub(crate) fn factored(nest: &Nest) -> Option<Nest> {
    if !nest.reassociates() {
        return None;
    }
    let mut nest = nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    let mut has_changed = false;
    for node in &mut body {
        has_changed |= factor_in(&mut nest, node, &mut Vec::new());
    }
    nest.body = body;
    has_changed.then_some(nest)
}

/// Takes factors out of what is in a node; `around` are the loops outside of it.
fn factor_in(nest: &mut Nest, node: &mut Node, around: &mut Vec<Range>) -> bool {
    if let Some(factored) = Sum::new(node, around).and_then(|sum| sum.factored(nest)) {
        *node = factored;
        return true;
    }
    let Node::Loop(range, body) = node else { return false };
    around.push(range.clone());
    let changed: Vec<bool> = body.iter_mut().map(|node| factor_in(nest, node, around)).collect();
    around.pop();
    changed.contains(&true)
}

/// A sum of products, with the loops that it runs along.
struct Sum<'n> {
    target: &'n Access,
    factors: Vec<&'n Expression>,
    around: &'n [Range],
    loops: Vec<&'n Range>,
}

impl<'n> Sum<'n> {
    /// Returns the sum that a node is, if it is the outermost loop of one.
    fn new(node: &'n Node, around: &'n [Range]) -> Option<Self> {
        let (mut loops, mut inside) = (Vec::new(), node);
        let assignment = loop {
            match inside {
                Node::Loop(range, body) => {
                    let [only] = &body[..] else { return None };
                    loops.push(range);
                    inside = only;
                }
                Node::Assign(assignment) => break assignment,
                Node::If(..) => return None,
            }
        };
        let Expression::Binary(Binary::Add, left, right) = &assignment.value else { return None };
        let own = Expression::Load(assignment.target.clone());
        let added = if **left == own { right } else { left };
        let mut factors = Vec::new();
        gather_factors(added, &mut factors);
        let is_plain = |factor: &&Expression| {
            let mut is_plain = true;
            factor.visit(&mut |part| {
                is_plain &=
                    !matches!(part, Expression::Gather(_) | Expression::Integer(_) | Expression::Quasi(_));
            });
            is_plain
        };
        let is_along = factors.iter().all(is_plain)
            && loops.iter().all(|range| !assignment.target.depends_on(&[range.iterator]));
        (is_sum(assignment) && is_along && loops.len() > 1).then_some(Self {
            target: &assignment.target,
            factors,
            around,
            loops,
        })
    }

    /// Returns the sum with factors taken out of one of its loops; none: it has none that is worth it.
    fn factored(&self, nest: &mut Nest) -> Option<Node> {
        let mut all: Vec<&Range> = self.around.iter().chain(self.loops.iter().copied()).collect();
        // The innermost loop that leaves a sum of products, along other loops of the sum.
        let inner = self.loops.iter().rev().find(|inner| self.is_worth(inner, &all))?;
        all.retain(|range| range.iterator != inner.iterator);
        let (within, outside) = self.split(inner);
        // A product of matrices wants neighbours along the loop along which most elements are.
        let accesses: Vec<&Access> =
            self.factors.iter().flat_map(|factor| factor.reads()).chain([self.target]).collect();
        let count =
            |range: &Range| accesses.iter().filter(|access| is_coalesced(access, range.iterator)).count();
        let last = (0..all.len()).max_by_key(|at| (count(all[*at]), *at))?;
        let mut order = all.clone();
        let last = order.remove(last);
        order.push(last);
        let shape = order.iter().map(|range| range.upper[0].clone()).collect();
        let name = format!("{}_within", nest.arrays[self.target.array].name);
        let array = nest.new_temporary(&name, shape);
        let subscripts = order.iter().map(|range| Affine::from(Variable::Iterator(range.iterator))).collect();
        let own = Access { array, subscripts };
        let add = |target: &Access, value: Expression| {
            let value = Expression::Load(target.clone()) + value;
            Node::Assign(Assignment { target: target.clone(), value })
        };
        let zero = Assignment { target: own.clone(), value: Expression::from(0.0) };
        let sum = Node::Loop((*inner).clone(), vec![add(&own, product(within))]);
        let rest = add(self.target, Expression::Load(own) * product(outside));
        let others = self.loops.iter().filter(|range| range.iterator != inner.iterator);
        nested(others.map(|range| (*range).clone()), vec![Node::Assign(zero), sum, rest]).into_iter().next()
    }

    /// Returns the factors that depend on a loop, and the others.
    fn split(&self, inner: &Range) -> (Vec<&'n Expression>, Vec<&'n Expression>) {
        self.factors.iter().copied().partition(|factor| depends_on(factor, inner))
    }

    /// Returns `true` if a loop's sum is one of products that each of the other loops has another of, and some factors
    /// are left that depend on another loop of the sum.
    fn is_worth(&self, inner: &Range, all: &[&Range]) -> bool {
        let (within, outside) = self.split(inner);
        let mut others = all.iter().filter(|range| range.iterator != inner.iterator);
        let mut left = self.loops.iter().filter(|range| range.iterator != inner.iterator);
        may_grow(inner)
            && within.len() > 1
            && left.any(|range| may_grow(range) && outside.iter().any(|factor| depends_on(factor, range)))
            && others
                .all(|range| whole(range).is_some() && within.iter().any(|factor| depends_on(factor, range)))
            && within.iter().all(|factor| all.iter().any(|range| !depends_on(factor, range)))
    }
}

fn depends_on(factor: &Expression, range: &Range) -> bool {
    factor.reads().iter().any(|read| read.depends_on(&[range.iterator]))
}

/// Gathers the factors of a product, each an element or what is made of elements.
fn gather_factors<'e>(value: &'e Expression, found: &mut Vec<&'e Expression>) {
    match value {
        Expression::Binary(Binary::Multiply, left, right) => {
            gather_factors(left, found);
            gather_factors(right, found);
        }
        other => found.push(other),
    }
}

fn product(factors: Vec<&Expression>) -> Expression {
    let mut factors = factors.into_iter().cloned();
    let first = factors.next().expect("a product has factors");
    factors.fold(first, |all, factor| all * factor)
}
