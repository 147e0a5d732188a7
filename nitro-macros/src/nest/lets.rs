//! Names for values and integers, and variables.

use proc_macro2::Ident;
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{Expr, Local, Pat, PatIdent, Result, Type};

use super::body::Reader;
use super::elements::index;
use super::ir::{Access, Affine, Assignment, Node, Value, Variable, is_same};
use super::polynomial::{is_of_integers, polynomial};
use super::scope::{Meaning, at, bare};
use super::values::value;

const KEEPS: &str = "an integer of a nest keeps its value: remove `mut`, and write sums of iterators where they are \
    used";

const BEGINS: &str =
    "a variable is in loops that begin at a number, or are over `usize`: write `for i in 0..n`";

/// Stands for a value that could not be read.
fn unread() -> Meaning {
    Meaning::Temporary(Value::Constant(0.0), usize::MAX)
}

impl Reader<'_> {
    /// `let name = value;`: the value stands wherever the name does. With `mut` it is a variable, and where what it is
    /// read from is written before it is used.
    pub(super) fn local(&mut self, local: &Local) -> Result<Vec<Node>> {
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        match (pattern, &local.init) {
            (_, Some(initial)) => self.bound(pattern, &initial.expr),
            (Pat::Ident(PatIdent { mutability, ident, .. }), None) => {
                let mutable = mutability.map_or("", |_| "mut ");
                at(local, format!("write `let {mutable}{ident} = VALUE;`"))
            }
            _ => at(pattern, "write a plain name"),
        }
    }

    /// A name for a value, or several in parentheses for as many: none of them is in the values of the others.
    fn bound(&mut self, pattern: &Pat, initial: &Expr) -> Result<Vec<Node>> {
        if let (Pat::Tuple(names), Expr::Tuple(values)) = (pattern, bare(initial))
            && names.elems.len() == values.elems.len()
        {
            let pairs = names.elems.iter().zip(&values.elems);
            let nodes: Result<Vec<_>> = pairs.map(|(name, value)| self.bound(name, value)).collect();
            return nodes.map(|nodes| nodes.concat());
        }
        let Pat::Ident(PatIdent { by_ref: None, mutability, subpat: None, ident, .. }) = pattern else {
            return at(pattern, "write a plain name");
        };
        match mutability {
            Some(token) => match value(initial, &self.scope) {
                Ok(value) => self.variable(ident, value),
                Err(error) => {
                    let is_integer = polynomial(initial, &self.scope).is_ok();
                    self.variable(ident, Value::Constant(0.0))?;
                    if is_integer { at(token, KEEPS) } else { Err(error) }
                }
            },
            None => self.named(ident, initial),
        }
    }

    pub(super) fn named(&mut self, ident: &Ident, initial: &Expr) -> Result<Vec<Node>> {
        if let Some(read) = index(initial, &self.scope) {
            return self.scope.enter(ident, Meaning::Index(read?)).map(|()| Vec::new());
        }
        self.lets += 1;
        let is_integer = is_of_integers(initial, &self.scope);
        let read = match value(initial, &self.scope) {
            Ok(value) if self.kept.contains(&self.lets) => return self.variable(ident, value),
            Ok(value) => Ok(Meaning::Temporary(value, self.lets)),
            Err(error) => match polynomial(initial, &self.scope) {
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
        read.map(|_| Vec::new())
    }

    /// A variable: an element of an array that each iteration of the loops around it has one of.
    fn variable(&mut self, ident: &Ident, initial: Value) -> Result<Vec<Node>> {
        let array = format_ident!("__nitro_{}_{}", ident.unraw(), self.count);
        self.count += 1;
        let (mut subscripts, mut shape, mut unknown) = (Vec::new(), Vec::new(), None);
        for (depth, (iterator, _)) in self.loops.iter().enumerate() {
            let first = self.first(depth).unwrap_or_else(|| {
                unknown.get_or_insert(iterator.clone());
                0
            });
            let from_first =
                |integer: Affine| Affine { constant: integer.constant.saturating_sub(first), ..integer };
            subscripts.push(from_first(Affine::variable(iterator)));
            shape.push(from_first(self.extent(depth)));
        }
        let target = Access { array: array.clone(), subscripts };
        self.scope.enter(ident, Meaning::Variable(target.clone()))?;
        self.variables.push(Variable { array, name: ident.clone(), shape });
        match unknown {
            Some(iterator) => at(iterator, BEGINS),
            None => Ok(vec![Node::Assign(Assignment { target, operation: None, value: initial })]),
        }
    }

    /// A number that no value of a loop around here is below.
    fn first(&self, depth: usize) -> Option<i64> {
        let (iterator, values) = &self.loops[depth];
        if self.scope.facts.prove(&Affine::variable(iterator)) {
            return Some(0);
        }
        values.lower.iter().filter(|bound| bound.terms.is_empty()).map(|bound| bound.constant).max()
    }

    /// An extent that all values of a loop around here are below: of sizes alone.
    fn extent(&self, depth: usize) -> Affine {
        let upper = &self.loops[depth].1.upper;
        let is_of_sizes = |bound: &&Affine| bound.terms.iter().all(|(name, _)| self.scope.is_size(name));
        let of_sizes = upper.iter().filter(is_of_sizes).min_by_key(|bound| bound.terms.len());
        of_sizes.cloned().or_else(|| upper.first().map(|bound| self.most(bound))).unwrap_or_default()
    }

    /// A sum of sizes that an integer here is never above.
    fn most(&self, integer: &Affine) -> Affine {
        let mut most = Affine::number(integer.constant);
        for (name, coefficient) in &integer.terms {
            match self.loops.iter().position(|(iterator, _)| is_same(iterator, name)) {
                None => most.terms.push((name.clone(), *coefficient)),
                Some(depth) if *coefficient < 0 => {
                    let first = self.first(depth).unwrap_or(0).saturating_mul(*coefficient);
                    most.constant = most.constant.saturating_add(first);
                }
                Some(depth) => {
                    let extent = self.extent(depth);
                    let terms = extent
                        .terms
                        .into_iter()
                        .map(|(name, number)| (name, number.saturating_mul(*coefficient)));
                    most.terms.extend(terms);
                    let last = extent.constant.saturating_sub(1).saturating_mul(*coefficient);
                    most.constant = most.constant.saturating_add(last);
                }
            }
        }
        most
    }

    /// `const NAME: f32 = value;` is a name for a value, as `let` is.
    pub(super) fn constant(&mut self, ident: &Ident, r#type: &Type, initial: &Expr) -> Result<Vec<Node>> {
        let r#type = r#type.to_token_stream().to_string();
        if !["usize", "f32", "f64"].contains(&&*r#type) {
            self.scope.enter(ident, unread())?;
            return at(ident, "a constant of a nest is a `usize` or a number of its type");
        }
        self.named(ident, initial)
    }
}
