//! Rules for features.

use std::collections::BTreeMap;

use syn::{GenericParam, Ident, Signature};

use super::{Feature, MAX_FEATURES, RESERVED};
use crate::errors::Errors;
use crate::parse;

/// The features that obey the rules.
pub fn check(written: Vec<parse::Feature>, signature: &Signature, errors: &mut Errors) -> Vec<Feature> {
    at_most_32(&written, errors);
    let taken = parameters(signature);
    let mut features: Vec<Feature> = Vec::new();
    for parse::Feature { name, value } in written {
        if is_plain(&name, errors) && is_free(&name, &taken, errors) && is_new(&name, &features, errors) {
            features.push(Feature { name, value });
        }
    }
    features
}

/// A feature vector lives on the stack and has a fixed size.
fn at_most_32(written: &[parse::Feature], errors: &mut Errors) {
    if let Some(first_too_many) = written.get(MAX_FEATURES) {
        errors.at(
            &first_too_many.name,
            format!("a function has at most {MAX_FEATURES} features, here are {}", written.len()),
        );
    }
}

/// The name is a key in stores and models and, in constraints, a variable.
fn is_plain(name: &Ident, errors: &mut Errors) -> bool {
    let text = name.to_string();
    if text.starts_with(RESERVED) {
        errors.at(name, format!("names that begin with `{RESERVED}` are reserved for generated code: name this feature otherwise"));
        return false;
    }
    // A keyword, `_`, or a raw identifier: what syn does not read as an identifier, or does not print as one.
    let plain = syn::parse_str::<Ident>(&text).is_ok() && !text.starts_with("r#");
    if !plain {
        errors.at(
            name,
            format!("`{text}` cannot be the name of a feature: write a plain identifier such as `length`"),
        );
    }
    plain
}

/// In a constraint both would be meant by the one name.
fn is_free(name: &Ident, taken: &BTreeMap<String, &'static str>, errors: &mut Errors) -> bool {
    let Some(kind) = taken.get(&name.to_string()) else { return true };
    errors.at(
        name,
        format!(
            "the feature `{name}` has the name of {kind}: name the feature otherwise, such as `input_{name}`"
        ),
    );
    false
}

/// Features are known by name.
fn is_new(name: &Ident, features: &[Feature], errors: &mut Errors) -> bool {
    let repeated = features.iter().any(|feature| feature.name == *name);
    if repeated {
        errors.at(name, format!("two features are named `{name}`: name one of them otherwise"));
    }
    !repeated
}

/// The names of values that the signature brings into scope, with what they are.
fn parameters(signature: &Signature) -> BTreeMap<String, &'static str> {
    let arguments = super::signature::arguments(signature).into_iter();
    let constants = signature.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(constant) => Some(constant.ident.clone()),
        _ => None,
    });
    let arguments = arguments.map(|name| (name.to_string(), "an argument"));
    arguments.chain(constants.map(|name| (name.to_string(), "a constant parameter"))).collect()
}
