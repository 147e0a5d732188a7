use std::str::FromStr;

use proc_macro2::TokenStream;

use crate::expansion::expansion;
use crate::parts;

/// The attribute's arguments and, behind a byte 0, its item: the expansion is a list of items, of a mistake too.
pub fn attribute(data: &[u8]) {
    let tokens = |bytes| TokenStream::from_str(std::str::from_utf8(bytes).ok()?).ok();
    let [arguments, item] = parts(data).map(tokens);
    let (Some(arguments), Some(item)) = (arguments, item) else { return };
    // What is no item stays in the answer as it was, for the compiler to complain about.
    let is_item = syn::parse2::<syn::Item>(item.clone()).is_ok();
    let expansion = expansion(arguments, item);
    if is_item && let Err(error) = syn::parse2::<syn::File>(expansion.clone()) {
        panic!("{error} in {expansion}");
    }
}
