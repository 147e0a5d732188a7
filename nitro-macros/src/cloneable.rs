//! `#[cloneable]`: a function whose body is compiled again in whatever calls it.

use crate::errors::Errors;
use crate::{expand, parse, places};
use proc_macro2::TokenStream;
use quote::quote;

pub(crate) fn expansion(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.at(arguments, "`#[cloneable]` has no options: write `targets(..)` in `variants(..)`");
    }
    let function = match parse::item(item.clone()) {
        Ok(function) if function.body.is_some() => function,
        Ok(_) | Err(_) => {
            errors.at(&item, "`#[cloneable]` belongs on a function with a body, which clones of it repeat");
            return expand::refused(&errors, item);
        }
    };
    let parse::Item { mut attributes, visibility, signature, body } = function;
    if let Some(token) = &signature.asyncness {
        errors.at(token, "the body of an `async fn` runs when it is polled, in no clone: remove `async`");
    }
    if let Some(own) = attributes.iter().find(|own| own.path().is_ident("target_feature")) {
        errors.at(own, "remove `#[target_feature]`: clones have the features, and this is what runs without");
        return expand::refused(&errors, item);
    }
    let cfgs: Vec<_> = attributes.iter().filter(|own| own.path().is_ident("cfg")).cloned().collect();
    expand::inline_always(&mut attributes);
    let marker = expand::marker_name(&signature.ident, places::located(&signature.ident));
    let own = places::visibility(visibility.clone());
    expand::refused(
        &errors,
        quote! {
            #(#attributes)*
            #visibility #signature #body
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(dead_code)]
            #own const #marker: () = ();
        },
    )
}
