//! Rules for variants.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, BinOp, Expr, ExprBinary, ExprPath, Ident, LitStr, Signature, Token, parse_quote};

use super::{
    Constraint, Feature, MAX_VARIANTS, Owner, Parameter, ParameterKind, Variant, hints, mentions, names,
    parameters, signature, targets,
};
use crate::digest;
use crate::errors::Errors;
use crate::parse;

/// The variants that obey the rules.
pub(crate) fn check(
    written: Vec<parse::Variant>,
    features: &[Feature],
    signature: &Signature,
    owner: Option<&Owner>,
    errors: &mut Errors,
) -> Vec<Variant> {
    at_most_64(&written, errors);
    let mut known = names_of(&written);
    let mut variants: Vec<Variant> = Vec::new();
    for variant in written {
        let hint = hints::of_variant(&variant, features);
        let parse::Variant { attributes, path, parameters, constraint, was, targets, exact_group, .. } =
            variant;
        // Reading a path guarantees a segment.
        let Some(last) = path.path.segments.last().map(|segment| segment.ident.clone()) else { continue };
        if !is_outside_the_companion(&path, signature, owner, errors) {
            continue;
        }
        let path = owner.map_or_else(|| path.clone(), |owner| owner.resolved(path.clone()));
        is_another_function(&path, signature, owner, errors);
        is_not_hidden(&path, signature, errors);
        let cfgs = only_cfg(attributes, errors);
        let name = last.unraw().to_string();
        let arm = Ident::new(&names::camel_case(&name), Span::call_site().located_at(last.span()));
        if is_in_one_group(&path, exact_group, &variants, errors)
            && is_new(&last, &name, &arm, &variants, errors)
        {
            let parameters = match type_is_free(&last, &name, &arm, &parameters, errors) {
                true => parameters::check(parameters, features, signature, owner, errors),
                false => Vec::new(),
            };
            let digest = digest(&parameters, constraint.as_ref(), features);
            let was = former_names(&was, &mut known, errors);
            let constraint = is_there(&parameters, constraint)
                .map(|condition| with_names(condition, features, &parameters, signature, owner));
            let approximation = None; // known when all variants are
            let original = Variant {
                cfgs,
                path,
                name,
                arm,
                parameters,
                constraint,
                hint,
                exact_group,
                approximation,
                was,
                digest,
                target: None,
            };
            let index = variants.len();
            let clones = targets::clones(&targets, &original, index, (signature, owner), errors);
            variants.push(original);
            for clone in clones {
                if is_new(&last, &clone.name, &clone.arm, &variants[..index], errors) {
                    variants.push(clone);
                }
            }
        }
    }
    variants
}

/// Refuses too many variants: which of them are admissible is one 64-bit word at run time.
fn at_most_64(written: &[parse::Variant], errors: &mut Errors) {
    let count = targets::count(written);
    let first_too_many = (1..=written.len()).find(|&few| targets::count(&written[..few]) > MAX_VARIANTS);
    if let Some(few) = first_too_many {
        let message = format!("a function has at most {MAX_VARIANTS} variants, here are {count}");
        errors.at(&written[few - 1].path, message);
    }
}

/// Refuses the function itself: a call of itself would never end.
fn is_another_function(path: &ExprPath, signature: &Signature, owner: Option<&Owner>, errors: &mut Errors) {
    let mut segments = path.path.segments.iter();
    let here = path.path.leading_colon.is_none() && path.qself.is_none();
    let first = segments.next().map(|segment| &segment.ident);
    let name = match (first, segments.next()) {
        (Some(first), Some(second)) if first == "self" && segments.next().is_none() => Some(&second.ident),
        (first, None) => first,
        _ => None,
    };
    let is_itself = match owner {
        Some(owner) => owner.is_own(path, &signature.ident),
        None => here && name == Some(&signature.ident),
    };
    if is_itself {
        errors.at(
            path,
            format!(
                "`{}` cannot be a variant of itself: name this variant otherwise, or move it into a module",
                signature.ident
            ),
        );
    }
}

