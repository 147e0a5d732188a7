//! Values, and the elements that they are read from.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprIndex, ExprMethodCall, Lit, LitFloat, Result, UnOp};

use super::choices::select;
use super::integers::{affine, operands};
use super::ir::{Access, Array, Element, Gather, Operation, Storage, Subscript, Value};
use super::scope::{Meaning, Scope, at, bare, constant, name};

const VALUES: &str = "this is no value of a nest: write elements, scalars and numbers with `+ - * /`, `min`, `max`, \
    other methods of `f32` such as `sqrt` and `exp`, `(i) as f32`, or `if a < b { x } else { y }`";

const METHODS: &str = "the methods are `sqrt`, `abs`, `min`, `max`, `mul_add`, `powi`, `recip`, `exp`, `ln`, `tanh`, \
    `sin` and `cos`";

const NO_VALUE: &str =
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
            match affine(&cast.expr, scope) {
                Err(_) if value(&cast.expr, scope).is_ok() => {
                    at(expression, format!("this is of type `{own}` already: remove `as {own}`"))
                }
                read => read.map(Value::Integer),
            }
        }
        Expr::If(choice) => select(choice, scope),
        Expr::Macro(_) | Expr::Call(_) | Expr::Closure(_) | Expr::Match(_) | Expr::Block(_) => {
            at(expression, VALUES)
        }
        _ => at(expression, VALUES),
    }
}

/// The sizes whose product this is; none: it is something else.
fn sizes(expression: &Expr, scope: &Scope) -> Option<Vec<Ident>> {
    match bare(expression) {
        Expr::Binary(ExprBinary { left, op: BinOp::Mul(_), right, .. }) => {
            Some([sizes(left, scope)?, sizes(right, scope)?].concat())
        }
        other => name(other).filter(|name| scope.is_size(name)).map(|name| vec![name.clone()]),
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
        Meaning::Temporary(value) => Ok(value.clone()),
        Meaning::Integer | Meaning::Number(_) => {
            at(name, format!("`{name}` is an integer: write `{name} as {}`", scope.element.name()))
        }
        Meaning::Array(array) => {
            at(name, format!("`{name}` is an array: write an element, `{name}{}`", example(array)))
        }
        Meaning::Indices(_) | Meaning::Index(_) => at(name, NO_VALUE),
    }
}

/// Returns the value of `f32::INFINITY` and its like, which a maximum or minimum begins with.
fn extreme(expression: &Expr, element: Element) -> Option<Value> {
    let path = expression.to_token_stream().to_string().replace(' ', "");
    let path = path.trim_start_matches("std::").trim_start_matches("core::");
    let (own, name) = path.split_once("::")?;
    let most = match element {
        Element::F32 => f64::from(f32::MAX),
        Element::F64 => f64::MAX,
    };
    let value = match name {
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "MIN" => -most,
        "MAX" => most,
        _ => return None,
    };
    (own == element.name()).then_some(Value::Constant(value))
}

/// An example of how subscripts of an array are written.
fn example(array: &Array) -> String {
    let subscripts = ["i", "j", "k", "l"];
    let some = subscripts[..array.shape.len().min(4)].join(", ");
    if array.is_slice { format!("[{some}]") } else { format!("[[{some}]]") }
}

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
        "mul_add" => fused(call, scope),
        "powi" => power(call, scope),
        "powf" => at(&call.method, "write `powi` with a number, products, `sqrt`, or `exp` and `ln`"),
        other => at(&call.method, format!("`{other}` is no operation of a nest: {METHODS}")),
    }
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

/// Reads an element as a value.
fn element(element: &ExprIndex, scope: &Scope) -> Result<Value> {
    let (array, declared, _) = parts(element, scope)?;
    match declared.storage {
        None => element_of(element, scope),
        Some(storage) => {
            let name = storage.name();
            at(
                element,
                format!("`{array}` is stored in `{name}`: write `.to_f32()` behind this, to compute with it"),
            )
        }
    }
}

