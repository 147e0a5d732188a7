//! The statements of a function, one by one. After a mistake reading goes on at the next statement.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{
    Block, Expr, ExprArray, ExprContinue, ExprForLoop, ExprIf, ExprIndex, Item, Pat, PatIdent, Path, Result,
    Stmt,
};

use super::conditions::{OF_QUOTIENTS, OF_VALUES, asks_for_quotients, cases, copies, is_of_values};
use super::elements::access;
use super::integers::affine;
use super::ir::{Argument, Array, Assignment, Element, Loop, Node, Operation, Value, Variable};
use super::ranges::{Values, range};
use super::scope::{Depth, Meaning, Scope, at, bare, name};
use super::values::{operation, rounded, value};
use super::variables;
use super::writes::{is_assignment, writes};
use crate::errors::Errors;

const CONSTANTS: &str = "a nest has no `static`: write `const NAME: f32 = VALUE;` or `let NAME = VALUE;`";

const STATEMENTS: &str = "this is no statement of a nest: write `for` loops, `if` with a condition on integers, \
    `let`, and assignments to elements";

const ENDS: &str = "every loop of a nest runs to its end: write `if CONDITION { continue; }` in the loop itself, or an \
    `if` around what is left out";

const TARGETS: &str = "a nest writes elements of arrays and variables: write `array[[i, j]] = ...`, or `let mut` where \
    the name begins";

/// Reads the body of a function, and the variables that are kept in arrays of their own; mistakes go to `errors`.
pub(crate) fn nodes(
    block: &Block,
    arguments: &[Argument],
    element: Element,
    errors: &mut Errors,
) -> (Vec<Node>, Vec<Variable>) {
    let mut kept = BTreeSet::new();
    loop {
        let scope = Scope::of(arguments, element);
        let mut found = Errors::default();
        let mut reader = Reader {
            scope,
            errors: &mut found,
            loops: Vec::new(),
            variables: Vec::new(),
            count: 0,
            lets: 0,
            kept: kept.clone(),
        };
        let (nodes, more, variables) = (reader.block(block), reader.scope.kept(), reader.variables);
        // What has to be a variable is one when all is read once more.
        if more.is_subset(&kept) {
            errors.extend(found);
            return (nodes, variables);
        }
        kept.extend(more);
    }
}

pub(super) struct Reader<'a> {
    pub(super) scope: Scope,
    pub(super) errors: &'a mut Errors,
    /// The iterators around, with their values.
    pub(super) loops: Vec<(Ident, Values)>,
    /// The variables so far that no element stands for.
    pub(super) variables: Vec<Variable>,
    /// The number of variables so far.
    pub(super) count: usize,
    /// The number of values with names so far.
    pub(super) lets: usize,
    /// The numbers of those that are variables, as what they are read from is written before they are used.
    pub(super) kept: BTreeSet<usize>,
}