/// Refuses a path into a module of the companion's name, which stands beside the function or its block.
fn is_outside_the_companion(
    path: &ExprPath,
    signature: &Signature,
    owner: Option<&Owner>,
    errors: &mut Errors,
) -> bool {
    let (attribute, name) = match owner {
        Some(owner) => ("code_variants", owner.module(&signature.ident)),
        None => ("code_variant", signature.ident.clone()),
    };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident).peekable();
    segments.next_if(|first| *first == "self");
    let is_inside = segments.next().is_some_and(|first| *first == name)
        && segments.next().is_some()
        && path.path.leading_colon.is_none()
        && path.qself.is_none();
    if is_inside {
        let function = &signature.ident;
        errors.at(
            path,
            format!(
                "`#[{attribute}]` makes a module `{name}` beside the function `{function}`: \
                 name the module of this variant otherwise, such as `{name}_variants` \
                 (of a crate, write `::{name}::..`)"
            ),
        );
    }
    !is_inside
}

/// Refuses the name of an argument: among the arguments, a path of one segment may mean one.
fn is_not_hidden(path: &ExprPath, signature: &Signature, errors: &mut Errors) {
    let Some(name) = path.path.get_ident() else { return };
    if signature::arguments(signature).contains(name) {
        errors.at(path, format!("the argument `{name}` hides this variant: write `self::{name}`"));
    }
}

/// Keeps `#[cfg]`, by which a variant may be left out of a build; every other attribute belongs on its function.
fn only_cfg(attributes: Vec<Attribute>, errors: &mut Errors) -> Vec<Attribute> {
    let (cfgs, others): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|attribute| attribute.path().is_ident("cfg"));
    for attribute in others {
        let name = attribute.path().to_token_stream().to_string();
        let message = match name.as_str() {
            "cfg_attr" => "`#[cfg_attr]` has no meaning on a variant: write `#[cfg(..)]`".to_owned(),
            "doc" => {
                "documentation belongs on the function of the variant: write it there, or write `//` here"
                    .to_owned()
            }
            _ => format!(
                "`#[{name}]` belongs on the function of the variant: only `#[cfg(..)]` may stand here"
            ),
        };
        errors.at(attribute, message);
    }
    cfgs
}

/// Refuses a variant of two groups: its results cannot be those of both.
fn is_in_one_group(path: &ExprPath, group: Option<usize>, variants: &[Variant], errors: &mut Errors) -> bool {
    let written = path.to_token_stream().to_string();
    let mut in_groups = variants.iter().filter(|other| group.is_some() && other.exact_group.is_some());
    let Some(other) = in_groups.find(|other| other.path.to_token_stream().to_string() == written) else {
        return true;
    };
    let name = &other.name;
    errors.at(
        path,
        format!("`{name}` is in an `exact(..)` group already: keep one, or make one group of both"),
    );
    false
}

/// Refuses a name that is taken: variants are known by it, and by its camel-case form in the enum.
fn is_new(last: &Ident, name: &str, arm: &Ident, variants: &[Variant], errors: &mut Errors) -> bool {
    let Some(other) = variants.iter().find(|variant| variant.arm == *arm) else { return true };
    let message = if other.name == name {
        format!(
            "two variants are named `{name}`: import one under another name, such as \
             `use path::{name} as other_{name};`"
        )
    } else {
        format!(
            "the variants `{}` and `{name}` would both be `Variant::{arm}`: name one of them otherwise",
            other.name
        )
    };
    errors.at(last, message);
    false
}

/// Refuses a type that is taken: the struct of parameters stands in the companion module beside what every function
/// has.
fn type_is_free(
    last: &Ident,
    name: &str,
    arm: &Ident,
    parameters: &[parse::Parameter],
    errors: &mut Errors,
) -> bool {
    let is_taken = !parameters.is_empty() && (arm == "Variant" || arm == "Choice");
    if is_taken {
        let message = format!(
            "the parameters of `{name}` would be the type `{arm}`, which the function has already: name this variant \
             otherwise"
        );
        errors.at(last, message);
    }
    !is_taken
}

