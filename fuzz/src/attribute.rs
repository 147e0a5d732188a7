use std::str::FromStr;

use proc_macro2::TokenStream;

use crate::expansion::expansion;
use crate::parts;

/// Expands the attribute from its arguments and, after a byte 0, its item.
///
/// The expansion is a list of items, also of arguments that are refused.
pub fn attribute(data: &[u8]) {
    let tokens = |bytes| TokenStream::from_str(std::str::from_utf8(bytes).ok()?).ok();
    let [arguments, item] = parts(data).map(tokens);
    let (Some(arguments), Some(item)) = (arguments, item) else { return };
    // What is no item stays in the expansion as it was: the compiler refuses it.
    let is_item = syn::parse2::<syn::Item>(item.clone()).is_ok();
    let expansion = expansion(arguments, item);
    if is_item && let Err(error) = syn::parse2::<syn::File>(expansion.clone()) {
        panic!("{error} in {expansion}");
    }
}
