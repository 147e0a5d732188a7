//! Places of tokens. At the macro's own place a token is generated code to lints, and is shown where the user wrote
//! it all the same.
//!
//! Lints are kept silent by places, not by `#[allow(..)]`: what a user forbids cannot be allowed again. Names of
//! items and of fields mean the same at any place; those of variables do not.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Signature, Visibility, parse_quote};

/// Returns the macro's own place, shown where these tokens are.
pub(crate) fn located(tokens: impl ToTokens) -> Span {
    generated(tokens.span())
}

/// Returns the macro's own place, shown where this one is.
pub(crate) fn generated(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// Returns the name of an item or a field as a generated one.
pub(crate) fn item(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(generated(name.span()));
    name
}

/// Returns the visibility of a generated item.
pub(crate) fn visibility(mut visibility: Visibility) -> Visibility {
    match &mut visibility {
        Visibility::Public(token) => token.span = generated(token.span),
        Visibility::Restricted(restricted) => {
            restricted.pub_token.span = generated(restricted.pub_token.span)
        }
        Visibility::Inherited => {}
    }
    visibility
}

/// Returns the user's expression where a statement could end. One that begins with a block, such as `{ 1 } + 1`,
/// would end there.
pub(crate) fn whole(expression: &Expr) -> TokenStream {
    quote_spanned!(located(expression)=> (#expression))
}

/// Returns a signature for a body that uses no argument.
pub(crate) fn without_names(mut signature: Signature) -> Signature {
    for argument in &mut signature.inputs {
        match argument {
            FnArg::Typed(argument) => *argument.pat = parse_quote!(_),
            FnArg::Receiver(receiver) => receiver.mutability = None,
        }
    }
    signature
}
