//! The meanings of names at a place of the function.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::Ident;
use syn::{Expr, ExprPath, Result};

use super::facts::Facts;
use super::ir::{Access, Affine, Argument, Array, Element, Kind, Value, is_same};
use super::polynomial::Polynomial;

/// The meaning of a name.
#[derive(Clone)]
pub(crate) enum Meaning {
    /// An argument of type `usize`, or the iterator of a loop.
    Integer,
    /// The iterator of a loop over a list, at one of its numbers.
    Number(i64),
    /// An argument that is a number.
    Scalar,
    /// An array.
    Array(Array),
    /// An array of integers.
    Indices(Array),
    /// A `let`, with its number: the value that stands for it.
    Temporary(Value, usize),
    /// A `let` of an integer of an array.
    Index(Access),
    /// A `let` of an integer.
    Sum(Polynomial),
    /// A `let mut`: the element that it is.
    Variable(Access),
}

/// The number of names and facts at a place.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    names: usize,
    facts: usize,
}

/// The names that are known, the last the innermost.
#[derive(Clone)]
pub(crate) struct Scope {
    /// The type of all numbers.
    pub element: Element,
    /// What is known of integers.
    pub facts: Facts,
    names: Vec<(Ident, Meaning)>,
    /// The number of the first names, those of arguments.
    arguments: usize,
    /// The numbers of temporaries that were read from what was written since.
    stale: BTreeSet<usize>,
    /// Those of them that are used all the same: they have to be variables. It is one set for all copies of a scope.
    kept: Rc<RefCell<BTreeSet<usize>>>,
}

impl Scope {
    /// The arguments alone.
    pub fn of(arguments: &[Argument], element: Element) -> Self {
        let names = arguments.iter().map(|Argument { name, kind }| {
            let meaning = match kind {
                Kind::Parameter => Meaning::Integer,
                Kind::Scalar => Meaning::Scalar,
                Kind::Array(array) => Meaning::Array(array.clone()),
                Kind::Indices(array) => Meaning::Indices(array.clone()),
            };
            (name.clone(), meaning)
        });
        let names: Vec<_> = names.collect();
        let mut facts = Facts::default();
        for (name, _) in names.iter().filter(|(_, meaning)| matches!(meaning, Meaning::Integer)) {
            facts.note([&Affine::variable(name), &Affine::default()], 1, 0);
        }
        Self { element, facts, arguments: names.len(), names, stale: BTreeSet::new(), kept: Rc::default() }
    }

    /// The place of what is known, for [`leave`](Self::leave).
    pub fn depth(&self) -> Depth {
        Depth { names: self.names.len(), facts: self.facts.len() }
    }

    /// Counts the names that are no arguments.
    pub fn locals(&self) -> usize {
        self.names.len() - self.arguments
    }

    /// The same where a condition holds, or does not.
    pub fn supposing(&self, condition: &Expr, holds: bool) -> Self {
        let mut within = self.clone();
        within.facts.suppose(condition, holds, self);
        within
    }

    /// Adds a name, which hides no other: what stands for a `let` is written in its place.
    pub fn enter(&mut self, name: &Ident, meaning: Meaning) -> Result<()> {
        let hides = self.names.iter().any(|(known, _)| is_same(known, name));
        self.names.push((name.clone(), meaning));
        if hides {
            let message = format!("`{name}` hides what is called so already: choose another name");
            return Err(syn::Error::new(name.span(), message));
        }
        Ok(())
    }

    /// Forgets what came after.
    pub fn leave(&mut self, depth: Depth) {
        self.facts.truncate(depth.facts);
        self.names.truncate(depth.names);
    }

    /// Notes that a variable or elements of an array are written. A temporary that was read from it is stale from here
    /// on.
    pub fn written(&mut self, written: &Ident) {
        let array = self.variable(written).map_or_else(|| written.clone(), |element| element.array);
        for (_, meaning) in &self.names {
            if let Meaning::Temporary(value, number) = meaning
                && value.reads(&array)
            {
                self.stale.insert(*number);
            }
        }
    }

    /// The numbers of temporaries that are used although they are stale.
    pub fn kept(&self) -> BTreeSet<usize> {
        self.kept.borrow().clone()
    }

    /// The element that a variable is.
    pub fn variable(&self, name: &Ident) -> Option<Access> {
        match self.meaning(name) {
            Ok(Meaning::Variable(element)) => Some(element.clone()),
            _ => None,
        }
    }

    /// Returns true where a name is an argument of type `usize`.
    pub fn is_size(&self, name: &Ident) -> bool {
        let is_integer =
            |(known, meaning): &(Ident, Meaning)| is_same(known, name) && matches!(meaning, Meaning::Integer);
        self.names[..self.arguments].iter().any(is_integer)
    }

    /// Looks up the meaning of a name.
    pub fn meaning(&self, name: &Ident) -> Result<&Meaning> {
        let known = self.names.iter().rev().find(|(known, _)| is_same(known, name));
        let (_, meaning) = known.ok_or_else(|| self.unknown(name))?;
        if let Meaning::Temporary(_, number) = meaning
            && self.stale.contains(number)
        {
            self.kept.borrow_mut().insert(*number);
        }
        Ok(meaning)
    }

    fn unknown(&self, name: &Ident) -> syn::Error {
        if is_constant(name) {
            return syn::Error::new(name.span(), constant(name));
        }
        let known: BTreeSet<String> = self.names.iter().map(|(name, _)| name.to_string()).collect();
        let nearest = crate::errors::nearest(&name.to_string(), known.iter().map(String::as_str));
        let suggestion = nearest.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        let message = format!(
            "`{name}` is neither an argument, nor an iterator, nor a `let` of this function{suggestion}"
        );
        syn::Error::new(name.span(), message)
    }
}

/// Returns true where a name is written as those of constants are.
fn is_constant(name: &Ident) -> bool {
    let name = name.to_string();
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// The message about a constant: what to write instead.
pub(crate) fn constant(name: impl quote::ToTokens) -> String {
    let name = name.to_token_stream().to_string().replace(" :: ", "::");
    format!(
        "`{name}` is a constant, whose value no macro sees: write the number itself, or take it as an argument"
    )
}

/// The plain name that an expression is.
pub(crate) fn name(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Path(ExprPath { qself: None, path, .. }) => path.get_ident(),
        _ => None,
    }
}

/// The expression without parentheses around it.
pub(crate) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(within) => bare(&within.expr),
        _ => expression,
    }
}

/// A mistake at this expression.
pub(crate) fn at<T>(tokens: impl quote::ToTokens, message: impl std::fmt::Display) -> Result<T> {
    Err(syn::Error::new_spanned(tokens, message))
}
