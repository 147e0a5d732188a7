//! The pass that makes maxima and minima of choices: m = if x > m { x } else { m } is m = m.max(x).
//!
//! Both leave m as it is where x is no number. They differ where m is none, which a choice keeps. So m has to begin
//! with a number, or with an input: then a statement behind the loops gives back what is none. Zeros of both signs are
//! alike.

use super::AnalysedNest;
use crate::dependence::DependenceError;
use crate::nest::expression::{Access, Binary, Expression, Relation, Select};
use crate::nest::{Assignment, Nest, Node};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut nest = input.nest.clone();
    let mut body = std::mem::take(&mut nest.body);
    let has_changed = extremes_in(&nest, &mut body);
    nest.body = body;
    has_changed.then(|| AnalysedNest::new(nest)).transpose()
}

/// Makes maxima and minima of the choices in loops that come behind what sets their elements.
fn extremes_in(nest: &Nest, body: &mut Vec<Node>) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < body.len() {
        if let Node::Loop(_, inner) | Node::If(_, inner) = &mut body[at] {
            has_changed |= extremes_in(nest, inner);
        }
        let Some(set) = body[at].assignment().cloned().filter(|set| begins(nest, set)) else {
            at += 1;
            continue;
        };
        let touches = |node: &Node| node.assignments().iter().any(|own| own.touches(set.target.array));
        if let Some(next) = (at + 1..body.len()).find(|next| touches(&body[*next]))
            && only_chooses(&body[next], &set.target)
        {
            body[next].for_each_statement(&mut |own| {
                if let Some((operator, value)) = extreme(own) {
                    *own = Assignment::reduce(set.target.clone(), operator, value);
                }
            });
            if let Expression::Load(_) = set.value {
                body.insert(next + 1, Node::Assign(no_number(&set)));
            }
            has_changed = true;
        }
        at += 1;
    }
    has_changed
}

/// Returns `true` if an element begins with a number, or with an input, of which it is known afterwards whether it was
/// one.
fn begins(nest: &Nest, set: &Assignment) -> bool {
    let is_number = nest.arrays[set.target.array].storage.is_number();
    is_number
        && match &set.value {
            Expression::Constant(bits) => !f64::from(*bits).is_nan(),
            Expression::Load(access) => !nest.arrays[access.array].is_written,
            _ => false,
        }
}

/// Returns `true` if loops do nothing to an array but that they choose the larger or smaller of one element and others.
fn only_chooses(node: &Node, element: &Access) -> bool {
    let assignments = node.assignments();
    let mut own = assignments.iter().filter(|own| own.touches(element.array));
    matches!(node, Node::Loop(..)) && own.all(|own| own.target == *element && extreme(own).is_some())
}

/// Returns the operation that a choice between an element and another value is, and that value.
///
/// The comparison has to hold where the other value is taken: of what is no number none holds.
fn extreme(assignment: &Assignment) -> Option<(Binary, Expression)> {
    let Expression::Select(select) = &assignment.value else { return None };
    let Select { relation, left, right, then, otherwise } = &**select;
    let own = Expression::Load(assignment.target.clone());
    let is_left = *right == own && left == then;
    let is_right = *left == own && right == then;
    let operator = match relation {
        Relation::Greater | Relation::GreaterOrEqual if is_left => Binary::Maximum,
        Relation::Less | Relation::LessOrEqual if is_left => Binary::Minimum,
        Relation::Greater | Relation::GreaterOrEqual if is_right => Binary::Minimum,
        Relation::Less | Relation::LessOrEqual if is_right => Binary::Maximum,
        _ => return None,
    };
    let reads_others = then.reads().iter().all(|read| read.array != assignment.target.array);
    (*otherwise == own && reads_others).then(|| (operator, then.clone()))
}

/// Gives back what the element began with, if that is no number.
fn no_number(set: &Assignment) -> Assignment {
    let own = Expression::Load(set.target.clone());
    let begun = || set.value.clone();
    let value = Expression::select(Relation::Equal, [begun(), begun()], [own, begun()]);
    Assignment { target: set.target.clone(), value }
}
