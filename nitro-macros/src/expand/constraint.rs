//! Constraints where only features are known, as functions over the values of those that are.
//!
//! The types of features cannot be named here, so numbers are taken in double precision. A part that would not be
//! the same there, such as the division of integers, is not known, nor is one that asks an argument.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprMethodCall, ExprPath, ExprUnary, Lit, Type, UnOp};

use super::attributes::shared;
use super::{helper, parameters};
use crate::ir::{Approximation, CodeVariant, Parameter, ParameterKind, Variant};

/// The functions of all constraints, beside the function: there the user's paths mean what they mean in the
/// constraint.
pub(crate) fn functions(function: &CodeVariant) -> TokenStream {
    let conditional = function.originals().filter(|variant| variant.is_conditional());
    conditional.map(|variant| admits(function, variant)).collect()
}

/// Name of the function of a variant's constraint.
pub(crate) fn name(function: &CodeVariant, variant: &Variant) -> Ident {
    helper(function, &format!("admits_{}", function.original(variant).name))
}

/// The constraint as it stands in the source, with what an approximate variant takes. It is the one text for all who
/// show it.
pub(crate) fn text(variant: &Variant) -> TokenStream {
    let condition = variant.input_constraint().map(|constraint| &constraint.condition);
    match (&variant.approximation, condition) {
        (None, condition) => quote!(#condition),
        (Some(Approximation { max_error, .. }), None) => quote!(tolerance >= #max_error),
        (Some(Approximation { max_error, .. }), Some(condition)) => {
            quote!(tolerance >= #max_error && (#condition))
        }
    }
}

fn admits(function: &CodeVariant, variant: &Variant) -> TokenStream {
    let (name, shared, cfgs) = (name(function, variant), shared(function), &variant.cfgs);
    let krate = &function.krate;
    let unknown = quote!(::core::option::Option::None);
    let verdict = variant
        .input_constraint()
        .map(|constraint| Numbers { function, variant }.verdict(&constraint.condition));
    // What a call tolerates is known to the call.
    let verdict = match (&variant.approximation, verdict) {
        (None, verdict) => verdict.unwrap_or(unknown),
        (Some(_), None) => unknown,
        (Some(_), Some(verdict)) => quote!(#krate::__private::and(#unknown, #verdict)),
    };
    let parameters =
        (!variant.parameters.is_empty()).then(|| parameters::of_configuration(function, variant));
    quote! {
        #shared
        #(#cfgs)*
        #[doc(hidden)]
        fn #name(
            __nitro_known: &[::core::option::Option<::core::primitive::f64>],
            __nitro_configuration: #krate::Configuration,
        ) -> ::core::option::Option<::core::primitive::bool> { #parameters #verdict }
    }
}

/// Expressions over the known values of a call of the function.
struct Numbers<'f> {
    function: &'f CodeVariant,
    variant: &'f Variant,
}

impl Numbers<'_> {
    /// An `Option<bool>` for a condition.
    fn verdict(&self, condition: &Expr) -> TokenStream {
        let krate = &self.function.krate;
        match condition {
            Expr::Paren(inner) => self.verdict(&inner.expr),
            Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => {
                let verdict = self.verdict(expr);
                quote!(::core::option::Option::map(
                    #verdict, |__nitro_holds: ::core::primitive::bool| !__nitro_holds
                ))
            }
            Expr::Binary(ExprBinary { left, op: op @ (BinOp::And(_) | BinOp::Or(_)), right, .. }) => {
                let (left, right) = (self.verdict(left), self.verdict(right));
                let join = if matches!(op, BinOp::And(_)) { quote!(and) } else { quote!(or) };
                quote!(#krate::__private::#join(#left, #right))
            }
            Expr::MethodCall(call) if self.asks_for_code(call) => {
                quote!(::core::option::Option::Some(__nitro_parameters.#call))
            }
            comparison => self.comparison(comparison).unwrap_or_else(|| quote!(::core::option::Option::None)),
        }
    }

    /// `kernel.is_known()` of generated code.
    fn asks_for_code(&self, call: &ExprMethodCall) -> bool {
        let Expr::Path(path) = &*call.receiver else { return false };
        let is_code = self.parameter(path).is_some_and(|own| own.kind == ParameterKind::Artifact);
        is_code && call.method == "is_known" && call.args.is_empty()
    }

    /// An `Option<bool>` for a comparison of numbers or a number itself, which as a condition is a bool. One
    /// without a feature or a parameter may be of something that is no number.
    fn comparison(&self, condition: &Expr) -> Option<TokenStream> {
        match condition {
            Expr::Binary(ExprBinary { left, op, right, .. }) if is_comparison(*op) => {
                let asks = [left, right].iter().any(|side| self.asks_a_number(side));
                asks.then(|| self.of_both(left, *op, right)).flatten()
            }
            Expr::Path(_) | Expr::Lit(_) => {
                let number = self.number(condition)?;
                Some(quote!(::core::option::Option::map(#number, |__nitro_number| __nitro_number != 0.0)))
            }
            _ => None,
        }
    }

    fn of_both(&self, left: &Expr, op: BinOp, right: &Expr) -> Option<TokenStream> {
        let (krate, left, right) = (&self.function.krate, self.number(left)?, self.number(right)?);
        Some(quote!(#krate::__private::of_both(
            #left, #right, |__nitro_left, __nitro_right| __nitro_left #op __nitro_right
        )))
    }

    /// An `Option<f64>` for a number; none for what is not understood.
    fn number(&self, value: &Expr) -> Option<TokenStream> {
        match value {
            Expr::Paren(inner) => self.number(&inner.expr),
            Expr::Lit(literal) => number_of(&literal.lit),
            Expr::Path(path) => self.named(path),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
                let number = self.number(expr)?;
                Some(quote!(::core::option::Option::map(#number, |__nitro_number| -__nitro_number)))
            }
            Expr::Binary(ExprBinary { left, op, right, .. }) => {
                let is_real = is_float(left) || is_float(right);
                let is_same = matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_));
                let is_same = is_same || matches!(op, BinOp::Div(_)) && is_real;
                is_same.then(|| self.of_both(left, *op, right)).flatten()
            }
            _ => None,
        }
    }

    fn named(&self, path: &ExprPath) -> Option<TokenStream> {
        match (self.feature(path), self.parameter(path)) {
            (Some(index), _) => Some(quote!(__nitro_known[#index])),
            (None, Some(parameter)) => {
                let name = &parameter.name;
                let is_number = !matches!(parameter.kind, ParameterKind::Category | ParameterKind::Artifact);
                is_number.then(|| self.constant(&quote!(__nitro_parameters.#name)))
            }
            (None, None) => self.is_constant(path).then(|| self.constant(path)),
        }
    }

    /// A cast. A constant is cast as the user says; of a feature only what becomes a floating-point number stays the
    /// number that it was.
    fn cast(&self, cast: &ExprCast) -> Option<TokenStream> {
        match &*cast.expr {
            Expr::Path(path) if self.feature(path).is_none() && self.parameter(path).is_none() => {
                (self.is_constant(path) && is_primitive(&cast.ty)).then(|| self.constant(cast))
            }
            // The values of a parameter are known to be small.
            Expr::Path(path) if self.parameter(path).is_some_and(is_integer) => {
                is_primitive(&cast.ty).then(|| self.number(&cast.expr)).flatten()
            }
            inner => is_float_type(&cast.ty).then(|| self.number(inner)).flatten(),
        }
    }

    fn constant(&self, value: &impl ToTokens) -> TokenStream {
        let (krate, value) = (&self.function.krate, value.to_token_stream());
        quote!(::core::option::Option::Some(#krate::FeatureValue::to_f64(#value)))
    }

    /// Returns true for what is neither an argument nor depends on the function's generics.
    fn is_constant(&self, path: &ExprPath) -> bool {
        let segments = &path.path.segments;
        let Some(first) = segments.first().map(|segment| &segment.ident) else { return false };
        let is_argument = segments.len() == 1 && self.function.arguments.contains(first);
        let is_of_self = first == "Self" || segments.len() == 1 && first == "self";
        let is_plain = path.qself.is_none() && segments.iter().all(|segment| segment.arguments.is_none());
        is_plain && !is_argument && !is_of_self && !self.function.is_generic(first)
    }

    fn feature(&self, path: &ExprPath) -> Option<usize> {
        let name = path.path.get_ident()?;
        self.function.features.iter().position(|feature| feature.name == *name)
    }

    fn parameter(&self, path: &ExprPath) -> Option<&Parameter> {
        let name = path.path.get_ident()?;
        self.variant.parameters.iter().find(|parameter| parameter.name == *name)
    }

    /// Returns true where a feature or a parameter is asked, which are numbers.
    fn asks_a_number(&self, value: &Expr) -> bool {
        match value {
            Expr::Paren(inner) => self.asks_a_number(&inner.expr),
            Expr::Path(path) => self.feature(path).is_some() || self.parameter(path).is_some(),
            Expr::Cast(cast) => self.asks_a_number(&cast.expr),
            Expr::Unary(unary) => self.asks_a_number(&unary.expr),
            Expr::Binary(binary) => self.asks_a_number(&binary.left) || self.asks_a_number(&binary.right),
            _ => false,
        }
    }
}

fn is_integer(parameter: &Parameter) -> bool {
    parameter.kind == ParameterKind::Integer
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Lt(_) | Le(_) | Eq(_) | Ne(_) | Ge(_) | Gt(_))
}

/// An integer may not fit the type that it would have without its context.
fn number_of(literal: &Lit) -> Option<TokenStream> {
    let number: f64 = match literal {
        Lit::Int(literal) => literal.base10_digits().parse().ok()?,
        Lit::Float(literal) => literal.base10_digits().parse().ok()?,
        Lit::Bool(literal) => f64::from(u8::from(literal.value)),
        _ => return None,
    };
    Some(quote!(::core::option::Option::Some(#number)))
}

/// Returns true where an operand is a floating-point number for certain; then the other one is too.
fn is_float(value: &Expr) -> bool {
    match value {
        Expr::Paren(inner) => is_float(&inner.expr),
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        Expr::Cast(cast) => is_float_type(&cast.ty),
        Expr::Unary(unary) => is_float(&unary.expr),
        Expr::Binary(binary) => is_float(&binary.left) || is_float(&binary.right),
        _ => false,
    }
}

fn is_float_type(r#type: &Type) -> bool {
    is_one_of(r#type, &["f32", "f64"])
}

fn is_primitive(r#type: &Type) -> bool {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    is_float_type(r#type) || is_one_of(r#type, &INTEGERS)
}

fn is_one_of(r#type: &Type, names: &[&str]) -> bool {
    let Type::Path(path) = r#type else { return false };
    path.qself.is_none() && path.path.get_ident().is_some_and(|own| names.iter().any(|name| own == name))
}
