//! The parameters of a variant. Their types and values stand beside the function, so that the user's names mean
//! there what they mean where they were written. The struct of values is in the companion module.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Type, Visibility};

use super::attributes::shared;
use super::{helper, krate, used};
use crate::ir::{CodeVariant, Parameter, ParameterKind, Variant};
use crate::places;

/// The values of all parameters, their types, and which configurations are possible: beside the function.
pub(crate) fn items(function: &CodeVariant) -> TokenStream {
    let mut items = TokenStream::new();
    for variant in function.originals() {
        for parameter in variant.parameters.iter().filter(|own| own.kind != ParameterKind::Artifact) {
            items.extend(values(function, variant, parameter));
        }
        items.extend(possible(function, variant));
    }
    items
}

/// `[u32; 2] = [64, 128]`
fn values(function: &CodeVariant, variant: &Variant, parameter: &Parameter) -> TokenStream {
    let (shared, cfgs) = (shared(function), &variant.cfgs);
    let (name, r#type) = (values_name(function, variant, parameter), value_type(parameter));
    let (values, count) = (parameter.values.iter().map(|(value, _)| value), parameter.values.len());
    let alias = (parameter.kind == ParameterKind::Category).then(|| {
        let name = type_name(function, variant, parameter);
        quote! {
            #shared
            #(#cfgs)*
            #[doc(hidden)]
            type #name = #r#type;
        }
    });
    quote! {
        #alias
        #shared
        #(#cfgs)*
        #[doc(hidden)]
        const #name: [#r#type; #count] = [#(#values),*];
    }
}

/// The type as the user wrote it; of numbers and bools the primitive one, whatever is called so here.
fn value_type(parameter: &Parameter) -> TokenStream {
    match &parameter.r#type {
        Type::Path(primitive) if parameter.kind.is_primitive() => {
            let primitive = primitive.path.get_ident().map(places::item);
            quote!(::core::primitive::#primitive)
        }
        r#type => quote!(#r#type),
    }
}

fn values_name(function: &CodeVariant, variant: &Variant, parameter: &Parameter) -> Ident {
    helper(function, &format!("values_{}_{}", function.original(variant).name, parameter.name))
}

fn type_name(function: &CodeVariant, variant: &Variant, parameter: &Parameter) -> Ident {
    helper(function, &format!("type_{}_{}", variant.name, parameter.name))
}

/// Name of the function that says which configurations of a variant are possible.
pub(crate) fn possible_name(function: &CodeVariant, variant: &Variant) -> Ident {
    helper(function, &format!("possible_{}", function.original(variant).name))
}

fn possible(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let condition = places::whole(variant.constraint.as_ref()?.possible.as_ref()?);
    let (shared, cfgs, krate) = (shared(function), &variant.cfgs, &function.krate);
    let name = possible_name(function, variant);
    let (parameters, bindings) = (of_configuration(function, variant), bindings(function, variant));
    Some(quote! {
        #shared
        #(#cfgs)*
        #[doc(hidden)]
        fn #name(__nitro_configuration: #krate::Configuration) -> ::core::primitive::bool {
            #parameters
            #bindings
            #condition
        }
    })
}

