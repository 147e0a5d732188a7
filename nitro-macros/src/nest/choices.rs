//! Choices between two values.

use syn::{BinOp, Block, Expr, ExprBinary, ExprIf, ExprUnary, Result, Stmt, UnOp};

use super::elements::integer;
use super::integers::{quasi, relation, sum};
use super::ir::Value;
use super::scope::{Scope, at, bare};
use super::values::value;

/// Reads `if a < b { x } else { y }`.
pub(super) fn select(choice: &ExprIf, scope: &Scope) -> Result<Value> {
    let Some((_, otherwise)) = &choice.else_branch else {
        return at(choice.if_token, "a value needs both cases: write `if a < b { x } else { y }`");
    };
    let [holds, fails] = [true, false].map(|holds| scope.supposing(&choice.cond, holds));
    let then = result(&choice.then_branch, &holds)?;
    let otherwise = match &**otherwise {
        Expr::Block(block) => result(&block.block, &fails)?,
        other => value(other, &fails)?,
    };
    chosen(&choice.cond, [then, otherwise], scope)
}

/// The choice between two values by a condition: several comparisons become choices within each other.
pub(super) fn chosen(condition: &Expr, [then, otherwise]: [Value; 2], scope: &Scope) -> Result<Value> {
    let condition = bare(condition);
    if let Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) = condition {
        return chosen(expr, [otherwise, then], scope);
    }
    let Expr::Binary(comparison) = condition else {
        return at(condition, "the condition of a value compares two values: write `a < b`");
    };
    let ExprBinary { left, op, right, .. } = comparison;
    let (relation, [then, otherwise]) = match op {
        BinOp::And(_) => {
            let then = chosen(right, [then, otherwise.clone()], &scope.supposing(left, true))?;
            return chosen(left, [then, otherwise], scope);
        }
        BinOp::Or(_) => {
            let otherwise = chosen(right, [then.clone(), otherwise], &scope.supposing(left, false))?;
            return chosen(left, [then, otherwise], scope);
        }
        BinOp::Ne(_) => ("Equal", [otherwise, then]),
        other => (relation(other)?, [then, otherwise]),
    };
    let compared = match (quasi(left, scope), quasi(right, scope)) {
        // The sign of a difference is the same in any precision.
        (Ok(left), Ok(right)) => {
            [integer(condition, &sum(condition, left, &right, -1)?, scope)?, Value::Constant(0.0)]
        }
        _ => [value(left, scope)?, value(right, scope)?],
    };
    let [left, right] = compared;
    Ok(Value::Select(relation, Box::new([left, right, then, otherwise])))
}

/// The value that a block is.
fn result(block: &Block, scope: &Scope) -> Result<Value> {
    match &block.stmts[..] {
        [Stmt::Expr(expression, None)] => value(expression, scope),
        _ => at(block, "write one value in these braces"),
    }
}
