//! Rules for tuning parameters.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Expr, Signature, Type, parse_quote};

use super::values::{self, Values};
use super::{Feature, Owner, Parameter, ParameterKind, features, names, owner};
use crate::errors::Errors;
use crate::parse;

/// The most parameters: more would be a space that nobody searches.
const MAX_PARAMETERS: usize = 16;
/// The most values: every one stands in the program as a text.
const MAX_VALUES: usize = 1024;
/// The most instances of a variant that its constants may make: each is compiled.
const MAX_INSTANCES: usize = 256;

/// The parameters that obey the rules.
pub(crate) fn check(
    written: Vec<parse::Parameter>,
    features: &[Feature],
    signature: &Signature,
    owner: Option<&Owner>,
    errors: &mut Errors,
) -> Vec<Parameter> {
    at_most_16(&written, errors);
    let mut parameters: Vec<Parameter> = Vec::new();
    for written in written {
        owner::names_no_self(owner, &written.r#type, errors);
        [&written.values, &written.default]
            .into_iter()
            .for_each(|value| owner::names_no_self(owner, value, errors));
        if names::is_plain("parameter", "block", &written.name, errors)
            && is_free(&written.name, features, signature, errors)
            && is_new(&written.name, &parameters, errors)
        {
            parameters.extend(parameter(written, errors));
        }
    }
    few_instances(&parameters, errors);
    generated_code_is_alone(parameters, errors)
}

/// Refuses parameters beside generated code: whatever else there is to choose is chosen by who generates it.
fn generated_code_is_alone(mut parameters: Vec<Parameter>, errors: &mut Errors) -> Vec<Parameter> {
    let artifact = parameters.iter().position(|own| own.kind == ParameterKind::Artifact);
    let Some(artifact) = artifact else { return parameters };
    if let Some(other) = parameters.iter().enumerate().find(|(index, _)| *index != artifact) {
        let (name, other) = (&parameters[artifact].name, &other.1.name);
        let message = format!(
            "`{other}` stands beside the generated code `{name}`, which is the only parameter of its variant: let \
             the text of the code say it"
        );
        errors.at(other, message);
    }
    vec![parameters.swap_remove(artifact)]
}

fn at_most_16(written: &[parse::Parameter], errors: &mut Errors) {
    if let Some(first_too_many) = written.get(MAX_PARAMETERS) {
        let count = written.len();
        errors.at(
            &first_too_many.name,
            format!("a variant has at most {MAX_PARAMETERS} parameters, here are {count}"),
        );
    }
}

/// Refuses the name of an argument, constant or feature: in a constraint both would be meant by the one name.
fn is_free(name: &Ident, features: &[Feature], signature: &Signature, errors: &mut Errors) -> bool {
    let is_feature = features.iter().any(|feature| feature.name == *name).then_some("a feature");
    let Some(kind) = features::taken(signature).get(&name.to_string()).copied().or(is_feature) else {
        return true;
    };
    errors.at(name, format!("the parameter `{name}` has the name of {kind}: name the parameter otherwise"));
    false
}

/// Refuses a name that is taken, since parameters are known by name.
fn is_new(name: &Ident, parameters: &[Parameter], errors: &mut Errors) -> bool {
    let is_repeated = parameters.iter().any(|parameter| parameter.name == *name);
    if is_repeated {
        errors.at(name, format!("two parameters are named `{name}`: name one of them otherwise"));
    }
    !is_repeated
}

fn parameter(written: parse::Parameter, errors: &mut Errors) -> Option<Parameter> {
    if written.values.as_ref().is_some_and(values::are_artifacts) {
        return artifact(written, errors);
    }
    let parse::Parameter { is_const, name, r#type, values, default } = written;
    let r#type = r#type.unwrap_or_else(|| {
        let usize = Ident::new("usize", name.span());
        parse_quote!(#usize)
    });
    let kind = values::kind(&r#type);
    is_allowed_as_constant(is_const, kind, &r#type, errors)?;
    let values = match values {
        Some(values) => values::of(&name, kind, &values, MAX_VALUES, errors)?,
        None if kind == ParameterKind::Bool => values::booleans(),
        None => {
            errors.at(
                &name,
                format!("the values of `{name}` are missing: {}", values::usage(&name, &r#type, kind)),
            );
            return None;
        }
    };
    let default = match default {
        Some(default) => index_of_default(&name, &default, &values, errors)?,
        None => 0,
    };
    Some(Parameter { is_const, name, r#type, kind, values, default })
}

/// `kernel in artifacts`
fn artifact(written: parse::Parameter, errors: &mut Errors) -> Option<Parameter> {
    let parse::Parameter { is_const, name, r#type, default, .. } = written;
    let usage = format!("write `{name} in artifacts`");
    if let Some(r#type) = r#type {
        errors.at(&r#type, format!("generated code is a `nitro::Artifact` always: {usage}"));
    }
    if let Some(default) = default {
        let message =
            format!("generated code has no default, its variant runs where some was found: {usage}");
        errors.at(&default, message);
    }
    if is_const {
        errors.at(&name, format!("generated code is not known when the program is compiled: {usage}"));
    }
    let (r#type, kind) = (parse_quote!(Artifact), ParameterKind::Artifact);
    Some(Parameter { is_const: false, name, r#type, kind, values: Vec::new(), default: 0 })
}

/// Refuses other types: Rust has constants of these as parameters.
fn is_allowed_as_constant(
    is_const: bool,
    kind: ParameterKind,
    r#type: &Type,
    errors: &mut Errors,
) -> Option<()> {
    if is_const && !matches!(kind, ParameterKind::Integer | ParameterKind::Bool) {
        errors.at(r#type, "a constant parameter is an integer or a bool: leave `const` out");
        return None;
    }
    Some(())
}

fn index_of_default(name: &Ident, default: &Expr, values: &Values, errors: &mut Errors) -> Option<usize> {
    let index = values::text(default).and_then(|text| values.iter().position(|(_, known)| *known == text));
    if index.is_none() {
        let known = values::quoted(values);
        let default = default.to_token_stream();
        errors.at(&default, format!("the default of `{name}` is none of its values, which are {known}"));
    }
    index
}

/// Refuses too many instances: every one is compiled, whether it runs or not.
fn few_instances(parameters: &[Parameter], errors: &mut Errors) {
    let constants: Vec<&Parameter> = parameters.iter().filter(|parameter| parameter.is_const).collect();
    let instances = constants.iter().fold(1_usize, |count, own| count.saturating_mul(own.values.len()));
    if let Some(last) = constants.last().filter(|_| instances > MAX_INSTANCES) {
        let message = format!(
            "the constants make {instances} instances of this variant, at most {MAX_INSTANCES} are compiled: list \
             fewer values, or leave `const` out"
        );
        errors.at(&last.name, message);
    }
    let count = parameters.iter().try_fold(1_u64, |count, own| count.checked_mul(own.values.len() as u64));
    if count.is_none() {
        let span = parameters.last().map_or_else(Span::call_site, |last| last.name.span());
        errors.push(syn::Error::new(
            span,
            "the parameters make more configurations than a 64-bit number counts: list fewer values",
        ));
    }
}
