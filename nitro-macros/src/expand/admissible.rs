//! Rules for which variants may run.

use proc_macro2::TokenStream;
use quote::quote;

use super::calls::{given_choice, payload};
use super::feature_cells::{cell, cells};
use super::{approximate, clones, parameters, used};
use crate::ir::{CodeVariant, Constraint, Variant};

/// The rules for which variants may run.
pub(super) fn admissible(function: &CodeVariant) -> TokenStream {
    let module = &function.module;
    let conditional =
        function.variants.iter().filter(|variant| variant.is_conditional() || variant.target.is_some());
    let rules =
        conditional.map(|variant| rule(function, variant, variant.input_constraint())).collect::<Vec<_>>();
    let body =
        if rules.is_empty() { quote!(true) } else { quote!(match __nitro_choice { #(#rules)* _ => true }) };
    let choice = if rules.is_empty() { quote!(_) } else { quote!(__nitro_choice) };
    quote! {
        let __nitro_admissible = |#choice: #module::Choice| -> ::core::primitive::bool { #body };
    }
}

/// The body of `admissible`. It asks all constraints, also those that say something of parameters alone, since any
/// choice may be asked for.
pub(crate) fn admissibility(function: &CodeVariant) -> TokenStream {
    let conditional = function
        .variants
        .iter()
        .filter(|own| own.constraint.is_some() || own.approximation.is_some() || own.target.is_some());
    let rules =
        conditional.map(|variant| rule(function, variant, variant.constraint.as_ref())).collect::<Vec<_>>();
    if rules.is_empty() {
        return quote!(true);
    }
    let (cells, choice) = (cells(function, false), given_choice(function));
    let tolerance = approximate::cell(function);
    quote! {
        #cells
        #tolerance
        match #choice { #(#rules)* _ => true }
    }
}

/// The arm of a variant that may be forbidden: by the processor, by what the call tolerates, then by its constraint.
fn rule(function: &CodeVariant, variant: &Variant, constraint: Option<&Constraint>) -> TokenStream {
    let (module, Variant { cfgs, arm, .. }) = (&function.module, variant);
    let (is_detected, is_tolerated) =
        (clones::is_detected(function, variant), approximate::is_tolerated(function, variant));
    let (payload, condition) = match constraint {
        Some(constraint) => (payload(variant), Some(holds(function, variant, constraint))),
        None => (payload(variant).map(|_| quote!((_))), None),
    };
    let conditions = [is_detected, is_tolerated, condition].into_iter().flatten();
    quote!(#(#cfgs)* #module::Choice::#arm #payload => #(#conditions)&&*,)
}

/// The condition of a constraint. Only the features that it mentions are computed.
fn holds(function: &CodeVariant, variant: &Variant, constraint: &Constraint) -> TokenStream {
    let condition = &constraint.condition;
    let names: Vec<_> = constraint.features.iter().map(|&feature| &function.features[feature].name).collect();
    let cells = constraint.features.iter().map(|&feature| cell(function, feature));
    let (bindings, used) = (parameters::bindings(function, variant), used(&names));
    quote! {
        {
            #bindings
            #(let #names = *#cells;)*
            #used
            let __nitro_admissible: ::core::primitive::bool = #condition;
            __nitro_admissible
        }
    }
}
