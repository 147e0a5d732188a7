//! The pass that takes out of sums what scales all of their terms: c = e + Σ a·b/s is c = Σ a·b, then c = e + c/s.
//!
//! Each term is a product and an addition then, which are one instruction, and there is one quotient in the place of
//! many.

use super::AnalysedNest;
use super::bounds::mentions;
use crate::dependence::{DependenceError, is_sum};
use crate::nest::expression::{Binary, Expression};
use crate::nest::{Assignment, Nest, Node, Range};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut nest = input.nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    let mut has_changed = false;
    // What is done once to the total of all is a launch of its own, and takes longer than what it spares.
    for node in body.iter_mut().filter(|_| nest.reassociates()) {
        if let Node::Loop(_, inner) = node {
            has_changed |= scale_in(&nest, inner);
        }
    }
    nest.body = body;
    has_changed.then(|| AnalysedNest::new(nest)).transpose()
}

/// Takes scales out of the sums in a body that follow what sets their elements.
fn scale_in(nest: &Nest, body: &mut Vec<Node>) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < body.len() {
        if let Node::Loop(_, inner) = &mut body[at] {
            has_changed |= scale_in(nest, inner);
        }
        if let Some(after) = scale(nest, &mut body[..=at]) {
            at += 1;
            body.insert(at, Node::Assign(after));
            has_changed = true;
        }
        at += 1;
    }
    has_changed
}

/// Takes the scale out of a sum, the last of these nodes, and returns what scales and adds the value that it began
/// with.
fn scale(nest: &Nest, nodes: &mut [Node]) -> Option<Assignment> {
    let (sum, before) = nodes.split_last_mut()?;
    let (loops, adds) = terms(sum, Vec::new())?;
    let target = adds.target.clone();
    let own = Expression::Load(target.clone());
    let touches = |node: &Node| node.assignments().iter().any(|one| one.touches(target.array));
    let set = before.iter().rposition(touches)?;
    let is_next = set + 1 == before.len();
    let Node::Assign(set) = &mut before[set] else { return None };
    let zero = Expression::from(0.0);
    let is_number = nest.arrays[target.array].storage.is_number();
    let iterators: Vec<usize> = loops.iter().map(|range| range.iterator).collect();
    let begins_alone = set.value.reads().iter().all(|access| access.array != target.array);
    // What is between the two may change what the sum begins with.
    if !is_number || !begins_alone || set.target != target || !is_next && set.value != zero || !is_sum(adds) {
        return None;
    }
    if target.depends_on(&iterators) {
        return None;
    }
    let Expression::Binary(Binary::Add, left, right) = &mut adds.value else { return None };
    let added = if **left == own { right } else { left };
    let mut scaled = own.clone();
    while let Some((term, operator, scale)) = taken_apart(added, &iterators) {
        scaled = Expression::Binary(operator, Box::new(scaled), Box::new(scale));
        **added = term;
    }
    if scaled == own {
        return None;
    }
    let begun = std::mem::replace(&mut set.value, zero.clone());
    let value = if begun == zero { scaled } else { begun + scaled };
    Some(Assignment { target, value })
}

/// Returns the loops of nested loops with one assignment, and that.
fn terms(node: &mut Node, mut loops: Vec<Range>) -> Option<(Vec<Range>, &mut Assignment)> {
    match node {
        Node::Loop(range, body) => {
            let [only] = &mut body[..] else { return None };
            loops.push(range.clone());
            terms(only, loops)
        }
        Node::Assign(assignment) => Some((loops, assignment)),
        Node::If(..) => None,
    }
}

/// Returns a term without the last operand that no loop changes, if what is left is a product or that is a divisor.
///
/// A factor of one operand of a product stays where it is: it is applied once for many terms. A quotient takes many
/// instructions, a product and its addition one.
fn taken_apart(term: &Expression, iterators: &[usize]) -> Option<(Expression, Binary, Expression)> {
    let Expression::Binary(operator @ (Binary::Multiply | Binary::Divide), left, right) = term else {
        return None;
    };
    let (rest, scale) = match operator {
        _ if is_fixed(right, iterators) => (left, right),
        Binary::Multiply if is_fixed(left, iterators) => (right, left),
        _ => return None,
    };
    let is_product = |value: &Expression| {
        matches!(value, Expression::Binary(Binary::Multiply | Binary::Divide, one, other)
            if !is_fixed(one, iterators) || !is_fixed(other, iterators))
    };
    let is_of_many = rest.reads().iter().filter(|read| read.depends_on(iterators)).count() > 1;
    let is_worth = *operator == Binary::Divide
        || is_product(rest) && is_of_many
        || taken_apart(rest, iterators).is_some_and(|(_, operator, _)| operator == Binary::Divide);
    is_worth.then(|| ((**rest).clone(), *operator, (**scale).clone()))
}

/// Returns `true` if a value is the same in all iterations of loops.
fn is_fixed(value: &Expression, iterators: &[usize]) -> bool {
    let mut is_fixed = true;
    value.visit(&mut |part| {
        is_fixed &= match part {
            Expression::Load(access) => !access.depends_on(iterators),
            Expression::Integer(value) => !mentions(value, iterators),
            Expression::Quasi(_) | Expression::Gather(_) => false,
            _ => true,
        };
    });
    is_fixed
}
