//! The code for a [`CodeVariant`]. Nothing here can fail; each function makes one item or one part of it.
//!
//! What the user wrote is expanded beside the function, so that paths mean there what they mean where they were
//! written; the companion module only re-exports. Generated names begin with `__nitro_`, paths are absolute.

mod admissible;
mod approximate;
mod attributes;
mod block;
mod calls;
mod choice;
mod clones;
mod companion;
mod constraint;
mod dispatch;
mod feature_cells;
mod parameters;
mod salvage;

pub(crate) use block::block;
pub(crate) use clones::{inline_always, marker_name};
pub(crate) use salvage::{refused, salvage};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{FnArg, Path, ReturnType, Safety, Signature, Visibility, parse_quote};

use crate::ir::{CodeVariant, Owner};
use crate::places::{self, located};
use attributes::{cfgs, hidden, must_use, shared};

/// The most arguments of which clippy says nothing.
const MAX_ARGUMENTS: usize = 7;

/// The code for a function, by the place that it goes to.
pub(crate) struct Expansion {
    /// The function itself.
    pub function: TokenStream,
    /// The functions that repeat its signature; those of a method stand in a block of its type.
    pub beside: TokenStream,
    /// The items at module level.
    pub items: TokenStream,
    /// The functions of the block that have to be inlined, into their clones.
    pub inlined: Vec<Ident>,
}

