//! Calls of variants.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Ident, PathArguments, Receiver, ReceiverKind, Type, parse_quote};

use super::{beside, clones, helper, is_unsafe, output, parameters};
use crate::ir::{CodeVariant, Variant};
use crate::places::located;

/// The call of `__nitro_FUNCTION_call`, or of a method's `METHOD_call`, with the arguments.
pub(super) fn call_chosen(function: &CodeVariant) -> TokenStream {
    let call = call_beside(function, &beside(function, "call"), Some(&quote!(__nitro_choice,)));
    in_unsafe(function, call)
}

/// The call of the function beside the function that chooses anew, with the arguments.
pub(super) fn call_anew(function: &CodeVariant) -> TokenStream {
    in_unsafe(function, call_beside(function, &helper(function, "anew"), None))
}

/// The call of a function beside the function, with the arguments after what goes before them.
fn call_beside(function: &CodeVariant, called: &Ident, first: Option<&TokenStream>) -> TokenStream {
    let receiver = receiver(function);
    let inferred = std::iter::repeat_n(quote!(_), function.impl_types);
    let generics: Vec<_> = function.generics.iter().map(ToTokens::to_token_stream).chain(inferred).collect();
    let generics = turbofish(&generics);
    let (of_self, arguments) = (function.owner.as_ref().map(|_| quote!(Self::)), &function.arguments);
    quote!(#of_self #called #generics(#receiver #first #(#arguments),*))
}

/// The call of what stands for a variant beside the function.
pub(crate) fn call_of(function: &CodeVariant, called: &Ident, variant: &Variant) -> TokenStream {
    let parameters = (!variant.parameters.is_empty()).then(|| quote!(__nitro_parameters,));
    call_beside(function, called, parameters.as_ref())
}

/// `self,` as the first argument of a method with a receiver.
fn receiver(function: &CodeVariant) -> Option<TokenStream> {
    function.signature.receiver().map(|receiver| {
        let word = &receiver.self_token;
        quote!(#word,)
    })
}

/// The body of `call`: one arm a variant, while the choices of nested functions are held.
pub(crate) fn call(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| arm(function, variant));
    let choice = given_choice(function);
    let holds = function.nested.iter().map(|nested| &nested.hold);
    let held = (!function.nested.is_empty()).then(|| quote!(let __nitro_held = (#(#holds(),)*);));
    quote!(#held match #choice { #(#arms)* })
}

/// The choice that `call` and `admissible` get, where any that can be converted may be given.
pub(super) fn given_choice(function: &CodeVariant) -> TokenStream {
    match function.has_parameters() {
        true => quote!(::core::convert::Into::into(__nitro_choice)),
        false => quote!(__nitro_choice),
    }
}

/// `(__nitro_parameters)` in the pattern of a choice whose variant has parameters.
pub(super) fn payload(variant: &Variant) -> Option<TokenStream> {
    (!variant.parameters.is_empty()).then(|| quote!((__nitro_parameters)))
}

/// The arm of a variant in `call`.
pub(super) fn arm(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (module, Variant { cfgs, arm, .. }) = (&function.module, variant);
    let payload = payload(variant);
    let call = clones::call(function, variant).unwrap_or_else(|| call_of_pointer(function, variant));
    quote!(#(#cfgs)* #module::Choice::#arm #payload => { #call })
}

/// The call through a pointer of the function's type. So a variant with another signature is an error at its path.
/// Each future has a type of its own, for which there is no pointer.
pub(crate) fn call_of_pointer(function: &CodeVariant, variant: &Variant) -> TokenStream {
    if function.is_async() {
        return direct_call(function, variant);
    }
    let (path, pointer) = (instance(function, variant), pointer_type(function, variant));
    let arguments = arguments_of(function, variant);
    let call = in_unsafe(function, quote!(__nitro_function(#arguments)));
    quote! {
        let __nitro_function #pointer = #path;
        #call
    }
}

/// The call of the variant itself, which the compiler can inline whatever else it does.
pub(crate) fn direct_call(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let arguments = arguments_of(function, variant);
    instances(function, variant, |path| in_unsafe(function, quote!(#path(#arguments))))
}

/// The arguments of a variant.
fn arguments_of(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (receiver, arguments) = (receiver(function), &function.arguments);
    let configuration = variant.takes_configuration().then(|| quote!(__nitro_parameters,));
    quote!(#receiver #configuration #(#arguments),*)
}

/// `: fn(TYPES) -> OUTPUT`. None where the result borrows from the receiver without a lifetime's name: in the type
/// of a pointer that would mean nothing.
fn pointer_type(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let (module, arm) = (&function.module, &variant.arm);
    let unsafety = is_unsafe(function).then(|| quote!(unsafe));
    let (types, output) = (argument_types(function), output(function));
    let receiver = match function.signature.receiver() {
        Some(_) if has_elided_lifetime(output.to_token_stream()) => return None,
        receiver => receiver.map(receiver_type),
    };
    let configuration = variant.takes_configuration().then(|| quote!(#module::#arm,));
    Some(quote!(: #unsafety fn(#receiver #configuration #(#types),*) #output))
}

/// `&Self,` of `&self`.
fn receiver_type(receiver: &Receiver) -> TokenStream {
    match &receiver.kind {
        ReceiverKind::Reference(and, lifetime, mutability) => quote!(#and #lifetime #mutability Self,),
        ReceiverKind::Typed(_, r#type) => quote!(#r#type,),
        _ => quote!(Self,),
    }
}

/// Returns true for a type with `&` or `'_` that names no lifetime.
fn has_elided_lifetime(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(index, tree)| {
        let next = trees.get(index + 1);
        match tree {
            TokenTree::Group(group) => has_elided_lifetime(group.stream()),
            TokenTree::Punct(sign) if sign.as_char() == '&' => {
                !matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == '\'')
            }
            TokenTree::Punct(sign) if sign.as_char() == '\'' => {
                matches!(next, Some(TokenTree::Ident(name)) if name == "_")
            }
            _ => false,
        }
    })
}

/// The variant's path; of one with constants, the instance for their values.
fn instance(function: &CodeVariant, variant: &Variant) -> TokenStream {
    instances(function, variant, |path| path)
}

/// The use of the variant's path; of one with constants, of the instance for their values.
fn instances(
    function: &CodeVariant,
    variant: &Variant,
    uses: impl Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    let constants: Vec<&Ident> =
        variant.parameters.iter().filter(|own| own.is_const).map(|own| &own.name).collect();
    if constants.is_empty() {
        return uses(path(function, variant));
    }
    let (name, instances) = (&variant.name, parameters::instances(function, variant));
    let (patterns, paths): (Vec<_>, Vec<_>) =
        instances.into_iter().map(|(pattern, path)| (pattern, uses(path))).unzip();
    let message = format!("no instance of `{name}` is compiled for {{:?}}");
    quote! {
        match (#(__nitro_parameters.#constants,)*) {
            #(#patterns => #paths,)*
            _ => ::core::panic!(#message, __nitro_parameters),
        }
    }
}

/// The variant's path; with the generic arguments of the function when neither its types nor the user tell them.
fn path(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let mut path = variant.path.clone();
    let is_bare =
        path.qself.is_none() && path.path.segments.iter().all(|segment| segment.arguments.is_none());
    if is_bare
        && !function.generics_are_inferred
        && let Some(last) = path.path.segments.last_mut()
    {
        let generics = turbofish(&function.generics);
        last.arguments = PathArguments::AngleBracketed(parse_quote!(#generics));
    }
    path.to_token_stream()
}

fn argument_types(function: &CodeVariant) -> impl Iterator<Item = &Type> {
    function.named.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    })
}

fn turbofish(generics: &[impl ToTokens]) -> Option<TokenStream> {
    (!generics.is_empty()).then(|| quote!(::<#(#generics),*>))
}

/// The call in `unsafe`. Whoever calls the unsafe function vouches for what its variants ask, which is the
/// function's own contract.
///
/// That of an `async fn` is its future, which runs to its end here.
pub(crate) fn in_unsafe(function: &CodeVariant, call: TokenStream) -> TokenStream {
    let span = located(&call);
    let call = if is_unsafe(function) { quote!(unsafe { #call }) } else { call };
    if function.is_async() { quote_spanned!(span=> (#call).await) } else { call }
}
