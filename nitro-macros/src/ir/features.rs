//! Rules for features.

use std::collections::BTreeMap;

use syn::{GenericParam, Ident, Signature};

use super::{Feature, MAX_FEATURES, UNITS, names};
use crate::errors::{Errors, quoted};
use crate::parse;

/// The features that obey the rules.
pub(crate) fn check(
    written: Vec<parse::Feature>,
    signature: &Signature,
    errors: &mut Errors,
) -> Vec<Feature> {
    at_most_32(&written, errors);
    let taken = taken(signature);
    let mut features: Vec<Feature> = Vec::new();
    for parse::Feature { name, unit, value } in written {
        let unit = unit.filter(|unit| is_unit(unit, errors));
        if names::is_plain("feature", "length", &name, errors)
            && is_free(&name, &taken, errors)
            && is_new(&name, &features, errors)
        {
            features.push(Feature { name, unit, value });
        }
    }
    features
}

/// Refuses too many features: a feature vector lives on the stack and has a fixed size.
fn at_most_32(written: &[parse::Feature], errors: &mut Errors) {
    if let Some(first_too_many) = written.get(MAX_FEATURES) {
        errors.at(
            &first_too_many.name,
            format!("a function has at most {MAX_FEATURES} features, here are {}", written.len()),
        );
    }
}

/// Refuses a unit that there is not.
fn is_unit(unit: &Ident, errors: &mut Errors) -> bool {
    let is_known = UNITS.iter().any(|known| unit == known);
    if !is_known {
        errors.at(unit, format!("`{unit}` is no unit of a feature: write one of {}", quoted(UNITS)));
    }
    is_known
}

/// Refuses the name of an argument or constant: in a constraint both would be meant by the one name.
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

/// Refuses a name that is taken, since features are known by name.
fn is_new(name: &Ident, features: &[Feature], errors: &mut Errors) -> bool {
    let repeated = features.iter().any(|feature| feature.name == *name);
    if repeated {
        errors.at(name, format!("two features are named `{name}`: name one of them otherwise"));
    }
    !repeated
}

/// The names of values that the signature brings into scope, with what they are.
pub(crate) fn taken(signature: &Signature) -> BTreeMap<String, &'static str> {
    let arguments = super::signature::arguments(signature).into_iter();
    let constants = signature.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(constant) => Some(constant.ident.clone()),
        _ => None,
    });
    let arguments = arguments.map(|name| (name.to_string(), "an argument"));
    arguments.chain(constants.map(|name| (name.to_string(), "a constant parameter"))).collect()
}