impl Reader<'_> {
    fn block(&mut self, block: &Block) -> Vec<Node> {
        let depth = self.scope.depth();
        let nodes = self.statements(&block.stmts, false);
        self.scope.leave(depth);
        nodes
    }

    /// Reads statements; those of a loop itself may begin with what is left out.
    fn statements(&mut self, statements: &[Stmt], is_of_loop: bool) -> Vec<Node> {
        let (mut nodes, mut begun) = (Vec::new(), Vec::new());
        for (at, statement) in statements.iter().enumerate() {
            if let Some(condition) = skipped(statement).filter(|_| is_of_loop) {
                nodes.extend(self.others(condition, &statements[at + 1..]));
                break;
            }
            let known = self.variables.len();
            match self.statement(statement) {
                Ok(read) => {
                    if let Stmt::Local(_) = statement {
                        let own = self.variables[known..].iter().enumerate();
                        begun.extend(own.map(|(at, own)| (own.array.clone(), nodes.len() + at)));
                    }
                    nodes.extend(read);
                }
                Err(error) => self.errors.push(error),
            }
        }
        for (variable, first) in begun.into_iter().rev() {
            if variables::inline(&mut nodes, first, &variable)
                || variables::place(&mut nodes, first, &variable, |array| self.is_number(array))
            {
                self.variables.retain(|own| own.array != variable);
            }
        }
        nodes
    }

    /// Returns true where elements of an array are as they are computed, and not rounded to 16 bits.
    pub(super) fn is_number(&self, array: &Ident) -> bool {
        !matches!(self.scope.meaning(array), Ok(Meaning::Array(Array { storage: Some(_), .. })))
    }

    /// `if condition { continue; }`: what comes behind it is where the condition does not hold.
    fn others(&mut self, condition: &Expr, behind: &[Stmt]) -> Vec<Node> {
        let (cases, before) = (cases(condition, false, &self.scope), self.scope.clone());
        let is_of_values = is_of_values(condition, &before);
        self.enter_case(condition, false, is_of_values || cases.is_ok());
        let nodes = self.statements(behind, true);
        let nodes = match cases {
            _ if is_of_values => {
                let chosen = self.all_chosen(condition, false, &nodes, &before);
                chosen.unwrap_or_else(|| Err(of_values(condition, &before)))
            }
            cases => cases.and_then(|cases| copies(condition, cases, nodes, &self.scope.facts)),
        };
        nodes.unwrap_or_else(|error| {
            self.errors.push(error);
            Vec::new()
        })
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Vec<Node>> {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expression, _) => self.expression(bare(expression)),
            Stmt::Item(Item::Const(item)) => self.constant(&item.ident, &item.ty, &item.expr),
            Stmt::Item(Item::Static(item)) => {
                self.constant(&item.ident, &item.ty, &item.expr)?;
                at(item, CONSTANTS)
            }
            Stmt::Item(item) => at(item, STATEMENTS),
            // It is of the function alone, which does nothing then.
            Stmt::Macro(call) if self.loops.is_empty() && is_assertion(&call.mac.path) => Ok(Vec::new()),
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
            Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => at(expression, ENDS),
            _ => at(expression, STATEMENTS),
        }
    }

    fn repeated(&mut self, repeated: &ExprForLoop) -> Result<Loop> {
        let ident = &self.iterator(repeated)?;
        let range = range(&repeated.expr, &self.scope);
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
        let values = range.as_ref().map_or_else(|_| Values::default(), Clone::clone);
        self.loops.push((ident.clone(), values));
        let body = self.statements(&repeated.body.stmts, true);
        self.loops.pop();
        self.scope.leave(depth);
        let Values { lower, upper, step, is_reversed, .. } = range?;
        Ok(Loop { iterator: ident.clone(), lower, upper, step, is_reversed, body })
    }

    /// The name of a loop's iterator, or one that nothing has for `_`.
    fn iterator(&self, repeated: &ExprForLoop) -> Result<Ident> {
        match &*repeated.pat {
            Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                Ok(ident.clone())
            }
            Pat::Wild(wild) => Ok(format_ident!("_{}", self.scope.locals(), span = wild.span())),
            other => at(other, "write a plain name for the iterator"),
        }
    }

    /// `for s in [1, 2, 4]`: the statements stand there once for each number.
    fn listed(&mut self, repeated: &ExprForLoop, list: &ExprArray) -> Result<Vec<Node>> {
        let ident = &self.iterator(repeated)?;
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
            nodes.extend(self.statements(&repeated.body.stmts, true));
            self.scope.leave(depth);
            // The same is wrong for the other numbers.
            if self.errors.len() > mistakes {
                break;
            }
        }
        Ok(nodes)
    }

    /// `if` and what its `else` is: statements under the opposite conditions.
    fn conditional(&mut self, conditional: &ExprIf) -> Result<Vec<Node>> {
        let (condition, before) = (&*conditional.cond, self.scope.clone());
        if is_of_values(condition, &self.scope) {
            let [body, otherwise] = self.branches(conditional, true);
            let (body, otherwise) = (body?, otherwise?);
            let joined = match &otherwise[..] {
                [] => self.all_chosen(condition, true, &body, &before),
                _ => self.joined(condition, [&body, &otherwise], &before),
            };
            return joined.unwrap_or_else(|| Err(of_values(condition, &before)));
        }
        let [holds, fails] = [true, false].map(|holds| cases(condition, holds, &self.scope));
        let [body, otherwise] = self.branches(conditional, holds.is_ok());
        let (holds, fails, body, otherwise) = (holds?, fails?, body?, otherwise?);
        if !otherwise.is_empty()
            && holds.len().max(fails.len()) > 1
            && let Some(joined) = self.joined(condition, [&body, &otherwise], &before)
        {
            return joined;
        }
        let mut nodes = copies(condition, holds, body, &self.scope.facts)?;
        if let Some((token, _)) = &conditional.else_branch {
            nodes.extend(copies(token, fails, otherwise, &self.scope.facts)?);
        }
        Ok(nodes)
    }

    fn branches(&mut self, conditional: &ExprIf, is_known: bool) -> [Result<Vec<Node>>; 2] {
        let depth = self.enter_case(&conditional.cond, true, is_known);
        let body = self.block(&conditional.then_branch);
        self.scope.leave(depth);
        let depth = self.enter_case(&conditional.cond, false, is_known);
        let otherwise = match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
            Some(Expr::Block(block)) => Ok(self.block(&block.block)),
            Some(other) => self.expression(other),
            None => Ok(Vec::new()),
        };
        self.scope.leave(depth);
        [Ok(body), otherwise]
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
        let (target, value) = match bare(target) {
            Expr::Index(element) => {
                let value = self.assigned(element, operation, assigned);
                let target = access(element, &self.scope)?;
                if matches!(self.scope.meaning(&target.array)?, Meaning::Array(array) if !array.is_written) {
                    let message = "is an input: write `&mut` in its type to assign to it";
                    return at(&element.expr, format!("`{}` {message}", target.array));
                }
                self.scope.written(&target.array);
                (target, value)
            }
            other => {
                let value = value(assigned, &self.scope);
                let variable = name(other).and_then(|name| self.scope.variable(name).map(|own| (name, own)));
                let Some((name, variable)) = variable else { return at(target, TARGETS) };
                self.scope.written(name);
                (variable, value)
            }
        };
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

fn is_assertion(path: &Path) -> bool {
    let names = ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];
    names.iter().any(|name| path.is_ident(name))
}

fn of_values(condition: &Expr, scope: &Scope) -> syn::Error {
    let message = if asks_for_quotients(condition, scope) { OF_QUOTIENTS } else { OF_VALUES };
    syn::Error::new_spanned(condition, message)
}

/// The condition of `if condition { continue; }`.
fn skipped(statement: &Stmt) -> Option<&Expr> {
    let Stmt::Expr(Expr::If(ExprIf { cond, then_branch, else_branch: None, .. }), _) = statement else {
        return None;
    };
    match &then_branch.stmts[..] {
        [Stmt::Expr(Expr::Continue(ExprContinue { label: None, .. }), _)] => Some(cond),
        _ => None,
    }
}
