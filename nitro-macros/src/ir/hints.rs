//! Rules for hints, `prefer if CONDITION`: each is a feature of the input, 0 or 1, which learning may use as any other.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Signature, parse_quote};

use super::{Feature, MAX_FEATURES, features, mentions};
use crate::errors::Errors;
use crate::parse;

/// Adds the features that are hints to those that are written as features.
pub(crate) fn add(
    written: &[parse::Variant],
    features: &mut Vec<Feature>,
    signature: &Signature,
    errors: &mut Errors,
) {
    let (declared, taken) = (features.len(), features::taken(signature));
    for variant in written {
        let (Some(hint), Some(name)) = (&variant.hint, name(variant)) else { continue };
        names_input_alone(variant, hint, &features[..declared], errors);
        let other = match taken.get(&name.to_string()) {
            Some(kind) => Some(*kind),
            None => features.iter().any(|own| own.name == name).then_some("a feature"),
        };
        if let Some(other) = other {
            let message =
                format!("this hint is the feature `{name}`, and {other} has that name: name that otherwise");
            errors.at(hint, message);
        } else if features.len() == MAX_FEATURES {
            let message =
                format!("a function has at most {MAX_FEATURES} features, of which each hint is one");
            errors.at(hint, message);
        } else {
            let value = parse_quote!({
                let __nitro_hint: ::core::primitive::bool = #hint;
                __nitro_hint
            });
            features.push(Feature { name, unit: None, value });
        }
    }
}

/// Finds the feature that is the hint of a variant.
pub(crate) fn of_variant(variant: &parse::Variant, features: &[Feature]) -> Option<usize> {
    let name = variant.hint.as_ref().and_then(|_| name(variant))?;
    features.iter().position(|own| own.name == name)
}

/// The name of a variant's hint among the features.
fn name(variant: &parse::Variant) -> Option<Ident> {
    let last = &variant.path.path.segments.last()?.ident;
    Some(Ident::new(&format!("prefer_{}", last.unraw()), last.span()))
}

/// Refuses the names of features, since a feature sees no other, and of parameters: a hint is about the input, and
/// picks a variant with the defaults of its parameters.
fn names_input_alone(variant: &parse::Variant, hint: &Expr, features: &[Feature], errors: &mut Errors) {
    let mentions = |name: &&Ident| mentions::as_variable(hint.to_token_stream(), name);
    if let Some(name) = features.iter().map(|own| &own.name).find(mentions) {
        let message = format!(
            "a hint is a feature itself, and sees no other: write the expression of `{name}` in its place"
        );
        errors.at(hint, message);
    }
    if let Some(name) = variant.parameters.iter().map(|own| &own.name).find(mentions) {
        let message =
            format!("a hint says which inputs a variant is for, and cannot ask for its parameter `{name}`");
        errors.at(hint, message);
    }
}