/// The values of a configuration that is `__nitro_configuration`, as `__nitro_parameters`.
pub(crate) fn of_configuration(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (krate, r#type) = (&function.krate, path(function, variant));
    quote! {
        let __nitro_parameters =
            <#r#type as ::core::convert::From<#krate::Configuration>>::from(__nitro_configuration);
    }
}

/// The struct of a variant's parameters as seen from beside the function.
pub(crate) fn path(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (module, arm) = (&function.module, &function.original(variant).arm);
    quote!(#module::#arm)
}

/// The parameters as variables, out of `__nitro_parameters`.
///
/// By a pattern: lints on names speak of a variable that takes a field's name there where the field is declared.
pub(crate) fn bindings(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let names: Vec<_> = variant.parameters.iter().map(|parameter| &parameter.name).collect();
    let (r#type, used) = (path(function, variant), used(&names));
    (!names.is_empty()).then(|| quote!(let #r#type { #(#names),* } = __nitro_parameters; #used))
}

/// The struct of a variant's parameters, in the companion module.
pub(crate) fn definition(function: &CodeVariant, variant: &Variant, visibility: &Visibility) -> TokenStream {
    let Variant { cfgs, arm, name, parameters, .. } = variant;
    let doc = format!(
        " A value for each tuning parameter of `{name}`; `Default` has those that are used where nothing was learned."
    );
    let fields = parameters.iter().map(|parameter| {
        let (name, r#type, doc) =
            (places::item(&parameter.name), field_type(function, variant, parameter), field_doc(parameter));
        quote!(#[doc = #doc] #visibility #name: #r#type,)
    });
    let is_eq = has_equivalence(variant);
    let (eq, equality) = (derived_eq(is_eq), (!is_eq).then(|| equality(variant)));
    let (default, from, display) =
        (default(function, variant), from_configuration(function, variant), display(function, variant));
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #eq
        #visibility struct #arm { #(#fields)* }
        #equality
        #default
        #from
        #display
    }
}

/// Returns true where all values equal themselves, as far as the macro knows.
pub(crate) fn has_equivalence(variant: &Variant) -> bool {
    let mut kinds = variant.parameters.iter().map(|own| own.kind);
    kinds.all(|kind| !matches!(kind, ParameterKind::Float | ParameterKind::Category))
}

/// The derived traits where all values have an equivalence. Clippy asks for `Eq` wherever `PartialEq` is derived and
/// `Eq` could be.
pub(crate) fn derived_eq(is_eq: bool) -> Option<TokenStream> {
    is_eq.then(|| quote!(#[derive(::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]))
}

fn equality(variant: &Variant) -> TokenStream {
    let Variant { cfgs, arm, parameters, .. } = variant;
    let names = parameters.iter().map(|parameter| places::item(&parameter.name));
    quote! {
        #(#cfgs)*
        impl ::core::cmp::PartialEq for #arm {
            fn eq(&self, other: &Self) -> ::core::primitive::bool {
                #(self.#names == other.#names)&&*
            }
        }
    }
}

fn field_doc(parameter: &Parameter) -> String {
    if parameter.kind == ParameterKind::Artifact {
        return " Generated code; none where nothing was found.".to_owned();
    }
    let values = parameter.values.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ");
    let (_, default) = &parameter.values[parameter.default];
    let constant = if parameter.is_const { " A constant of the variant's type parameters." } else { "" };
    format!(" One of {values}; {default} where nothing was learned.{constant}")
}

fn field_type(function: &CodeVariant, variant: &Variant, parameter: &Parameter) -> TokenStream {
    match parameter.kind {
        ParameterKind::Category => {
            let alias = type_name(function, variant, parameter);
            quote!(super::#alias)
        }
        ParameterKind::Artifact => {
            let krate = krate(function);
            quote!(#krate::Artifact)
        }
        _ => value_type(parameter),
    }
}

fn default(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let Variant { cfgs, arm, parameters, .. } = variant;
    let fields = parameters.iter().map(|parameter| {
        let (name, values, index) =
            (places::item(&parameter.name), values_name(function, variant, parameter), parameter.default);
        match parameter.kind {
            ParameterKind::Artifact => quote!(#name: ::core::default::Default::default()),
            _ => quote!(#name: super::#values[#index]),
        }
    });
    quote! {
        #(#cfgs)*
        impl ::core::default::Default for #arm {
            fn default() -> Self {
                Self { #(#fields),* }
            }
        }
    }
}

/// The values of a configuration by its rank. Those of the last parameter change fastest.
fn from_configuration(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (krate, Variant { cfgs, arm, parameters, .. }) = (krate(function), variant);
    if let Some(Parameter { name, .. }) = variant.artifact() {
        return quote! {
            #(#cfgs)*
            impl ::core::convert::From<#krate::Configuration> for #arm {
                #[inline]
                fn from(configuration: #krate::Configuration) -> Self {
                    Self { #name: ::core::convert::From::from(configuration) }
                }
            }
        };
    }
    let values = parameters.iter().rev().map(|parameter| {
        let (name, values, count) = (
            places::item(&parameter.name),
            values_name(function, variant, parameter),
            parameter.values.len(),
        );
        quote!(#name: super::#values[__nitro_digits.next_of(#count)],)
    });
    quote! {
        #(#cfgs)*
        impl ::core::convert::From<#krate::Configuration> for #arm {
            #[inline]
            fn from(configuration: #krate::Configuration) -> Self {
                let mut __nitro_digits = #krate::__private::Digits::new(configuration);
                Self { #(#values)* }
            }
        }
    }
}

fn display(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (krate, Variant { cfgs, arm, parameters, .. }) = (krate(function), variant);
    let each = parameters.iter().enumerate().map(|(index, parameter)| {
        let (name, values) = (&parameter.name, values_name(function, variant, parameter));
        let texts = texts(parameter);
        let format = format!("{}{name}={{}}", if index == 0 { "" } else { "," });
        if parameter.kind == ParameterKind::Artifact {
            return quote!(::core::write!(formatter, #format, self.#name)?;);
        }
        quote! {
            ::core::write!(formatter, #format, #krate::__private::ValueText {
                value: &self.#name,
                values: &super::#values,
                texts: #texts,
            })?;
        }
    });
    quote! {
        #(#cfgs)*
        impl ::core::fmt::Display for #arm {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #(#each)*
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn texts(parameter: &Parameter) -> TokenStream {
    let texts = parameter.values.iter().map(|(_, text)| text);
    quote!(&[#(#texts),*])
}

/// The parameters in the descriptor.
pub(crate) fn information(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let krate = krate(function);
    let each = variant.parameters.iter().map(|parameter| {
        let (name, texts, default) = (parameter.name.to_string(), texts(parameter), parameter.default);
        let kind = match parameter.kind {
            ParameterKind::Artifact => return quote!(#krate::Parameter::artifact(#name)),
            ParameterKind::Integer | ParameterKind::Float => quote!(Number),
            ParameterKind::Bool => quote!(Bool),
            ParameterKind::Category => quote!(Category),
        };
        quote!(#krate::Parameter::new(#name, #krate::ParameterKind::#kind, #texts, #default))
    });
    quote!(&[#(#each),*])
}

/// The variant's path for each combination of its constants, with the pattern of that combination.
pub(crate) fn instances(function: &CodeVariant, variant: &Variant) -> Vec<(TokenStream, TokenStream)> {
    let constants = variant.parameters.iter().filter(|parameter| parameter.is_const);
    let mut instances: Vec<Vec<TokenStream>> = vec![Vec::new()];
    for constant in constants {
        let mut longer = Vec::new();
        for instance in &instances {
            for (value, _) in &constant.values {
                longer.push(instance.iter().cloned().chain([value.to_token_stream()]).collect());
            }
        }
        instances = longer;
    }
    let mut with_paths = Vec::new();
    for values in instances {
        with_paths.push((quote!((#(#values,)*)), instance(function, variant, &values)));
    }
    with_paths
}

/// The path with arguments. Those of the function's own generics are found by inference, those of the constants
/// follow.
fn instance(function: &CodeVariant, variant: &Variant, values: &[TokenStream]) -> TokenStream {
    let mut path = variant.path.clone();
    let Some(last) = path.path.segments.last_mut() else { return path.to_token_stream() };
    let written: Vec<TokenStream> = match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().map(ToTokens::to_token_stream).collect()
        }
        _ if function.generics_are_inferred => function.generics.iter().map(|_| quote!(_)).collect(),
        _ => function.generics.iter().map(ToTokens::to_token_stream).collect(),
    };
    last.arguments =
        syn::PathArguments::AngleBracketed(syn::parse_quote!(::<#(#written,)* #({ #values }),*>));
    path.to_token_stream()
}
