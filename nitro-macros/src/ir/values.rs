//! The values of a tuning parameter. All of them are known to the macro: they are in the descriptor, and each
//! constant is an instance.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, Type, UnOp, parse_quote};

use super::ParameterKind;
use crate::errors::Errors;

/// Values as expressions, with their texts.
pub(crate) type Values = Vec<(Expr, String)>;

/// The kind of the values of a type.
pub(crate) fn kind(r#type: &Type) -> ParameterKind {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    let Type::Path(path) = r#type else { return ParameterKind::Category };
    match path.path.get_ident().map(Ident::to_string).unwrap_or_default().as_str() {
        "bool" => ParameterKind::Bool,
        "f32" | "f64" => ParameterKind::Float,
        name if INTEGERS.contains(&name) => ParameterKind::Integer,
        _ => ParameterKind::Category,
    }
}

/// The message that says how the values of a parameter are written.
pub(crate) fn usage(name: &Ident, r#type: &Type, kind: ParameterKind) -> String {
    let r#type = r#type.to_token_stream().to_string().replace(' ', "");
    match kind {
        ParameterKind::Integer => format!(
            "write `{name}: {type} in 1..=8`, `(0..=64).step_by(16)`, `pow2(32..=1024)` or `[1, 2, 4]`"
        ),
        ParameterKind::Float => format!("write `{name}: {type} in [0.5, 1.0]`"),
        ParameterKind::Bool => format!("write `{name}: bool`"),
        ParameterKind::Category => {
            format!("write `{name}: {type} in [{type}::First, {type}::Second]`, with all that it may be")
        }
        ParameterKind::Artifact => format!("write `{name} in artifacts`"),
    }
}

