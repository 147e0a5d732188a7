//! Bodies: the choice.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;

use super::admissible::{admissible, admits_at_once};
use super::approximate;
use super::calls::{call_anew, call_chosen};
use super::feature_cells::{cells, computations, features, free_number, kept, numbers_there, walk};
use crate::ir::CodeVariant;
use crate::places::located;

/// The body of the function: what the gate decides from features that take no time runs here. The rest is of no
/// concern to such calls, and has a function of its own.
pub(crate) fn dispatch(function: &CodeVariant) -> TokenStream {
    if !function.may_decide_at_once() {
        return choice_and_call(function);
    }
    let (krate, cache) = (&function.krate, cache(function));
    let (number, there, admits) = (free_number(function), numbers_there(function), admits_at_once(function));
    let (call, anew) = (call_chosen(function), call_anew(function));
    quote! {
        match #krate::__private::at_once(&#cache, #number, || #there, #admits) {
            ::core::option::Option::Some(__nitro_choice) => #call,
            ::core::option::Option::None => #anew,
        }
    }
}

/// The body that chooses, then runs the choice.
pub(crate) fn choice_and_call(function: &CodeVariant) -> TokenStream {
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

/// Walks through the gate, or looks up the thread's choice of last time on such an input, or else asks `decide`. A gate
/// comes before anything else.
fn decision(function: &CodeVariant) -> TokenStream {
    let (krate, cache) = (&function.krate, cache(function));
    let (device, computations) = (device(function), computations(function));
    // The host need not be asked for where it is that of last time.
    let (device, device_to_ask, begin) = match &function.device {
        Some(_) => {
            let argument = device_argument(function);
            (Some(device), None, quote!(begin(&#cache, #argument)))
        }
        None => (None, Some(device), quote!(begin_on_host(&#cache))),
    };
    let (walk, known, count) = (walk(function), known_features(function), function.features.len());
    let mutable = (count > 0).then(|| quote!(mut));
    let decide = asked(function, &format_ident!("decide"), &quote!(__nitro_remembered,), true);
    quote! {
        #device
        #computations
        let __nitro_begun = #krate::__private::Call::#begin;
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

/// The inline cache of a thread, which stands in the companion module.
fn cache(function: &CodeVariant) -> TokenStream {
    let module = &function.module;
    quote!(#module::__NITRO_CACHE)
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
