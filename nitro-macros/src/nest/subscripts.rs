//! The code of integers and of elements.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use super::ir::{Access, Affine, Gather, Quasi, Quotient, Subscript};

/// Writes an element.
pub(super) fn access(krate: &Path, access: &Access) -> TokenStream {
    let array = &access.array;
    let subscripts = access.subscripts.iter().map(|subscript| affine(krate, subscript));
    quote!(#array.at::<#krate::Affine>([#(#subscripts),*]))
}

/// Writes an element at a place that is not affine.
pub(super) fn gather(krate: &Path, gather: &Gather) -> TokenStream {
    let array = &gather.array;
    let subscripts = gather.subscripts.iter().map(|subscript| match subscript {
        Subscript::Affine(own) => {
            let own = affine(krate, own);
            quote!(#krate::Subscript::from(#own))
        }
        Subscript::Quasi(own) => {
            let own = quasi(krate, own);
            quote!(#krate::Subscript::from(#own))
        }
        Subscript::Index(index) => access(krate, index),
    });
    quote!(#array.gather::<#krate::Subscript>([#(#subscripts),*]))
}

/// Writes a sum.
pub(super) fn affine(krate: &Path, affine: &Affine) -> TokenStream {
    let constant = affine.constant;
    let terms = affine.terms.iter().map(|(name, coefficient)| quote!(+ #name * #coefficient));
    quote!((#krate::Affine::from(#constant) #(#terms)*))
}

/// Writes a sum with quotients.
pub(super) fn quasi(krate: &Path, Quasi { affine, quotients }: &Quasi) -> TokenStream {
    let affine = self::affine(krate, affine);
    let quotients = quotients.iter().map(|Quotient { factor, dividend, divisor }| {
        let dividend = quasi(krate, dividend);
        quote!(.plus_quotient(#factor, #dividend, #divisor))
    });
    quote!(#krate::QuasiAffine::from(#affine) #(#quotients)*)
}
