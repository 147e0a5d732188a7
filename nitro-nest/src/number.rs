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
                    Unary::RoundF16 => Narrow::F16.nearest(operand.into()) as $number,
                    Unary::RoundBf16 => Narrow::BF16.nearest(operand.into()) as $number,
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

/// Numbers of 16 bits.
pub(crate) struct Narrow {
    /// Bits of the mantissa, with the leading one.
    bits: i32,
    /// The exponent of the smallest number that has all of them.
    least_exponent: i32,
    /// The largest number that is finite.
    most: f64,
}

impl Narrow {
    pub(crate) const F16: Self = Self { bits: 11, least_exponent: -14, most: 65_504.0 };
    pub(crate) const BF16: Self =
        Self { bits: 8, least_exponent: -126, most: f32::from_bits(0x7f7f_0000) as f64 };

    /// Returns the nearest of them, with ties to even: infinite where there is none so large.
    pub(crate) fn nearest(&self, value: f64) -> f64 {
        if value == 0.0 || !value.is_finite() {
            return value;
        }
        // Powers of two are exact, and so is all but the rounding itself.
        let distance = self.distance(value);
        let nearest = (value / distance).round_ties_even() * distance;
        if nearest.abs() > self.most { f64::INFINITY.copysign(value) } else { nearest }
    }

    /// Returns the distance of its neighbours there.
    fn distance(&self, value: f64) -> f64 {
        // The exponent of double precision: numbers of single precision are normal in that.
        let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        2.0_f64.powi(exponent.max(self.least_exponent) - (self.bits - 1))
    }

    /// Bounds how far a number of at most this magnitude is from the nearest.
    pub(crate) fn most_error(&self, magnitude: f64) -> f64 {
        if self.nearest(magnitude).is_finite() { self.distance(magnitude) / 2.0 } else { f64::INFINITY }
    }
}

/// A number of 16 bits, `half::f16` or `half::bf16`: what arrays may be stored in. Takes the feature `half`.
pub trait Stored: Copy + Debug {
    /// Returns the nearest number.
    fn rounded(value: f64) -> Self;
    /// Returns the number in double precision.
    fn widened(self) -> f64;
}

#[cfg(feature = "half")]
macro_rules! stored {
    ($($number:ident)*) => {$(
        impl Stored for half::$number {
            fn rounded(value: f64) -> Self {
                // Data have numbers of single precision: no rounding comes before this one.
                Self::from_f32(value as f32)
            }

            fn widened(self) -> f64 {
                self.into()
            }
        }
    )*};
}
#[cfg(feature = "half")]
stored!(f16 bf16);
