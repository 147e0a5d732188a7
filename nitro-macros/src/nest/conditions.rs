//! The conditions of `if`s around statements, which compare integers.

use syn::{BinOp, Expr, Result};

use super::integers::{affine, relation};
use super::ir::Condition;
use super::scope::{Scope, at, bare};
use super::values::value;

const OF_VALUES: &str = "a condition around statements compares integers, not values: choose a value instead, as in \
    `x[i] = if a[i] < b { c } else { x[i] };`";

/// Reads the condition of an `if` around statements.
pub(crate) fn conditions(expression: &Expr, scope: &Scope) -> Result<Vec<Condition>> {
    if is_of_values(expression, scope) {
        return at(expression, OF_VALUES);
    }
    let expression = bare(expression);
    let Expr::Binary(binary) = expression else {
        return at(expression, "a condition compares integers: write `i < n`, several joined by `&&`");
    };
    if let BinOp::And(_) = binary.op {
        let mut all = conditions(&binary.left, scope)?;
        all.extend(conditions(&binary.right, scope)?);
        return Ok(all);
    }
    let relation = relation(&binary.op)?;
    let [left, right] = [affine(&binary.left, scope)?, affine(&binary.right, scope)?];
    Ok(vec![Condition { relation, left, right }])
}

/// Returns the conditions of the parts into which the opposite of all of these falls. The parts exclude each other: in
/// each one more condition holds, and the next one does not.
pub(crate) fn opposites(all: &[Condition]) -> Vec<Vec<Condition>> {
    let mut parts = Vec::new();
    for (index, Condition { relation, left, right }) in all.iter().enumerate() {
        let broken: &[&'static str] = match *relation {
            "Less" => &["GreaterOrEqual"],
            "LessOrEqual" => &["Greater"],
            "Greater" => &["LessOrEqual"],
            "GreaterOrEqual" => &["Less"],
            _ => &["Less", "Greater"],
        };
        for relation in broken {
            let mut part = all[..index].to_vec();
            part.push(Condition { relation, left: left.clone(), right: right.clone() });
            parts.push(part);
        }
    }
    parts
}

/// Returns true where a condition, or a part of it, asks for values: only the data tells them.
fn is_of_values(condition: &Expr, scope: &Scope) -> bool {
    match bare(condition) {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => false,
        Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
            is_of_values(&binary.left, scope) || is_of_values(&binary.right, scope)
        }
        Expr::Binary(binary) => is_value(&binary.left, scope) || is_value(&binary.right, scope),
        Expr::Unary(unary) => is_of_values(&unary.expr, scope) || is_value(&unary.expr, scope),
        Expr::MethodCall(call) => is_value(&call.receiver, scope),
        Expr::Let(binding) => is_value(&binding.expr, scope),
        other => is_value(other, scope),
    }
}

fn is_value(side: &Expr, scope: &Scope) -> bool {
    affine(side, scope).is_err() && value(side, scope).is_ok()
}