/// Adds to the condition of generated code that the program has it.
fn is_there(parameters: &[Parameter], condition: Option<Expr>) -> Option<Expr> {
    let artifact = parameters.iter().find(|own| own.kind == ParameterKind::Artifact);
    let Some(name) = artifact.map(|own| &own.name) else { return condition };
    let is_known: Expr = parse_quote!(#name.is_known());
    Some(match condition {
        Some(condition) => parse_quote!(#is_known && (#condition)),
        None => is_known,
    })
}

/// The constraint of a condition, with the names that it mentions.
fn with_names(
    condition: Expr,
    features: &[Feature],
    parameters: &[Parameter],
    signature: &Signature,
    owner: Option<&Owner>,
) -> Constraint {
    let mut input = signature::arguments(signature);
    input.extend(signature::generics(signature));
    input.extend(owner.iter().flat_map(|owner| owner.generics.iter().cloned()));
    input.extend(features.iter().map(|feature| feature.name.clone()));
    let all = conjuncts(&condition);
    // Of generated code a program may come to know later what it does not know now.
    let is_settled = parameters.iter().all(|own| own.kind != ParameterKind::Artifact);
    let (of_parameters, others): (Vec<&Expr>, Vec<&Expr>) = all.into_iter().partition(|part| {
        is_settled
            && parameters.iter().any(|parameter| mentions(part, &parameter.name))
            && !input.iter().any(|name| mentions(part, name))
            && mentions::self_word(part.to_token_stream()).is_none()
    });
    let possible = of_parameters.into_iter().cloned().reduce(both);
    let of_the_input = others.first().map(|&first| first.clone());
    let features = (0..features.len()).filter(|&index| mentions(&condition, &features[index].name)).collect();
    Constraint { features, possible, of_the_input, condition }
}

/// Returns true where an expression mentions a variable.
fn mentions(expression: &Expr, name: &Ident) -> bool {
    mentions::as_variable(expression.to_token_stream(), name)
}

/// `left && right`, printed with the parentheses that it needs.
fn both(left: Expr, right: Expr) -> Expr {
    let op = BinOp::And(Token![&&](Span::call_site()));
    Expr::Binary(ExprBinary { attrs: Vec::new(), left: Box::new(left), op, right: Box::new(right) })
}

/// The parts of a condition that all have to hold.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match condition {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        Expr::Paren(inner) if matches!(*inner.expr, Expr::Binary(ExprBinary { op: BinOp::And(_), .. })) => {
            conjuncts(&inner.expr)
        }
        other => vec![other],
    }
}

/// The names of the variants as they are now.
fn names_of(written: &[parse::Variant]) -> BTreeSet<String> {
    let segments = written.iter().filter_map(|variant| variant.path.path.segments.last());
    segments.map(|last| last.ident.unraw().to_string()).collect()
}

/// The names that a variant had before: each belongs to one variant alone.
fn former_names(written: &[LitStr], known: &mut BTreeSet<String>, errors: &mut Errors) -> Vec<String> {
    let mut names = Vec::new();
    for name in written {
        let value = name.value();
        if syn::parse_str::<Ident>(&value).is_err() {
            errors.at(name, format!("`{value}` is no name of a variant: write the one that it had"));
        } else if known.insert(value.clone()) {
            names.push(value);
        } else {
            errors.at(
                name,
                format!("`{value}` is a variant, or was another one: its measurements are that one's"),
            );
        }
    }
    names
}

/// The digest of what a variant's constraint, the features in it, and its parameters say.
fn digest(parameters: &[Parameter], constraint: Option<&Expr>, features: &[Feature]) -> u64 {
    let mut parts: Vec<&dyn ToTokens> = Vec::new();
    for parameter in parameters {
        parts.extend([&parameter.name as &dyn ToTokens, &parameter.r#type]);
        parts.extend(parameter.values.iter().map(|(value, _)| value as &dyn ToTokens));
    }
    if let Some(constraint) = constraint {
        parts.push(constraint);
        let named = features.iter().filter(|own| mentions(constraint, &own.name));
        parts.extend(named.map(|own| &own.value as &dyn ToTokens));
    }
    digest::digest(parts)
}
