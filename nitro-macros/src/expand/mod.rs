//! The code for a [`CodeVariant`]. Nothing here can fail; each function makes one item or one part of it.
//!
//! What the user wrote is expanded beside the function, so that paths mean there what they mean where they were
//! written; the companion module only re-exports. Generated names begin with `__nitro_`, paths are absolute.

mod approximate;
mod choice;
mod companion;
mod constraint;
mod dispatch;
mod parameters;
mod salvage;

pub use salvage::{refused, salvage};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Meta, Path, ReturnType, Safety, Signature, Visibility, parse_quote};

use crate::ir::CodeVariant;

/// Everything that `#[code_variant]` puts in the place of the signature.
pub fn function(function: &CodeVariant) -> TokenStream {
    let dispatcher = dispatcher(function, &dispatch::dispatch(function));
    let select = select(function, &dispatch::selection(function));
    let call = call(function, &dispatch::call(function));
    let admissible = admissible(function, &dispatch::admissibility(function));
    let (errors, constraints) = (approximate::errors(function), constraint::functions(function));
    let parameters = parameters::items(function);
    let (model, prepare) = (model(function), prepare(function));
    let (marker, alias) = (marker(function), crate_alias(function));
    let companion = companion::module(function, &companion::descriptor(function));
    quote!(#dispatcher #select #call #admissible #parameters #errors #constraints #model #prepare #marker #alias #companion)
}

/// The function itself.
fn dispatcher(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let CodeVariant { attributes, visibility, signature, .. } = function;
    quote!(#(#attributes)* #visibility #signature { #body })
}

/// `FUNCTION::select`
fn select(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let (krate, module) = (&function.krate, &function.signature.ident);
    let mut select = helper_signature(function, "select");
    select.output = parse_quote!(-> #krate::Selection<#module::Variant>);
    let doc = format!(
        " What a call of `{}` with these arguments would run, and why; nothing is run.",
        plain_name(function),
    );
    item(function, &doc, &quote!(#[must_use]), &select, body)
}

/// `FUNCTION::call`
fn call(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let call = signature_with_choice(function, "call");
    item(function, &call_doc(function), &quote!(#[inline]), &call, body)
}

/// `FUNCTION::admissible`
fn admissible(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let mut admissible = signature_with_choice(function, "admissible");
    admissible.output = parse_quote!(-> ::core::primitive::bool);
    let doc = format!(
        " Whether the constraint of the given variant of `{}` lets it run with these arguments; nothing is run.",
        plain_name(function),
    );
    item(function, &doc, &quote!(#[must_use]), &admissible, body)
}

/// An item beside the function that repeats its signature.
fn item(
    function: &CodeVariant,
    doc: &str,
    attribute: &TokenStream,
    signature: &Signature,
    body: &TokenStream,
) -> TokenStream {
    let (attributes, safety) = (helper_attributes(function), safety_doc(function));
    let visibility = &function.visibility;
    quote! {
        #[doc = #doc]
        #safety
        #attributes
        #attribute
        #visibility #signature { #body }
    }
}

/// The signature of an item beside the function that takes a choice before the arguments.
fn signature_with_choice(function: &CodeVariant, role: &str) -> Signature {
    let module = &function.signature.ident;
    let mut signature = helper_signature(function, role);
    let choice: FnArg = match function.has_parameters() {
        true => parse_quote!(__nitro_choice: impl ::core::convert::Into<#module::Choice>),
        false => parse_quote!(__nitro_choice: #module::Variant),
    };
    signature.inputs.insert(0, choice);
    signature
}

fn call_doc(function: &CodeVariant) -> String {
    let name = plain_name(function);
    if !function.has_parameters() {
        return format!(" Runs the given variant of `{name}`, whatever its constraint says.");
    }
    let panics =
        " # Panics\n When a constant parameter has none of its values: such an instance is not compiled.";
    format!(
        " Runs the given variant of `{name}` with its defaults, or with given values of its parameters, whatever its constraint says.\n\n{panics}"
    )
}

/// The bytes of the embedded model, where the user's expression means what it should.
fn model(function: &CodeVariant) -> Option<TokenStream> {
    let model = function.model.as_ref()?;
    let (cfgs, name) = (cfgs(function), helper(function, "model"));
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        fn #name() -> &'static [::core::primitive::u8] { #model }
    })
}

/// What prepares a choice, where the user's expression means what it should.
fn prepare(function: &CodeVariant) -> Option<TokenStream> {
    let prepare = function.prepare.as_ref()?;
    let (cfgs, krate, name) = (cfgs(function), &function.krate, helper(function, "prepare"));
    let module = &function.signature.ident;
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        fn #name(__nitro_choice: #krate::Choice) -> #krate::Prepared {
            #krate::__private::prepare_choice::<#module::Choice, _>(__nitro_choice, #prepare)
        }
    })
}

/// Name of an item whose absence says what is wrong where the function stands in the body of another one: its companion module does not find
/// what stands beside it there.
fn at_module_level(function: &CodeVariant) -> Ident {
    helper(function, "is_declared_in_a_function_body__move_it_to_module_level")
}

fn marker(function: &CodeVariant) -> TokenStream {
    let (cfgs, name) = (cfgs(function), at_module_level(function));
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_snake_case)]
        mod #name {}
    }
}

/// A name under which the companion module finds the crate that the user named relative to the function.
fn crate_alias(function: &CodeVariant) -> Option<TokenStream> {
    if is_absolute(&function.krate) {
        return None;
    }
    let (cfgs, krate, name) = (cfgs(function), &function.krate, helper(function, "crate"));
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        use #krate as #name;
    })
}

fn is_absolute(path: &syn::Path) -> bool {
    path.leading_colon.is_some() || path.segments.first().is_some_and(|first| first.ident == "crate")
}

/// Name of an item beside the function.
fn helper(function: &CodeVariant, role: &str) -> Ident {
    format_ident!("__nitro_{}_{role}", plain_name(function), span = Span::call_site())
}

/// The name of the function without `r#`, for documentation.
fn plain_name(function: &CodeVariant) -> Ident {
    function.signature.ident.unraw()
}

fn helper_signature(function: &CodeVariant, role: &str) -> Signature {
    Signature { ident: helper(function, role), ..function.signature.clone() }
}

/// The attributes of an item that repeats the user's signature. What lints think of a signature they say at the function
/// itself; that some arguments play no part in a selection is no mistake.
fn helper_attributes(function: &CodeVariant) -> TokenStream {
    let cfgs = cfgs(function);
    let lints = function.attributes.iter().filter_map(allowed_lints);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, unused_variables, single_use_lifetimes, unused_lifetimes, clippy::all, clippy::pedantic, clippy::nursery)]
        #(#lints)*
    }
}

