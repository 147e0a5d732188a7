//! Bounds of iterators: boxes around loops that depend on each other.

use crate::kernel::Extent;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Relation;
use crate::nest::{Condition, Node, Range};

/// The loop of an iterator.
pub fn range(nodes: &[Node], iterator: usize) -> Option<&Range> {
    nodes.iter().find_map(|node| match node {
        Node::Loop(range, _) if range.iterator == iterator => Some(range),
        Node::Loop(_, body) | Node::If(_, body) => self::range(body, iterator),
        Node::Assign(_) => None,
    })
}

/// A box around the values of the loops of a grid: bounds of a loop that mention another one get the extremes of
/// that one.
pub fn boxes(ranges: &[&Range]) -> Vec<Extent> {
    let mut found: Vec<Extent> = Vec::new();
    for range in ranges {
        let outer: Vec<(Variable, &Extent)> = ranges
            .iter()
            .zip(&found)
            .map(|(outer, extent)| (Variable::Iterator(outer.iterator), extent))
            .collect();
        let lower = extremes(&range.lower, &outer, true);
        let upper = extremes(&range.upper, &outer, false);
        found.push(Extent { lower, upper, step: range.step });
    }
    found
}

/// The least or the largest that bounds can be where the outer iterators are within their boxes.
fn extremes(bounds: &[Affine], outer: &[(Variable, &Extent)], is_least: bool) -> Vec<Affine> {
    let replace = |bounds: Vec<Affine>, (variable, extent): &(Variable, &Extent)| -> Vec<Affine> {
        let of_one = |bound: Affine| match bound.coefficient(*variable) {
            0 => vec![bound],
            coefficient if (coefficient > 0) == is_least => {
                // The iterator is at least each of its lower bounds: the largest of what comes out holds too.
                extent.lower.iter().map(|lower| bound.substitute(*variable, lower)).collect()
            }
            _ => {
                let last = extent.upper.iter().map(|upper| upper.clone() - 1);
                last.map(|last| bound.substitute(*variable, &last)).collect()
            }
        };
        bounds.into_iter().flat_map(of_one).collect()
    };
    outer.iter().rev().fold(bounds.to_vec(), replace)
}

/// That an iterator is within these bounds of its loop.
pub fn within(range: &Range, mut is_asked: impl FnMut(&Affine, bool) -> bool) -> Vec<Condition> {
    let iterator = Affine::from(Variable::Iterator(range.iterator));
    let mut conditions = Vec::new();
    for lower in range.lower.iter().filter(|bound| is_asked(bound, true)) {
        let (left, right) = (iterator.clone(), lower.clone());
        conditions.push(Condition { relation: Relation::GreaterOrEqual, left, right });
    }
    for upper in range.upper.iter().filter(|bound| is_asked(bound, false)) {
        let (left, right) = (iterator.clone(), upper.clone());
        conditions.push(Condition { relation: Relation::Less, left, right });
    }
    conditions
}

/// That a loop has an iteration, as far as that is not plain.
pub fn not_empty(range: &Range) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for lower in &range.lower {
        for upper in &range.upper {
            let extent = upper.clone() - lower.clone();
            if !extent.terms().is_empty() || extent.constant() <= 0 {
                let (left, right) = (lower.clone(), upper.clone());
                conditions.push(Condition { relation: Relation::Less, left, right });
            }
        }
    }
    conditions
}

/// What is at least 0 exactly where the condition holds: one, or of an equality two.
pub fn not_negative(condition: &Condition) -> Vec<Affine> {
    let (left, right) = (condition.left.clone(), condition.right.clone());
    match condition.relation {
        Relation::Less => vec![right - left - 1],
        Relation::LessOrEqual => vec![right - left],
        Relation::Greater => vec![left - right - 1],
        Relation::GreaterOrEqual => vec![left - right],
        Relation::Equal => vec![left.clone() - right.clone(), right - left],
    }
}

/// That a value is not negative.
pub fn is_not_negative(value: Affine) -> Condition {
    Condition { relation: Relation::GreaterOrEqual, left: value, right: Affine::from(0) }
}

/// Whether one of the iterators occurs.
pub fn mentions(affine: &Affine, iterators: &[usize]) -> bool {
    iterators.iter().any(|iterator| affine.mentions(Variable::Iterator(*iterator)))
}
