//! Values, and the elements that they are read from.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, Lit, LitFloat, Result, UnOp, parse_quote};

use super::choices::select;
use super::elements::{converted, element, example, integer};
use super::integers::{affine, operands, quasi};
use super::ir::{Element, Operation, Storage, Value};
use super::polynomial::Factor;
use super::scope::{Meaning, Scope, at, bare, constant, name};

const VALUES: &str = "this is no value of a nest: write elements, scalars and numbers with `+ - * /`, `min`, `max`, \
    other methods of `f32` such as `sqrt` and `exp`, `(i) as f32`, or `if a < b { x } else { y }`";

const METHODS: &str = "the methods are `sqrt`, `abs`, `min`, `max`, `clamp`, `mul_add`, `powi`, `recip`, `exp`, `ln`, \
    `tanh`, `sin` and `cos`";

pub(super) const NO_VALUE: &str =
    "an array of integers says places of what is read, and is no value: write `x[ids[i] as usize]`";

/// The largest exponent: the base is written as often.
const MAX_EXPONENT: u32 = 32;

/// Reads a value.
pub(crate) fn value(expression: &Expr, scope: &Scope) -> Result<Value> {
    let expression = bare(expression);
    match expression {
        Expr::Lit(literal) => number(&literal.lit, scope.element),
        Expr::Path(_) => named(expression, scope),
        Expr::Index(index) => element(index, scope),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Ok(Value::Negate(Box::new(value(&unary.expr, scope)?)))
        }
        Expr::Binary(binary) => {
            let operation = operation(&binary.op)?;
            let parts = [value(&binary.left, scope)?, value(&binary.right, scope)?];
            Ok(Value::Binary(operation, Box::new(parts)))
        }
        Expr::MethodCall(call) => method(call, scope),
        Expr::Cast(cast) => {
            let own = scope.element.name();
            if cast.ty.to_token_stream().to_string() != own {
                return at(&cast.ty, format!("values are of {}: write `as {own}`", precision(scope.element)));
            }
            if let Some(sizes) = sizes(&cast.expr, scope).filter(|sizes| sizes.len() > 1) {
                return Ok(Value::Product(sizes));
            }
            match quasi(&cast.expr, scope) {
                Err(_) if value(&cast.expr, scope).is_ok() => {
                    at(expression, format!("this is of type `{own}` already: remove `as {own}`"))
                }
                read => integer(expression, &read?, scope),
            }
        }
        Expr::If(choice) => select(choice, scope),
        Expr::Call(call) => called(call, scope).unwrap_or_else(|| at(expression, VALUES)),
        _ => at(expression, VALUES),
    }
}

fn size(factor: &Factor, scope: &Scope) -> Option<Ident> {
    match factor {
        Factor::Name(name) if scope.is_size(name) => Some(name.clone()),
        _ => None,
    }
}

