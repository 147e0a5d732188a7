//! The item under the attribute: a signature without a body.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Result, Signature, Token, Visibility, token};

/// A function as it stands under the attribute.
pub(crate) struct Item {
    /// Documentation, `#[cfg]`, lints and the rest.
    pub attributes: Vec<Attribute>,
    /// The visibility.
    pub visibility: Visibility,
    /// Everything up to the semicolon.
    pub signature: Signature,
    /// A body, which should not be there.
    pub body: Option<TokenTree>,
}

/// Reads a function; anything else is an error.
pub(crate) fn item(tokens: TokenStream) -> Result<Item> {
    read.parse2(tokens)
}

fn read(input: ParseStream) -> Result<Item> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility = input.parse()?;
    if !is_function(input) {
        return Err(input.error(
            "`#[code_variant]` belongs on a function without a body: write `fn name(arguments) -> Result;` below it",
        ));
    }
    let signature = input.parse()?;
    let body = if input.peek(token::Brace) { Some(input.parse()?) } else { None };
    if body.is_none() {
        input.parse::<Token![;]>()?;
    }
    Ok(Item { attributes, visibility, signature, body })
}

/// Returns true where qualifiers and `fn` come next.
fn is_function(input: ParseStream) -> bool {
    let ahead = input.fork();
    while ahead.peek(Token![const])
        || ahead.peek(Token![async])
        || ahead.peek(Token![unsafe])
        || ahead.peek(Token![extern])
        || ahead.peek(syn::LitStr)
    {
        // One of the tokens just seen.
        let _qualifier: Result<TokenTree> = ahead.parse();
    }
    ahead.peek(Token![fn])
}
