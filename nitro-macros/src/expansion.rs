//! The macro without the compiler around it: tokens become tokens.

use proc_macro2::TokenStream;

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
    match ir::check(options, item, errors) {
        Ok(function) => expand::function(&function),
        Err(refusal) => expand::refused(&refusal.errors, expand::salvage(&refusal.salvage)),
    }
}
