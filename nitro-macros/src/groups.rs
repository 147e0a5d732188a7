//! Groups without visible delimiters: what a macro of the user's hands on (`$limit:expr`, `$key:ty`).
//!
//! In what a macro such as ours writes rustc passes over such delimiters: `$limit * 2` of `3 + 1` would run as
//! `3 + 1 * 2`. So they are taken out before anything is read, and parentheses put where they held something
//! together.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, ExprRange, MacroDelimiter, Type};

/// Returns the tokens without invisible delimiters, of the same meaning; in macros' arguments too.
pub(crate) fn visible(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut visible = TokenStream::new();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if has_invisible(group) => {
                let place = Place { before: &trees[..index], after: &trees[index + 1..] };
                visible.extend(place.with(group));
            }
            other => visible.extend([other.clone()]),
        }
    }
    visible
}

/// Returns true where there is anything to take out; other groups keep the places of both their delimiters.
fn has_invisible(group: &Group) -> bool {
    let mut inside = group.stream().into_iter();
    group.delimiter() == Delimiter::None
        || inside.any(|tree| matches!(&tree, TokenTree::Group(group) if has_invisible(group)))
}

/// The tokens around a group.
struct Place<'t> {
    before: &'t [TokenTree],
    after: &'t [TokenTree],
}

impl Place<'_> {
    /// The group as it has to stand here.
    fn with(&self, group: &Group) -> TokenStream {
        let content = visible(group.stream());
        if group.delimiter() != Delimiter::None {
            return delimited(group.delimiter(), content, group.span());
        }
        if self.is_prefix() && !is_path(&content) {
            quote!(<#content>)
        } else if self.needs_parentheses(&content) {
            // Lints on parentheses speak of those that the user wrote.
            let span = Span::call_site().located_at(group.span());
            delimited(Delimiter::Parenthesis, content, span)
        } else {
            content
        }
    }

    /// Returns true where without delimiters the content and its neighbours could be read as something else.
    fn needs_parentheses(&self, content: &TokenStream) -> bool {
        if self.ends_in_comparison_of_cast() {
            return true;
        }
        if self.stands_alone() {
            return false;
        }
        match syn::parse2::<Expr>(content.clone()) {
            Ok(expression) => self.splits(&expression),
            Err(_) => has_several_bounds(content),
        }
    }

    /// Returns true where neighbours could take a part of this expression.
    fn splits(&self, expression: &Expr) -> bool {
        match expression {
            // No expressions: a pattern or a type, or a condition's own form.
            Expr::Let(_) | Expr::Infer(_) | Expr::Range(ExprRange { start: None, end: None, .. }) => false,
            // `unsafe $block` takes no parentheses.
            Expr::Block(_) => self.goes_on_as_expression(),
            // `(s.f)(x)` calls a field, `s.f(x)` a method.
            Expr::Field(_) if is_group(self.after.first(), Delimiter::Parenthesis) => true,
            prefixed if is_prefixed(prefixed) => self.is_followed_by_postfix(),
            other => !is_closed(other),
        }
    }

    /// Returns true before `::`.
    fn is_prefix(&self) -> bool {
        matches!(self.after, [first, second, ..] if is_punct(first, ':') && is_punct(second, ':'))
    }

    /// Returns true between commas, semicolons and the ends, where nothing else is near.
    fn stands_alone(&self) -> bool {
        let begins = match self.before {
            [] => true,
            [.., TokenTree::Ident(word)] => word == "if",
            [.., TokenTree::Punct(joint), last] if joint.spacing() == Spacing::Joint => {
                joint.as_char() == '=' && is_punct(last, '>')
            }
            [.., last] => [',', ';', '=', ':'].into_iter().any(|sign| is_punct(last, sign)),
        };
        begins && self.after.first().is_none_or(|next| is_punct(next, ',') || is_punct(next, ';'))
    }

    /// `x as $type < y`, where generic arguments could begin.
    fn ends_in_comparison_of_cast(&self) -> bool {
        let is_cast = matches!(self.before.last(), Some(TokenTree::Ident(word)) if word == "as");
        is_cast && self.after.first().is_some_and(|next| is_punct(next, '<'))
    }

    fn goes_on_as_expression(&self) -> bool {
        match self.after.first() {
            Some(TokenTree::Punct(next)) => !matches!(next.as_char(), ',' | ';'),
            Some(TokenTree::Ident(next)) => next == "as",
            next => [Delimiter::Parenthesis, Delimiter::Bracket].into_iter().any(|sign| is_group(next, sign)),
        }
    }

    /// Returns true before a method, a field, a call, a subscript or `?`.
    fn is_followed_by_postfix(&self) -> bool {
        match self.after {
            [first, second, ..] if is_punct(first, '.') => !is_punct(second, '.'),
            [first, ..] => {
                is_punct(first, '?')
                    || [Delimiter::Parenthesis, Delimiter::Bracket]
                        .into_iter()
                        .any(|sign| is_group(Some(first), sign))
            }
            [] => false,
        }
    }
}

/// Returns true where no operator can take a part of an expression from outside.
fn is_closed(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) | Expr::Paren(_) | Expr::Tuple(_) | Expr::Array(_) | Expr::Repeat(_) => {
            true
        }
        Expr::Macro(call) => !matches!(call.mac.delimiter, MacroDelimiter::Brace(_)),
        Expr::Call(call) => is_closed(&call.func),
        Expr::MethodCall(call) => is_closed(&call.receiver),
        Expr::Field(field) => is_closed(&field.base),
        Expr::Index(index) => is_closed(&index.expr),
        Expr::Try(attempt) => is_closed(&attempt.expr),
        Expr::Await(future) => is_closed(&future.base),
        _ => false,
    }
}

/// `-x`, `!x`, `*x` or `&x`: no operator but a postfix can take a part of it.
fn is_prefixed(expression: &Expr) -> bool {
    let operand = match expression {
        Expr::Unary(unary) => &unary.expr,
        Expr::Reference(reference) => &reference.expr,
        _ => return false,
    };
    is_closed(operand) || is_prefixed(operand)
}

/// `dyn Key + Send`, which `&` could not stand before.
fn has_several_bounds(content: &TokenStream) -> bool {
    match syn::parse2::<Type>(content.clone()) {
        Ok(Type::TraitObject(object)) => object.bounds.len() > 1,
        Ok(Type::ImplTrait(object)) => object.bounds.len() > 1,
        _ => false,
    }
}

/// Returns true where `::` may follow: it may not after `[u8]` or `Vec<u8>`.
fn is_path(content: &TokenStream) -> bool {
    matches!(syn::parse2(content.clone()), Ok(Expr::Path(_)))
}

fn delimited(delimiter: Delimiter, content: TokenStream, span: Span) -> TokenStream {
    let mut group = Group::new(delimiter, content);
    group.set_span(span);
    TokenTree::Group(group).into()
}

fn is_punct(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_group(tree: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(tree, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}
