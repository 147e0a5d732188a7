//! Tuning parameters: `{ block: u32 in pow2(32..=1024) = 256, const LANES in [4, 8], staged: bool }`.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, Result, Token, Type, braced};

use super::separated::separated;
use crate::errors::Errors;

/// `const NAME: TYPE in VALUES = DEFAULT`
pub(crate) struct Parameter {
    /// True where it is a constant of the variant's type parameters.
    pub is_const: bool,
    /// The name, possibly no plain identifier.
    pub name: Ident,
    /// Its type, where written.
    pub r#type: Option<Type>,
    /// The values behind `in`.
    pub values: Option<Expr>,
    /// The default behind `=`.
    pub default: Option<Expr>,
}

/// `{ PARAMETER, ... }` behind a variant.
pub(crate) fn parameters(input: ParseStream, errors: &mut Errors) -> Result<Vec<Parameter>> {
    let content;
    let braces = braced!(content in input);
    if content.is_empty() {
        let message = format!("there are no parameters: {USAGE}, or leave the braces out");
        errors.push(syn::Error::new(braces.span.join(), message));
    }
    let mut parameters = Vec::new();
    separated(&content, errors, |input, _| {
        parameters.push(parameter(input)?);
        Ok(())
    });
    Ok(parameters)
}

const USAGE: &str =
    "write `block: u32 in [64, 128] = 64`, `unroll in 1..=8`, `const LANES in [4, 8]` or `staged: bool`";

fn parameter(input: ParseStream) -> Result<Parameter> {
    if input.peek(Token![#]) {
        return Err(input.error("a parameter takes no attribute: every build must have the same parameters"));
    }
    let is_const = input.parse::<Option<Token![const]>>()?.is_some();
    let name =
        input.call(Ident::parse_any).map_err(|_| input.error(format!("expected a parameter: {USAGE}")))?;
    let r#type = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    let (values, default) = match input.parse::<Option<Token![in]>>()? {
        Some(keyword) if input.is_empty() || input.peek(Token![,]) => {
            return Err(syn::Error::new(
                keyword.span,
                format!("the values of `{name}` are missing: {USAGE}"),
            ));
        }
        // `[1, 2] = 2` is an assignment to Rust, which `1..=2 = 2` is not.
        Some(_) => match input.parse()? {
            Expr::Assign(both) => (Some(*both.left), Some(*both.right)),
            values => (Some(values), default(&name, input)?),
        },
        None => (None, default(&name, input)?),
    };
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(input.error(format!("expected `,` after the parameter `{name}`: {USAGE}")));
    }
    Ok(Parameter { is_const, name, r#type, values, default })
}

/// `= DEFAULT`
fn default(name: &Ident, input: ParseStream) -> Result<Option<Expr>> {
    let Some(sign) = input.parse::<Option<Token![=]>>()? else { return Ok(None) };
    if input.is_empty() || input.peek(Token![,]) {
        let message = format!("the default of `{name}` is missing: {USAGE}");
        return Err(syn::Error::new(sign.span, message));
    }
    input.parse().map(Some)
}
