//! The statements of a function, one by one. After a mistake reading goes on at the next statement.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{
    BinOp, Block, Expr, ExprArray, ExprForLoop, ExprIf, ExprIndex, ExprMethodCall, Item, Local, Pat,
    PatIdent, RangeLimits, Result, Stmt, Type,
};

use super::conditions::{conditions, opposites};
use super::elements::{access, index};
use super::facts::Facts;
use super::integers::{Side, affine, bounds, sum};
use super::ir::{Affine, Argument, Assignment, Element, Loop, Node, Operation, Value};
use super::polynomial::{is_of_integers, polynomial};
use super::scope::{Depth, Meaning, Scope, at, bare, name};
use super::values::{operation, rounded, value};
use crate::errors::Errors;

const CONSTANTS: &str = "a nest has no constants of its own: write `let NAME = VALUE;` for a value, and the number \
    itself for an integer";

const STATEMENTS: &str = "this is no statement of a nest: write `for` loops, `if` with a condition on integers, \
    `let`, and assignments to elements";

/// Reads the body of a function; mistakes go to `errors`.
pub(crate) fn nodes(
    block: &Block,
    arguments: &[Argument],
    element: Element,
    errors: &mut Errors,
) -> Vec<Node> {
    Reader { scope: Scope::of(arguments, element), errors }.block(block)
}

/// Stands for a value that could not be read.
fn unread() -> Meaning {
    Meaning::Temporary(Value::Constant(0.0))
}

struct Reader<'a> {
    scope: Scope,
    errors: &'a mut Errors,
}

