//! The pass that makes scans of recurrences: y[j] = y[j − 1] + t is c += t, and y[j] = y[0] + c after that.
//!
//! What goes from one element to the next one is a single sum then, of which each part may be added up by itself.

use super::AnalysedNest;
use super::bounds::{iterator, whole};
use super::row_kernels::shared_reduction;
use crate::dependence::DependenceError;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Nest, Node, Range};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut nest = input.nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    let has_changed = recurrences_in(&mut nest, &mut body, &mut Vec::new());
    nest.body = body;
    has_changed.then(|| AnalysedNest::new(nest)).transpose()
}

/// Makes scans of the recurrences in a body with loops around it.
fn recurrences_in(nest: &mut Nest, body: &mut Vec<Node>, around: &mut Vec<Range>) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < body.len() {
        if let Some(scan) = scan(nest, &body[at], around) {
            body.splice(at..=at, scan);
            has_changed = true;
        } else if let Node::Loop(range, inner) = &mut body[at] {
            around.push(range.clone());
            has_changed |= recurrences_in(nest, inner, around);
            around.pop();
        }
        at += 1;
    }
    has_changed
}

/// Returns the scan that a loop is, with what sets its sum before it; none: it is no recurrence.
fn scan(nest: &mut Nest, node: &Node, around: &[Range]) -> Option<[Node; 2]> {
    let Node::Loop(range, body) = node else { return None };
    let ([Node::Assign(assignment)], [lower]) = (&body[..], &range.lower[..]) else { return None };
    let Expression::Binary(operator, left, right) = &assignment.value else { return None };
    let own = Affine::from(Variable::Iterator(range.iterator));
    let target = &assignment.target;
    let before = Expression::Load(target.with(range.iterator, &(own - 1)));
    let (operator, term) = match operator {
        Binary::Subtract if **left == before => (Binary::Add, -(**right).clone()),
        Binary::Subtract => return None,
        _ if **left == before => (*operator, (**right).clone()),
        _ if **right == before => (*operator, (**left).clone()),
        _ => return None,
    };
    let ends: Option<Vec<Affine>> = around.iter().map(|range| whole(range).cloned()).collect();
    let reads_others = term.reads().iter().all(|read| read.array != target.array || *read == target);
    let is_plain = range.step == 1 && !range.is_reversed && target.depends_on(&[range.iterator]);
    if !is_plain || !reads_others || nest.arrays[target.array].storage != nitro_launch::Storage::Number {
        return None;
    }
    let shape = ends.map(|ends| if ends.is_empty() { vec![Affine::from(1)] } else { ends })?;
    let mut subscripts: Vec<Affine> = around.iter().map(|range| iterator(range.iterator)).collect();
    if subscripts.is_empty() {
        subscripts.push(Affine::from(0));
    }
    // Whether the sum may be shared out is known of one of its own.
    let element = Access { array: nest.arrays.len(), subscripts };
    let adds = Assignment::reduce(element.clone(), operator, term);
    shared_reduction(nest, &adds)?;
    nest.new_temporary(&format!("{}_before", nest.arrays[target.array].name), shape);
    let first = target.with(range.iterator, &(lower.clone() - 1));
    let [first, sum] = [first, element.clone()].map(|access| Box::new(Expression::Load(access)));
    let value = Expression::Binary(operator, first, sum);
    let each = Assignment { target: target.clone(), value };
    Some([
        Node::Assign(Assignment::begin(element, operator)),
        Node::Loop(range.clone(), vec![Node::Assign(adds), Node::Assign(each)]),
    ])
}
