//! The conditions of `if`s around statements.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprUnary, Result, UnOp};

use super::facts::Facts;
use super::integers::{affine, quasi, relation};
use super::ir::{Condition, Loop, Node};
use super::scope::{Scope, at, bare};
use super::values::value;

/// What to write in the place of a condition that only the data tell.
pub(super) const OF_VALUES: &str = "a condition on values is for assignments to elements that there are in any case, of \
    which it asks for one at most: choose values instead, as in `x[i] = if a[i] < b { c } else { x[i] };`";

/// What to write in the place of a condition with quotients around other statements.
pub(super) const OF_QUOTIENTS: &str = "a condition on a quotient or remainder is for assignments alone, to elements \
    that there are in any case: write loops around it, or a loop over each value of the remainder, as `2 * i + k` of \
    `i` and `k`";

/// Comparisons that all hold.
pub(crate) type Case = Vec<Condition>;

/// The most cases of a condition.
const MAX_CASES: usize = 64;

/// The most statements that the statements under a condition become.
const MAX_COPIES: usize = 64;

/// Reads the condition of an `if` around statements, or its opposite: the cases in which it holds, of which no two do
/// at once, without those that cannot be here.
pub(crate) fn cases(expression: &Expr, holds: bool, scope: &Scope) -> Result<Vec<Case>> {
    let expression = bare(expression);
    if let Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) = expression {
        return cases(expr, !holds, scope);
    }
    let Expr::Binary(binary) = expression else {
        return at(
            expression,
            "a condition compares integers: write `i < n`, several joined by `&&` and `||`",
        );
    };
    let [left, right] = [&*binary.left, &*binary.right];
    let (mut all, others) = match (&binary.op, holds) {
        (BinOp::And(_), true) | (BinOp::Or(_), false) => (Vec::new(), cases(left, holds, scope)?),
        (BinOp::And(_), false) | (BinOp::Or(_), true) => {
            (cases(left, holds, scope)?, cases(left, !holds, scope)?)
        }
        _ => return compared(&binary.op, [left, right], holds, scope),
    };
    // The right one is looked at where the left one leaves it open.
    let within = scope.supposing(left, matches!(binary.op, BinOp::And(_)));
    let right = cases(right, holds, &within)?;
    all.extend(others.iter().flat_map(|one| right.iter().map(|other| [&one[..], other].concat())));
    if all.len() > 1 {
        all.retain(|case| !scope.facts.exclude(case));
    }
    if all.len() > MAX_CASES {
        return at(expression, "this condition is of too many cases: write `if`s within each other");
    }
    Ok(all)
}

/// The cases of a comparison: what is not equal is less or greater.
fn compared(operator: &BinOp, sides: [&Expr; 2], holds: bool, scope: &Scope) -> Result<Vec<Case>> {
    let is_unequal = matches!(operator, BinOp::Ne(_));
    let relation = if is_unequal { "Equal" } else { relation(operator)? };
    let relations: &[&'static str] = match (relation, holds != is_unequal) {
        (relation, true) => &[relation],
        ("Less", _) => &["GreaterOrEqual"],
        ("LessOrEqual", _) => &["Greater"],
        ("Greater", _) => &["LessOrEqual"],
        ("GreaterOrEqual", _) => &["Less"],
        _ => &["Less", "Greater"],
    };
    let [left, right] = [affine(sides[0], scope)?, affine(sides[1], scope)?];
    let condition =
        |relation: &&'static str| vec![Condition { relation, left: left.clone(), right: right.clone() }];
    Ok(relations.iter().map(condition).collect())
}

/// The statements once for each case, without what cannot be there.
pub(super) fn copies(
    place: impl ToTokens,
    cases: Vec<Case>,
    nodes: Vec<Node>,
    facts: &Facts,
) -> Result<Vec<Node>> {
    if let [_] = &cases[..] {
        return Ok(cases.into_iter().map(|case| Node::If(case, nodes.clone())).collect());
    }
    let mut copies = Vec::new();
    for case in cases {
        let mut facts = facts.clone();
        facts.suppose_all(&case);
        copies.push(Node::If(case, possible(&nodes, &facts)));
    }
    if copies.iter().map(Node::statements).sum::<usize>() > MAX_COPIES {
        return at(
            place,
            "these are too many cases for so many statements: write `if`s that exclude each other",
        );
    }
    Ok(copies)
}

/// The nodes without those under conditions that cannot hold.
fn possible(nodes: &[Node], facts: &Facts) -> Vec<Node> {
    let mut left = Vec::new();
    for node in nodes {
        left.push(match node {
            Node::If(conditions, _) if facts.exclude(conditions) => continue,
            Node::If(conditions, body) => Node::If(conditions.clone(), possible(body, facts)),
            Node::Loop(repeated) => {
                Node::Loop(Loop { body: possible(&repeated.body, facts), ..repeated.clone() })
            }
            Node::Assign(_) => node.clone(),
        });
    }
    left
}

/// Returns true where a condition, or a part of it, asks for values, or for quotients: a choice between values does.
pub(super) fn is_of_values(condition: &Expr, scope: &Scope) -> bool {
    match bare(condition) {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
            is_of_values(&binary.left, scope) || is_of_values(&binary.right, scope)
        }
        Expr::Binary(binary) => is_value(&binary.left, scope) || is_value(&binary.right, scope),
        Expr::Unary(unary) => is_of_values(&unary.expr, scope) || is_value(&unary.expr, scope),
        Expr::MethodCall(call) => is_value(&call.receiver, scope),
        Expr::Let(binding) => is_value(&binding.expr, scope),
        other => is_value(other, scope),
    }
}

/// Returns true where a condition, or a part of it, compares quotients or remainders.
pub(super) fn asks_for_quotients(condition: &Expr, scope: &Scope) -> bool {
    match bare(condition) {
        Expr::Binary(ExprBinary { left, right, .. }) => {
            let is_one = |side| quasi(side, scope).is_ok_and(|sum| scope.facts.quotients.are_in(&sum));
            [left, right].into_iter().any(|side| is_one(side) || asks_for_quotients(side, scope))
        }
        Expr::Unary(unary) => asks_for_quotients(&unary.expr, scope),
        _ => false,
    }
}

fn is_value(side: &Expr, scope: &Scope) -> bool {
    match quasi(side, scope) {
        Ok(integer) => scope.facts.quotients.are_in(&integer),
        Err(_) => value(side, scope).is_ok(),
    }
}
