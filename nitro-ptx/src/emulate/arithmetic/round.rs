//! Rounding of floats in each direction, exactly.

/// To which neighbour a value goes that is none of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emulate) enum Rounding {
    /// To the nearest, of two equally near to the even one.
    Nearest,
    Zero,
    Down,
    Up,
}

/// What an opcode says beside its name and type, as the last source of its function.
pub(in crate::emulate) mod mode {
    pub(in crate::emulate) const ROUNDING: u64 = 3;
    /// Subnormal operands and results are zero.
    pub(in crate::emulate) const FLUSH: u64 = 4;
    /// Results are from 0 to 1, or in the range of their type.
    pub(in crate::emulate) const SATURATE: u64 = 8;
    /// The smaller of a number and what is none is none.
    pub(in crate::emulate) const NAN: u64 = 16;
    /// Negative results are zero.
    pub(in crate::emulate) const RECTIFY: u64 = 32;
    /// Two values in one.
    pub(in crate::emulate) const PAIR: u64 = 64;
    /// The other format of 16 bits.
    pub(in crate::emulate) const BF16: u64 = 128;
    /// Rounded to an integer.
    pub(in crate::emulate) const INTEGER: u64 = 256;
    /// Operands without their signs.
    pub(in crate::emulate) const MAGNITUDE: u64 = 512;
    /// The result has the sign of a product of the operands.
    pub(in crate::emulate) const SIGN: u64 = 1024;
    /// What is beyond the largest number becomes that.
    pub(in crate::emulate) const FINITE: u64 = 2048;
}

impl Rounding {
    pub(in crate::emulate) fn parse(parts: &[&str]) -> Option<(Self, bool)> {
        let mut found = None;
        for part in parts {
            let rounding = match *part {
                "rn" => (Self::Nearest, false),
                "rz" => (Self::Zero, false),
                "rm" => (Self::Down, false),
                "rp" => (Self::Up, false),
                "rni" => (Self::Nearest, true),
                "rzi" => (Self::Zero, true),
                "rmi" => (Self::Down, true),
                "rpi" => (Self::Up, true),
                _ => continue,
            };
            found = Some(rounding);
        }
        found
    }

    pub(in crate::emulate) fn of(mode: u64) -> Self {
        match mode & mode::ROUNDING {
            0 => Self::Nearest,
            1 => Self::Zero,
            2 => Self::Down,
            _ => Self::Up,
        }
    }

    /// Rounds to an integer.
    pub(in crate::emulate) fn integer(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }

    /// Rounds to 32 bits.
    pub(in crate::emulate) fn single(self, value: f64) -> f32 {
        let nearest = value as f32;
        let (above, below) = (f64::from(nearest) > value, f64::from(nearest) < value);
        match self {
            Self::Zero if above && value > 0.0 => nearest.next_down(),
            Self::Zero if below && value < 0.0 => nearest.next_up(),
            Self::Down if above => nearest.next_down(),
            Self::Up if below => nearest.next_up(),
            _ => nearest,
        }
    }

    /// Rounds to a format of 16 bits, of which so many are the mantissa's.
    pub(in crate::emulate) fn half(self, value: f64, mantissa: u32) -> u16 {
        let infinity = 0x7fff_u16 >> mantissa << mantissa;
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        if value.is_nan() {
            return 0x7fff;
        }
        if value.is_infinite() || value == 0.0 {
            return sign | if value == 0.0 { 0 } else { infinity };
        }
        let bias = i32::from(infinity >> mantissa) / 2;
        let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(1 - bias);
        let scaled = value.abs() * (f64::from(mantissa as i32 - exponent)).exp2();
        let toward = match self {
            Self::Down if sign != 0 => Self::Up,
            Self::Up if sign != 0 => Self::Down,
            same => same,
        };
        let steps = toward.integer(scaled) as i64;
        // A step beyond the last mantissa is the first of the next exponent.
        let encoded = (i64::from(exponent + bias - 1) << mantissa) + steps;
        if encoded < i64::from(infinity) {
            return sign | encoded as u16;
        }
        sign | if matches!(toward, Self::Nearest | Self::Up) { infinity } else { infinity - 1 }
    }
}

/// A float of 16 bits, of which so many are the mantissa's.
pub(in crate::emulate) fn of_half(bits: u16, mantissa: u32) -> f64 {
    let infinity = 0x7fff_u16 >> mantissa << mantissa;
    let magnitude = bits & 0x7fff;
    let bias = i32::from(infinity >> mantissa) / 2;
    let value = match magnitude {
        _ if magnitude > infinity => f64::NAN,
        _ if magnitude == infinity => f64::INFINITY,
        _ => {
            let exponent = i32::from(magnitude >> mantissa).max(1);
            let implied = if magnitude >> mantissa > 0 { 1 << mantissa } else { 0 };
            let steps = (magnitude & ((1 << mantissa) - 1)) | implied;
            f64::from(steps) * f64::from(exponent - bias - mantissa as i32).exp2()
        }
    };
    if bits & 0x8000 != 0 { -value } else { value }
}

/// A sum whose last bit says whether it is exact ("rounding to odd", Boldo and Melquiond), so that rounding it
/// again is as rounding once.
pub(in crate::emulate) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    odd(sum, (a - (sum - of_b)) + (b - of_b))
}

/// A value of which something is missing.
pub(in crate::emulate) fn odd(value: f64, missing: f64) -> f64 {
    if !value.is_finite() || missing == 0.0 || missing.is_nan() || value.to_bits() & 1 == 1 {
        value
    } else if missing > 0.0 {
        value.next_up()
    } else {
        value.next_down()
    }
}
