//! Sums whose terms are added one after the other.

use crate::dependence::is_sum;
use crate::nest::Assignment;
use crate::nest::expression::{Binary, Expression};

/// Of `x = x + (a * b + c * d)` makes `x = (x + a * b) + c * d`: two operations of a device that multiplies and
/// adds in one, instead of three. What is no sum stays.
pub fn one_by_one(assignment: &Assignment) -> Assignment {
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
    let add = |sum, (term, is_negative): (&Expression, bool)| {
        let operator = if is_negative { Binary::Subtract } else { Binary::Add };
        Expression::Binary(operator, Box::new(sum), Box::new(term.clone()))
    };
    let value = terms.into_iter().fold(own, add);
    Assignment { target: assignment.target.clone(), value }
}

/// The terms of a sum, and whether they are taken away. What is made of one element alone stays together: it may be
/// kept as a whole.
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