/// `false` and `true`.
pub(crate) fn booleans() -> Values {
    [false, true].map(|value| (parse_quote!(#value), value.to_string())).into()
}

/// The values of a parameter, at most so many.
pub(crate) fn of(
    name: &Ident,
    kind: ParameterKind,
    written: &Expr,
    most: usize,
    errors: &mut Errors,
) -> Option<Values> {
    let values = match written {
        Expr::Array(list) => listed(kind, list.elems.iter()),
        Expr::Paren(inner) if !matches!(*inner.expr, Expr::Range(_)) => {
            return of(name, kind, &inner.expr, most, errors);
        }
        other if kind == ParameterKind::Integer => integers(other, most),
        other => {
            Err((other.to_token_stream(), format!("`{name}` is no integer: list its values in brackets")))
        }
    };
    match values.and_then(|values| checked(written, values, most)) {
        Ok(values) => Some(values),
        Err((tokens, message)) => {
            errors.at(tokens, message);
            None
        }
    }
}

type Mistake = (TokenStream, String);

/// Refuses no values, too many, and one twice.
fn checked(written: &Expr, values: Values, most: usize) -> Result<Values, Mistake> {
    let repeated =
        (1..values.len()).find(|&index| values[..index].iter().any(|(_, text)| *text == values[index].1));
    match repeated {
        _ if values.is_empty() => Err((written.to_token_stream(), "there is no value in here".to_owned())),
        _ if values.len() > most => {
            let count = values.len();
            let message = format!("{count} values, at most {most} are allowed: take larger steps");
            Err((written.to_token_stream(), message))
        }
        Some(index) => {
            let (value, text) = &values[index];
            Err((value.to_token_stream(), format!("`{text}` is in the list twice")))
        }
        None => Ok(values),
    }
}

fn listed<'a>(kind: ParameterKind, elements: impl Iterator<Item = &'a Expr>) -> Result<Values, Mistake> {
    let mut values = Values::new();
    for element in elements.map(bare) {
        let is_of_kind = match kind {
            ParameterKind::Integer => integer(element).is_some(),
            ParameterKind::Category => matches!(element, Expr::Path(_)),
            ParameterKind::Float | ParameterKind::Bool => matches!(element, Expr::Lit(_) | Expr::Unary(_)),
            ParameterKind::Artifact => false,
        };
        let Some(text) = text(element).filter(|_| is_of_kind) else {
            let how = match kind {
                ParameterKind::Category => "path, such as `Order::Row`",
                _ => "literal of the parameter's type",
            };
            let message = format!("write each value as a {how}: the macro puts it into the program");
            return Err((element.to_token_stream(), message));
        };
        values.push((element.clone(), text));
    }
    Ok(values)
}

fn bare(value: &Expr) -> &Expr {
    match value {
        Expr::Paren(inner) => bare(&inner.expr),
        other => other,
    }
}

/// The text of a value: a literal without its type, or the last segment of a path.
pub(crate) fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Paren(inner) => text(&inner.expr),
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(literal) => Some(literal.base10_digits().to_owned()),
            Lit::Float(literal) => Some(literal.base10_digits().to_owned()),
            Lit::Bool(literal) => Some(literal.value.to_string()),
            _ => None,
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => text(expr).map(|text| format!("-{text}")),
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// The texts of values in backquotes, the first few.
pub(crate) fn quoted(values: &Values) -> String {
    const SHOWN: usize = 12;
    let shown = crate::errors::quoted(values.iter().take(SHOWN).map(|(_, text)| text));
    if values.len() > SHOWN { format!("{shown}, …") } else { shown }
}

fn integers(written: &Expr, most: usize) -> Result<Values, Mistake> {
    let numbers = numbers(written, most).map_err(|message| (written.to_token_stream(), message))?;
    if numbers.len() > most {
        return Err((written.to_token_stream(), format!("more than {most} values: take larger steps")));
    }
    Ok(numbers.into_iter().map(number).collect())
}

/// The numbers of `a..=b`, `(a..=b).step_by(s)` or `pow2(a..=b)`, at most one more than are allowed.
fn numbers(written: &Expr, most: usize) -> Result<Vec<i128>, String> {
    const FORMS: &str = "the values are written `a..=b`, `(a..=b).step_by(s)`, `pow2(a..=b)` or `[1, 2, 4]`, with \
        literals: the macro has to know them all";
    match written {
        Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
            let (first, last) = bounds(&call.receiver).ok_or(FORMS)?;
            let step = integer(&call.args[0]).ok_or(FORMS)?;
            let step = usize::try_from(step).ok().filter(|&step| step > 0).ok_or("the step is at least 1")?;
            Ok((first..=last).step_by(step).take(most + 1).collect())
        }
        Expr::Call(call) if is_pow2(&call.func) && call.args.len() == 1 => {
            let (first, last) = bounds(&call.args[0]).ok_or(FORMS)?;
            let powers = (0..127).map(|power| 1_i128 << power);
            Ok(powers.filter(|number| (first..=last).contains(number)).collect())
        }
        range => {
            let (first, last) = bounds(range).ok_or(FORMS)?;
            Ok((first..=last).take(most + 1).collect())
        }
    }
}

fn number(number: i128) -> (Expr, String) {
    let magnitude = Literal::u128_unsuffixed(number.unsigned_abs());
    let tokens = if number < 0 { quote!(-#magnitude) } else { quote!(#magnitude) };
    (parse_quote!(#tokens), number.to_string())
}

/// Returns true where the values are generated code: `artifacts`.
pub(crate) fn are_artifacts(written: &Expr) -> bool {
    match written {
        Expr::Path(path) => path.qself.is_none() && path.path.is_ident("artifacts"),
        _ => false,
    }
}

fn is_pow2(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.is_ident("pow2"))
}

/// The ends of `a..=b`.
fn bounds(range: &Expr) -> Option<(i128, i128)> {
    match range {
        Expr::Paren(inner) => bounds(&inner.expr),
        Expr::Range(ExprRange {
            start: Some(start), limits: RangeLimits::Closed(_), end: Some(end), ..
        }) => Some((integer(start)?, integer(end)?)),
        _ => None,
    }
}

fn integer(value: &Expr) -> Option<i128> {
    match value {
        Expr::Paren(inner) => integer(&inner.expr),
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(|number| -number),
        _ => None,
    }
}
