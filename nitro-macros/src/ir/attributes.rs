//! Rules for attributes of the function.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Meta, Result, Safety, Token};

use crate::errors::Errors;
use crate::parse::Item;

/// Refuses attributes that would silently mean nothing, or that rustc would speak of in generated code.
pub(crate) fn check(item: &Item, errors: &mut Errors) {
    for attribute in &item.attributes {
        check_meta(&attribute.meta, item, errors);
    }
}

fn check_meta(meta: &Meta, item: &Item, errors: &mut Errors) {
    if let Some((_, metas)) = conditional(meta) {
        metas.iter().for_each(|meta| check_meta(meta, item, errors));
    } else if meta.path().is_ident("track_caller") {
        errors.at(
            meta,
            "variants are called through a pointer, which does not tell them who called: \
             remove `#[track_caller]`, and pass `std::panic::Location::caller()` as an argument",
        );
    } else if meta.path().is_ident("target_feature") && !matches!(item.signature.safety, Safety::Unsafe(_)) {
        errors.at(
            meta,
            "a choice of variants needs no target feature: remove `#[target_feature]`, and write \
             `targets(\"x86_64+avx2\")` behind the variant that is to be compiled with it",
        );
    }
}

/// Returns the condition and the attributes of `cfg_attr(..)`.
pub(crate) fn conditional(meta: &Meta) -> Option<(TokenStream, Vec<Meta>)> {
    match meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => parts.parse2(list.tokens.clone()).ok(),
        _ => None,
    }
}

fn parts(input: ParseStream) -> Result<(TokenStream, Vec<Meta>)> {
    let mut condition = TokenStream::new();
    while !input.peek(Token![,]) {
        condition.extend([input.parse::<TokenTree>()?]);
    }
    input.parse::<Token![,]>()?;
    let metas = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
    Ok((condition, metas.into_iter().collect()))
}
