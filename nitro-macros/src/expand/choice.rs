//! `FUNCTION::Choice`: a variant with values for its parameters. Where no variant has any, it is the variant.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{inner, krate, parameters};
use crate::ir::{CodeVariant, Variant};

/// The type, what it implements, and the structs of parameters.
pub(crate) fn definition(function: &CodeVariant) -> TokenStream {
    if !function.has_parameters() {
        return of_variants(function);
    }
    let visibility = inner(&function.visibility);
    let tuned = function.originals().filter(|variant| !variant.parameters.is_empty());
    let structs = tuned.map(|variant| parameters::definition(function, variant, &visibility));
    let doc = format!(
        " The choices of `{}`: a variant, with values for its tuning parameters if it has any.",
        function.title()
    );
    let arms = function.variants.iter().map(|variant| {
        let Variant { cfgs, name, arm, .. } = variant;
        let payload = payload(variant, &function.original(variant).arm);
        let doc = format!(" The variant `{name}`.");
        quote!(#(#cfgs)* #[doc = #doc] #arm #payload,)
    });
    let is_eq = function.variants.iter().all(parameters::has_equivalence);
    let (eq, equality) = (parameters::derived_eq(is_eq), (!is_eq).then(|| equality(function)));
    let (code_choice, from, display, from_str) =
        (code_choice(function), from_variant(function), display(function), from_str(function));
    quote! {
        #(#structs)*
        #[doc = #doc]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #eq
        #visibility enum Choice { #(#arms)* }
        #equality
        #code_choice
        #from
        #display
        #from_str
    }
}

fn equality(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| {
        let Variant { cfgs, arm, .. } = variant;
        let [left, right] = ["left", "right"].map(|side| payload(variant, format_ident!("{side}")));
        let is_equal = if left.is_some() { quote!(left == right) } else { quote!(true) };
        quote!(#(#cfgs)* (Self::#arm #left, Self::#arm #right) => #is_equal,)
    });
    quote! {
        impl ::core::cmp::PartialEq for Choice {
            fn eq(&self, other: &Self) -> ::core::primitive::bool {
                match (self, other) { #(#arms)* _ => false }
            }
        }
    }
}

/// `(VALUE)` behind an arm whose variant has parameters.
fn payload(variant: &Variant, value: impl quote::ToTokens) -> Option<TokenStream> {
    (!variant.parameters.is_empty()).then(|| quote!((#value)))
}

fn of_variants(function: &CodeVariant) -> TokenStream {
    let (krate, visibility) = (krate(function), inner(&function.visibility));
    quote! {
        /// No variant has tuning parameters: a choice is a variant.
        #visibility type Choice = Variant;
        impl #krate::CodeChoice for Variant {
            type Variant = Self;
            fn of(choice: #krate::Choice) -> Self {
                <Self as #krate::CodeVariant>::ALL[choice.variant]
            }
            fn variant(self) -> Self {
                self
            }
        }
    }
}

fn code_choice(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    let of = function.variants.iter().map(|variant| {
        let Variant { cfgs, arm, .. } = variant;
        let payload = payload(variant, quote!(::core::convert::From::from(choice.configuration)));
        quote!(#(#cfgs)* Variant::#arm => Self::#arm #payload,)
    });
    let variant = function.variants.iter().map(|variant| {
        let Variant { cfgs, arm, .. } = variant;
        let payload = payload(variant, quote!(_));
        quote!(#(#cfgs)* Self::#arm #payload => Variant::#arm,)
    });
    quote! {
        impl #krate::CodeChoice for Choice {
            type Variant = Variant;
            fn of(choice: #krate::Choice) -> Self {
                match <Variant as #krate::CodeVariant>::ALL[choice.variant] { #(#of)* }
            }
            fn variant(self) -> Variant {
                match self { #(#variant)* }
            }
        }
    }
}

fn from_variant(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| {
        let Variant { cfgs, arm, .. } = variant;
        let payload = payload(variant, quote!(::core::default::Default::default()));
        quote!(#(#cfgs)* Variant::#arm => Self::#arm #payload,)
    });
    quote! {
        impl ::core::convert::From<Variant> for Choice {
            fn from(variant: Variant) -> Self {
                match variant { #(#arms)* }
            }
        }
    }
}

fn display(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| {
        let Variant { cfgs, arm, name, .. } = variant;
        let parameters = format_ident!("parameters");
        let payload = payload(variant, &parameters);
        let text = match &payload {
            Some(_) => {
                let format = format!("{name}{{{{{{}}}}}}");
                quote!(::core::write!(formatter, #format, #parameters))
            }
            None => quote!(formatter.write_str(#name)),
        };
        quote!(#(#cfgs)* Self::#arm #payload => #text,)
    });
    quote! {
        impl ::core::fmt::Display for Choice {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self { #(#arms)* }
            }
        }
    }
}

fn from_str(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    quote! {
        impl ::core::str::FromStr for Choice {
            type Err = #krate::UnknownChoice;
            fn from_str(text: &::core::primitive::str) -> ::core::result::Result<Self, #krate::UnknownChoice> {
                let choice = function().choice(text)?;
                ::core::result::Result::Ok(<Self as #krate::CodeChoice>::of(choice))
            }
        }
    }
}
