//! Bounds of iterators: boxes around loops that depend on each other, and conditions made of bounds.

use crate::kernel::Extent;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Relation;
use crate::nest::{Condition, Node, Range};

/// Returns an iterator as an expression.
pub(crate) fn iterator(index: usize) -> Affine {
    Variable::Iterator(index).into()
}

/// Returns a loop from 0 to below a number.
pub(crate) fn count_to(iterator: usize, end: i64) -> Range {
    Range {
        iterator,
        lower: vec![Affine::from(0)],
        upper: vec![Affine::from(end)],
        step: 1,
        is_reversed: false,
    }
}

/// Returns the end of a loop that goes on from 0 by one.
pub(super) fn whole(range: &Range) -> Option<&Affine> {
    let [upper] = &range.upper[..] else { return None };
    let is_whole =
        range.lower == [Affine::from(0)] && range.step == 1 && !range.is_reversed && upper.is_of_sizes();
    is_whole.then_some(upper)
}

/// Returns `true` if a loop ends at no constant: it may go on for longer where sizes are larger.
pub(super) fn may_grow(range: &Range) -> bool {
    range.upper.iter().any(|upper| !upper.terms().is_empty())
}

/// Returns `true` if a loop has fewer iterations than that, whatever the sizes.
pub(super) fn is_shorter(range: &Range, than: i64) -> bool {
    range.upper.iter().any(|upper| {
        range.lower.iter().any(|lower| {
            let length = upper.clone() - lower.clone();
            length.terms().is_empty() && length.constant() < than * range.step
        })
    })
}

/// Finds the loop of an iterator.
pub(crate) fn find_loop(nodes: &[Node], iterator: usize) -> Option<&Range> {
    nodes.iter().find_map(|node| match node {
        Node::Loop(range, _) if range.iterator == iterator => Some(range),
        _ => find_loop(node.body(), iterator),
    })
}

/// Returns a box around the values of the loops of a grid.
///
/// Bounds of a loop that mention another one get the extremes of that one.
pub(crate) fn boxes(ranges: &[&Range]) -> Vec<Extent> {
    let mut found: Vec<Extent> = Vec::new();
    for range in ranges {
        let lower = extremes(&range.lower, ranges, &found, true);
        let upper = extremes(&range.upper, ranges, &found, false);
        found.push(Extent { lower, upper, step: range.step });
    }
    found
}

/// Returns the least or the largest that bounds can be where the outer iterators are within their boxes.
fn extremes(bounds: &[Affine], outer: &[&Range], boxes: &[Extent], is_least: bool) -> Vec<Affine> {
    let mut found = bounds.to_vec();
    // Inner loops first: what replaces them may mention those outside of them.
    for (range, extent) in outer.iter().zip(boxes).rev() {
        let variable = Variable::Iterator(range.iterator);
        found = found.iter().flat_map(|bound| extremes_along(bound, variable, extent, is_least)).collect();
    }
    found
}

/// Returns the extremes of one bound along one iterator.
fn extremes_along(bound: &Affine, variable: Variable, extent: &Extent, is_least: bool) -> Vec<Affine> {
    match bound.coefficient(variable) {
        0 => vec![bound.clone()],
        // The iterator is at least each of its lower bounds: the largest of what comes out holds too.
        factor if (factor > 0) == is_least => {
            extent.lower.iter().map(|lower| bound.substitute(variable, lower)).collect()
        }
        _ => extent.upper.iter().map(|upper| bound.substitute(variable, &(upper.clone() - 1))).collect(),
    }
}

/// Returns the conditions that an iterator is within those bounds of its loop that `is_asked` picks.
///
/// The second argument of `is_asked` says if the bound is a lower one.
pub(crate) fn within(range: &Range, mut is_asked: impl FnMut(&Affine, bool) -> bool) -> Vec<Condition> {
    let value = iterator(range.iterator);
    let mut conditions = Vec::new();
    for lower in range.lower.iter().filter(|bound| is_asked(bound, true)) {
        conditions.push(Condition::at_least(value.clone(), lower.clone()));
    }
    for upper in range.upper.iter().filter(|bound| is_asked(bound, false)) {
        conditions.push(Condition::less(value.clone(), upper.clone()));
    }
    conditions
}

/// Returns the conditions that a loop has an iteration, as far as that is not plain.
pub(crate) fn not_empty(range: &Range) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for lower in &range.lower {
        for upper in &range.upper {
            let extent = upper.clone() - lower.clone();
            if !extent.terms().is_empty() || extent.constant() <= 0 {
                conditions.push(Condition::less(lower.clone(), upper.clone()));
            }
        }
    }
    conditions
}

/// Returns the values that are at least 0 exactly where the condition holds: one, or two of an equality.
pub(crate) fn not_negative(condition: &Condition) -> Vec<Affine> {
    let (left, right) = (condition.left.clone(), condition.right.clone());
    match condition.relation {
        Relation::Less => vec![right - left - 1],
        Relation::LessOrEqual => vec![right - left],
        Relation::Greater => vec![left - right - 1],
        Relation::GreaterOrEqual => vec![left - right],
        Relation::Equal => vec![left.clone() - right.clone(), right - left],
    }
}

/// Returns the condition that a value is at least 0.
pub(crate) fn is_not_negative(value: Affine) -> Condition {
    Condition::at_least(value, Affine::from(0))
}

/// Returns `true` if one of the iterators occurs.
pub(crate) fn mentions(affine: &Affine, iterators: &[usize]) -> bool {
    iterators.iter().any(|iterator| affine.mentions(Variable::Iterator(*iterator)))
}

/// Returns `true` if one of the iterators occurs in a condition.
pub(crate) fn condition_mentions(condition: &Condition, iterators: &[usize]) -> bool {
    mentions(&condition.left, iterators) || mentions(&condition.right, iterators)
}
