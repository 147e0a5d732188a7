//! The options and the function as written.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, ItemFn, Path, Result, Token, parse_quote};

use super::ir::Options;
use crate::errors::Errors;

/// Every option with what to write.
const USAGE: &str = "write `#[nest]`, `#[nest(reassoc)]` where sums may be added up in another order, or \
    `#[nest(crate = ::path::to::nitro_nest)]`";

enum Setting {
    Reassociates,
    Crate(Path),
}

/// Reads the options; mistakes go to `errors`.
pub(crate) fn options(arguments: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options { krate: parse_quote!(::nitro_nest), reassociates: false };
    let read = Punctuated::<Setting, Token![,]>::parse_terminated_with;
    match (|input: ParseStream| read(input, option)).parse2(arguments) {
        Err(error) => errors.push(error),
        Ok(written) => written.into_iter().for_each(|option| match option {
            Setting::Reassociates => options.reassociates = true,
            Setting::Crate(path) => options.krate = path,
        }),
    }
    options
}

fn option(input: ParseStream) -> Result<Setting> {
    if input.peek(Token![crate]) {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        return input.call(Path::parse_mod_style).map(Setting::Crate);
    }
    let key: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), USAGE))?;
    if key == "reassoc" {
        return Ok(Setting::Reassociates);
    }
    Err(syn::Error::new(key.span(), format!("unknown option `{key}`: {USAGE}")))
}

/// Reads a function with its body; anything else is an error.
pub(crate) fn function(item: TokenStream) -> Result<ItemFn> {
    syn::parse2(item.clone()).map_err(|error| {
        let is_function = item.into_iter().any(|token| token.to_string() == "fn");
        if is_function {
            return error;
        }
        let message = "`#[nest]` belongs on a function: write `fn name(arguments) { loops }` below it";
        syn::Error::new(error.span(), message)
    })
}
