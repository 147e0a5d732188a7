//! Features in bodies: each computed when it is asked for, and at most once a call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use crate::ir::{CodeVariant, Effort};
use crate::places::{self, located};

/// A closure for each feature, which computes it, and a place for what it computed. What a `return` or a `?` in it
/// means is the same wherever it is computed.
pub(super) fn computations(function: &CodeVariant) -> TokenStream {
    let each = function.features.iter().enumerate().map(|(index, feature)| {
        let (compute, value, expression) = (compute(function, index), value(function, index), &feature.value);
        quote! {
            let #compute = || #expression;
            let mut #value = ::core::option::Option::None;
        }
    });
    each.collect()
}

/// A function from the index of a feature that takes no time to its number: NaN for others, and 0 behind the last.
pub(super) fn free_number(function: &CodeVariant) -> TokenStream {
    let free = function.features.iter().enumerate().filter(|(_, own)| own.effort() != Effort::Unknown);
    let arms = free.map(|(index, feature)| {
        let number = number(function, index, &places::whole(&feature.value));
        quote!(#index => #number,)
    });
    let behind = function.features.len();
    quote! {
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            #(#arms)*
            #behind => 0.0,
            _ => ::core::primitive::f64::NAN,
        }
    }
}

/// The features that nothing can keep from being read as numbers, NaN for others.
pub(super) fn numbers_there(function: &CodeVariant) -> TokenStream {
    let numbers = function.features.iter().enumerate().map(|(index, feature)| match feature.effort() {
        Effort::None => number(function, index, &places::whole(&feature.value)),
        Effort::Arithmetic | Effort::Unknown => quote!(::core::primitive::f64::NAN),
    });
    quote!([#(#numbers),*])
}

/// The number that an expression for a feature stands for.
fn number(function: &CodeVariant, index: usize, expression: &TokenStream) -> TokenStream {
    let (krate, span) = (&function.krate, located(&function.features[index].value));
    quote_spanned!(span=> #krate::FeatureValue::to_f64(#expression))
}

/// Walks through the gate. A feature is computed when it is compared first; one that is there anyway is read before,
/// so that steps are alike.
pub(super) fn walk(function: &CodeVariant) -> TokenStream {
    if function.features.is_empty() {
        return TokenStream::new();
    }
    let is_free = |index: &usize| function.features[*index].effort() == Effort::None;
    let (free, others): (Vec<usize>, Vec<usize>) = (0..function.features.len()).partition(is_free);
    let free = free.into_iter().map(|index| {
        let compute = compute(function, index);
        let number = number(function, index, &quote!(#compute()));
        quote!(__nitro_row[#index] = #number;)
    });
    let others = others.into_iter().map(|index| {
        let number = kept(function, index);
        quote!(#index => __nitro_row[#index] = #number,)
    });
    quote! {
        #(#free)*
        while let ::core::option::Option::Some(__nitro_column) = __nitro_walk.column() {
            match __nitro_column { #(#others)* _ => {} }
            __nitro_walk.compare(&__nitro_row);
        }
    }
}

/// The number of a feature, which is computed unless it was, and kept as it is in case that a constraint or `decide`
/// asks for it.
pub(super) fn kept(function: &CodeVariant, index: usize) -> TokenStream {
    let (krate, compute, value) = (&function.krate, compute(function, index), value(function, index));
    quote_spanned!(value.span()=> #krate::FeatureValue::to_f64(*#value.get_or_insert_with(&#compute)))
}

/// The features, each computed when it is asked for, and at most once a call. One that is known already is not
/// computed.
pub(super) fn cells(function: &CodeVariant, are_known: bool) -> TokenStream {
    let cells = function.features.iter().enumerate().map(|(index, feature)| {
        let (cell, value, compute) =
            (cell(function, index), value(function, index), compute(function, index));
        // Variables of its own: what it borrows need not be in memory before.
        match are_known {
            true => quote! {
                let (#value, #compute) = (#value, #compute);
                let #cell = ::core::cell::LazyCell::new(|| #value.unwrap_or_else(#compute));
            },
            false => {
                let expression = places::whole(&feature.value);
                quote!(let #cell = ::core::cell::LazyCell::new(|| #expression);)
            }
        }
    });
    cells.collect()
}

/// The features whose bits are set, as numbers.
pub(super) fn features(function: &CodeVariant) -> TokenStream {
    let (krate, count) = (&function.krate, function.features.len());
    let fills = (0..count).map(|index| {
        let (cell, bit) = (cell(function, index), 1_u32 << index);
        let number = quote_spanned!(cell.span()=> #krate::FeatureValue::to_f64(*#cell));
        quote!(if __nitro_needs & #bit != 0 { __nitro_row[#index] = #number; })
    });
    let (needs, row) =
        if count == 0 { (quote!(_), quote!(_)) } else { (quote!(__nitro_needs), quote!(__nitro_row)) };
    quote! {
        let __nitro_features = |
            #needs: ::core::primitive::u32,
            #row: &mut [::core::primitive::f64; #count],
        | {
            #(#fills)*
        };
    }
}

/// The variable of a feature that computes it when it is asked for. Its own name is free for what the user means by
/// it in other features. It stands where the user's expression does, since an error about its type is about that.
pub(super) fn cell(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_feature_{feature}", span = located(&function.features[feature].value))
}

/// The closure that computes a feature.
fn compute(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_compute_{feature}", span = located(&function.features[feature].value))
}

/// The variable of a feature that is known.
fn value(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_value_{feature}", span = located(&function.features[feature].value))
}
