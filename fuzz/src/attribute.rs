use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::quote;

use crate::cloneable;
use crate::expansion::{expansion, expansion_of_block};
use crate::parts;

/// Expands the attribute from its arguments and, after a byte 0, its item: as it is, as a method, and as a block of
/// them.
///
/// The expansion is a list of items, also of arguments that are refused.
pub fn attribute(data: &[u8]) {
    let tokens = |bytes| TokenStream::from_str(std::str::from_utf8(bytes).ok()?).ok();
    let [arguments, item] = parts(data).map(tokens);
    let (Some(arguments), Some(item)) = (arguments, item) else { return };
    let method = quote!(impl Type { #[code_variant(#arguments)] #item });
    let nothing = TokenStream::new();
    assert_items(&item, expansion(arguments, item.clone()));
    assert_items(&item, expansion_of_block(nothing.clone(), item.clone()));
    assert_items(&item, cloneable::expansion(nothing.clone(), item.clone()));
    assert_items(&method, expansion_of_block(nothing, method.clone()));
}

/// Asserts that what an item becomes are items. What is no item stays in the expansion as it was: the compiler refuses
/// it.
fn assert_items(item: &TokenStream, expansion: TokenStream) {
    let is_item = syn::parse2::<syn::Item>(item.clone()).is_ok();
    if is_item && let Err(error) = syn::parse2::<syn::File>(expansion.clone()) {
        panic!("{error} in {expansion}");
    }
}
