//! Rules for the signature, through which a call has to be forwarded.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericParam, Pat, PatIdent, PatType, Receiver, ReturnType, Signature, Type};

use super::{Owner, RESERVED, impl_types, mentions};
use crate::errors::Errors;
use crate::parse::Item;

/// Applies all rules.
pub(crate) fn check(item: &Item, owner: Option<&Owner>, errors: &mut Errors) {
    let signature = &item.signature;
    has_no_body(item, errors);
    is_not_const(signature, errors);
    has_no_abi(signature, errors);
    is_not_variadic(signature, errors);
    returns_a_named_type(signature, errors);
    for parameter in &signature.generics.params {
        generic_parameter_is_bare(parameter, errors);
    }
    impl_types_are_found(signature, errors);
    for argument in &signature.inputs {
        match argument {
            FnArg::Receiver(receiver) => receiver_is_bare(receiver, owner, errors),
            FnArg::Typed(argument) => {
                argument_is_bare(argument, errors);
                argument_is_a_name(argument, errors);
            }
        }
    }
}

/// The names of the arguments, in a sound signature of all.
pub(crate) fn arguments(signature: &Signature) -> Vec<Ident> {
    let arguments = signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(PatType { pat, .. }) => match &**pat {
            Pat::Ident(pattern) => Some(pattern.ident.clone()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    arguments.collect()
}

/// The signature of a trait's method as it may also stand outside the implementation.
pub(crate) fn outside(signature: Signature, owner: Option<&Owner>) -> Signature {
    let Some(owner) = owner else { return signature };
    let written = owner.outside(signature.to_token_stream());
    syn::parse2(written).unwrap_or(signature)
}

/// Returns true where the function could have a body that never runs. None has the type `impl Trait`, and variable
/// arguments are unstable.
pub(crate) fn could_have_a_body(signature: &Signature) -> bool {
    signature.variadic.is_none() && impl_keyword(signature.output.to_token_stream()).is_none()
}

/// The names of the generic types and constants, in order.
pub(crate) fn generics(signature: &Signature) -> Vec<Ident> {
    let parameters = signature.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(r#type) => Some(r#type.ident.clone()),
        GenericParam::Const(constant) => Some(constant.ident.clone()),
        GenericParam::Lifetime(_) => None,
    });
    parameters.collect()
}

/// Returns true where the types of the arguments and of the result tell all generic types and constants.
pub(crate) fn generics_are_inferred(signature: &Signature) -> bool {
    let mut types: Vec<_> = signature.inputs.iter().map(ToTokens::to_token_stream).collect();
    types.push(signature.output.to_token_stream());
    generics(signature).iter().all(|name| types.iter().any(|tokens| mentions::as_type(tokens.clone(), name)))
}

fn plain_name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => Some(ident),
        _ => None,
    }
}

/// Refuses a body, since the macro writes it.
fn has_no_body(item: &Item, errors: &mut Errors) {
    if let Some(TokenTree::Group(body)) = &item.body {
        let message = "replace the body by `;`: the variants are the bodies; move this one into a function of its \
            own and list it in `variants(..)`";
        errors.push(syn::Error::new(body.span_open(), message));
    }
}

/// Refuses `const`: a choice at run time is no constant.
fn is_not_const(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.constness {
        errors.at(
            token,
            "a `const fn` cannot have variants, since the choice is made at run time: remove `const`",
        );
    }
}

/// Refuses `extern`: the variants are ordinary functions.
fn has_no_abi(signature: &Signature, errors: &mut Errors) {
    if let Some(abi) = &signature.abi {
        errors.at(
            abi,
            "a function with variants has Rust's own calling convention: remove `extern`, and call it from an \
             `extern` function",
        );
    }
}

/// Refuses variable arguments, which cannot be passed on.
fn is_not_variadic(signature: &Signature, errors: &mut Errors) {
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic.dots, "variable arguments cannot be passed on to a variant: take a slice");
    }
}

/// Refuses `impl Trait` and `!`. Each variant would return another type, and a variant that never returns cannot be
/// measured.
fn returns_a_named_type(signature: &Signature, errors: &mut Errors) {
    let ReturnType::Type(_, output) = &signature.output else { return };
    if let Some(span) = impl_keyword(output.to_token_stream()) {
        let message =
            "every variant would return a type of its own: name the type, or write `Box<dyn Trait>`";
        errors.push(syn::Error::new(span, message));
    }
    if let Type::Never(never) = &**output {
        errors.at(never, "a variant that never returns cannot be measured: write a type that it returns");
    }
}

/// Refuses attributes of generic parameters, which are repeated on generated functions: one could mean something
/// else there.
fn generic_parameter_is_bare(parameter: &GenericParam, errors: &mut Errors) {
    let attributes = match parameter {
        GenericParam::Lifetime(lifetime) => &lifetime.attrs,
        GenericParam::Type(r#type) => &r#type.attrs,
        GenericParam::Const(constant) => &constant.attrs,
    };
    if let Some(attribute) = attributes.first() {
        errors.at(attribute, "remove this attribute: a generic parameter takes none here");
    }
}

/// Refuses the receiver of a method whose block the macro does not see, and what only a body could use.
fn receiver_is_bare(receiver: &Receiver, owner: Option<&Owner>, errors: &mut Errors) {
    if owner.is_none() {
        let message = "the variants of a method are declared in a block under `#[code_variants]`: write that above \
            the `impl` or the trait";
        errors.at(receiver, message);
    } else if let Some(attribute) = receiver.attrs.first() {
        errors.at(attribute, "remove this attribute: an argument takes none here");
    } else if receiver.mutability.is_some() {
        errors.at(receiver, "write `self` alone: the variants decide how they bind it");
    }
}

/// Refuses attributes of arguments, which are repeated on generated functions: one could mean something else there.
fn argument_is_bare(argument: &PatType, errors: &mut Errors) {
    if let Some(attribute) = argument.attrs.first() {
        errors.at(
            attribute,
            "remove this attribute: an argument takes none here; put a `#[cfg]` on the whole function",
        );
    }
}

/// Refuses patterns: features and calls need a name for the argument.
fn argument_is_a_name(argument: &PatType, errors: &mut Errors) {
    match (plain_name(&argument.pat), &*argument.pat) {
        (Some(name), _) if name.to_string().starts_with(RESERVED) => {
            let message = format!(
                "names that begin with `{RESERVED}` are reserved for generated code: name this argument otherwise"
            );
            errors.at(name, message);
        }
        (Some(_), _) => {}
        (None, Pat::Ident(pattern)) => {
            let message =
                format!("write `{}` alone: the variants decide how they bind their arguments", pattern.ident);
            errors.at(pattern, message);
        }
        (None, pattern) => errors.at(pattern, "give this argument a name: the variants may take it apart"),
    }
}

/// Refuses `impl Trait` within another one, or in a type where the macro looks for none.
fn impl_types_are_found(signature: &Signature, errors: &mut Errors) {
    let (named, _) = impl_types::named(signature);
    let bounds = named.generics.type_params().skip(signature.generics.type_params().count());
    let types = named.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(argument.ty.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    for tokens in types.chain(bounds.map(|own| own.bounds.to_token_stream())) {
        if let Some(span) = impl_keyword(tokens) {
            let message = "variants are called with one type for each argument: write a generic parameter, as in \
                `fn f<T: Trait>(x: T);`";
            errors.push(syn::Error::new(span, message));
        }
    }
}

/// The place of `impl` in a type, at any depth.
fn impl_keyword(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) if ident == "impl" => Some(ident.span()),
        TokenTree::Group(group) => impl_keyword(group.stream()),
        _ => None,
    })
}