impl Reader<'_> {
    fn block(&mut self, block: &Block) -> Vec<Node> {
        let depth = self.scope.depth();
        let mut nodes = Vec::new();
        for statement in &block.stmts {
            match self.statement(statement) {
                Ok(node) => nodes.extend(node),
                Err(error) => self.errors.push(error),
            }
        }
        self.scope.leave(depth);
        nodes
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Vec<Node>> {
        match statement {
            Stmt::Local(local) => self.temporary(local).map(|()| Vec::new()),
            Stmt::Expr(expression, _) => self.expression(bare(expression)),
            Stmt::Item(Item::Const(item)) => self.constant(item, &item.ident, &item.ty),
            Stmt::Item(Item::Static(item)) => self.constant(item, &item.ident, &item.ty),
            Stmt::Item(item) => at(item, STATEMENTS),
            Stmt::Macro(call) => at(call, STATEMENTS),
        }
    }

    fn expression(&mut self, expression: &Expr) -> Result<Vec<Node>> {
        match expression {
            Expr::ForLoop(repeated) => match bare(&repeated.expr) {
                Expr::Array(list) => self.listed(repeated, list),
                _ => self.repeated(repeated).map(|repeated| vec![Node::Loop(repeated)]),
            },
            Expr::If(conditional) => self.conditional(conditional),
            Expr::Assign(assignment) => self.assignment(&assignment.left, None, &assignment.right),
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                let operation = operation(&binary.op)?;
                self.assignment(&binary.left, Some(operation), &binary.right)
            }
            Expr::While(repeated) => at(repeated.while_token, "write a `for` loop over a range of integers"),
            Expr::Loop(repeated) => at(repeated.loop_token, "write a `for` loop over a range of integers"),
            Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => {
                at(expression, "every loop of a nest runs to its end: write an `if` around what is left out")
            }
            _ => at(expression, STATEMENTS),
        }
    }

    /// `let name = value;`: the value stands wherever the name does.
    fn temporary(&mut self, local: &Local) -> Result<()> {
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        let Pat::Ident(PatIdent { by_ref: None, mutability, subpat: None, ident, .. }) = pattern else {
            return at(pattern, "write a plain name");
        };
        if let Some(token) = mutability {
            return at(
                token,
                "a `let` of a nest keeps its value: remove `mut`, or write an array argument instead",
            );
        }
        let Some(initial) = &local.init else {
            return at(local, format!("write `let {ident} = VALUE;`"));
        };
        if let Some(read) = index(&initial.expr, &self.scope) {
            return self.scope.enter(ident, Meaning::Index(read?));
        }
        let is_integer = is_of_integers(&initial.expr, &self.scope);
        let read = match value(&initial.expr, &self.scope) {
            Ok(value) => Ok(Meaning::Temporary(value)),
            Err(error) => match polynomial(&initial.expr, &self.scope) {
                Ok(sum) => Ok(Meaning::Sum(sum)),
                Err(of_integer) => Err(if is_integer { of_integer } else { error }),
            },
        };
        // After a mistake too: one sentence is enough, and not one more for each use of the name.
        let unread = || if is_integer { Meaning::Integer } else { unread() };
        self.scope.enter(ident, read.as_ref().map_or_else(|_| unread(), Clone::clone))?;
        if read.is_err() {
            self.scope.facts.suppose_anything();
        }
        read.map(drop)
    }

    /// `const` and `static` are refused, and their names are known from here on.
    fn constant<T>(&mut self, item: impl ToTokens, name: &Ident, r#type: &Type) -> Result<T> {
        let is_value = matches!(&*r#type.to_token_stream().to_string(), "f32" | "f64");
        self.scope.enter(name, if is_value { unread() } else { Meaning::Integer })?;
        at(item, CONSTANTS)
    }

    fn repeated(&mut self, repeated: &ExprForLoop) -> Result<Loop> {
        let ident = iterator(repeated)?;
        let range = self.range(&repeated.expr);
        // In the next iteration a temporary from outside would be of before what this one writes.
        writes(&repeated.body).into_iter().for_each(|array| self.scope.written(array));
        let depth = self.scope.depth();
        if let Err(error) = self.scope.enter(ident, Meaning::Integer) {
            self.errors.push(error);
        }
        match &range {
            Ok(values) => values.note(ident, &mut self.scope.facts),
            Err(_) => self.scope.facts.suppose_anything(),
        }
        let body = self.block(&repeated.body);
        self.scope.leave(depth);
        let Values { lower, upper, step, is_reversed } = range?;
        Ok(Loop { iterator: ident.clone(), lower, upper, step, is_reversed, body })
    }

    /// `for s in [1, 2, 4]`: the statements stand there once for each number.
    fn listed(&mut self, repeated: &ExprForLoop, list: &ExprArray) -> Result<Vec<Node>> {
        let ident = iterator(repeated)?;
        if list.elems.len() > MAX_LIST {
            return at(list, format!("a list has at most {MAX_LIST} numbers: write a range"));
        }
        writes(&repeated.body).into_iter().for_each(|array| self.scope.written(array));
        let mut nodes = Vec::new();
        for number in &list.elems {
            let read = affine(number, &self.scope).ok().filter(|read| read.terms.is_empty());
            let Some(read) = read else { return at(number, "a list is of integers: write `[1, 2, 4]`") };
            let (depth, mistakes) = (self.scope.depth(), self.errors.len());
            self.scope.enter(ident, Meaning::Number(read.constant))?;
            nodes.extend(self.block(&repeated.body));
            self.scope.leave(depth);
            // The same is wrong for the other numbers.
            if self.errors.len() > mistakes {
                break;
            }
        }
        Ok(nodes)
    }

    fn range(&self, expression: &Expr) -> Result<Values> {
        match bare(expression) {
            Expr::Range(range) => {
                let (Some(start), Some(end)) = (&range.start, &range.end) else {
                    return at(range, "a loop has two bounds: write `0..n`");
                };
                let lower = bounds(start, Side::Lower, &self.scope)?;
                let upper = match range.limits {
                    RangeLimits::HalfOpen(_) => bounds(end, Side::Upper, &self.scope)?,
                    RangeLimits::Closed(_) => {
                        let last = bounds(end, Side::Last, &self.scope)?;
                        let next = last.into_iter().map(|last| sum(end, last, &Affine::number(1), 1));
                        next.collect::<Result<_>>()?
                    }
                };
                Ok(Values { lower, upper, step: 1, is_reversed: false })
            }
            Expr::MethodCall(call) => self.adapted(call),
            other => at(
                other,
                "write a range of integers: `0..n`, `(0..n).rev()` or `(0..n).step_by(2)`, or a list: `[1, 2, 4]`",
            ),
        }
    }

    fn adapted(&self, call: &ExprMethodCall) -> Result<Values> {
        let values = self.range(&call.receiver)?;
        if values.step != 1 || values.is_reversed {
            return at(
                &call.method,
                "a range has one of `rev()` and `step_by(..)`: write the other order by subscripts",
            );
        }
        match (call.method.to_string().as_str(), call.args.first()) {
            ("rev", None) => Ok(Values { is_reversed: true, ..values }),
            ("step_by", Some(step)) => Ok(Values { step: self.step(step, &values)?, ..values }),
            _ => at(&call.method, "write `rev()` or `step_by(NUMBER)`"),
        }
    }

    fn step(&self, step: &Expr, values: &Values) -> Result<i64> {
        let read = affine(step, &self.scope)?;
        if !read.terms.is_empty() || read.constant < 1 {
            return at(step, "a step is a number, 1 or more");
        }
        if values.lower.len() != 1 {
            return at(step, "a range with a step has one lower bound: write it without `max`");
        }
        Ok(read.constant)
    }

    /// `if` and what its `else` is: statements under the opposite conditions.
    fn conditional(&mut self, conditional: &ExprIf) -> Result<Vec<Node>> {
        let all = conditions(&conditional.cond, &self.scope);
        let (is_known, condition) = (all.is_ok(), &conditional.cond);
        let depth = self.enter_case(condition, true, is_known);
        let body = self.block(&conditional.then_branch);
        self.scope.leave(depth);
        let depth = self.enter_case(condition, false, is_known);
        let otherwise = match &conditional.else_branch {
            Some((_, branch)) => match &**branch {
                Expr::Block(block) => Ok(self.block(&block.block)),
                other => self.expression(other),
            },
            None => Ok(Vec::new()),
        };
        self.scope.leave(depth);
        let (all, otherwise) = (all?, otherwise?);
        let mut nodes = Vec::new();
        if let Some((token, _)) = &conditional.else_branch {
            let opposites = opposites(&all);
            if opposites.len() * otherwise.iter().map(Node::statements).sum::<usize>() > MAX_COPIES {
                return at(token, "this `else` is of too many cases: write `if`s that exclude each other");
            }
            nodes.extend(opposites.into_iter().map(|opposite| Node::If(opposite, otherwise.clone())));
        }
        nodes.insert(0, Node::If(all, body));
        Ok(nodes)
    }

    /// Goes to where a condition holds, or does not; what is known of it is left with the place.
    fn enter_case(&mut self, condition: &Expr, holds: bool, is_known: bool) -> Depth {
        let depth = self.scope.depth();
        self.scope = self.scope.supposing(condition, holds);
        if !is_known {
            self.scope.facts.suppose_anything();
        }
        depth
    }

    fn assignment(
        &mut self,
        target: &Expr,
        operation: Option<Operation>,
        assigned: &Expr,
    ) -> Result<Vec<Node>> {
        let Expr::Index(element) = bare(target) else {
            return at(target, "a nest writes elements of arrays: write `array[[i, j]] = ...`");
        };
        let value = self.assigned(element, operation, assigned);
        let target = access(element, &self.scope)?;
        if let Meaning::Array(array) = self.scope.meaning(&target.array)?
            && !array.is_written
        {
            return at(
                &element.expr,
                format!("`{}` is an input: write `&mut` in its type to assign to it", target.array),
            );
        }
        self.scope.written(&target.array);
        Ok(vec![Node::Assign(Assignment { target, operation, value: value? })])
    }

    /// The value that an element becomes: where it is stored in 16 bits, one that was rounded to that.
    fn assigned(&self, target: &ExprIndex, operation: Option<Operation>, assigned: &Expr) -> Result<Value> {
        let stored = name(bare(&target.expr)).and_then(|array| match self.scope.meaning(array) {
            Ok(Meaning::Array(declared)) => declared.storage.map(|storage| (array, storage.name())),
            _ => None,
        });
        let Some((array, own)) = stored else { return value(assigned, &self.scope) };
        let message = format!("`{array}` is stored in `{own}`: write `{array}[..] = {own}::from_f32(VALUE)`");
        match rounded(assigned, &self.scope) {
            Some(read) => match read? {
                (value, storage) if storage.name() == own && operation.is_none() => Ok(value),
                _ => at(assigned, message),
            },
            None => at(assigned, message),
        }
    }
}

