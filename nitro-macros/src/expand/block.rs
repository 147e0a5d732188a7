//! The block under `#[code_variants]`, with its methods put back, and what goes beside them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{ImplItem, ItemImpl, TraitItem};

use super::attributes::{hidden, shared};
use super::{Expansion, beside, clones, companion, helper};
use crate::ir::{CodeVariant, OwnerKind};
use crate::parse::{Block, Container, Other};

/// The block with its methods, and the items beside it.
pub(crate) fn block(block: Block, methods: Vec<Expansion>) -> TokenStream {
    let (mut functions, mut besides, mut items) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let inlined: Vec<&Ident> = methods.iter().flat_map(|method| &method.inlined).collect();
    for Other { function, mut attributes, rest } in block.others {
        if function.is_some_and(|name| inlined.contains(&&name)) {
            clones::inline_always(&mut attributes);
        }
        functions.extend(quote!(#(#attributes)* #rest));
    }
    for method in methods {
        functions.extend(method.function);
        besides.extend(method.beside);
        items.extend(method.items);
    }
    match block.container {
        Container::Trait(mut own) => {
            own.items = vec![TraitItem::Verbatim(quote!(#functions #besides))];
            quote!(#own #items)
        }
        Container::Impl(mut own) if own.trait_.is_none() => {
            own.items = vec![ImplItem::Verbatim(quote!(#functions #besides))];
            quote!(#own #items)
        }
        Container::Impl(mut own) => {
            own.items = vec![ImplItem::Verbatim(functions)];
            let inherent = inherent(&own, &besides);
            quote!(#own #inherent #items)
        }
    }
}

/// The block of a type that holds what a trait does not declare.
fn inherent(block: &ItemImpl, items: &TokenStream) -> TokenStream {
    let cfgs = block.attrs.iter().filter(|own| own.path().is_ident("cfg"));
    let (generics, _, bounds) = block.generics.split_for_impl();
    let r#type = &block.self_ty;
    quote! {
        #(#cfgs)*
        impl #generics #r#type #bounds { #items }
    }
}

/// Returns true where a visibility may stand: before no item of a trait, nor before an implementation of one.
pub(crate) fn has_visibilities(function: &CodeVariant, is_beside: bool) -> bool {
    match function.owner.as_ref().map(|owner| &owner.kind) {
        None | Some(OwnerKind::Inherent) => true,
        Some(OwnerKind::Implementation(_)) => is_beside,
        Some(OwnerKind::Trait) => false,
    }
}

/// `METHOD_variants`, the descriptor, and `METHOD_hold`.
pub(crate) fn without_receiver(function: &CodeVariant) -> Option<TokenStream> {
    let owner = function.owner.as_ref()?;
    let (krate, module) = (&function.krate, &function.module);
    let (variants, hold) = (beside(function, "variants"), beside(function, "hold"));
    let (shared, hidden) = (shared(function), hidden(function));
    let visibility =
        has_visibilities(function, true).then(|| crate::places::visibility(function.visibility.clone()));
    // An object of the trait has none.
    let sized = matches!(owner.kind, OwnerKind::Trait).then(|| quote!(where Self: ::core::marker::Sized));
    let doc = format!(" The descriptor of `{}`, which the trainer takes.", function.title());
    let hold_doc = companion::hold_doc(function);
    Some(quote! {
        #[doc = #doc]
        #shared
        #hidden
        #[must_use]
        #visibility fn #variants() -> &'static #krate::Function #sized { #module::function() }
        #[doc = #hold_doc]
        #shared
        #hidden
        #visibility fn #hold() -> #krate::Held #sized { #module::hold() }
    })
}

/// The key of a method in stores and models, where the user gave none: its path.
pub(crate) fn name(function: &CodeVariant) -> Option<TokenStream> {
    if function.owner.is_none() || function.name.is_some() {
        return None;
    }
    let (shared, name, path) =
        (shared(function), helper(function, "name"), format!("::{}", function.title()));
    Some(quote! {
        #shared
        #[doc(hidden)]
        const #name: &::core::primitive::str = ::core::concat!(::core::module_path!(), #path);
    })
}
