//! Ranges of loops.

use proc_macro2::Ident;
use syn::{Expr, ExprMethodCall, RangeLimits, Result};

use super::facts::Facts;
use super::integers::{Side, affine, bounds, sum};
use super::ir::Affine;
use super::scope::{Scope, at, bare, name};

/// The values of a range.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// They are at least each of these.
    pub lower: Vec<Affine>,
    /// They are below each of these.
    pub upper: Vec<Affine>,
    /// `step_by`
    pub step: i64,
    /// `rev`
    pub is_reversed: bool,
    /// They are of type `usize`, which takes no negative ones.
    are_natural: bool,
}

impl Values {
    /// Notes what is known of an iterator with these values.
    pub fn note(&self, iterator: &Ident, facts: &mut Facts) {
        let own = Affine::variable(iterator);
        if self.are_natural {
            facts.note([&own, &Affine::default()], 1, 0);
        }
        self.lower.iter().for_each(|bound| facts.note([&own, bound], 1, 0));
        self.upper.iter().for_each(|bound| facts.note([&own, bound], -1, -1));
        if self.step != 1 {
            facts.note_steps([&own, &self.lower[0]], self.step);
        }
    }
}

/// Reads the range of a loop.
pub(super) fn range(expression: &Expr, scope: &Scope) -> Result<Values> {
    match bare(expression) {
        Expr::Range(range) => {
            let (Some(start), Some(end)) = (&range.start, &range.end) else {
                return at(range, "a loop has two bounds: write `0..n`");
            };
            let lower = bounds(start, Side::Lower, scope)?;
            let upper = match range.limits {
                RangeLimits::HalfOpen(_) => bounds(end, Side::Upper, scope)?,
                RangeLimits::Closed(_) => {
                    let last = bounds(end, Side::Last, scope)?;
                    let next = last.into_iter().map(|last| sum(end, last, &Affine::number(1), 1));
                    next.collect::<Result<_>>()?
                }
            };
            let are_natural = [start, end].iter().any(|bound| has_size(bound, scope));
            Ok(Values { lower, upper, step: 1, is_reversed: false, are_natural })
        }
        Expr::MethodCall(call) => adapted(call, scope),
        other => at(
            other,
            "write a range of integers: `0..n`, `(0..n).rev()` or `(0..n).step_by(2)`, or a list: `[1, 2, 4]`",
        ),
    }
}

fn adapted(call: &ExprMethodCall, scope: &Scope) -> Result<Values> {
    let values = range(&call.receiver, scope)?;
    if values.step != 1 || values.is_reversed {
        return at(
            &call.method,
            "a range has one of `rev()` and `step_by(..)`: write the other order by subscripts",
        );
    }
    match (call.method.to_string().as_str(), call.args.first()) {
        ("rev", None) => Ok(Values { is_reversed: true, ..values }),
        ("step_by", Some(step)) => Ok(Values { step: step_of(step, &values, scope)?, ..values }),
        _ => at(&call.method, "write `rev()` or `step_by(NUMBER)`"),
    }
}

fn step_of(step: &Expr, values: &Values, scope: &Scope) -> Result<i64> {
    let read = affine(step, scope)?;
    if !read.terms.is_empty() || read.constant < 1 {
        return at(step, "a step is a number, 1 or more");
    }
    if values.lower.len() != 1 {
        return at(step, "a range with a step has one lower bound: write it without `max`");
    }
    Ok(read.constant)
}

/// Returns true where a size is in a bound as it is: then all of it is of type `usize`.
fn has_size(bound: &Expr, scope: &Scope) -> bool {
    match bare(bound) {
        Expr::Binary(binary) => has_size(&binary.left, scope) || has_size(&binary.right, scope),
        Expr::MethodCall(call) => {
            has_size(&call.receiver, scope) || call.args.iter().any(|own| has_size(own, scope))
        }
        other => name(other).is_some_and(|name| scope.is_size(name)),
    }
}
