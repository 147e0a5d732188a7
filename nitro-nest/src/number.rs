//! The numbers that nests compute with: single and double precision.

use std::fmt::Debug;

use nitro_launch::Element;

use crate::nest::expression::{Binary, Bits, Unary};

/// A number of single or double precision, `f32` or `f64`: what [`Data`](crate::Data) are of.
pub trait Number: Copy + Debug + Default + PartialOrd + Operations {
    /// The type, as nests name it.
    const ELEMENT: Element;
}

/// The operations of numbers, each rounded by itself.
pub trait Operations: Sized {
    /// Fills what is not written yet, so that it shows when it is read.
    const UNSET: Self;
    /// Half a unit in the last place of 1: rounding an operation adds as much, relative to its result.
    const UNIT: f64;
    /// The smallest number above 0.
    const SMALLEST: f64;

    /// Returns the number that a constant is.
    fn constant(bits: Bits) -> Self;
    /// Returns the nearest number to an integer.
    fn integer(value: i64) -> Self;
    /// Returns the nearest number.
    fn rounded(value: f64) -> Self;
    /// Returns the number in double precision.
    fn widened(self) -> f64;
    /// Computes an operation on one value as the host does.
    fn unary(operator: Unary, operand: Self) -> Self;
    /// Computes an operation on two values.
    fn binary(operator: Binary, left: Self, right: Self) -> Self;
    /// Computes a product and a sum, rounded once.
    fn fused(self, factor: Self, summand: Self) -> Self;
}

macro_rules! numbers {
    ($($number:ident $element:ident;)*) => {$(
        impl Number for $number {
            const ELEMENT: Element = Element::$element;
        }

        impl Operations for $number {
            const UNSET: Self = $number::NAN;
            const UNIT: f64 = $number::EPSILON as f64 / 2.0;
            const SMALLEST: f64 = $number::from_bits(1) as f64;

            fn constant(bits: Bits) -> Self {
                f64::from(bits) as $number
            }

            fn integer(value: i64) -> Self {
                value as $number
            }

            fn rounded(value: f64) -> Self {
                value as $number
            }

            fn widened(self) -> f64 {
                self.into()
            }

            fn unary(operator: Unary, operand: Self) -> Self {
                match operator {
                    Unary::Negate => -operand,
                    Unary::SquareRoot => operand.sqrt(),
                    Unary::Absolute => operand.abs(),
                    Unary::Exponential => operand.exp(),
                    Unary::Logarithm => operand.ln(),
                    Unary::HyperbolicTangent => operand.tanh(),
                    Unary::Sine => operand.sin(),
                    Unary::Cosine => operand.cos(),
                }
            }

            fn binary(operator: Binary, left: Self, right: Self) -> Self {
                match operator {
                    Binary::Add => left + right,
                    Binary::Subtract => left - right,
                    Binary::Multiply => left * right,
                    Binary::Divide => left / right,
                    Binary::Minimum => left.min(right),
                    Binary::Maximum => left.max(right),
                }
            }

            fn fused(self, factor: Self, summand: Self) -> Self {
                self.mul_add(factor, summand)
            }
        }
    )*};
}
numbers! {
    f32 F32;
    f64 F64;
}
