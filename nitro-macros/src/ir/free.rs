//! Features that take no time: what is there already, and arithmetic on it.

use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, Lit, Type, UnOp};

/// What it takes to have a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// It is there, and nothing can keep it from being read: a field, a length, a literal, or what floating point makes
    /// of those.
    None,
    /// An instruction or two that may panic: on an overflow that is checked for, or an index out of bounds.
    Arithmetic,
    /// Nobody knows.
    Unknown,
}

/// Methods without arguments that types of many crates have for what they keep.
const KEPT: [&str; 13] = [
    "len", "is_empty", "capacity", "rows", "cols", "columns", "nrows", "ncols", "shape", "dim", "width",
    "height", "nnz",
];
/// Methods of numbers that never panic, without and with an argument.
const WITHOUT_ARGUMENT: [&str; 8] = [
    "trailing_zeros",
    "leading_zeros",
    "count_ones",
    "is_power_of_two",
    "unsigned_abs",
    "sqrt",
    "floor",
    "ceil",
];
const WITH_ARGUMENT: [&str; 7] =
    ["min", "max", "abs_diff", "saturating_add", "saturating_sub", "saturating_mul", "wrapping_mul"];

/// Returns what it takes to have an expression.
pub(crate) fn effort(expression: &Expr) -> Effort {
    match bare(expression) {
        Expr::Lit(_) | Expr::Path(_) => Effort::None,
        Expr::Field(field) => effort(&field.base),
        Expr::Cast(cast) => effort(&cast.expr),
        Expr::Reference(reference) => effort(&reference.expr),
        Expr::Unary(unary) => match unary.op {
            UnOp::Neg(_) if !is_floating(&unary.expr) => effort(&unary.expr).max(Effort::Arithmetic),
            _ => effort(&unary.expr),
        },
        Expr::Index(index) => effort(&index.expr).max(effort(&index.index)).max(Effort::Arithmetic),
        Expr::Range(range) => of_all(range.start.iter().chain(&range.end).map(|end| &**end)),
        Expr::Binary(binary) => of_operator(binary),
        Expr::Call(call) => of_call(call),
        Expr::MethodCall(call) => of_method(call),
        _ => Effort::Unknown,
    }
}

/// Returns what it takes to have all of some expressions.
fn of_all<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> Effort {
    expressions.into_iter().map(effort).max().unwrap_or(Effort::None)
}

fn of_operator(ExprBinary { left, op, right, .. }: &ExprBinary) -> Effort {
    let operands = effort(left).max(effort(right));
    let is_checked = matches!(
        op,
        BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::Shl(_)
            | BinOp::Shr(_)
    );
    if is_checked && !is_floating(left) && !is_floating(right) {
        operands.max(Effort::Arithmetic)
    } else {
        operands
    }
}

/// `f64::from(n)`, of any primitive type, and `size_of::<T>()`.
fn of_call(call: &ExprCall) -> Effort {
    let Expr::Path(function) = &*call.func else { return Effort::Unknown };
    let names: Vec<String> = function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let is_known = match &names[..] {
        [primitive, from] if from == "from" => is_primitive(primitive),
        [.., size] => size == "size_of" && call.args.is_empty() || size == "size_of_val",
        [] => false,
    };
    if is_known { of_all(&call.args) } else { Effort::Unknown }
}

fn of_method(ExprMethodCall { receiver, method, args, .. }: &ExprMethodCall) -> Effort {
    let method = method.to_string();
    let is_known = match args.len() {
        0 => KEPT.contains(&&*method) || WITHOUT_ARGUMENT.contains(&&*method),
        1 => {
            let is_in_range = method == "contains" && matches!(bare(receiver), Expr::Range(_));
            WITH_ARGUMENT.contains(&&*method) || is_in_range
        }
        _ => false,
    };
    if is_known { of_all(args).max(effort(receiver)) } else { Effort::Unknown }
}

/// Returns the expression without parentheses around it, and without those that nobody sees.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        _ => expression,
    }
}

/// Returns `true` if an expression is seen to be of floating point.
fn is_floating(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Unary(unary) => is_floating(&unary.expr),
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        Expr::Cast(cast) => {
            matches!(&*cast.ty, Type::Path(own) if own.path.is_ident("f64") || own.path.is_ident("f32"))
        }
        Expr::Binary(binary) => is_floating(&binary.left) || is_floating(&binary.right),
        Expr::MethodCall(call) => is_floating(&call.receiver),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(own)
            if own.path.segments.first().is_some_and(|first| first.ident == "f64" || first.ident == "f32")),
        _ => false,
    }
}

fn is_primitive(name: &str) -> bool {
    const NUMBERS: [&str; 14] = [
        "f64", "f32", "usize", "u8", "u16", "u32", "u64", "u128", "isize", "i8", "i16", "i32", "i64", "i128",
    ];
    NUMBERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort_of(text: &str) -> Effort {
        effort(&syn::parse_str(text).expect("an expression"))
    }

    #[test]
    fn what_types_keep_and_floating_point_is_there() {
        for there in [
            "3",
            "a.len()",
            "self.rows",
            "(&a.0).is_empty()",
            "a.nrows().min(b.ncols()) as f64",
            "a.len() as f64 / b.len().max(1) as f64",
            "(a.len() as f64 * 2.0).sqrt()",
            "f64::from(n) - 0.5",
            "n.trailing_zeros()",
            "!a.is_empty() && *n > LIMIT",
            "a.len().saturating_sub(b.len())",
            "size_of::<T>()",
            "size_of_val(a)",
            "n.is_power_of_two() && (2..=LIMIT).contains(&n)",
        ] {
            assert_eq!(effort_of(there), Effort::None, "{there}");
        }
    }

    #[test]
    fn what_may_panic_is_not_computed_before_it_is_needed() {
        for arithmetic in [
            "a.len() - b.len()",
            "a.len() / n",
            "(rows * columns) as f64 * 2.0",
            "1 << bits",
            "-n",
            "a.shape()[0]",
            "a[1..].len()",
        ] {
            assert_eq!(effort_of(arithmetic), Effort::Arithmetic, "{arithmetic}");
        }
    }

    #[test]
    fn what_other_code_computes_may_take_any_time() {
        for other in [
            "span(a)",
            "a.iter().max()",
            "a.len() + span(a)",
            "a.contains(&n)",
            "(0..span(a)).contains(&n)",
            "x.powf(0.5)",
            "f64::from(span(a))",
            "{ n }",
        ] {
            assert_eq!(effort_of(other), Effort::Unknown, "{other}");
        }
    }
}
