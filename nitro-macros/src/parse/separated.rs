//! Comma-separated lists of anything: after a mistake reading goes on behind the next comma.

use proc_macro2::TokenTree;
use syn::parse::ParseStream;
use syn::{Ident, Result, Token, parenthesized, token};

use super::usage::expected;
use crate::errors::Errors;

/// Reads the elements of a list; after a mistake goes on behind the next comma.
pub(crate) fn separated(
    input: ParseStream,
    errors: &mut Errors,
    mut element: impl FnMut(ParseStream, &mut Errors) -> Result<()>,
) {
    while !input.is_empty() {
        if let Err(error) = element(input, errors) {
            errors.push(error);
            skip_to_comma(input);
        }
        // `element` ended at a comma or at the end, or skipping did.
        let _comma: Option<Token![,]> = input.parse().unwrap_or_default();
    }
}

fn skip_to_comma(input: ParseStream) {
    while !input.is_empty() && !input.peek(Token![,]) {
        // A token tree is always there: the input is not at its end.
        let _skipped: Result<TokenTree> = input.parse();
    }
}

/// `(ELEMENT, ...)` after a key.
pub(crate) fn parenthesised<T>(
    key: &Ident,
    input: ParseStream,
    errors: &mut Errors,
    mut element: impl FnMut(ParseStream, &mut Errors) -> Result<T>,
) -> Result<Vec<T>> {
    if !input.peek(token::Paren) {
        return Err(expected(key, input));
    }
    let content;
    parenthesized!(content in input);
    let mut elements = Vec::new();
    separated(&content, errors, |input, errors| {
        elements.push(element(input, errors)?);
        Ok(())
    });
    Ok(elements)
}

/// The mistake that an element is not followed by a comma.
pub(crate) fn end_of_element(input: ParseStream, place: &str) -> Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        Ok(())
    } else {
        Err(input.error(format!("expected `,` {place}")))
    }
}
