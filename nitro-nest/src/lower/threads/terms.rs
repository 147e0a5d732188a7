//! Sums whose terms are added one after the other.

use crate::dependence::is_sum;
use crate::nest::Assignment;
use crate::nest::expression::{Binary, Expression};

/// Adds the terms of a sum to its element one by one; other statements stay.
///
/// `x = x + (a * b + c * d)` becomes `x = (x + a * b) + c * d`. That is two operations of a device that multiplies and
/// adds in one, instead of three.
pub(super) fn one_by_one(assignment: &Assignment) -> Assignment {
    if !is_sum(assignment) {
        return assignment.clone();
    }
    let own = Expression::Load(assignment.target.clone());
    let mut terms = Vec::new();
    gather(&assignment.value, false, &mut terms);
    let Some(at) = terms.iter().position(|(term, is_negative)| **term == own && !is_negative) else {
        return assignment.clone();
    };
    terms.remove(at);
    // The element comes first, so that each term is one multiplication and addition.
    let mut value = own;
    for (term, is_negative) in terms {
        value = if is_negative { value - term.clone() } else { value + term.clone() };
    }
    Assignment { target: assignment.target.clone(), value }
}

/// Gathers the terms of a sum, each with `true` if it is taken away.
///
/// What is made of one element alone stays together: it may be kept as a whole.
fn gather<'a>(value: &'a Expression, is_negative: bool, terms: &mut Vec<(&'a Expression, bool)>) {
    match value {
        Expression::Binary(operator @ (Binary::Add | Binary::Subtract), left, right)
            if value.reads().len() > 1 =>
        {
            gather(left, is_negative, terms);
            gather(right, is_negative != (*operator == Binary::Subtract), terms);
        }
        term => terms.push((term, is_negative)),
    }
}
