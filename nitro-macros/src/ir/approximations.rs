//! Rules for approximate variants.

use syn::ext::IdentExt;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit};

use super::{Approximation, Variant};
use crate::errors::{Errors, quoted};
use crate::parse;

/// The message about an error that is none.
pub(crate) const ABOVE_0: &str = "the largest relative error is a number above 0, such as `0.003`";

/// Gives the variants that obey the rules their approximations.
pub(crate) fn check(
    written: Vec<parse::Approximation>,
    variants: &mut [Variant],
    default: Option<usize>,
    errors: &mut Errors,
) {
    for parse::Approximation { variant: name, max_error, over } in written {
        let Some(index) = is_a_variant(&name, variants, errors) else { continue };
        let variant = &variants[index];
        let before = errors.len();
        is_not_the_default(&name, default == Some(index), errors);
        is_in_no_exact_group(&name, variant, errors);
        is_named_once(&name, variant, errors);
        is_above_0(&max_error, errors);
        if errors.len() == before {
            let approximation = Some(Approximation { max_error, over });
            for (at, variant) in variants.iter_mut().enumerate() {
                // What a clone computes is the same.
                if at == index || variant.target.as_ref().is_some_and(|target| target.original == index) {
                    variant.approximation.clone_from(&approximation);
                }
            }
        }
    }
}

/// Refuses variants that may never run, and a tolerance that nobody asks.
pub(crate) fn one_with_the_other(given: &[Ident], errors: &mut Errors) {
    let [approximate, tolerance] =
        ["approximate", "tolerance"].map(|key| given.iter().find(|given| *given == key));
    match (approximate, tolerance) {
        (Some(key), None) => {
            let usage = parse::usage("tolerance");
            let message = format!(
                "without a tolerance approximate variants never run: write `{usage}` too, the largest relative \
                 error that a call accepts"
            );
            errors.at(key, message);
        }
        (None, Some(key)) => {
            let usage = parse::usage("approximate");
            errors.at(key, format!("no variant is approximate: write `{usage}`, or remove `tolerance`"));
        }
        _ => {}
    }
}

fn is_a_variant(name: &Ident, variants: &[Variant], errors: &mut Errors) -> Option<usize> {
    let plain = name.unraw().to_string();
    let index = variants.iter().position(|variant| variant.name == plain);
    if index.is_none() {
        let originals = variants.iter().filter(|variant| variant.target.is_none());
        let known = quoted(originals.map(|variant| &variant.name));
        errors.at(name, format!("`{plain}` is not a variant; the variants are {known}"));
    }
    index
}

/// Refuses the default, which runs where no other variant may, whatever the call accepts.
fn is_not_the_default(name: &Ident, is_default: bool, errors: &mut Errors) {
    if is_default {
        let message = format!(
            "the default `{name}` also runs where a call accepts no error: choose another default, or remove it here"
        );
        errors.at(name, message);
    }
}

/// Refuses a variant of an exact group: results are the same bits, or they are not.
fn is_in_no_exact_group(name: &Ident, variant: &Variant, errors: &mut Errors) {
    if variant.exact_group.is_some() {
        errors.at(name, format!("`{name}` is in an `exact(..)` group: remove it there, or here"));
    }
}

fn is_named_once(name: &Ident, variant: &Variant, errors: &mut Errors) {
    if variant.approximation.is_some() {
        errors.at(name, format!("`{name}` has an error already: keep one"));
    }
}

/// Refuses an error that is not above 0, as far as a literal tells. The compiler finds out about other constants.
fn is_above_0(max_error: &Expr, errors: &mut Errors) {
    let literal = match max_error {
        Expr::Unary(ExprUnary { expr, .. }) => &**expr,
        other => other,
    };
    let number: Option<f64> = match literal {
        Expr::Lit(ExprLit { lit: Lit::Float(literal), .. }) => literal.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        _ => return,
    };
    let is_negated = matches!(max_error, Expr::Unary(_));
    if is_negated || !number.is_some_and(|number| number > 0.0 && number.is_finite()) {
        errors.at(max_error, ABOVE_0);
    }
}
