//! Elements of arrays, and the integers that say their places.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprIndex, ExprMethodCall, Result};

use super::flat;
use super::integers::{BEYOND, NOT_ALONE, QUOTIENTS, quasi};
use super::ir::{Access, Affine, Array, Gather, Subscript, Value};
use super::quotients::Wrap;
use super::scope::{Meaning, Scope, at, bare, name};
use super::values::{NO_VALUE, rounded};

/// Reads an element as a value.
pub(super) fn element(element: &ExprIndex, scope: &Scope) -> Result<Value> {
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
pub(super) fn converted(call: &ExprMethodCall, scope: &Scope) -> Result<Value> {
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

fn element_of(element: &ExprIndex, scope: &Scope) -> Result<Value> {
    let (array, declared, subscripts) = parts(element, scope)?;
    is_of_numbers(element, array, scope)?;
    let subscripts = places(array, declared, &subscripts, scope)?;
    read_at(element, array, subscripts, scope)
}

/// The element at these places. A remainder that is one of two sums makes it one of two elements.
fn read_at(written: &ExprIndex, array: &Ident, subscripts: Vec<Subscript>, scope: &Scope) -> Result<Value> {
    let affine = subscripts.iter().filter_map(|subscript| match subscript {
        Subscript::Affine(affine) => Some(affine),
        _ => None,
    });
    for own in affine {
        if let Some(wrap) = wrap(&written.index, own, scope)? {
            let with = |by: &Affine| {
                let subscripts = subscripts.iter().map(|subscript| match subscript {
                    Subscript::Affine(own) => own.with(&wrap.name, by).map(Subscript::Affine),
                    other => Some(other.clone()),
                });
                let subscripts: Option<Vec<Subscript>> = subscripts.collect();
                subscripts.map_or_else(|| at(written, BEYOND), |own| read_at(written, array, own, scope))
            };
            return either(written, &wrap, [with(&wrap.within)?, with(&Affine::default())?], scope);
        }
    }
    let subscripts: Vec<Subscript> = subscripts.into_iter().map(|own| with_quotients(own, scope)).collect();
    if let Some(subscripts) = all_affine(&subscripts) {
        return Ok(Value::Load(Access { array: array.clone(), subscripts }));
    }
    if matches!(scope.meaning(array)?, Meaning::Array(declared) if declared.is_written) {
        let is_index = |own: &Subscript| matches!(own, Subscript::Index(_));
        let place = if subscripts.iter().any(is_index) { "an array says" } else { "a quotient says" };
        return at(
            array,
            format!(
                "`{array}` is read where {place}, so that nothing may write it: make it `&`, and write results to \
                 another array"
            ),
        );
    }
    Ok(Value::Gather(Gather { array: array.clone(), subscripts }))
}

/// Reads an integer as a value.
pub(super) fn integer(written: &Expr, sum: &Affine, scope: &Scope) -> Result<Value> {
    if let Some(wrap) = wrap(written, sum, scope)? {
        let with = |by: &Affine| match sum.with(&wrap.name, by) {
            Some(sum) => integer(written, &sum, scope),
            None => at(written, BEYOND),
        };
        return either(written, &wrap, [with(&wrap.within)?, with(&Affine::default())?], scope);
    }
    Ok(number(sum, scope))
}

/// An integer that is no remainder of one of two sums, as a value.
fn number(sum: &Affine, scope: &Scope) -> Value {
    match with_quotients(Subscript::Affine(sum.clone()), scope) {
        Subscript::Quasi(quasi) => Value::Quasi(quasi),
        _ => Value::Integer(sum.clone()),
    }
}

/// The first name in a sum that is one of two sums.
fn wrap(written: &Expr, sum: &Affine, scope: &Scope) -> Result<Option<Wrap>> {
    let found = scope.facts.quotients.wrap(sum);
    found.or_else(|()| {
        at(written, "a remainder of so few values is no dividend: write a loop over its values")
    })
}

/// The first value where a name is what it is beyond its divisor, else the second.
fn either(written: impl ToTokens, wrap: &Wrap, [within, zero]: [Value; 2], scope: &Scope) -> Result<Value> {
    if !matches!(scope.facts.quotients.wrap(&wrap.beyond), Ok(None)) {
        return at(written, "a remainder of a remainder is no place: write a loop over its values");
    }
    let beyond = number(&wrap.beyond, scope);
    Ok(Value::Select("GreaterOrEqual", Box::new([beyond, Value::Constant(0.0), within, zero])))
}

fn with_quotients(subscript: Subscript, scope: &Scope) -> Subscript {
    match subscript {
        Subscript::Affine(sum) if scope.facts.quotients.are_in(&sum) => {
            Subscript::Quasi(scope.facts.quotients.written(&sum))
        }
        other => other,
    }
}

/// The subscripts, one for each dimension.
fn places(array: &Ident, declared: &Array, written: &[&Expr], scope: &Scope) -> Result<Vec<Subscript>> {
    match written {
        [single] if declared.is_slice => flat::places(single, array, declared, scope),
        _ => written.iter().map(|own| subscript(own, scope)).collect(),
    }
}

/// Reads a subscript of one dimension.
pub(super) fn subscript(written: &Expr, scope: &Scope) -> Result<Subscript> {
    match index(written, scope) {
        Some(index) => index.map(Subscript::Index),
        None => quasi(written, scope).map(Subscript::Affine),
    }
}

fn all_affine(subscripts: &[Subscript]) -> Option<Vec<Affine>> {
    let affine = subscripts.iter().map(|subscript| match subscript {
        Subscript::Affine(affine) => Some(affine.clone()),
        Subscript::Quasi(_) | Subscript::Index(_) => None,
    });
    affine.collect()
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
    if let Some(array) = name(bare(&index.expr)) {
        is_of_numbers(index, array, scope)?;
    }
    access_of(index, scope)
}

fn is_of_numbers(element: &ExprIndex, array: &Ident, scope: &Scope) -> Result<()> {
    match scope.meaning(array) {
        Ok(Meaning::Indices(_)) => at(element, NO_VALUE),
        _ => Ok(()),
    }
}

fn access_of(index: &ExprIndex, scope: &Scope) -> Result<Access> {
    let (array, declared, written) = parts(index, scope)?;
    let subscripts = places(array, declared, &written, scope)?;
    let place = subscripts.iter().position(|subscript| matches!(subscript, Subscript::Index(_)));
    let is_quasi =
        |own: &Subscript| matches!(own, Subscript::Affine(sum) if scope.facts.quotients.are_in(sum));
    if let Some(place) = subscripts.iter().position(is_quasi) {
        return at(written.get(place).unwrap_or(&written[0]), QUOTIENTS);
    }
    match (all_affine(&subscripts), place) {
        (None, Some(place)) => at(written.get(place).unwrap_or(&written[0]), NOT_ALONE),
        (affine, _) => Ok(Access { array: array.clone(), subscripts: affine.unwrap_or_default() }),
    }
}

/// Splits an element into its array and its subscripts, of which there are as many as dimensions, or one of a slice.
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
    if !declared.is_slice && subscripts.len() != declared.shape.len() {
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
    let slice = if declared.is_slice && dimensions > 1 { " and is a slice" } else { "" };
    format!("`{array}` has {dimensions} dimension{plural}{slice}: write `{array}{}`", example(declared))
}

/// An example of how subscripts of an array are written.
pub(super) fn example(array: &Array) -> String {
    let subscripts = ["i", "j", "k", "l"];
    let some = &subscripts[..array.shape.len().min(4)];
    match (array.is_slice, some.len()) {
        (true, 2..) => format!("[{}]", flat::example(array, some)),
        (true, _) => format!("[{}]", some.join(", ")),
        (false, _) => format!("[[{}]]", some.join(", ")),
    }
}