impl Expansion {
    /// All of it, in the place of a signature at module level.
    pub fn at_module_level(self) -> TokenStream {
        let Self { function, beside, items, inlined: _ } = self;
        quote!(#function #beside #items)
    }
}

/// Everything that `#[code_variant]` makes of a signature.
pub(crate) fn function(function: &CodeVariant) -> Expansion {
    let select = select(function, &dispatch::selection(function));
    let call = call(function, &calls::call(function));
    let admissible = admissible(function, &admissible::admissibility(function));
    let anew = anew(function);
    let (associated, clones) = (block::without_receiver(function), clones::functions(function));
    let (errors, constraints) = (approximate::errors(function), constraint::functions(function));
    let (parameters, detections) = (parameters::items(function), clones::detections(function));
    let (model, prepare, name) = (model(function), prepare(function), block::name(function));
    let (marker, alias) = (marker(function), crate_alias(function));
    let companion = companion::module(function, &companion::descriptor(function));
    Expansion {
        function: dispatcher(function, &dispatch::dispatch(function)),
        beside: quote!(#select #call #admissible #anew #associated #clones),
        inlined: clones::inlined(function),
        items: quote! {
            #detections #parameters #errors #constraints #model #prepare #name #marker #alias #companion
        },
    }
}

/// The function itself.
fn dispatcher(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let CodeVariant { attributes, visibility, signature, .. } = function;
    let visibility = block::has_visibilities(function, false).then_some(visibility);
    quote!(#(#attributes)* #visibility #signature { #body })
}

/// What runs where the gate does not decide at once. A function where it never does is that itself.
fn anew(function: &CodeVariant) -> Option<TokenStream> {
    if !function.may_decide_at_once() {
        return None;
    }
    let mut anew = helper_signature(function, "anew");
    anew.ident = helper(function, "anew");
    let doc = format!(" Runs `{}` by a choice that is looked up or made.", function.title());
    let hidden = function.owner.as_ref().map(|_| quote!(#[doc(hidden)]));
    Some(item(function, &doc, &quote!(#hidden #[inline(never)]), &anew, &dispatch::choice_and_call(function)))
}

/// `FUNCTION::select`
fn select(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let (krate, module) = (&function.krate, &function.module);
    let mut select = helper_signature(function, "select");
    select.asyncness = None;
    select.output = parse_quote!(-> #krate::Selection<#module::Variant>);
    let doc = format!(
        " What a call of `{}` with these arguments would run, and why; nothing is run.",
        function.title(),
    );
    item(function, &doc, &quote!(#[must_use]), &select, &asked_alone(function, body))
}

/// `FUNCTION::call`
fn call(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let call = signature_with_choice(function, "call");
    let (must_use, allowed) = (must_use(function), with_choice_allowed(function));
    item(function, &call_doc(function), &quote!(#allowed #must_use #[inline]), &call, body)
}

/// Allows what no other form of a function that takes a choice before the arguments would do without. Nothing is
/// allowed where no such lint speaks: none can be allowed that a user forbids.
fn with_choice_allowed(function: &CodeVariant) -> TokenStream {
    let is_public = matches!(function.visibility, Visibility::Public(_));
    let converts =
        (is_public && function.has_parameters()).then(|| quote!(#[allow(clippy::impl_trait_in_params)]));
    let one_more = (function.signature.inputs.len() == MAX_ARGUMENTS)
        .then(|| quote!(#[allow(clippy::too_many_arguments)]));
    quote!(#converts #one_more)
}

/// `FUNCTION::admissible`
fn admissible(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let (mut admissible, allowed) =
        (signature_with_choice(function, "admissible"), with_choice_allowed(function));
    admissible.asyncness = None;
    admissible.output = parse_quote!(-> ::core::primitive::bool);
    let doc = format!(
        " Whether the constraint of the given variant of `{}` lets it run with these arguments; nothing is run.",
        function.title(),
    );
    item(function, &doc, &quote!(#allowed #[must_use]), &admissible, &asked_alone(function, body))
}

/// A body for the arguments of a call that is not made. Arguments that play no part in it are used all the same.
fn asked_alone(function: &CodeVariant, body: &TokenStream) -> TokenStream {
    let receiver = function.signature.receiver().map(|own| Ident::new("self", own.self_token.span));
    let used = used(&receiver.iter().chain(&function.arguments).collect::<Vec<_>>());
    let lifetimes: Vec<_> = function.signature.generics.lifetimes().map(|own| &own.lifetime).collect();
    let named = (!lifetimes.is_empty())
        .then(|| quote!(let _ = ::core::marker::PhantomData::<(#(&#lifetimes (), &#lifetimes (),)*)>;));
    quote!(#used #named #body)
}

/// An item beside the function that repeats its signature.
fn item(
    function: &CodeVariant,
    doc: &str,
    attribute: &TokenStream,
    signature: &Signature,
    body: &TokenStream,
) -> TokenStream {
    let (shared, safety) = (shared(function), safety_doc(function));
    let visibility =
        block::has_visibilities(function, true).then(|| places::visibility(function.visibility.clone()));
    // A companion module shows those of a function.
    let hidden = match &function.owner {
        None => quote!(#[doc(hidden)]),
        Some(_) => hidden(function),
    };
    let import = function.owner.as_ref().and_then(Owner::import);
    quote! {
        #[doc = #doc]
        #safety
        #shared
        #hidden
        #attribute
        #visibility #signature { #import #body }
    }
}

/// The signature of an item beside the function that takes a choice before the arguments.
fn signature_with_choice(function: &CodeVariant, role: &str) -> Signature {
    let module = &function.module;
    let mut signature = helper_signature(function, role);
    let choice: FnArg = match function.has_parameters() {
        true => parse_quote!(__nitro_choice: impl ::core::convert::Into<#module::Choice>),
        false => parse_quote!(__nitro_choice: #module::Variant),
    };
    signature.inputs.insert(usize::from(signature.receiver().is_some()), choice);
    signature
}

fn call_doc(function: &CodeVariant) -> String {
    let name = function.title();
    if !function.has_parameters() {
        return format!(" Runs the given variant of `{name}`, whatever its constraint says.");
    }
    let panics =
        " # Panics\n When a constant parameter has none of its values: such an instance is not compiled.";
    format!(
        " Runs the given variant of `{name}` with its defaults, or with given values of its parameters, whatever its \
         constraint says.\n\n{panics}"
    )
}

/// The bytes of the embedded model, where the user's expression means what it should.
fn model(function: &CodeVariant) -> Option<TokenStream> {
    let model = places::whole(function.model.as_ref()?);
    let (shared, name) = (shared(function), helper(function, "model"));
    Some(quote! {
        #shared
        #[doc(hidden)]
        fn #name() -> &'static [::core::primitive::u8] { #model }
    })
}

/// The function that prepares a choice, where the user's expression means what it should.
fn prepare(function: &CodeVariant) -> Option<TokenStream> {
    let prepare = function.prepare.as_ref()?;
    let (shared, krate, name) = (shared(function), &function.krate, helper(function, "prepare"));
    let module = &function.module;
    Some(quote! {
        #shared
        #[doc(hidden)]
        fn #name(__nitro_choice: #krate::Choice) -> #krate::Prepared {
            #krate::__private::prepare_choice::<#module::Choice, _>(__nitro_choice, #prepare)
        }
    })
}

/// The name of an item that is missing where the function stands in the body of another one. The companion module
/// does not find what stands beside it there, and the name says what is wrong.
fn at_module_level(function: &CodeVariant) -> Ident {
    helper(function, "is_declared_in_a_function_body__move_it_to_module_level")
}

fn marker(function: &CodeVariant) -> TokenStream {
    let (cfgs, name) = (cfgs(function), at_module_level(function));
    quote! {
        #cfgs
        #[doc(hidden)]
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
        #cfgs
        #[doc(hidden)]
        use #krate as #name;
    })
}

fn is_absolute(path: &syn::Path) -> bool {
    path.leading_colon.is_some() || path.segments.first().is_some_and(|first| first.ident == "crate")
}

/// Name of an item at module level that belongs to the function.
fn helper(function: &CodeVariant, role: &str) -> Ident {
    format_ident!("__nitro_{}_{role}", function.module.unraw(), span = Span::call_site())
}

/// Name of a function that repeats the signature: beside a method it is the user's own to call.
fn beside(function: &CodeVariant, role: &str) -> Ident {
    match &function.owner {
        None => helper(function, role),
        Some(_) => format_ident!("{}_{role}", function.signature.ident.unraw(), span = Span::call_site()),
    }
}

/// Uses variables, for which nobody else may have a use here.
fn used(names: &[&Ident]) -> Option<TokenStream> {
    (!names.is_empty()).then(|| quote!(let _ = (#(&#names,)*);))
}

/// The signature with another name. Lints that look at where it begins see that it is a copy.
fn helper_signature(function: &CodeVariant, role: &str) -> Signature {
    let mut signature = Signature { ident: beside(function, role), ..function.named.clone() };
    signature.fn_token.span = located(signature.fn_token);
    if let Safety::Unsafe(token) = &mut signature.safety {
        token.span = located(&token);
    }
    signature
}

fn is_unsafe(function: &CodeVariant) -> bool {
    matches!(function.signature.safety, Safety::Unsafe(_))
}

fn safety_doc(function: &CodeVariant) -> Option<TokenStream> {
    let doc = format!(" As for `{}`.", function.title());
    is_unsafe(function).then(|| quote!(#[doc = ""] #[doc = " # Safety"] #[doc = #doc]))
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
    places::visibility(match visibility {
        Visibility::Inherited => parse_quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => parse_quote!(pub(super)),
        Visibility::Restricted(restricted)
            if restricted.path.segments.first().is_some_and(|first| first.ident == "super") =>
        {
            let path = &restricted.path;
            parse_quote!(pub(in super::#path))
        }
        other => other.clone(),
    })
}
