//! `features(..)`, `variants(..)`, `approximate(..)` and `nested(..)`.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, ExprPath, Ident, LitStr, Result, Token, token};

use super::parameter::{self, Parameter};
use super::separated::{end_of_element, parenthesised};
use crate::errors::Errors;

mod keyword {
    syn::custom_keyword!(over);
    syn::custom_keyword!(prefer);
    syn::custom_keyword!(targets);
}

/// `name: UNIT = EXPR`
pub(crate) struct Feature {
    /// The name, possibly no plain identifier.
    pub name: Ident,
    /// The unit, possibly none that there is.
    pub unit: Option<Ident>,
    /// The value.
    pub value: Expr,
}

/// `#[cfg(..)] path = was("OLD NAME", ...) targets("TARGET", ...) { PARAMETER, ... } if EXPR prefer if EXPR`
pub(crate) struct Variant {
    /// The attributes, of any kind.
    pub attributes: Vec<Attribute>,
    /// The function.
    pub path: ExprPath,
    /// Its tuning parameters.
    pub parameters: Vec<Parameter>,
    /// The condition after `if`.
    pub constraint: Option<Expr>,
    /// The condition after `prefer if`.
    pub hint: Option<Expr>,
    /// The names that it had before.
    pub was: Vec<LitStr>,
    /// The processors for which it is cloned.
    pub targets: Vec<LitStr>,
    /// The number of the group `exact(..)` that it stands in.
    pub exact_group: Option<usize>,
}

/// `name = EXPR over "TEXT"`
pub(crate) struct Approximation {
    /// The name of the variant.
    pub variant: Ident,
    /// Its largest relative error.
    pub max_error: Expr,
    /// The inputs over which that was found.
    pub over: Option<LitStr>,
}

/// One element of `variants(..)`: a variant, or `exact(VARIANT, ...)`.
pub(crate) fn variants(key: &Ident, input: ParseStream, errors: &mut Errors) -> Result<Vec<Variant>> {
    let mut groups = 0;
    let elements = parenthesised(key, input, errors, |input, errors| {
        if !is_group(input) {
            return Ok(vec![variant(input, errors)?]);
        }
        groups += 1;
        group(groups - 1, input, errors)
    })?;
    Ok(elements.into_iter().flatten().collect())
}

/// Returns true where `exact(` comes next, possibly behind attributes: no parenthesis follows a variant's path.
fn is_group(input: ParseStream) -> bool {
    let ahead = input.fork();
    let attributes = ahead.call(Attribute::parse_outer);
    attributes.is_ok() && ahead.parse::<Ident>().is_ok_and(|name| name == "exact") && ahead.peek(token::Paren)
}

/// `exact(VARIANT, ...)`
fn group(number: usize, input: ParseStream, errors: &mut Errors) -> Result<Vec<Variant>> {
    const EACH: &str = "belongs to one variant: write it inside of `exact(..)`";
    if let Some(attribute) = input.call(Attribute::parse_outer)?.first() {
        errors.at(attribute, format!("an attribute {EACH}"));
    }
    let name: Ident = input.parse()?;
    let members = parenthesised(&name, input, errors, |input, errors| {
        if is_group(input) {
            return Err(
                input.error("a group stands in no other group: results are the same bits, or they are not")
            );
        }
        Ok(Variant { exact_group: Some(number), ..variant(input, errors)? })
    })?;
    if members.is_empty() {
        errors.at(&name, "there are no variants in this group: write `exact(first, second)`");
    }
    if input.peek(Token![if]) {
        return Err(input.error(format!("a constraint {EACH}")));
    }
    end_of_element(input, "after this group")?;
    Ok(members)
}

/// One element of `nested(..)`.
pub(crate) fn nested(input: ParseStream, _: &mut Errors) -> Result<ExprPath> {
    const USAGE: &str =
        "write the path of a function or a method with variants: `nested(dot, Matrix::multiply)`";
    let function: ExprPath = input.parse().map_err(|error| syn::Error::new(error.span(), USAGE))?;
    end_of_element(input, "after this function")?;
    Ok(function)
}

/// One element of `features(..)`.
pub(crate) fn feature(input: ParseStream, _: &mut Errors) -> Result<Feature> {
    const USAGE: &str = "a feature is written `name = EXPRESSION` or `name: UNIT = EXPRESSION`";
    if input.peek(Token![#]) {
        return Err(input.error("a feature takes no attribute: every build must have the same features"));
    }
    let name = input.call(Ident::parse_any).map_err(|_| input.error(USAGE))?;
    let unit = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(input.call(Ident::parse_any).map_err(|_| input.error(USAGE))?),
        None => None,
    };
    if !input.peek(Token![=]) {
        return Err(if input.is_empty() { syn::Error::new(name.span(), USAGE) } else { input.error(USAGE) });
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(name.span(), format!("the feature `{name}` has no value: {USAGE}")));
    }
    let value = input.parse()?;
    end_of_element(input, "after this feature")?;
    Ok(Feature { name, unit, value })
}

