//! Floats of all formats, as software computes them.

use std::cmp::Ordering;

pub use rustc_apfloat::Round;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float as _, FloatConvert, Status, StatusAnd};

/// A format of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

/// Computes with a type of the format.
macro_rules! with {
    ($format:expr, $float:ident => $value:expr) => {
        match $format {
            Format::F16 => {
                type $float = Half;
                $value
            }
            Format::Bf16 => {
                type $float = BFloat;
                $value
            }
            Format::F32 => {
                type $float = Single;
                $value
            }
            Format::F64 => {
                type $float = Double;
                $value
            }
        }
    };
}

impl Format {
    pub fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "f16" | "f16x2" => Self::F16,
            "bf16" | "bf16x2" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    pub fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    pub fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    pub fn is_nan(self, value: u64) -> bool {
        with!(self, F => F::from_bits(value.into()).is_nan())
    }

    pub fn is_infinite(self, value: u64) -> bool {
        with!(self, F => F::from_bits(value.into()).is_infinite())
    }

    pub fn is_subnormal(self, value: u64) -> bool {
        with!(self, F => F::from_bits(value.into()).is_denormal())
    }

    pub fn nan(self) -> u64 {
        match self {
            Self::F16 | Self::Bf16 => 0x7fff,
            Self::F32 => 0x7fff_ffff,
            Self::F64 => 0x7ff8_0000_0000_0000,
        }
    }

    pub fn one(self) -> u64 {
        with!(self, F => F::from_u128(1).value.to_bits() as u64)
    }

    pub fn largest(self) -> u64 {
        with!(self, F => F::largest().to_bits() as u64)
    }

    /// Zero for what is subnormal.
    pub fn flushed(self, value: u64) -> u64 {
        if self.is_subnormal(value) { value & self.sign() } else { value }
    }

    /// The value with more digits and exponents than any other format has.
    pub fn to_quad(self, a: u64) -> Quad {
        with!(self, F => F::from_bits(a.into()).convert(&mut false).value)
    }

    /// Whether an exact value, of which this was cut off towards zero, is subnormal once it is rounded to the format's
    /// digits with exponents that have no end.
    pub fn is_tiny(self, exact: StatusAnd<Quad>, round: Round) -> bool {
        let digits = match self {
            Self::F16 => 11,
            Self::Bf16 => 8,
            Self::F32 => 24,
            Self::F64 => 53,
        };
        let least = with!(self, F => {
            let least: StatusAnd<Quad> = F::smallest_normalized().convert(&mut false);
            least.value
        });
        let StatusAnd { status, value } = exact;
        if value.is_zero() || !value.is_finite() {
            return false;
        }
        let below = |by: i32| (least - least.scalbn(-by)).value;
        let away = match round {
            Round::TowardPositive => !value.is_negative(),
            Round::TowardNegative => value.is_negative(),
            _ => false,
        };
        let magnitude = value.abs();
        match round {
            Round::NearestTiesToEven => magnitude < below(digits + 1),
            // The largest number below is one digit away.
            _ if away => {
                magnitude < below(digits) || magnitude == below(digits) && !status.contains(Status::INEXACT)
            }
            _ => magnitude < least,
        }
    }

    pub fn compare(self, a: u64, b: u64) -> Option<Ordering> {
        with!(self, F => F::from_bits(a.into()).partial_cmp(&F::from_bits(b.into())))
    }

    pub fn add(self, a: u64, b: u64, round: Round) -> u64 {
        with!(self, F => F::from_bits(a.into()).add_r(F::from_bits(b.into()), round).value.to_bits() as u64)
    }

    pub fn multiply(self, a: u64, b: u64, round: Round) -> u64 {
        with!(self, F => F::from_bits(a.into()).mul_r(F::from_bits(b.into()), round).value.to_bits() as u64)
    }

    pub fn divide(self, a: u64, b: u64, round: Round) -> u64 {
        with!(self, F => F::from_bits(a.into()).div_r(F::from_bits(b.into()), round).value.to_bits() as u64)
    }

    pub fn fuse(self, a: u64, b: u64, c: u64, round: Round) -> u64 {
        with!(self, F => {
            let [a, b, c] = [a, b, c].map(|value| F::from_bits(value.into()));
            a.mul_add_r(b, c, round).value.to_bits() as u64
        })
    }

    /// Rounds to an integer.
    pub fn integral(self, a: u64, round: Round) -> u64 {
        with!(self, F => F::from_bits(a.into()).round_to_integral(round).value.to_bits() as u64)
    }

    /// The integer of so many bits that is nearest in a direction, within its range; not a number is zero.
    pub fn to_integer(self, a: u64, bits: u32, is_signed: bool, round: Round) -> i128 {
        with!(self, F => {
            let (value, mut is_exact) = (F::from_bits(a.into()), false);
            if is_signed {
                value.to_i128_r(bits as usize, round, &mut is_exact).value
            } else {
                value.to_u128_r(bits as usize, round, &mut is_exact).value as i128
            }
        })
    }

    pub fn of_integer(self, value: i128, round: Round) -> u64 {
        with!(self, F => F::from_i128_r(value, round).value.to_bits() as u64)
    }

    /// From this format to another.
    pub fn convert(self, a: u64, to: Self, round: Round) -> u64 {
        fn converted<F: rustc_apfloat::Float>(value: impl FloatConvert<F>, round: Round) -> u64 {
            value.convert_r(round, &mut false).value.to_bits() as u64
        }
        with!(self, F => {
            let value = F::from_bits(a.into());
            with!(to, T => converted::<T>(value, round))
        })
    }

    pub fn to_f64(self, a: u64) -> f64 {
        f64::from_bits(self.convert(a, Self::F64, Round::NearestTiesToEven))
    }

    /// The root, by looking for the largest number whose square is not larger.
    pub fn root(self, a: u64, round: Round) -> u64 {
        let value = self.to_f64(a);
        if value.is_nan() || value < 0.0 {
            return self.nan();
        }
        if value == 0.0 || value.is_infinite() {
            return a;
        }
        let even = if value < 1e-100 { 200 } else { 0 };
        let scaled = value * 2_f64.powi(even);
        // The sign of what is missing is right, whatever is lost of it.
        let missing = |root: u64| {
            let root = self.to_f64(root) * 2_f64.powi(even / 2);
            root.mul_add(-root, scaled)
        };
        let mut below = Format::F64.convert(value.sqrt().to_bits(), self, Round::TowardZero);
        while missing(below) < 0.0 {
            below -= 1;
        }
        while missing(below + 1) >= 0.0 {
            below += 1;
        }
        let goes_up = match round {
            Round::TowardPositive => missing(below) > 0.0,
            Round::NearestTiesToEven if self == Format::F64 => return value.sqrt().to_bits(),
            Round::NearestTiesToEven => {
                let middle = (self.to_f64(below) + self.to_f64(below + 1)) / 2.0;
                middle * middle < value
            }
            _ => false,
        };
        below + u64::from(goes_up)
    }
}