/// Reads `f32::max(a, b)` as the method that it is; none: it is something else.
fn called(call: &ExprCall, scope: &Scope) -> Option<Result<Value>> {
    let path = plain(&call.func);
    let method = path.strip_prefix(scope.element.name())?.strip_prefix("::")?;
    let mut arguments = call.args.iter().cloned();
    let receiver = arguments.next()?;
    let mut method: Ident = syn::parse_str(method).ok()?;
    method.set_span(call.func.span());
    let call = parse_quote!((#receiver).#method(#(#arguments),*));
    Some(self::method(&call, scope))
}

/// The text of a path, without the library that is its first part.
fn plain(path: &Expr) -> String {
    let path = path.to_token_stream().to_string().replace(' ', "");
    path.trim_start_matches("::").trim_start_matches("std::").trim_start_matches("core::").to_owned()
}

/// The sizes whose product this is; none: it is something else.
fn sizes(expression: &Expr, scope: &Scope) -> Option<Vec<Ident>> {
    match bare(expression) {
        Expr::Binary(ExprBinary { left, op: BinOp::Mul(_), right, .. }) => {
            Some([sizes(left, scope)?, sizes(right, scope)?].concat())
        }
        other => {
            let name = name(other)?;
            match scope.meaning(name) {
                Ok(Meaning::Sum(sum)) => sum.factors()?.iter().map(|factor| size(factor, scope)).collect(),
                _ => scope.is_size(name).then(|| vec![name.clone()]),
            }
        }
    }
}

fn number(literal: &Lit, element: Element) -> Result<Value> {
    let own = element.name();
    match literal {
        Lit::Float(number) if number.suffix().is_empty() || number.suffix() == own => finite(number, element),
        Lit::Float(number) => at(
            number,
            format!("values are of {}: write the number without `{}`", precision(element), number.suffix()),
        ),
        Lit::Int(number) if number.suffix() == own => {
            finite(&LitFloat::new(&format!("{}.0", number.base10_digits()), number.span()), element)
        }
        Lit::Int(number) => {
            at(number, format!("values are of type `{own}`: write `{}.0`", number.base10_digits()))
        }
        _ => at(literal, VALUES),
    }
}

fn precision(element: Element) -> &'static str {
    match element {
        Element::F32 => "single precision",
        Element::F64 => "double precision",
    }
}

fn finite(literal: &LitFloat, element: Element) -> Result<Value> {
    // Rounded once, to what the literal is in the function.
    let number = match element {
        Element::F32 => f64::from(literal.base10_parse::<f32>()?),
        Element::F64 => literal.base10_parse()?,
    };
    if !number.is_finite() {
        return at(literal, format!("this is beyond {}", precision(element)));
    }
    Ok(Value::Constant(number))
}

fn named(expression: &Expr, scope: &Scope) -> Result<Value> {
    let Some(name) = name(expression) else {
        return extreme(expression, scope.element).map_or_else(|| at(expression, constant(expression)), Ok);
    };
    match scope.meaning(name)? {
        Meaning::Scalar => Ok(Value::Scalar(name.clone())),
        Meaning::Temporary(value, _) => Ok(value.clone()),
        Meaning::Variable(element) => Ok(Value::Load(element.clone())),
        Meaning::Integer | Meaning::Number(_) | Meaning::Sum(_) => {
            at(name, format!("`{name}` is an integer: write `{name} as {}`", scope.element.name()))
        }
        Meaning::Array(array) => {
            at(name, format!("`{name}` is an array: write an element, `{name}{}`", example(array)))
        }
        Meaning::Indices(_) | Meaning::Index(_) => at(name, NO_VALUE),
    }
}

/// Returns the value of a constant of the library: what a maximum or minimum begins with, or of mathematics.
fn extreme(expression: &Expr, element: Element) -> Option<Value> {
    let path = plain(expression);
    let (own, name) = path.split_once("::")?;
    let is_single = element == Element::F32;
    let value = match name {
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "MIN" if is_single => f32::MIN.into(),
        "MIN" => f64::MIN,
        "MAX" if is_single => f32::MAX.into(),
        "MAX" => f64::MAX,
        "EPSILON" if is_single => f32::EPSILON.into(),
        "EPSILON" => f64::EPSILON,
        _ => {
            let known = CONSTANTS.iter().find(|known| name.strip_prefix("consts::") == Some(known.0))?;
            if is_single { known.1.into() } else { known.2 }
        }
    };
    (own == element.name()).then_some(Value::Constant(value))
}

macro_rules! constants {
    ($($name:ident)*) => {
        &[$((stringify!($name), std::f32::consts::$name, std::f64::consts::$name)),*]
    };
}

/// The constants of mathematics in both precisions.
const CONSTANTS: &[(&str, f32, f64)] = constants! {
    PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2 FRAC_1_PI FRAC_2_PI FRAC_1_SQRT_2 FRAC_2_SQRT_PI
    FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
};

/// The operation that an operator is.
pub(crate) fn operation(operator: &BinOp) -> Result<Operation> {
    match operator {
        BinOp::Add(_) | BinOp::AddAssign(_) => Ok(Operation::Add),
        BinOp::Sub(_) | BinOp::SubAssign(_) => Ok(Operation::Subtract),
        BinOp::Mul(_) | BinOp::MulAssign(_) => Ok(Operation::Multiply),
        BinOp::Div(_) | BinOp::DivAssign(_) => Ok(Operation::Divide),
        _ => at(operator, "values are joined by `+`, `-`, `*` or `/`"),
    }
}

fn method(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    match call.method.to_string().as_str() {
        "sqrt" => unary("sqrt", call, scope),
        "abs" => unary("abs", call, scope),
        "recip" => unary("recip", call, scope),
        "to_f32" => converted(call, scope),
        "exp" => unary("exp", call, scope),
        "ln" => unary("ln", call, scope),
        "tanh" => unary("tanh", call, scope),
        "sin" => unary("sin", call, scope),
        "cos" => unary("cos", call, scope),
        "min" => binary("min", call, scope),
        "max" => binary("max", call, scope),
        "clamp" => clamped(call, scope),
        "mul_add" => fused(call, scope),
        "powi" => power(call, scope),
        "powf" => at(&call.method, "write `powi` with a number, products, `sqrt`, or `exp` and `ln`"),
        other => at(&call.method, format!("`{other}` is no operation of a nest: {METHODS}")),
    }
}

/// `x.clamp(low, high)`: what is no number stays so.
fn clamped(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    let (2, Some(low), Some(high)) = (call.args.len(), call.args.first(), call.args.last()) else {
        return at(&call.method, "`clamp` takes two arguments, the least and the most");
    };
    let [own, low, high] = [value(&call.receiver, scope)?, value(low, scope)?, value(high, scope)?];
    let below = Value::Select("Greater", Box::new([own.clone(), high.clone(), high, own.clone()]));
    Ok(Value::Select("Less", Box::new([own, low.clone(), low, below])))
}

fn fused(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    let (2, Some(factor), Some(summand)) = (call.args.len(), call.args.first(), call.args.last()) else {
        return at(&call.method, "`mul_add` takes two arguments, a factor and a summand");
    };
    let parts = [&*call.receiver, factor, summand].map(|part| value(part, scope));
    Ok(Value::Method("mul_add", parts.into_iter().collect::<Result<_>>()?))
}

/// `x.powi(3)`: the products that it is are known here only if the exponent is.
fn power(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    let [base, exponent] = operands(call)?;
    let base = value(base, scope)?;
    let known = affine(exponent, scope).ok().filter(|read| read.terms.is_empty()).map(|read| read.constant);
    match known.and_then(|known| i32::try_from(known).ok()) {
        Some(known) if known.unsigned_abs() <= MAX_EXPONENT => Ok(Value::Power(Box::new(base), known)),
        _ => at(
            exponent,
            format!(
                "an exponent is a number from -{MAX_EXPONENT} to {MAX_EXPONENT}: write products of powers"
            ),
        ),
    }
}

fn unary(name: &'static str, call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    if !call.args.is_empty() {
        return at(&call.args, format!("`{name}` takes no argument"));
    }
    Ok(Value::Method(name, vec![value(&call.receiver, scope)?]))
}

fn binary(name: &'static str, call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    let [receiver, argument] = operands(call)?;
    Ok(Value::Method(name, vec![value(receiver, scope)?, value(argument, scope)?]))
}

/// Reads `f16::from_f32(value)`, whatever stands before `f16`; none: it is something else.
pub(crate) fn rounded(expression: &Expr, scope: &Scope) -> Option<Result<(Value, Storage)>> {
    let Expr::Call(call) = bare(expression) else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let mut last = path.path.segments.iter().rev().map(|segment| &segment.ident);
    if last.next()? != "from_f32" {
        return None;
    }
    let of = last.next()?;
    let storage = [Storage::F16, Storage::Bf16].into_iter().find(|storage| of == storage.name())?;
    let argument = call.args.first().filter(|_| call.args.len() == 1)?;
    let read = value(argument, scope).map(|value| (Value::Method(storage.rounding(), vec![value]), storage));
    Some(read)
}
