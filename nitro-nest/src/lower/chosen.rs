//! The pass that puts sums under the conditions of their terms: s += if c { t } else { 0.0 } is if c { s += t }.
//!
//! A factor may be chosen so too, which is zero then: as if all numbers were finite.
//!
//! So a border that a value leaves out is one that statements leave out, of which operands come to shared memory.

use super::AnalysedNest;
use crate::dependence::{DependenceError, is_sum};
use crate::nest::affine::Affine;
use crate::nest::expression::{Binary, Expression, Relation, Select, Unary};
use crate::nest::{Assignment, Condition, Node};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut nest = input.nest.clone();
    // What is added to a sum may be zero of either sign.
    let has_changed = nest.reassociates() && guard_in(&mut nest.body);
    has_changed.then(|| AnalysedNest::new(nest)).transpose()
}

/// Puts the sums among nodes under the conditions of their terms.
fn guard_in(nodes: &mut [Node]) -> bool {
    let mut has_changed = false;
    for node in nodes {
        match node {
            Node::Loop(_, body) | Node::If(_, body) => has_changed |= guard_in(body),
            Node::Assign(assignment) => {
                if let Some((conditions, sum)) = under_conditions(assignment) {
                    *node = Node::If(conditions, vec![Node::Assign(sum)]);
                    has_changed = true;
                }
            }
        }
    }
    has_changed
}

/// Returns the conditions under which a sum's term is not zero, and the sum where they hold.
fn under_conditions(assignment: &Assignment) -> Option<(Vec<Condition>, Assignment)> {
    let mut sum = assignment.clone();
    let own = Expression::Load(sum.target.clone());
    let Expression::Binary(Binary::Add | Binary::Subtract, left, right) = &mut sum.value else { return None };
    let term = if **left == own { right } else { left };
    let mut conditions = Vec::new();
    while let Some(condition) = take_condition(term) {
        conditions.push(condition);
    }
    (is_sum(assignment) && !conditions.is_empty()).then_some((conditions, sum))
}

/// Takes a choice out of a term, and returns the condition under which the term is not zero by it.
fn take_condition(term: &mut Expression) -> Option<Condition> {
    match term {
        Expression::Select(select) => {
            let (condition, rest) = of_integers(select)?;
            *term = rest;
            Some(condition)
        }
        Expression::Binary(Binary::Multiply, left, right) => {
            take_condition(left).or_else(|| take_condition(right))
        }
        Expression::Binary(Binary::Divide, part, _) | Expression::Unary(Unary::Negate, part) => {
            take_condition(part)
        }
        _ => None,
    }
}

/// Returns the condition under which a choice by integers is not zero, and what it is then.
fn of_integers(select: &Select) -> Option<(Condition, Expression)> {
    let zero = Expression::from(0.0);
    let Select { relation, left: Expression::Integer(left), right, then, otherwise } = select else {
        return None;
    };
    let (relation, rest) = match (*then == zero, *otherwise == zero) {
        (false, true) => (*relation, then),
        (true, false) => (opposite(*relation)?, otherwise),
        _ => return None,
    };
    // Other numbers may be beyond what single precision tells apart.
    let condition = Condition { relation, left: left.clone(), right: Affine::from(0) };
    (*right == zero).then(|| (condition, rest.clone()))
}

fn opposite(relation: Relation) -> Option<Relation> {
    match relation {
        Relation::Less => Some(Relation::GreaterOrEqual),
        Relation::LessOrEqual => Some(Relation::Greater),
        Relation::Greater => Some(Relation::LessOrEqual),
        Relation::GreaterOrEqual => Some(Relation::Less),
        Relation::Equal => None,
    }
}
