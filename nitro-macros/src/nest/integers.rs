//! Integers of bounds and subscripts: affine in parameters and iterators.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprLit, ExprMethodCall, Lit, Result, UnOp};

use super::elements::index;
use super::ir::Affine;
use super::polynomial::Polynomial;
use super::quotients::divided;
use super::scope::{Meaning, Scope, at, bare, constant, name};

const AFFINE: &str = "is not affine: write a sum of parameters and iterators, each at most times a number";

pub(crate) const NOT_ALONE: &str = "an integer of an array stands alone as a subscript of what is read: write \
    `x[ids[i] as usize]`, and have sums in the array";

pub(crate) const QUOTIENTS: &str = "a quotient or remainder says a place of what is read, or a value, or stands in a \
    condition around assignments: write loops over the quotient and the remainder here, as `2 * i + k` of `i` and `k`";

pub(crate) const BEYOND: &str = "integers of a nest have 64 bits with a sign: this is beyond them";

/// The methods by which a user may ask an array for its extents.
const LENGTHS: [&str; 5] = ["len", "nrows", "ncols", "dim", "len_of"];

/// Reads an affine expression.
pub(crate) fn affine(expression: &Expr, scope: &Scope) -> Result<Affine> {
    let read = quasi(expression, scope)?;
    if scope.facts.quotients.are_in(&read) { at(expression, QUOTIENTS) } else { Ok(read) }
}

/// Reads an expression that is affine but for quotients and remainders, which have names of their own in it.
pub(crate) fn quasi(expression: &Expr, scope: &Scope) -> Result<Affine> {
    let expression = bare(expression);
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => {
            literal.base10_parse().map(Affine::number).or_else(|_| at(literal, BEYOND))
        }
        Expr::Path(_) => variable(expression, scope),
        Expr::Binary(binary) => operation(binary, scope),
        Expr::MethodCall(call) if call.method == "saturating_sub" => {
            at(&call.method, "`saturating_sub` may stand in a bound of a loop only: write `-` here")
        }
        Expr::MethodCall(call) if call.method == "min" || call.method == "max" => at(
            &call.method,
            "`max` may stand in a lower bound of a loop, `min` in an upper one, and nowhere else",
        ),
        Expr::MethodCall(call) if LENGTHS.contains(&&*call.method.to_string()) => at(
            expression,
            "the extents of an array are those of its `#[shape(..)]`: write the argument that stands there",
        ),
        Expr::Cast(_) if index(expression, scope).is_some() => at(expression, NOT_ALONE),
        Expr::Cast(cast) => cast_to(cast, quasi(&cast.expr, scope)?, scope),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            sum(unary, Affine::default(), &quasi(&unary.expr, scope)?, -1)
        }
        Expr::Index(element) => match name(bare(&element.expr)).and_then(|array| scope.meaning(array).ok()) {
            Some(Meaning::Indices(_)) => at(expression, NOT_ALONE),
            _ => at(expression, format!("an element of an array {AFFINE}")),
        },
        _ => at(expression, format!("this {AFFINE}")),
    }
}

/// A cast between integers: one that is not negative stays what it is.
fn cast_to(cast: &ExprCast, integer: Affine, scope: &Scope) -> Result<Affine> {
    match cast.ty.to_token_stream().to_string().as_str() {
        "isize" | "i64" | "i32" => Ok(integer),
        "usize" | "u64" | "u32" if scope.facts.prove(&integer) => Ok(integer),
        "usize" | "u64" | "u32" => at(
            cast,
            format!(
                "`{}` may be negative here, which a cast makes a large number of: write `if` around it, so that it is \
                 not",
                scope.facts.quotients.in_words(Polynomial::from(integer).to_string())
            ),
        ),
        _ => at(&cast.ty, "integers of a nest are `usize` or `isize`: write one of these, or no cast"),
    }
}

fn variable(expression: &Expr, scope: &Scope) -> Result<Affine> {
    let Some(name) = name(expression) else { return at(expression, constant(expression)) };
    let what = match scope.meaning(name)? {
        Meaning::Integer => return Ok(Affine::variable(name)),
        Meaning::Number(number) => return Ok(Affine::number(*number)),
        Meaning::Scalar | Meaning::Temporary(..) | Meaning::Variable(_) => {
            format!("a number of type `{}`", scope.element.name())
        }
        Meaning::Array(_) => "an array".to_owned(),
        Meaning::Indices(_) => "an array of integers".to_owned(),
        Meaning::Index(_) => return at(expression, NOT_ALONE),
        Meaning::Sum(sum) if sum.has_index() => return at(expression, NOT_ALONE),
        Meaning::Sum(sum) => match sum.affine() {
            Some(affine) => return Ok(affine),
            None => return at(expression, format!("`{name}`, which is `{sum}`, {AFFINE}")),
        },
    };
    at(name, format!("`{name}` is {what}: write a parameter (an argument of type `usize`) or an iterator"))
}

