//! After a mistake: the errors, and items that keep the rest of the user's code compiling.

use proc_macro2::TokenStream;
use quote::quote;

use super::{admissible, call, companion, crate_alias, dispatcher, marker, parameters, select, used};
use crate::errors::Errors;
use crate::ir::{CodeVariant, Salvage};
use crate::parse::Item;
use crate::places;

/// The errors and what is kept.
pub(crate) fn refused(errors: &Errors, kept: TokenStream) -> TokenStream {
    let errors = errors.to_compile_errors();
    quote!(#errors #kept)
}

/// Items that stand for what could not be expanded. The program does not compile, so their bodies never run.
pub(crate) fn salvage(salvage: &Salvage) -> TokenStream {
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
    let arguments = used(&function.arguments.iter().collect::<Vec<_>>());
    let body = body();
    let body = quote!(#arguments #body);
    let (dispatcher, select) = (dispatcher(function, &body), select(function, &body));
    let (call, admissible) = (call(function, &body), admissible(function, &body));
    let (alias, companion) = (crate_alias(function), companion::module(function, &self::body()));
    let marker = marker(function);
    let parameters = parameters::items(function);
    quote!(#dispatcher #select #call #admissible #parameters #marker #alias #companion)
}

fn alone(item: &Item) -> TokenStream {
    let Item { attributes, visibility, signature, .. } = item;
    let (signature, body) = (places::without_names(signature.clone()), body());
    quote! {
        #(#attributes)*
        #visibility #signature { #body }
    }
}
