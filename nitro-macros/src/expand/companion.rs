//! The companion module: the enum of the variants, the descriptor, and the functions beside the function.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Path, Visibility};

use super::attributes::{hidden, shared};
use super::{approximate, choice, clones, constraint, helper, inner, krate, parameters};
use crate::digest;
use crate::ir::{CodeVariant, Effort, Variant};
use crate::places;

/// The module; `descriptor` is the body of its `function()`.
pub(crate) fn module(function: &CodeVariant, descriptor: &TokenStream) -> TokenStream {
    let CodeVariant { visibility, module, .. } = function;
    let (name, shared, hidden) = (places::item(module), shared(function), hidden(function));
    let doc = format!(
        " What belongs to the function `{}`: its variants, its selections and its descriptor.",
        function.title()
    );
    let (variants, functions, cache) = (variants(function), functions(function, descriptor), cache(function));
    quote! {
        #shared
        #hidden
        #[doc = #doc]
        #visibility mod #name {
            #variants
            #functions
            #cache
        }
    }
}

/// The inline cache of a thread; of a generic function, for all its types.
fn cache(function: &CodeVariant) -> TokenStream {
    let (krate, count) = (krate(function), function.features.len());
    let cache = quote!(#krate::__private::InlineCache);
    quote! {
        ::std::thread_local! {
            pub(super) static __NITRO_CACHE: #cache<Choice, #count> = const { #cache::new() };
        }
    }
}

/// The enum and what it implements.
fn variants(function: &CodeVariant) -> TokenStream {
    let (definition, list) = (definition(function), list(function));
    let (code_variant, display, from_str) = (code_variant(function), display(function), from_str(function));
    let choice = choice::definition(function);
    quote!(#definition #list #code_variant #display #from_str #choice)
}

fn definition(function: &CodeVariant) -> TokenStream {
    let visibility = inner(&function.visibility);
    let doc = format!(" The variants of `{}`, in the order of their declaration.", function.title());
    let arms = function.variants.iter().map(|variant| {
        let Variant { cfgs, path, arm, .. } = variant;
        let target = variant.target.as_ref().map(|own| own.features.join(", "));
        let target =
            target.map_or(String::new(), |features| format!(", compiled for processors with {features}"));
        let doc = format!(" The function `{}`{target}.", plain_path(&path.path));
        quote!(#(#cfgs)* #[doc = #doc] #arm,)
    });
    quote! {
        #[doc = #doc]
        #[derive(
            ::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy,
            ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash,
        )]
        #visibility enum Variant { #(#arms)* }
    }
}

/// The path without generic arguments, for documentation.
fn plain_path(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect::<Vec<_>>().join("::")
}

fn list(function: &CodeVariant) -> TokenStream {
    let visibility = inner(&function.visibility);
    let arms = function.variants.iter().map(|Variant { cfgs, arm, .. }| quote!(#(#cfgs)* Self::#arm,));
    quote! {
        impl Variant {
            /// All variants, in the order of their declaration.
            #visibility const ALL: &'static [Self] = &[#(#arms)*];
        }
    }
}

fn code_variant(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    let names = function
        .variants
        .iter()
        .map(|Variant { cfgs, arm, name, .. }| quote!(#(#cfgs)* Self::#arm => #name,));
    quote! {
        impl #krate::CodeVariant for Variant {
            type Choice = Choice;
            const ALL: &'static [Self] = Self::ALL;
            fn index(self) -> ::core::primitive::usize {
                self as ::core::primitive::usize
            }
            fn name(self) -> &'static ::core::primitive::str {
                match self { #(#names)* }
            }
        }
    }
}

fn display(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    quote! {
        impl ::core::fmt::Display for Variant {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.pad(#krate::CodeVariant::name(*self))
            }
        }
    }
}

fn from_str(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    let names = function.variants.iter().map(
        |Variant { cfgs, arm, name, .. }| quote!(#(#cfgs)* #name => ::core::result::Result::Ok(Self::#arm),),
    );
    quote! {
        impl ::core::str::FromStr for Variant {
            type Err = #krate::UnknownVariant;
            fn from_str(text: &::core::primitive::str) -> ::core::result::Result<Self, #krate::UnknownVariant> {
                match text {
                    #(#names)*
                    _ => {
                        let known = ::core::iter::Iterator::map(
                            Self::ALL.iter(),
                            |variant| #krate::CodeVariant::name(*variant)
                        );
                        let error = #krate::UnknownVariant::new(function().name(), text, known);
                        ::core::result::Result::Err(error)
                    }
                }
            }
        }
    }
}

/// `function()`, `prepare()`, `hold()`, `select`, `call` and `admissible`.
fn functions(function: &CodeVariant, descriptor: &TokenStream) -> TokenStream {
    let (krate, visibility) = (krate(function), inner(&function.visibility));
    let calls = re_exported(function);
    let at_module_level = super::at_module_level(function);
    let doc = format!(" The descriptor of `{}`, which the trainer takes.", function.title());
    let prepare_doc = format!(
        " Compiles what calls of `{}` may run, by its option `prepare`, and reads its model, so that no call does.",
        function.title()
    );
    let hold_doc = hold_doc(function);
    quote! {
        #[doc = #doc]
        #[must_use]
        #visibility fn function() -> &'static #krate::Function { #descriptor }
        #[doc = #prepare_doc]
        ///
        /// # Errors
        /// What could not be prepared, and why; calls go on as they would without.
        #visibility fn prepare() -> ::core::result::Result<(), #krate::PrepareError> {
            function().prepare()
        }
        #[doc = #hold_doc]
        #visibility fn hold() -> #krate::Held { #krate::__private::hold(&__NITRO_CACHE) }
        use super::#at_module_level as _;
        #calls
    }
}

/// The documentation of what holds a choice.
pub(crate) fn hold_doc(function: &CodeVariant) -> String {
    let name = function.title();
    format!(
        " Holds the choice of the next call of `{name}` on this thread, until what this returns is dropped."
    )
}

/// `select`, `call` and `admissible`. Those of a method stand beside it: they take `self`.
fn re_exported(function: &CodeVariant) -> Option<TokenStream> {
    if function.owner.is_some() {
        return None;
    }
    let visibility = inner(&function.visibility);
    let [select, call, admissible] = ["select", "call", "admissible"].map(|role| helper(function, role));
    // No other form of a public item gives a name to what needs the user's own names around it.
    let allowed = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[allow(clippy::pub_use)]));
    Some(quote! {
        #allowed
        #[doc(inline)]
        #visibility use super::{#select as select, #call as call, #admissible as admissible};
    })
}

/// The body of `function()`.
pub(crate) fn descriptor(function: &CodeVariant) -> TokenStream {
    let krate = krate(function);
    let name = match (&function.name, &function.owner) {
        (Some(name), _) => name.to_token_stream(),
        (None, None) => quote!(::core::module_path!()),
        (None, Some(_)) => {
            let name = helper(function, "name");
            quote!(super::#name)
        }
    };
    let variants = function.variants.iter().map(|variant| information(function, variant));
    let features = function.features.iter().map(|feature| feature.name.to_string());
    let digests = function.features.iter().map(|feature| digest::digest([&feature.value as &dyn ToTokens]));
    let features = (!function.features.is_empty())
        .then(|| quote!(.with_features(&[#(#features),*]).with_feature_digests(&[#(#digests),*])));
    let free = (0..)
        .zip(&function.features)
        .filter(|(_, own)| own.effort() != Effort::Unknown)
        .fold(0, |all, (at, _)| all | 1_u32 << at);
    let free = (free != 0).then(|| quote!(.with_free_features(#free)));
    let units = function.features.iter().map(|feature| match &feature.unit {
        Some(unit) => quote!(::core::option::Option::Some(#krate::Unit::#unit)),
        None => quote!(::core::option::Option::None),
    });
    let units = function
        .features
        .iter()
        .any(|feature| feature.unit.is_some())
        .then(|| quote!(.with_feature_units(&[#(#units),*])));
    let default = &function.variants[function.default].arm;
    let model = function.model.as_ref().map(|_| {
        let model = helper(function, "model");
        quote!(.with_model(super::#model))
    });
    let prepare = function.prepare.as_ref().map(|_| {
        let prepare = helper(function, "prepare");
        quote!(.with_prepare(super::#prepare))
    });
    quote! {
        const VARIANTS: &[#krate::VariantInfo] = &[#(#variants)*];
        static FUNCTION: #krate::Function = #krate::Function::new(#name, VARIANTS)
            #features
            #free
            #units
            .with_default(Variant::#default as ::core::primitive::usize)
            #model
            #prepare;
        &FUNCTION
    }
}

fn information(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (krate, Variant { cfgs, name, .. }) = (krate(function), variant);
    let parameters = (!variant.parameters.is_empty()).then(|| {
        let parameters = parameters::information(function, variant);
        quote!(.with_parameters(#parameters))
    });
    let possible =
        variant.constraint.as_ref().and_then(|constraint| constraint.possible.as_ref()).map(|_| {
            let possible = parameters::possible_name(function, variant);
            quote!(.with_possible(super::#possible))
        });
    let constraint = variant.is_conditional().then(|| {
        let (condition, admits) = (constraint::text(variant), constraint::name(function, variant));
        quote!(.with_constraint(#krate::Constraint::new(::core::stringify!(#condition), super::#admits)))
    });
    let exact_group = variant.exact_group.map(|group| quote!(.in_exact_group(#group)));
    let (approximate, target) =
        (approximate::information(function, variant), clones::information(function, variant));
    let hint = variant.hint.map(|feature| quote!(.preferred_by(#feature)));
    let (digest, was) = (variant.digest, &variant.was);
    let formerly = (!was.is_empty()).then(|| quote!(.formerly(&[#(#was),*])));
    quote! {
        #(#cfgs)*
        #krate::VariantInfo::new(#name)
            #parameters #possible #constraint #hint #exact_group #approximate #target .with_digest(#digest) #formerly,
    }
}
