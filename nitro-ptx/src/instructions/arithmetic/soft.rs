//! Floats of 64 bits in the roundings that the processor does not have without changing its state.

use super::round::Rounding;

/// Bits of the mantissa with its first one, and the exponent of the smallest subnormal.
const DIGITS: i32 = 53;
const LEAST: i32 = -1074;

/// A number other than zero: `mantissa * 2^exponent`, and a little more in magnitude if `is_more`.
#[derive(Clone, Copy)]
struct Exact {
    is_negative: bool,
    mantissa: u128,
    exponent: i32,
    is_more: bool,
}

impl Exact {
    /// Of a finite number that is not zero.
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
        Self {
            is_negative: value.is_sign_negative(),
            mantissa: mantissa.into(),
            exponent: LEAST + biased.max(1) - 1,
            is_more: false,
        }
    }

    /// With the first bit of the mantissa at this place, which is above where it is.
    fn at(self, place: u32) -> Self {
        let by = place as i32 - self.mantissa.ilog2() as i32;
        Self { mantissa: self.mantissa << by, exponent: self.exponent - by, ..self }
    }

    fn product(self, other: Self) -> Self {
        Self {
            is_negative: self.is_negative != other.is_negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
            is_more: false,
        }
    }

    /// The sum; none where it is zero.
    fn sum(self, other: Self) -> Option<Self> {
        // 106 bits of a product and as many zeros below, so that what is cut off matters only if little cancels.
        let (a, b) = (self.at(125), other.at(125));
        let (large, small) =
            if (a.exponent, a.mantissa) >= (b.exponent, b.mantissa) { (a, b) } else { (b, a) };
        let by = (large.exponent - small.exponent) as u32;
        let kept = small.mantissa.checked_shr(by).unwrap_or(0);
        let is_cut = kept.checked_shl(by).unwrap_or(0) != small.mantissa;
        let mantissa = if large.is_negative == small.is_negative {
            large.mantissa + kept
        } else {
            // What was cut off makes the difference smaller: one less, and a little more.
            large.mantissa - kept - u128::from(is_cut)
        };
        (mantissa != 0 || is_cut).then_some(Self { mantissa, is_more: is_cut, ..large })
    }

    fn quotient(self, other: Self) -> Self {
        let (a, b) = (self.at(126), other.at(52));
        Self {
            is_negative: a.is_negative != b.is_negative,
            mantissa: a.mantissa / b.mantissa,
            exponent: a.exponent - b.exponent,
            is_more: a.mantissa % b.mantissa != 0,
        }
    }

    /// The root of what is positive.
    fn root(self) -> Self {
        // The exponent has to be even.
        let at = self.at(125);
        let at = if at.exponent % 2 == 0 { at } else { self.at(124) };
        let mantissa = at.mantissa.isqrt();
        Self { mantissa, exponent: at.exponent / 2, is_more: mantissa * mantissa != at.mantissa, ..at }
    }

    fn rounded(self, rounding: Rounding) -> f64 {
        let length = self.mantissa.ilog2() as i32 + 1;
        // The exponent of the result's last bit.
        let last = (self.exponent + length - DIGITS).max(LEAST);
        let by = last - self.exponent;
        let (kept, rest, half) = if by <= 0 {
            (self.mantissa << -by, 0, 1)
        } else if by < 128 {
            (self.mantissa >> by, self.mantissa & ((1 << by) - 1), 1 << (by - 1))
        } else {
            (0, 1, 2)
        };
        let is_exact = rest == 0 && !self.is_more;
        let goes_up = match rounding {
            Rounding::Nearest => rest > half || rest == half && (self.is_more || kept & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => self.is_negative && !is_exact,
            Rounding::Up => !self.is_negative && !is_exact,
        };
        let kept = kept as u64 + u64::from(goes_up);
        let is_out = kept != 0 && last + kept.ilog2() as i32 > 1023;
        let away = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Down => self.is_negative,
            Rounding::Up => !self.is_negative,
        };
        let magnitude = match (is_out, away) {
            (true, true) => f64::INFINITY,
            (true, false) => f64::MAX,
            _ => scaled(kept, last),
        };
        if self.is_negative { -magnitude } else { magnitude }
    }
}

/// `mantissa * 2^exponent`, where that is a number of 64 bits.
fn scaled(mantissa: u64, exponent: i32) -> f64 {
    // A subnormal's mantissa has no first bit of its own.
    match mantissa >> 52 {
        0 => f64::from_bits(mantissa),
        1 => f64::from_bits(mantissa - (1 << 52) + (((exponent - LEAST + 1) as u64) << 52)),
        _ => f64::from_bits(((exponent - LEAST + 2) as u64) << 52),
    }
}

/// `a * b + c`, rounded once.
pub(in crate::instructions) fn fused(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let nearest = a.mul_add(b, c);
    if !a.is_finite() || !b.is_finite() || !c.is_finite() {
        return nearest;
    }
    let product = (a != 0.0 && b != 0.0).then(|| Exact::of(a).product(Exact::of(b)));
    let third = (c != 0.0).then(|| Exact::of(c));
    let sum = match (product, third) {
        (Some(product), Some(third)) => product.sum(third),
        (one, other) => one.or(other),
    };
    match sum {
        Some(sum) => sum.rounded(rounding),
        // A zero is negative if both are, and where what cancels is rounded down.
        None if product.is_some() || (a * b).is_sign_negative() != c.is_sign_negative() => {
            if rounding == Rounding::Down { -0.0 } else { 0.0 }
        }
        None => nearest,
    }
}

pub(in crate::instructions) fn sum(a: f64, b: f64, rounding: Rounding) -> f64 {
    fused(a, 1.0, b, rounding)
}

pub(in crate::instructions) fn product(a: f64, b: f64, rounding: Rounding) -> f64 {
    let nearest = a * b;
    let is_special = !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0;
    if is_special { nearest } else { Exact::of(a).product(Exact::of(b)).rounded(rounding) }
}

pub(in crate::instructions) fn quotient(a: f64, b: f64, rounding: Rounding) -> f64 {
    let is_special = !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0;
    if is_special { a / b } else { Exact::of(a).quotient(Exact::of(b)).rounded(rounding) }
}

pub(in crate::instructions) fn root(a: f64, rounding: Rounding) -> f64 {
    let is_special = !a.is_finite() || a <= 0.0;
    if is_special { a.sqrt() } else { Exact::of(a).root().rounded(rounding) }
}
