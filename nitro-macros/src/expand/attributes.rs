//! Attributes of the function that mean something for what is generated beside it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident, Meta};

use crate::ir::{CodeVariant, conditional};

/// Returns what every generated item repeats: `#[cfg(..)]`, and the levels of lints. There are no others on
/// generated items: a lint that a user forbids cannot be allowed again.
pub(crate) fn shared(function: &CodeVariant) -> TokenStream {
    copies(&function.attributes, &|meta| level(meta).or_else(|| has_name(meta, "cfg").then(|| quote!(#meta))))
}

/// Returns `#[cfg(..)]` alone, for an item of which no lint speaks.
pub(crate) fn cfgs(function: &CodeVariant) -> TokenStream {
    copies(&function.attributes, &|meta| has_name(meta, "cfg").then(|| quote!(#meta)))
}

/// Returns the `#[doc(hidden)]` of the function, for its companion.
pub(crate) fn hidden(function: &CodeVariant) -> TokenStream {
    copies(&function.attributes, &|meta| match meta {
        Meta::List(list) if has_name(meta, "doc") => {
            let argument = list.parse_args::<Ident>();
            argument.is_ok_and(|argument| argument == "hidden").then(|| quote!(#meta))
        }
        _ => None,
    })
}

/// Returns the `#[must_use]` of the function, for what returns the same.
pub(crate) fn must_use(function: &CodeVariant) -> TokenStream {
    copies(&function.attributes, &|meta| has_name(meta, "must_use").then(|| quote!(#meta)))
}

/// The level of lints for a copy. What is expected of the function need not be so of its copies.
fn level(meta: &Meta) -> Option<TokenStream> {
    let Meta::List(list) = meta else { return None };
    let lints = &list.tokens;
    match list.path.get_ident()?.to_string().as_str() {
        "allow" | "warn" | "deny" | "forbid" => Some(quote!(#meta)),
        "expect" => Some(quote!(allow(#lints))),
        _ => None,
    }
}

fn has_name(meta: &Meta, name: &str) -> bool {
    meta.path().is_ident(name)
}

/// Copies the attributes that `of` gives something for, also within `#[cfg_attr(..)]`.
fn copies(attributes: &[Attribute], of: &dyn Fn(&Meta) -> Option<TokenStream>) -> TokenStream {
    attributes.iter().filter_map(|attribute| copy(&attribute.meta, of)).map(|meta| quote!(#[#meta])).collect()
}

fn copy(meta: &Meta, of: &dyn Fn(&Meta) -> Option<TokenStream>) -> Option<TokenStream> {
    let Some((condition, metas)) = conditional(meta) else { return of(meta) };
    let copies: Vec<_> = metas.iter().filter_map(|meta| copy(meta, of)).collect();
    (!copies.is_empty()).then(|| quote!(cfg_attr(#condition, #(#copies),*)))
}
