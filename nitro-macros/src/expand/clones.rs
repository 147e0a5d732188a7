//! Clones of variants, compiled with target features.
//!
//! A clone calls its variant, which is always inlined, so that the variant's body is compiled in the clone. The macro
//! sees to that: of a function of the block under `#[code_variants]` it writes `#[inline(always)]` itself, of any
//! other it asks for what `#[cloneable]` leaves beside it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, ExprPath, FnArg, LitStr, Safety, parse_quote};

use super::attributes::shared;
use super::{MAX_ARGUMENTS, calls, helper, helper_signature, parameters};
use crate::ir::{CodeVariant, Owner, Target, Variant};
use crate::places;

/// The functions of all clones, and of what they are of.
pub(crate) fn functions(function: &CodeVariant) -> TokenStream {
    let originals = function.variants.iter().filter(|own| function.has_clones(own));
    let clones = function.variants.iter().filter_map(|own| Some((own, own.target.as_ref()?)));
    let originals = originals.map(|own| baseline(function, own));
    originals.chain(clones.map(|(own, target)| clone(function, own, target))).collect()
}

/// The variant as the program is compiled. All that may run it call this, so that it stands in the program once.
fn baseline(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let mut signature = helper_signature(function, "");
    signature.ident = baseline_name(function, variant);
    item(function, variant, signature, &TokenStream::new(), &calls::call_of_pointer(function, variant))
}

fn clone(function: &CodeVariant, variant: &Variant, target: &Target) -> TokenStream {
    let mut signature = helper_signature(function, "");
    signature.ident = clone_name(function, variant, target);
    signature.safety = Safety::Unsafe(parse_quote!(unsafe));
    let features = LitStr::new(&target.features.join(","), target.span);
    let attribute = quote_spanned!(places::generated(target.span)=> #[target_feature(enable = #features)]);
    let original = function.original(variant);
    let (marker, call) = (marker(function, original), calls::direct_call(function, original));
    item(function, variant, signature, &attribute, &quote!(#marker #call))
}

fn item(
    function: &CodeVariant,
    variant: &Variant,
    mut signature: syn::Signature,
    attribute: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    if !variant.parameters.is_empty() {
        let r#type = parameters::path(function, variant);
        let parameters: FnArg = parse_quote!(__nitro_parameters: #r#type);
        signature.inputs.insert(usize::from(signature.receiver().is_some()), parameters);
    }
    let (shared, cfgs) = (shared(function), &variant.cfgs);
    // The function itself may have as many as clippy says nothing of.
    let allowed =
        (signature.inputs.len() == MAX_ARGUMENTS + 1).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let import = function.owner.as_ref().and_then(Owner::import);
    quote! {
        #shared
        #(#cfgs)*
        #[doc(hidden)]
        #allowed
        #attribute
        #signature { #import #body }
    }
}

/// The functions that tell if the processor has what a clone needs, at module level.
pub(crate) fn detections(function: &CodeVariant) -> TokenStream {
    let clones = function.variants.iter().filter_map(|own| Some((own, own.target.as_ref()?)));
    let detections = clones.map(|(variant, target)| {
        let (shared, cfgs, krate) = (shared(function), &variant.cfgs, &function.krate);
        let (name, span) = (detection_name(function, variant, target), places::generated(target.span));
        let is_detected = match target.architecture.as_str() {
            "aarch64" => quote_spanned!(span=> ::std::arch::is_aarch64_feature_detected),
            _ => quote_spanned!(span=> ::std::arch::is_x86_feature_detected),
        };
        let is_detected = target.features.iter().map(|own| {
            let feature = LitStr::new(own, target.span);
            // What there is to say of a feature is said where it is written.
            quote_spanned!(span=> #is_detected!(#feature))
        });
        quote! {
            #shared
            #(#cfgs)*
            #[doc(hidden)]
            #[inline]
            fn #name() -> ::core::primitive::bool {
                static DETECTED: #krate::__private::Detected = #krate::__private::Detected::new();
                DETECTED.get(|| #(#is_detected)&&*)
            }
        }
    });
    detections.collect()
}

/// Tells at run time if a clone may run.
pub(crate) fn is_detected(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let name = detection_name(function, variant, variant.target.as_ref()?);
    Some(quote!(#name()))
}

/// The part of the descriptor that speaks of a clone.
pub(crate) fn information(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let name = detection_name(function, variant, variant.target.as_ref()?);
    Some(quote!(.with_target(super::#name)))
}

/// The call of a clone where the processor has its features. Where it does not, the variant itself runs: nobody can
/// ask for a call that is not sound.
pub(crate) fn call(function: &CodeVariant, variant: &Variant) -> Option<TokenStream> {
    let original = function.original(variant);
    let baseline = calls::call_of(function, &baseline_name(function, original), original);
    let baseline = calls::in_unsafe(function, baseline);
    let Some(target) = &variant.target else { return function.has_clones(variant).then_some(baseline) };
    let (detected, clone) =
        (detection_name(function, variant, target), clone_name(function, variant, target));
    let clone = calls::call_of(function, &clone, original);
    Some(quote!(if #detected() { unsafe { #clone } } else { #baseline }))
}

fn baseline_name(function: &CodeVariant, variant: &Variant) -> Ident {
    helper(function, &format!("baseline_{}", variant.name))
}

fn clone_name(function: &CodeVariant, variant: &Variant, target: &Target) -> Ident {
    helper(function, &format!("clone_{}", words(function, variant, target)))
}

fn detection_name(function: &CodeVariant, variant: &Variant, target: &Target) -> Ident {
    helper(function, &format!("has_target_of_{}", words(function, variant, target)))
}

/// `dot_avx2_fma` of `dot@avx2+fma`.
fn words(function: &CodeVariant, variant: &Variant, target: &Target) -> String {
    let features = target.features.join("_").replace(['.', '-'], "_");
    format!("{}_{}_{features}", function.original(variant).name, target.architecture)
}

/// The functions of the block that clones are made of.
pub(crate) fn inlined(function: &CodeVariant) -> Vec<Ident> {
    let originals =
        function.variants.iter().filter(|own| function.has_clones(own) && is_in_block(function, own));
    originals.filter_map(|own| own.path.path.segments.last().map(|last| last.ident.clone())).collect()
}

fn is_in_block(function: &CodeVariant, variant: &Variant) -> bool {
    function.owner.as_ref().is_some_and(|owner| owner.declares(&variant.path))
}

/// Writes that a function is always inlined, in the place of what it said of that itself.
pub(crate) fn inline_always(attributes: &mut Vec<Attribute>) {
    attributes.retain(|own| !own.path().is_ident("inline"));
    attributes.push(parse_quote!(#[inline(always)]));
    attributes.push(parse_quote!(#[allow(clippy::inline_always)]));
}

/// Asks for the item that `#[cloneable]` leaves beside a function.
fn marker(function: &CodeVariant, original: &Variant) -> Option<TokenStream> {
    if is_in_block(function, original) {
        return None;
    }
    let mut path: ExprPath = original.path.clone();
    let last = path.path.segments.last_mut()?;
    let span = last.ident.span();
    *last = syn::PathSegment::from(marker_name(&last.ident, places::generated(span)));
    Some(quote_spanned!(span=> let () = #path;))
}

/// The name says what is wrong where the item is missing.
pub(crate) fn marker_name(function: &Ident, span: Span) -> Ident {
    use syn::ext::IdentExt;
    format_ident!("__nitro_{}_needs_the_attribute_cloneable_and_its_full_path", function.unraw(), span = span)
}
