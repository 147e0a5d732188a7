//! After a mistake: the errors, and items that keep the rest of the user's code compiling.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Expansion, admissible, block, call, companion, crate_alias, dispatcher, marker, parameters, select, used,
};
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
pub(crate) fn salvage(salvage: &Salvage) -> Expansion {
    let nothing = TokenStream::new();
    match salvage {
        Salvage::Companion(function) => with_companion(function),
        Salvage::Function(item) => {
            Expansion { function: alone(item), beside: nothing.clone(), items: nothing, inlined: Vec::new() }
        }
        Salvage::Nothing => Expansion {
            function: nothing.clone(),
            beside: nothing.clone(),
            items: nothing,
            inlined: Vec::new(),
        },
    }
}

fn body() -> TokenStream {
    quote!(::core::unimplemented!())
}

fn with_companion(function: &CodeVariant) -> Expansion {
    let arguments = used(&function.arguments.iter().collect::<Vec<_>>());
    let body = body();
    let body = quote!(#arguments #body);
    let (dispatcher, select) = (dispatcher(function, &body), select(function, &body));
    let (call, admissible) = (call(function, &body), admissible(function, &body));
    let (alias, companion) = (crate_alias(function), companion::module(function, &self::body()));
    let marker = marker(function);
    let (parameters, associated) = (parameters::items(function), block::without_receiver(function));
    Expansion {
        function: dispatcher,
        beside: quote!(#select #call #admissible #associated),
        items: quote!(#parameters #marker #alias #companion),
        inlined: Vec::new(),
    }
}

fn alone(item: &Item) -> TokenStream {
    let Item { attributes, visibility, signature, .. } = item;
    let (signature, body) = (places::without_names(signature.clone()), body());
    quote! {
        #(#attributes)*
        #visibility #signature { #body }
    }
}