/// Reads `x[i].to_f32()`, or a value that is rounded: `f16::from_f32(value).to_f32()`.
fn converted(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
    const CONVERTED: &str =
        "`to_f32` is for elements of arrays that are stored in `f16` or `bf16`: remove it";
    if !call.args.is_empty() {
        return at(&call.args, "`to_f32` takes no argument");
    }
    match bare(&call.receiver) {
        Expr::Index(element) => match parts(element, scope)?.1.storage {
            Some(_) => element_of(element, scope),
            None => at(&call.method, CONVERTED),
        },
        other => rounded(other, scope)
            .map_or_else(|| at(&call.method, CONVERTED), |read| read.map(|(value, _)| value)),
    }
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

fn element_of(element: &ExprIndex, scope: &Scope) -> Result<Value> {
    let (array, declared, subscripts) = parts(element, scope)?;
    if subscripts.iter().all(|subscript| index(subscript, scope).is_none()) {
        return access(element, scope).map(Value::Load);
    }
    if declared.is_written {
        return at(
            array,
            format!(
                "`{array}` is read where an array says, so that nothing may write it: make it `&`, and write results \
                 to another array"
            ),
        );
    }
    let mut found = Vec::new();
    for subscript in subscripts {
        found.push(match index(subscript, scope) {
            Some(index) => Subscript::Index(index?),
            None => Subscript::Affine(affine(subscript, scope)?),
        });
    }
    Ok(Value::Gather(Gather { array: array.clone(), subscripts: found }))
}

/// Reads `ids[i] as usize`, or the name of a `let` of that; none: it is something else.
pub(crate) fn index(expression: &Expr, scope: &Scope) -> Option<Result<Access>> {
    let cast = match bare(expression) {
        Expr::Cast(cast) => cast,
        other => match scope.meaning(name(other)?) {
            Ok(Meaning::Index(index)) => return Some(Ok(index.clone())),
            _ => return None,
        },
    };
    let Expr::Index(element) = bare(&cast.expr) else { return None };
    let is_of_indices = matches!(scope.meaning(name(bare(&element.expr))?), Ok(Meaning::Indices(_)));
    let is_size = cast.ty.to_token_stream().to_string() == "usize";
    (is_of_indices && is_size).then(|| access_of(element, scope))
}

/// Reads an element that is affine, as all that are written.
pub(crate) fn access(index: &ExprIndex, scope: &Scope) -> Result<Access> {
    if let Some(array) = name(bare(&index.expr))
        && let Ok(Meaning::Indices(_)) = scope.meaning(array)
    {
        return at(index, NO_VALUE);
    }
    access_of(index, scope)
}

fn access_of(index: &ExprIndex, scope: &Scope) -> Result<Access> {
    let (array, _, subscripts) = parts(index, scope)?;
    let subscripts =
        subscripts.into_iter().map(|subscript| affine(subscript, scope)).collect::<Result<_>>()?;
    Ok(Access { array: array.clone(), subscripts })
}

/// Splits an element into its array and its subscripts, of which there are as many as dimensions.
fn parts<'a>(index: &'a ExprIndex, scope: &'a Scope) -> Result<(&'a Ident, &'a Array, Vec<&'a Expr>)> {
    let Some(array) = name(bare(&index.expr)) else {
        let nested = indexed(index).and_then(|array| match scope.meaning(array) {
            Ok(Meaning::Array(declared)) => Some(subscripts_message(array, declared)),
            _ => None,
        });
        let message = nested.unwrap_or_else(|| "write the name of an array before its subscripts".to_owned());
        return at(&index.expr, message);
    };
    let (Meaning::Array(declared) | Meaning::Indices(declared)) = scope.meaning(array)? else {
        return at(array, format!("`{array}` is no array of the function's arguments"));
    };
    let subscripts = match bare(&index.index) {
        Expr::Array(list) if !declared.is_slice => list.elems.iter().collect(),
        Expr::Range(range) => return at(range, "write one element: parts of arrays are no values of a nest"),
        single if declared.is_slice && !matches!(single, Expr::Array(_)) => vec![single],
        other => return at(other, subscripts_message(array, declared)),
    };
    if subscripts.len() != declared.shape.len() {
        return at(&index.index, subscripts_message(array, declared));
    }
    Ok((array, declared, subscripts))
}

/// Returns the array of `a[i][j]`.
fn indexed(index: &ExprIndex) -> Option<&Ident> {
    match bare(&index.expr) {
        Expr::Index(inner) => indexed(inner),
        other => name(other),
    }
}

fn subscripts_message(array: &Ident, declared: &Array) -> String {
    let dimensions = declared.shape.len();
    let plural = if dimensions == 1 { "" } else { "s" };
    format!("`{array}` has {dimensions} dimension{plural}: write `{array}{}`", example(declared))
}
