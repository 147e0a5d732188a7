//! Rules for which variants may run.

use proc_macro2::TokenStream;
use quote::quote;

use super::calls::{given_choice, payload};
use super::feature_cells::{cell, cells};
use super::{approximate, clones, parameters, used};
use crate::ir::{CodeVariant, Constraint, Effort, Variant};
use crate::places;

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

/// The rules that take no time, as a closure from a choice to whether it may run; none of others.
pub(super) fn admits_at_once(function: &CodeVariant) -> TokenStream {
    let arms =
        function.variants.iter().filter_map(|variant| arm_at_once(function, variant)).collect::<Vec<_>>();
    let module = &function.module;
    let unknown = quote!(::core::option::Option::None);
    if arms.is_empty() {
        return quote!(|_: #module::Choice| #unknown);
    }
    quote! {
        |__nitro_choice: #module::Choice| match __nitro_choice {
            #(#arms)*
            _ => #unknown,
        }
    }
}

/// The arm of a variant whose constraint is all that may forbid it, and takes no time.
fn arm_at_once(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let constraint = variant.input_constraint()?;
    if variant.approximation.is_some()
        || variant.target.is_some()
        || constraint.effort(&function.features) == Effort::Unknown
    {
        return None;
    }
    let (module, payload, Variant { cfgs, arm, .. }) = (&function.module, payload(variant), variant);
    let value = |feature: usize| places::whole(&function.features[feature].value);
    let condition = holds(function, variant, constraint, value);
    Some(quote!(#(#cfgs)* #module::Choice::#arm #payload => ::core::option::Option::Some(#condition),))
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
        Some(constraint) => {
            let condition = holds(function, variant, constraint, |feature| in_cell(function, feature));
            (payload(variant), Some(condition))
        }
        None => (payload(variant).map(|_| quote!((_))), None),
    };
    let conditions = [is_detected, is_tolerated, condition].into_iter().flatten();
    quote!(#(#cfgs)* #module::Choice::#arm #payload => #(#conditions)&&*,)
}

/// The value of a feature that is in a cell.
fn in_cell(function: &CodeVariant, feature: usize) -> TokenStream {
    let cell = cell(function, feature);
    quote!(*#cell)
}

/// The condition of a constraint. Only the features that it mentions are computed, each as `value` says.
fn holds(
    function: &CodeVariant,
    variant: &Variant,
    constraint: &Constraint,
    value: impl Fn(usize) -> TokenStream,
) -> TokenStream {
    let condition = &constraint.condition;
    let names: Vec<_> = constraint.features.iter().map(|&feature| &function.features[feature].name).collect();
    let values = constraint.features.iter().map(|&feature| value(feature));
    let (bindings, used) = (parameters::bindings(function, variant), used(&names));
    // All before anything is bound, whose name a feature may mean something else by.
    let bound = (!names.is_empty()).then(|| quote!(let (#(#names,)*) = (#(#values,)*);));
    quote! {
        {
            #bound
            #bindings
            #used
            let __nitro_admissible: ::core::primitive::bool = #condition;
            __nitro_admissible
        }
    }
}
