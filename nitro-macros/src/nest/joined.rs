//! Statements that a condition chooses: each element becomes one of two values.

use syn::{Expr, Result};

use super::body::Reader;
use super::ir::{Access, Affine, Assignment, Node, Value};
use super::scope::{Meaning, Scope};
use super::{choices, variables};

impl Reader<'_> {
    /// `if i == 0 || j == 0 { y[i] = 1.0; } else { y[i] = 2.0; }` as one statement. None: it is more than that.
    pub(super) fn joined(
        &self,
        condition: &Expr,
        cases: [&[Node]; 2],
        before: &Scope,
    ) -> Option<Result<Vec<Node>>> {
        let [[Node::Assign(then)], [Node::Assign(other)]] = cases else { return None };
        let is_one = variables::is_equal(&other.target, &then.target) && self.is_number(&then.target.array);
        is_one.then(|| {
            let value = choices::chosen(condition, [then.becomes(), other.becomes()], before)?;
            Ok(vec![Node::Assign(Assignment { target: then.target.clone(), operation: None, value })])
        })
    }

    /// `if x[i] > most { most = x[i]; place = i as f32; }`: each element becomes the value, or is what it was. None:
    /// there are other statements, or elements that there may not be.
    pub(super) fn all_chosen(
        &self,
        condition: &Expr,
        holds: bool,
        body: &[Node],
        before: &Scope,
    ) -> Option<Result<Vec<Node>>> {
        let none = [Value::Constant(0.0), Value::Constant(0.0)];
        let asked = match choices::chosen(condition, none, before) {
            Ok(asked) => asked,
            Err(error) => return Some(Err(error)),
        };
        let mut nodes = Vec::new();
        for assignment in variables::ordered(body, &asked)? {
            let target = &assignment.target;
            if !self.is_number(&target.array) || !is_there(target, before) {
                return None;
            }
            let mut cases = [assignment.becomes(), Value::Load(target.clone())];
            if !holds {
                cases.reverse();
            }
            match choices::chosen(condition, cases, before) {
                Ok(value) => {
                    nodes.push(Node::Assign(Assignment { target: target.clone(), operation: None, value }))
                }
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(nodes))
    }
}

/// Returns true where it is known that there is an element, whatever the data are.
fn is_there(element: &Access, scope: &Scope) -> bool {
    let Ok(Meaning::Array(array)) = scope.meaning(&element.array) else { return true };
    let within = |(subscript, extent): (&Affine, &Affine)| {
        let left = extent.clone().plus(subscript, -1).and_then(|left| left.plus(&Affine::number(1), -1));
        scope.facts.prove(subscript) && left.is_some_and(|left| scope.facts.prove(&left))
    };
    element.subscripts.iter().zip(&array.shape).all(within)
}
