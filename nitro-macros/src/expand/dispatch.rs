//! Bodies: the choice and the call.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{FnArg, Ident, PathArguments, Type, parse_quote};

use super::{helper, is_unsafe, located, output};
use crate::ir::{CodeVariant, Variant};

/// The body of the function: choose, then run the choice.
pub fn dispatch(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    let decision = choice(function, &format_ident!("decide"));
    let call = call_chosen(function);
    quote! {
        let __nitro_decision = { #decision };
        let __nitro_variant = __nitro_decision.variant();
        __nitro_decision.run(move || #call, |__nitro_result| {
            use #krate::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
            (&#krate::__private::Outcome(__nitro_result)).failed()
        })
    }
}

/// The body of `select`.
pub fn selection(function: &CodeVariant) -> TokenStream {
    choice(function, &format_ident!("select"))
}

/// What `decide` and `select` are asked: device, features and constraints. The borrows of the arguments end here.
fn choice(function: &CodeVariant, ask: &Ident) -> TokenStream {
    let CodeVariant { krate, signature, .. } = function;
    let module = &signature.ident;
    let device = device(function);
    let features = features(function);
    let admissible = admissible(function);
    // An error about the device is reported at the user's expression.
    let device_argument =
        quote_spanned!(function.device.as_ref().map_or_else(Span::call_site, located)=> &__nitro_device);
    quote! {
        #device
        #features
        #admissible
        #krate::__private::#ask(#module::function(), #device_argument, &__nitro_feature, &__nitro_admissible)
    }
}

/// Where this call runs.
fn device(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    let device = match &function.device {
        Some(device) => device.to_token_stream(),
        None => quote!(#krate::__private::host()),
    };
    quote!(let __nitro_device = #device;)
}

/// Features by index, each computed when asked for, and at most once a call: whoever asks this function asks once for each.
fn features(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    if function.features.is_empty() {
        return quote! {
            let __nitro_feature = |_: ::core::primitive::usize| -> ::core::primitive::f64 {
                ::core::unreachable!("the function has no features")
            };
        };
    }
    let is_shared = |feature: usize| {
        function
            .variants
            .iter()
            .filter_map(|variant| variant.constraint.as_ref())
            .any(|constraint| constraint.features.contains(&feature))
    };
    let (mut cells, mut numbers) = (Vec::new(), Vec::new());
    for (index, feature) in function.features.iter().enumerate() {
        let (cell, value) = (cell(function, index), &feature.value);
        // What a constraint asks for too is kept; the rest is asked for at most once.
        let (make, computed) = if is_shared(index) {
            (quote!(::core::cell::LazyCell::new), quote_spanned!(cell.span()=> *#cell))
        } else {
            (quote!(#krate::__private::Once::new), quote_spanned!(cell.span()=> #cell.take()))
        };
        cells.push(quote!(let #cell = #make(|| #value);));
        let number = quote_spanned!(cell.span()=> #krate::FeatureValue::to_f64(#computed));
        numbers.push(quote!(#index => #number,));
    }
    quote! {
        #(#cells)*
        let __nitro_feature = |__nitro_index: ::core::primitive::usize| -> ::core::primitive::f64 {
            match __nitro_index {
                #(#numbers)*
                _ => ::core::unreachable!("the index of a feature"),
            }
        };
    }
}

/// The variable of a feature; its own name is free for what the user means by it in other features. It stands where the
/// user's expression does, since an error about its type is about that.
fn cell(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_feature_{feature}", span = located(&function.features[feature].value))
}

/// Which variants may run.
fn admissible(function: &CodeVariant) -> TokenStream {
    let module = &function.signature.ident;
    let rules = function.variants.iter().filter_map(|variant| rule(function, variant)).collect::<Vec<_>>();
    let body =
        if rules.is_empty() { quote!(true) } else { quote!(match __nitro_variant { #(#rules)* _ => true }) };
    let variant = if rules.is_empty() { quote!(_) } else { quote!(__nitro_variant) };
    quote! {
        #[allow(clippy::let_and_return, clippy::match_single_binding)]
        let __nitro_admissible = |#variant: #module::Variant| -> ::core::primitive::bool { #body };
    }
}

/// The arm of a constraint. Only the features that it mentions are computed.
fn rule(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let constraint = variant.constraint.as_ref()?;
    let (module, Variant { cfgs, arm, .. }, condition) =
        (&function.signature.ident, variant, &constraint.condition);
    let names = constraint.features.iter().map(|&feature| &function.features[feature].name);
    let cells = constraint.features.iter().map(|&feature| cell(function, feature));
    Some(quote! {
        #(#cfgs)*
        #module::Variant::#arm => {
            #(#[allow(unused_variables)] let #names = *#cells;)*
            let __nitro_admissible: ::core::primitive::bool = #condition;
            __nitro_admissible
        }
    })
}

/// The call of `__nitro_FUNCTION_call` with the arguments.
fn call_chosen(function: &CodeVariant) -> TokenStream {
    let (call, arguments) = (helper(function, "call"), &function.arguments);
    let generics = turbofish(&function.generics);
    in_unsafe(function, quote!(#call #generics(__nitro_variant, #(#arguments),*)))
}

/// The body of `call`: one arm a variant.
pub fn call(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| arm(function, variant));
    quote!(match __nitro_variant { #(#arms)* })
}

/// Through a pointer of the function's type, so that a variant with another signature is an error at its path.
fn arm(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (module, Variant { cfgs, arm, .. }) = (&function.signature.ident, variant);
    let (unsafety, types, output) = (&function.signature.safety, argument_types(function), output(function));
    let (path, arguments) = (path(function, variant), &function.arguments);
    let call = in_unsafe(function, quote!(__nitro_function(#(#arguments),*)));
    quote! {
        #(#cfgs)*
        #module::Variant::#arm => {
            let __nitro_function: #unsafety fn(#(#types),*) #output = #path;
            #call
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
    function.signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    })
}

fn turbofish(generics: &[Ident]) -> Option<TokenStream> {
    (!generics.is_empty()).then(|| quote!(::<#(#generics),*>))
}

/// Whoever calls the unsafe function vouches for what its variants ask, which is the function's own contract.
fn in_unsafe(function: &CodeVariant, call: TokenStream) -> TokenStream {
    if is_unsafe(function) { quote!(unsafe { #call }) } else { call }
}
