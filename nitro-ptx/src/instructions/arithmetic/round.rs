//! Rounding of floats in each direction, exactly.

/// To which neighbour a value goes that is none of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, of two equally near to the even one.
    Nearest,
    Zero,
    Down,
    Up,
}

/// The modifiers of an opcode, as the last source of its function.
pub(crate) mod mode {
    use crate::text::types::Type;

    pub(crate) const ROUNDING: u64 = 3;
    /// Subnormal operands and results are zero.
    pub(crate) const FLUSH: u64 = 4;
    /// Results are from 0 to 1, or in the range of their type.
    pub(crate) const SATURATE: u64 = 8;
    /// The smaller of a number and what is none is none.
    pub(crate) const NAN: u64 = 16;
    /// Negative results are zero.
    pub(crate) const RECTIFY: u64 = 32;
    /// Two values in one.
    pub(crate) const PAIR: u64 = 64;
    /// The other format of 16 bits.
    pub(crate) const BF16: u64 = 128;
    /// Rounded to an integer.
    pub(crate) const INTEGER: u64 = 256;
    /// Operands without their signs.
    pub(crate) const MAGNITUDE: u64 = 512;
    /// The result has the sign of a product of the operands.
    pub(crate) const SIGN: u64 = 1024;
    /// Infinite results become the largest number.
    pub(crate) const FINITE: u64 = 2048;

    /// Returns the mode that an opcode's modifiers and its type say.
    pub(crate) fn of(parts: &[&str], kind: Type) -> u64 {
        const FLAGS: [(&str, u64); 6] = [
            ("ftz", FLUSH),
            ("sat", SATURATE),
            ("NaN", NAN),
            ("relu", RECTIFY),
            ("abs", MAGNITUDE),
            ("xorsign", SIGN),
        ];
        let rounding = super::Rounding::parse(parts).map_or(0, |(rounding, _)| rounding as u64);
        let flags = FLAGS.iter().filter(|(part, _)| parts.contains(part)).map(|(_, bit)| bit);
        flags.fold(rounding | of_halves(kind), |mode, bit| mode | bit)
    }

    /// Returns what functions of 16 bits need to know of a type.
    pub(crate) fn of_halves(kind: Type) -> u64 {
        match kind {
            Type::F16x2 => PAIR,
            Type::Bf16 => BF16,
            Type::Bf16x2 => BF16 | PAIR,
            _ => 0,
        }
    }
}

impl Rounding {
    pub(crate) fn parse(parts: &[&str]) -> Option<(Self, bool)> {
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

    pub(crate) fn of(mode: u64) -> Self {
        match mode & mode::ROUNDING {
            0 => Self::Nearest,
            1 => Self::Zero,
            2 => Self::Down,
            _ => Self::Up,
        }
    }

    /// Rounds to an integer.
    pub(crate) fn integer(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }

    /// Rounds to 32 bits.
    pub(crate) fn single(self, value: f64) -> f32 {
        // The cast rounds to the nearest; the direction says whether to step back to the other neighbour.
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
    pub(crate) fn half(self, value: f64, mantissa: u32) -> u16 {
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
        // In units of the last bit that the result has, which is fixed for subnormal ones.
        let scaled = value.abs() * (f64::from(mantissa as i32 - exponent)).exp2();
        // The magnitude is rounded, so that directions are exchanged for negative numbers.
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
pub(crate) fn of_half(bits: u16, mantissa: u32) -> f64 {
    let infinity = 0x7fff_u16 >> mantissa << mantissa;
    let magnitude = bits & 0x7fff;
    let bias = i32::from(infinity >> mantissa) / 2;
    let value = match magnitude {
        _ if magnitude > infinity => f64::NAN,
        _ if magnitude == infinity => f64::INFINITY,
        _ => {
            let exponent = i32::from(magnitude >> mantissa).max(1);
            // Normal numbers have a first bit that is not stored.
            let implied = if magnitude >> mantissa > 0 { 1 << mantissa } else { 0 };
            let steps = (magnitude & ((1 << mantissa) - 1)) | implied;
            f64::from(steps) * f64::from(exponent - bias - mantissa as i32).exp2()
        }
    };
    if bits & 0x8000 != 0 { -value } else { value }
}

/// A sum whose last bit says whether it is exact ("rounding to odd", Boldo and Melquiond), so that rounding it
/// again is as rounding once.
pub(crate) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // The error of the sum, exactly (2Sum, Knuth).
    let of_b = sum - a;
    odd(sum, (a - (sum - of_b)) + (b - of_b))
}

/// A value of which something is missing.
pub(crate) fn odd(value: f64, missing: f64) -> f64 {
    if !value.is_finite() || missing == 0.0 || missing.is_nan() || value.to_bits() & 1 == 1 {
        value
    } else if missing > 0.0 {
        value.next_up()
    } else {
        value.next_down()
    }
}

/// Returns the bits of the mantissa in a format of 16 bits.
pub(crate) fn mantissa(is_bf16: bool) -> u32 {
    if is_bf16 { 7 } else { 10 }
}
