//! Approximate variants: their errors, and the error that a call accepts.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::attributes::shared;
use super::helper;
use crate::ir::{ABOVE_0, CodeVariant, Variant};
use crate::places::{self, located};

/// The errors as constants beside the function: the user's paths mean there what they mean in the attribute.
pub(crate) fn errors(function: &CodeVariant) -> TokenStream {
    let shared = shared(function);
    let constants = function.originals().filter_map(|variant| {
        let (name, max_error) = (error(function, variant), &variant.approximation.as_ref()?.max_error);
        let variant_cfgs = &variant.cfgs;
        // What the compiler has to say is said at the user's expression.
        let max_error = quote_spanned! {
            located(max_error)=> {
                let __nitro_error: ::core::primitive::f64 = #max_error;
                ::core::assert!(__nitro_error > 0.0 && __nitro_error < ::core::primitive::f64::INFINITY, #ABOVE_0);
                __nitro_error
            }
        };
        Some(quote! {
            #shared
            #(#variant_cfgs)*
            #[doc(hidden)]
            const #name: ::core::primitive::f64 = #max_error;
        })
    });
    constants.collect()
}

fn error(function: &CodeVariant, variant: &Variant) -> Ident {
    helper(function, &format!("max_error_{}", function.original(variant).name))
}

/// The part of the descriptor that speaks of an approximate variant.
pub(crate) fn information(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let (error, approximation) = (error(function, variant), variant.approximation.as_ref()?);
    let over = match &approximation.over {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    Some(quote!(.approximate(super::#error, #over)))
}

/// The error that the call accepts, computed when it is asked for, and at most once a call.
pub(crate) fn cell(function: &CodeVariant) -> Option<TokenStream> {
    let tolerance = places::whole(function.tolerance.as_ref()?);
    Some(quote! {
        let __nitro_tolerance = ::core::cell::LazyCell::new(|| -> ::core::primitive::f64 { #tolerance });
    })
}

/// A closure that gives it.
pub(crate) fn tolerance(function: &CodeVariant) -> TokenStream {
    match &function.tolerance {
        Some(_) => quote!(|| *__nitro_tolerance),
        None => quote!(|| 0.0),
    }
}

/// Tells whether the call accepts the error of an approximate variant: never where its tolerance is no number.
pub(crate) fn is_tolerated(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let error = variant.approximation.as_ref().map(|_| error(function, variant))?;
    Some(quote!(*__nitro_tolerance >= #error))
}
