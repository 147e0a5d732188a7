//! The macro without the compiler around it: tokens become tokens.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::{errors, expand, groups, ir, parse};

pub(crate) fn expansion(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (groups::visible(arguments), groups::visible(item));
    let mut errors = errors::Errors::default();
    let options = parse::options(arguments, &mut errors);
    let item = match parse::item(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.push(error);
            return expand::refused(&errors, item);
        }
    };
    match ir::check(options, item, None, errors) {
        Ok(function) => expand::function(&function).at_module_level(),
        Err(refusal) => expand::refused(&refusal.errors, expand::salvage(&refusal.salvage).at_module_level()),
    }
}

/// The same for a block of functions, some of which have variants.
pub(crate) fn expansion_of_block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = groups::visible(item);
    let mut errors = errors::Errors::default();
    if !arguments.is_empty() {
        errors.at(
            arguments,
            "`#[code_variants]` has no options: write them in `#[code_variant(..)]` of each method",
        );
    }
    let mut block = match parse::block(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            errors.push(error);
            return expand::refused(&errors, item);
        }
    };
    if block.methods.is_empty() {
        errors.push(syn::Error::new(
            Span::call_site(),
            "no function of this block has variants: write `#[code_variant(..)]` above one without a body, or remove \
             `#[code_variants]`",
        ));
    }
    let Some(owner) = ir::Owner::of(&block, &mut errors) else {
        return expand::refused(&errors, TokenStream::new());
    };
    let mut expanded = Vec::new();
    let mut mistakes = errors.to_compile_errors();
    for method in std::mem::take(&mut block.methods) {
        let mut errors = errors::Errors::default();
        let options = parse::options(method.options, &mut errors);
        let owner = ir::Owner { at: method.at, ..owner.clone() };
        match ir::check(options, method.item, Some(owner), errors) {
            Ok(function) => expanded.push(expand::function(&function)),
            Err(refusal) => {
                mistakes.extend(refusal.errors.to_compile_errors());
                expanded.push(expand::salvage(&refusal.salvage));
            }
        }
    }
    let block = expand::block(block, expanded);
    quote!(#mistakes #block)
}
