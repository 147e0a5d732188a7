//! After a mistake: the errors, and items that keep the rest of the user's code compiling.

use proc_macro2::TokenStream;
use quote::quote;

use super::{admissible, call, companion, crate_alias, dispatcher, marker, parameters, select};
use crate::errors::Errors;
use crate::ir::{CodeVariant, Salvage};
use crate::parse::Item;

/// The errors and what is kept.
pub fn refused(errors: &Errors, kept: TokenStream) -> TokenStream {
    let errors = errors.to_compile_errors();
    quote!(#errors #kept)
}

/// Items that stand for what could not be expanded. The program does not compile, so their bodies never run.
pub fn salvage(salvage: &Salvage) -> TokenStream {
    match salvage {
        Salvage::Companion(function) => with_companion(function),
        Salvage::Function(item) => alone(item),
        Salvage::Nothing => TokenStream::new(),
    }
}

fn body() -> TokenStream {
    quote!(::core::unimplemented!())
}

fn with_companion(function: &CodeVariant) -> TokenStream {
    let body = body();
    let (dispatcher, select) = (dispatcher(function, &body), select(function, &body));
    let (call, admissible) = (call(function, &body), admissible(function, &body));
    let (alias, companion) = (crate_alias(function), companion::module(function, &body));
    let marker = marker(function);
    let parameters = parameters::items(function);
    quote!(#[allow(unused_variables)] #dispatcher #select #call #admissible #parameters #marker #alias #companion)
}

fn alone(item: &Item) -> TokenStream {
    let Item { attributes, visibility, signature, .. } = item;
    let body = body();
    quote! {
        #(#attributes)*
        #[allow(unused_variables, unused_mut)]
        #visibility #signature { #body }
    }
}