/// One element of `approximate(..)`.
pub(crate) fn approximation(input: ParseStream, _: &mut Errors) -> Result<Approximation> {
    const USAGE: &str = "write `NAME_OF_A_VARIANT = LARGEST_RELATIVE_ERROR`, such as \
        `evolved = 0.003 over \"lengths to 4096\"`";
    let variant: Ident = input.parse().map_err(|_| input.error(USAGE))?;
    if input.is_empty() {
        return Err(syn::Error::new(variant.span(), USAGE));
    }
    let equals: Token![=] = input.parse().map_err(|_| input.error(USAGE))?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(equals.span, format!("the error of `{variant}` is missing: {USAGE}")));
    }
    let max_error = input.parse()?;
    let over = match input.parse::<Option<keyword::over>>()? {
        Some(_) => Some(input.parse().map_err(|error| syn::Error::new(error.span(), USAGE))?),
        None => None,
    };
    end_of_element(input, "after this variant")?;
    Ok(Approximation { variant, max_error, over })
}

/// One variant.
fn variant(input: ParseStream, errors: &mut Errors) -> Result<Variant> {
    const USAGE: &str = "a variant is the path of a function: write `csr_scalar` or `formats::csr_vector`";
    let attributes = input.call(Attribute::parse_outer)?;
    let path: ExprPath = input.parse().map_err(|error| syn::Error::new(error.span(), USAGE))?;
    let was = former_names(input, errors)?;
    let targets = targets(input, errors)?;
    let parameters = match input.peek(token::Brace) {
        true => parameter::parameters(input, errors)?,
        false => Vec::new(),
    };
    let constraint = match input.parse::<Option<Token![if]>>()? {
        Some(if_token) if input.is_empty() || input.peek(Token![,]) => {
            return Err(syn::Error::new(
                if_token.span,
                "the constraint is missing: write `if CONDITION`, or leave `if` out",
            ));
        }
        Some(_) => Some(input.parse()?),
        None => None,
    };
    let hint = hint(input)?;
    if !input.is_empty() && !input.peek(Token![,]) {
        let found = match (&constraint, &hint) {
            (_, Some(_)) => "expected `,` after this hint",
            (Some(_), None) => "expected `,` or `prefer if CONDITION` after this constraint",
            (None, None) => "expected `,`, `if CONDITION` or `prefer if CONDITION` after this variant",
        };
        return Err(input.error(format!("{found}; {USAGE}")));
    }
    Ok(Variant { attributes, path, parameters, constraint, hint, was, targets, exact_group: None })
}

/// `prefer if EXPR` behind a variant and its constraint; none where the word is not there.
fn hint(input: ParseStream) -> Result<Option<Expr>> {
    const USAGE: &str = "a hint is written `prefer if CONDITION`, behind the variant and its constraint";
    let Some(key) = input.parse::<Option<keyword::prefer>>()? else { return Ok(None) };
    let is_there =
        input.parse::<Option<Token![if]>>()?.is_some() && !input.is_empty() && !input.peek(Token![,]);
    if !is_there {
        return Err(syn::Error::new(key.span, USAGE));
    }
    let hint = input.parse()?;
    if input.peek(keyword::prefer) {
        return Err(input.error("a variant has one hint: join both conditions by `||` or `&&`"));
    }
    if input.peek(Token![if]) {
        return Err(
            input.error("the constraint stands before the hint: write `if CONSTRAINT prefer if CONDITION`")
        );
    }
    Ok(Some(hint))
}

/// `targets("x86_64+avx2+fma", ...)` behind a variant's path; none where the word is not there.
fn targets(input: ParseStream, errors: &mut Errors) -> Result<Vec<LitStr>> {
    const USAGE: &str = "target features are written `targets(\"x86_64+avx2+fma\", \"aarch64+neon\")`";
    let Some(key) = input.parse::<Option<keyword::targets>>()? else { return Ok(Vec::new()) };
    if !input.peek(token::Paren) {
        return Err(syn::Error::new(key.span, USAGE));
    }
    let (key, before) = (Ident::new("targets", key.span), errors.len());
    let targets = parenthesised(&key, input, errors, |input, _| {
        input.parse::<LitStr>().map_err(|error| syn::Error::new(error.span(), USAGE))
    })?;
    if targets.is_empty() && errors.len() == before {
        errors.at(key, format!("there are no targets: {USAGE}"));
    }
    Ok(targets)
}

/// `= was("OLD NAME", ...)` behind a variant's path; none where there is no `=`.
fn former_names(input: ParseStream, errors: &mut Errors) -> Result<Vec<LitStr>> {
    const USAGE: &str = "the name that a variant had before is written `new_name = was(\"old_name\")`";
    let Some(equals) = input.parse::<Option<Token![=]>>()? else { return Ok(Vec::new()) };
    let key: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), USAGE))?;
    if key != "was" || !input.peek(token::Paren) {
        return Err(syn::Error::new(key.span(), USAGE));
    }
    let names = parenthesised(&key, input, errors, |input, _| {
        input.parse::<LitStr>().map_err(|error| syn::Error::new(error.span(), USAGE))
    })?;
    if names.is_empty() {
        return Err(syn::Error::new(equals.span, USAGE));
    }
    Ok(names)
}
