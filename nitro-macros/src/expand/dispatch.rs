//! Bodies: the choice and the call.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{FnArg, Ident, PathArguments, Receiver, ReceiverKind, Type, parse_quote};

use super::{approximate, beside, clones, is_unsafe, output, parameters, used};
use crate::ir::{CodeVariant, Constraint, Variant};
use crate::places::{self, located};

/// The body of the function: choose, then run the choice.
pub(crate) fn dispatch(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    let decision = decision(function);
    let call = call_chosen(function);
    let failed = quote! {{
        use #krate::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
        (&#krate::__private::Outcome(__nitro_result)).__nitro_failed()
    }};
    if function.is_async() {
        // Nothing of the choice is alive while the future waits, which may go to another thread.
        return quote! {
            let (__nitro_choice, __nitro_pending) = {
                let __nitro_decision = { #decision };
                (__nitro_decision.choice(), __nitro_decision.begin_future())
            };
            let __nitro_result = #call;
            __nitro_pending.end(|| { let __nitro_result = &__nitro_result; #failed });
            __nitro_result
        };
    }
    quote! {
        let __nitro_decision = { #decision };
        let __nitro_choice = __nitro_decision.choice();
        __nitro_decision.run(move || #call, |__nitro_result| #failed)
    }
}

/// Looks up the thread's choice of last time on such an input, or else asks `decide`. A gate comes before anything
/// else.
fn decision(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    let (cache, device, computations) = (cache(function), device(function), computations(function));
    // The host need not be asked for where it is that of last time.
    let (device, device_to_ask, begin) = match &function.device {
        Some(_) => {
            let argument = device_argument(function);
            (Some(device), None, quote!(begin(&__NITRO_CACHE, #argument)))
        }
        None => (None, Some(device), quote!(begin_on_host(&__NITRO_CACHE))),
    };
    let (walk, known, count) = (walk(function), known_features(function), function.features.len());
    let mutable = (count > 0).then(|| quote!(mut));
    let decide = asked(function, &format_ident!("decide"), &quote!(__nitro_remembered,), true);
    let compared_first = compared_first(function);
    quote! {
        #cache
        #device
        #computations
        let __nitro_begun = #krate::__private::Call::#begin;
        let __nitro_first = match __nitro_begun.first() {
            ::core::option::Option::Some(__nitro_first) => __nitro_first.choose(#compared_first),
            ::core::option::Option::None => ::core::option::Option::None,
        };
        match __nitro_first {
            ::core::option::Option::Some(__nitro_choice) => #krate::__private::Decision::again(__nitro_choice),
            ::core::option::Option::None => {
                let #mutable __nitro_row = [0.0; #count];
                let __nitro_remembered = match __nitro_begun.walk() {
                    ::core::option::Option::Some(#mutable __nitro_walk) => {
                        #walk
                        __nitro_begun.decided(&__nitro_walk)
                    }
                    ::core::option::Option::None => {
                        #known
                        __nitro_begun.remembered(&__nitro_row)
                    }
                };
                match __nitro_remembered.choice() {
                    ::core::option::Option::Some(__nitro_choice) => #krate::__private::Decision::again(__nitro_choice),
                    ::core::option::Option::None => {
                        #device_to_ask
                        #decide
                    }
                }
            }
        }
    }
}

/// A closure for each feature, which computes it, and a place for what it computed. What a `return` or a `?` in it means
/// is the same wherever it is computed.
fn computations(function: &CodeVariant) -> TokenStream {
    let each = function.features.iter().enumerate().map(|(index, feature)| {
        let (compute, value, expression) = (compute(function, index), value(function, index), &feature.value);
        quote! {
            let #compute = || #expression;
            let mut #value = ::core::option::Option::None;
        }
    });
    each.collect()
}

/// The value that the first decision compares. What costs something is kept.
fn compared_first(function: &CodeVariant) -> TokenStream {
    let arms = function.features.iter().enumerate().map(|(index, feature)| {
        let number = if feature.is_free() { number_of_free(function, index) } else { kept(function, index) };
        quote!(#index => #number,)
    });
    quote!(match __nitro_first.column() { #(#arms)* _ => 0.0 })
}

/// The number of a feature that is there anyway.
fn number_of_free(function: &CodeVariant, index: usize) -> TokenStream {
    let (krate, compute) = (&function.krate, compute(function, index));
    quote_spanned!(compute.span()=> #krate::FeatureValue::to_f64(#compute()))
}

/// Walks through the gate. A feature is computed when it is compared first; one that is there anyway is read before,
/// so that steps are alike.
fn walk(function: &CodeVariant) -> TokenStream {
    if function.features.is_empty() {
        return TokenStream::new();
    }
    let is_free = |index: &usize| function.features[*index].is_free();
    let (free, others): (Vec<usize>, Vec<usize>) = (0..function.features.len()).partition(is_free);
    let free = free.into_iter().map(|index| {
        let number = number_of_free(function, index);
        quote!(__nitro_row[#index] = #number;)
    });
    let others = others.into_iter().map(|index| {
        let number = kept(function, index);
        quote!(#index => __nitro_row[#index] = #number,)
    });
    quote! {
        #(#free)*
        while let ::core::option::Option::Some(__nitro_column) = __nitro_walk.column() {
            match __nitro_column { #(#others)* _ => {} }
            __nitro_walk.compare(&__nitro_row);
        }
    }
}

/// The number of a feature, which is computed unless it was, and kept as it is in case that a constraint or `decide` asks
/// for it.
fn kept(function: &CodeVariant, index: usize) -> TokenStream {
    let (krate, compute, value) = (&function.krate, compute(function, index), value(function, index));
    quote_spanned!(value.span()=> #krate::FeatureValue::to_f64(*#value.get_or_insert_with(&#compute)))
}

/// The inline cache of a thread; of a generic function, for all its types.
fn cache(function: &CodeVariant) -> TokenStream {
    let (krate, module, features) = (&function.krate, &function.module, function.features.len());
    let cache = quote!(#krate::__private::InlineCache);
    quote! {
        ::std::thread_local! {
            static __NITRO_CACHE: #cache<#module::Choice, #features> = const { #cache::new() };
        }
    }
}

/// The device as an argument: an error about it is reported at the user's expression.
fn device_argument(function: &CodeVariant) -> TokenStream {
    quote_spanned!(function.device.as_ref().map_or_else(Span::call_site, located)=> &__nitro_device)
}

/// The features that tell the remembered inputs apart. Each is kept as it is too, in case that a constraint or
/// `decide` asks for it.
fn known_features(function: &CodeVariant) -> TokenStream {
    let fills = (0..function.features.len()).map(|index| {
        let (bit, number) = (1_u32 << index, kept(function, index));
        quote!(if __nitro_needs & #bit != 0 { __nitro_row[#index] = #number; })
    });
    let needs = (!function.features.is_empty()).then(|| quote!(let __nitro_needs = __nitro_begun.needs();));
    quote! {
        #needs
        #(#fills)*
    }
}

/// The body of `select`.
pub(crate) fn selection(function: &CodeVariant) -> TokenStream {
    let device = device(function);
    let select = asked(function, &format_ident!("select"), &TokenStream::new(), false);
    quote!(#device #select)
}

/// Asks `decide` or `select`, with device, features, constraints and tolerance. The borrows of the arguments end
/// here.
fn asked(function: &CodeVariant, ask: &Ident, first: &TokenStream, are_known: bool) -> TokenStream {
    let CodeVariant { krate, module, .. } = function;
    let (cells, features) = (cells(function, are_known), features(function));
    let (tolerance_cell, tolerance) = (approximate::cell(function), approximate::tolerance(function));
    let admissible = admissible(function);
    let device_argument = device_argument(function);
    quote! {
        #cells
        #features
        #tolerance_cell
        #admissible
        #krate::__private::#ask(
            #first #module::function(), #device_argument, &__nitro_features, &__nitro_admissible, &#tolerance,
        )
    }
}

/// The device of this call.
fn device(function: &CodeVariant) -> TokenStream {
    let krate = &function.krate;
    let device = match &function.device {
        Some(device) => device.to_token_stream(),
        None => quote!(#krate::__private::host()),
    };
    quote!(let __nitro_device = #device;)
}

/// The features, each computed when it is asked for, and at most once a call. One that is known already is not
/// computed.
fn cells(function: &CodeVariant, are_known: bool) -> TokenStream {
    let cells = function.features.iter().enumerate().map(|(index, feature)| {
        let (cell, value, compute) =
            (cell(function, index), value(function, index), compute(function, index));
        // Variables of its own: what it borrows need not be in memory before.
        match are_known {
            true => quote! {
                let (#value, #compute) = (#value, #compute);
                let #cell = ::core::cell::LazyCell::new(|| #value.unwrap_or_else(#compute));
            },
            false => {
                let expression = places::whole(&feature.value);
                quote!(let #cell = ::core::cell::LazyCell::new(|| #expression);)
            }
        }
    });
    cells.collect()
}

/// The features whose bits are set, as numbers.
fn features(function: &CodeVariant) -> TokenStream {
    let (krate, count) = (&function.krate, function.features.len());
    let fills = (0..count).map(|index| {
        let (cell, bit) = (cell(function, index), 1_u32 << index);
        let number = quote_spanned!(cell.span()=> #krate::FeatureValue::to_f64(*#cell));
        quote!(if __nitro_needs & #bit != 0 { __nitro_row[#index] = #number; })
    });
    let (needs, row) =
        if count == 0 { (quote!(_), quote!(_)) } else { (quote!(__nitro_needs), quote!(__nitro_row)) };
    quote! {
        let __nitro_features = |
            #needs: ::core::primitive::u32,
            #row: &mut [::core::primitive::f64; #count],
        | {
            #(#fills)*
        };
    }
}

/// The variable of a feature that computes it when it is asked for. Its own name is free for what the user means by
/// it in other features. It stands where the user's expression does, since an error about its type is about that.
fn cell(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_feature_{feature}", span = located(&function.features[feature].value))
}

/// The closure that computes a feature.
fn compute(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_compute_{feature}", span = located(&function.features[feature].value))
}

/// The variable of a feature that is known.
fn value(function: &CodeVariant, feature: usize) -> Ident {
    format_ident!("__nitro_value_{feature}", span = located(&function.features[feature].value))
}

/// The rules for which variants may run.
fn admissible(function: &CodeVariant) -> TokenStream {
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

/// The choice that `call` and `admissible` get, where any that can be converted may be given.
fn given_choice(function: &CodeVariant) -> TokenStream {
    match function.has_parameters() {
        true => quote!(::core::convert::Into::into(__nitro_choice)),
        false => quote!(__nitro_choice),
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

/// The call of `__nitro_FUNCTION_call`, or of a method's `METHOD_call`, with the arguments.
fn call_chosen(function: &CodeVariant) -> TokenStream {
    let call = call_beside(function, &beside(function, "call"), Some(&quote!(__nitro_choice,)));
    in_unsafe(function, call)
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

/// The body of `call`: one arm a variant.
pub(crate) fn call(function: &CodeVariant) -> TokenStream {
    let arms = function.variants.iter().map(|variant| arm(function, variant));
    let choice = given_choice(function);
    quote!(match #choice { #(#arms)* })
}

/// `(__nitro_parameters)` in the pattern of a choice whose variant has parameters.
fn payload(variant: &Variant) -> Option<TokenStream> {
    (!variant.parameters.is_empty()).then(|| quote!((__nitro_parameters)))
}

/// The arm of a variant in `call`.
fn arm(function: &CodeVariant, variant: &Variant) -> TokenStream {
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