/// `#[allow(..)]` and `#[expect(..)]` of the function as `#[allow(..)]` for its copies.
fn allowed_lints(attribute: &Attribute) -> Option<TokenStream> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
            let lints = &list.tokens;
            Some(quote!(#[allow(#lints)]))
        }
        _ => None,
    }
}

/// The `#[cfg]` attributes of the function, which every generated item repeats.
fn cfgs(function: &CodeVariant) -> Vec<&Attribute> {
    function.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

fn is_unsafe(function: &CodeVariant) -> bool {
    matches!(function.signature.safety, Safety::Unsafe(_))
}

fn safety_doc(function: &CodeVariant) -> Option<TokenStream> {
    let doc = format!(" As for `{}`.", plain_name(function));
    is_unsafe(function).then(|| quote!(#[doc = ""] #[doc = " # Safety"] #[doc = #doc]))
}

/// Where an error about the user's expression is reported; names at this place are still the macro's.
fn located(tokens: impl ToTokens) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// The type that the function returns.
fn output(function: &CodeVariant) -> &ReturnType {
    &function.signature.output
}

/// The crate `nitro` as seen from inside the module.
fn krate(function: &CodeVariant) -> Path {
    if is_absolute(&function.krate) {
        return function.krate.clone();
    }
    let alias = helper(function, "crate");
    parse_quote!(super::#alias)
}

/// The visibility that means, inside the module, what the function's means outside.
fn inner(visibility: &Visibility) -> Visibility {
    match visibility {
        Visibility::Inherited => parse_quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => parse_quote!(pub(super)),
        Visibility::Restricted(restricted)
            if restricted.path.segments.first().is_some_and(|first| first.ident == "super") =>
        {
            let path = &restricted.path;
            parse_quote!(pub(in super::#path))
        }
        other => other.clone(),
    }
}
