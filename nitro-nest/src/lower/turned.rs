//! The pass that brings loops to the order of scans, in which an element tells of all up to it.
//!
//! Loops that go backwards go forwards over turned places. Where an element tells of those before it alone, what is
//! added up comes one iteration later. Neither changes the order of operations.

use super::AnalysedNest;
use super::bounds::not_empty;
use super::row_kernels::shared_reduction;
use crate::dependence::DependenceError;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Assignment, Nest, Node, Range};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut nest = input.nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    let has_changed = turned_in(&nest, &mut body);
    nest.body = body;
    has_changed.then(|| AnalysedNest::new(nest)).transpose()
}

/// Turns the loops in a body.
fn turned_in(nest: &Nest, body: &mut Vec<Node>) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < body.len() {
        if let Some(forward) = forward(nest, &body[at]) {
            body[at] = forward;
            has_changed = true;
        }
        if let Some(later) = one_later(nest, &body[at]) {
            let count = later.len();
            body.splice(at..=at, later);
            at += count - 1;
            has_changed = true;
        } else if let Node::Loop(_, inner) | Node::If(_, inner) = &mut body[at] {
            has_changed |= turned_in(nest, inner);
        }
        at += 1;
    }
    has_changed
}

/// Returns the first and the last value of a loop whose steps are 1, each as one bound.
fn ends(range: &Range) -> Option<[Affine; 2]> {
    let ([lower], [upper]) = (&range.lower[..], &range.upper[..]) else { return None };
    (range.step == 1).then(|| [lower.clone(), upper.clone() - 1])
}

/// Returns the statements of a body that has nothing else.
fn statements(body: &[Node]) -> Option<Vec<&Assignment>> {
    body.iter().map(Node::assignment).collect()
}

/// Returns a loop forwards that does what one backwards does, if results go from one iteration to the next.
fn forward(nest: &Nest, node: &Node) -> Option<Node> {
    let Node::Loop(range, body) = node else { return None };
    let [first, last] = ends(range).filter(|_| range.is_reversed)?;
    let all = statements(body)?;
    let goes_on = |one: &&Assignment| match &all[..] {
        [_] => one.value.reads().iter().any(|read| read.array == one.target.array && **read != one.target),
        _ => !one.target.depends_on(&[range.iterator]) && shared_reduction(nest, one).is_some(),
    };
    all.iter().find(|one| goes_on(one))?;
    let own = Affine::from(Variable::Iterator(range.iterator));
    let body = with(body, range.iterator, &(first + last - own));
    Some(Node::Loop(Range { is_reversed: false, ..range.clone() }, body))
}

/// Returns what a loop is whose last statement reduces to an element that the others read before: first what these do
/// in the first iteration, then a loop that reduces and goes on with the next one, then the last reduction.
fn one_later(nest: &Nest, node: &Node) -> Option<Vec<Node>> {
    let Node::Loop(range, body) = node else { return None };
    let [first, last] = ends(range).filter(|_| !range.is_reversed)?;
    let all = statements(body)?;
    let (reduces, others) = all.split_last()?;
    let target = &reduces.target;
    shared_reduction(nest, reduces).filter(|_| !target.depends_on(&[range.iterator]))?;
    let is_read = others.iter().any(|other| other.value.reads().contains(&target));
    if !is_read || others.iter().any(|other| other.target.array == target.array) {
        return None;
    }
    let own = Affine::from(Variable::Iterator(range.iterator));
    let (others, reduces) = body.split_at(others.len());
    let later = Range { lower: vec![first.clone() + 1], ..range.clone() };
    let again = [with(reduces, range.iterator, &(own - 1)), others.to_vec()].concat();
    let [before, after] = [with(others, range.iterator, &first), with(reduces, range.iterator, &last)];
    let [before, after] = [before, after].map(|nodes| match not_empty(range) {
        conditions if conditions.is_empty() => nodes,
        conditions => vec![Node::If(conditions, nodes)],
    });
    Some([before, vec![Node::Loop(later, again)], after].concat())
}

/// Returns nodes with something in the place of an iterator.
fn with(nodes: &[Node], iterator: usize, by: &Affine) -> Vec<Node> {
    let mut nodes = nodes.to_vec();
    let placed = |affine: &Affine| affine.substitute(Variable::Iterator(iterator), by);
    nodes.iter_mut().for_each(|node| node.map_integers(&placed));
    nodes
}