fn operation(binary: &ExprBinary, scope: &Scope) -> Result<Affine> {
    let (left, right) = (&binary.left, &binary.right);
    match binary.op {
        BinOp::Add(_) => sum(binary, quasi(left, scope)?, &quasi(right, scope)?, 1),
        BinOp::Sub(_) => sum(binary, quasi(left, scope)?, &quasi(right, scope)?, -1),
        BinOp::Mul(sign) => {
            let (left, right) = (quasi(left, scope)?, quasi(right, scope)?);
            match (left.terms.is_empty(), right.terms.is_empty()) {
                (true, _) => sum(binary, Affine::default(), &right, left.constant),
                (_, true) => sum(binary, Affine::default(), &left, right.constant),
                _ => at(sign, format!("a product of two variables {AFFINE}")),
            }
        }
        BinOp::Div(_) | BinOp::Rem(_) => divided(binary, scope),
        operator => at(operator, format!("`{}` {AFFINE}", operator.to_token_stream())),
    }
}

impl Affine {
    /// A number alone.
    pub fn number(constant: i64) -> Affine {
        Affine { terms: Vec::new(), constant }
    }

    /// A size or an iterator alone.
    pub fn variable(name: &Ident) -> Affine {
        Affine { terms: vec![(name.clone(), 1)], constant: 0 }
    }

    /// The sum with so many times another one, where it fits.
    pub fn plus(mut self, other: &Affine, factor: i64) -> Option<Affine> {
        for (name, coefficient) in &other.terms {
            self.terms.push((name.clone(), coefficient.checked_mul(factor)?));
        }
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(self)
    }
}

/// Returns the sum of one and so many times another, or says at the expression that it does not fit.
pub(crate) fn sum(place: impl ToTokens, one: Affine, other: &Affine, factor: i64) -> Result<Affine> {
    one.plus(other, factor).map_or_else(|| at(place, BEYOND), Ok)
}

/// The side of a loop's bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first value: several are joined by `max`.
    Lower,
    /// The one behind the last: several are joined by `min`.
    Upper,
    /// The last value itself.
    Last,
}

/// Reads the bounds of a loop on one side.
pub(crate) fn bounds(expression: &Expr, side: Side, scope: &Scope) -> Result<Vec<Affine>> {
    let expression = bare(expression);
    let Expr::MethodCall(call) = expression else { return Ok(vec![affine(expression, scope)?]) };
    match (call.method.to_string().as_str(), side) {
        ("max", Side::Lower) | ("min", Side::Upper | Side::Last) => {
            let [receiver, argument] = operands(call)?;
            Ok([bounds(receiver, side, scope)?, bounds(argument, side, scope)?].concat())
        }
        ("saturating_sub", _) => saturating(call, side, scope),
        ("max", _) => at(&call.method, "an upper bound is the `min` of several: write two loops, or an `if`"),
        ("min", _) => at(&call.method, "a lower bound is the `max` of several: write two loops, or an `if`"),
        _ => Ok(vec![affine(expression, scope)?]),
    }
}

/// The bounds of a saturating difference. No iterator of such a range is negative, so that below `n.saturating_sub(1)` is
/// below `n - 1`.
fn saturating(call: &ExprMethodCall, side: Side, scope: &Scope) -> Result<Vec<Affine>> {
    let [receiver, argument] = operands(call)?;
    let difference = sum(call, affine(receiver, scope)?, &affine(argument, scope)?, -1)?;
    match side {
        Side::Lower => Ok(vec![difference, Affine::default()]),
        Side::Upper => Ok(vec![difference]),
        Side::Last => at(
            &call.method,
            "the loop would run once where nothing is left: write `..` and an end that is one more",
        ),
    }
}

/// The receiver of a method with one argument, and the argument.
pub(crate) fn operands(call: &ExprMethodCall) -> Result<[&Expr; 2]> {
    match call.args.first() {
        Some(argument) if call.args.len() == 1 => Ok([&call.receiver, argument]),
        _ => at(&call.method, format!("`{}` takes one argument", call.method)),
    }
}

/// The variant of `Relation` that an operator is.
pub(crate) fn relation(operator: &BinOp) -> Result<&'static str> {
    match operator {
        BinOp::Lt(_) => Ok("Less"),
        BinOp::Le(_) => Ok("LessOrEqual"),
        BinOp::Gt(_) => Ok("Greater"),
        BinOp::Ge(_) => Ok("GreaterOrEqual"),
        BinOp::Eq(_) => Ok("Equal"),
        BinOp::Ne(_) => at(operator, "write two `if`s, one with `<` and one with `>`"),
        BinOp::Or(_) => at(operator, "write two `if`s, one for each condition, that exclude each other"),
        _ => at(operator, "write a comparison here: `<`, `<=`, `>`, `>=` or `==`"),
    }
}