/// The most numbers of a list: the statements are written as often.
const MAX_LIST: usize = 64;

/// The most statements that an `else` stands for: one for each way in which the condition may be broken.
const MAX_COPIES: usize = 64;

/// The name of a loop's iterator.
fn iterator(repeated: &ExprForLoop) -> Result<&Ident> {
    match &*repeated.pat {
        Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => Ok(ident),
        other => at(other, "write a plain name for the iterator"),
    }
}

/// The values of a range.
struct Values {
    lower: Vec<Affine>,
    upper: Vec<Affine>,
    step: i64,
    is_reversed: bool,
}

impl Values {
    /// Notes what is known of an iterator with these values.
    fn note(&self, iterator: &Ident, facts: &mut Facts) {
        let own = Affine { terms: vec![(iterator.clone(), 1)], constant: 0 };
        self.lower.iter().for_each(|bound| facts.note([&own, bound], 1, 0));
        self.upper.iter().for_each(|bound| facts.note([&own, bound], -1, -1));
        if self.step != 1 {
            facts.note_steps([&own, &self.lower[0]], self.step);
        }
    }
}

fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// The arrays that statements of a block write, whatever loops and conditions are around them.
fn writes(block: &Block) -> Vec<&Ident> {
    let mut found = Vec::new();
    for statement in &block.stmts {
        let Stmt::Expr(expression, _) = statement else { continue };
        let expression = bare(expression);
        match expression {
            Expr::Assign(assignment) => found.extend(written(&assignment.left)),
            Expr::Binary(binary) if is_assignment(&binary.op) => found.extend(written(&binary.left)),
            Expr::ForLoop(repeated) => found.extend(writes(&repeated.body)),
            Expr::If(conditional) => found.extend(writes_of_cases(conditional)),
            _ => {}
        }
    }
    found
}

fn writes_of_cases(conditional: &ExprIf) -> Vec<&Ident> {
    let mut found = writes(&conditional.then_branch);
    match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
        Some(Expr::Block(block)) => found.extend(writes(&block.block)),
        Some(Expr::If(other)) => found.extend(writes_of_cases(other)),
        _ => {}
    }
    found
}

fn written(target: &Expr) -> Option<&Ident> {
    match bare(target) {
        Expr::Index(index) => name(bare(&index.expr)),
        _ => None,
    }
}
