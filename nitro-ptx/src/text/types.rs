//! Types of values, and state spaces.

/// A state space of PTX ("State Spaces").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Constant,
    Parameter,
    /// Not named: any of them.
    Generic,
}

impl Space {
    /// Returns the space that one of an opcode's parts names, such as `shared::cta`.
    pub(crate) fn of_parts(parts: &[&str]) -> Self {
        let named = parts.iter().find_map(|part| match part.split("::").next()? {
            "global" => Some(Self::Global),
            "shared" => Some(Self::Shared),
            "local" => Some(Self::Local),
            "const" => Some(Self::Constant),
            "param" => Some(Self::Parameter),
            _ => None,
        });
        named.unwrap_or(Self::Generic)
    }
}

/// A type of PTX, the last part of most opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Predicate,
    /// Bits, of which nothing else is said; so many bytes.
    Bits(u8),
    Unsigned(u8),
    Signed(u8),
    F16,
    Bf16,
    /// Two values of 16 bits in 32.
    F16x2,
    Bf16x2,
    /// Two integers of 16 bits in 32; whether they are signed.
    Integer16x2(bool),
    F32,
    F64,
}

impl Type {
    /// Of a part of an opcode, without its dot.
    pub(crate) fn parse(part: &str) -> Option<Self> {
        Some(match part {
            "pred" => Self::Predicate,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f16x2" => Self::F16x2,
            "bf16x2" => Self::Bf16x2,
            "u16x2" => Self::Integer16x2(false),
            "s16x2" => Self::Integer16x2(true),
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => {
                let bytes = match part.get(1..)? {
                    "8" => 1,
                    "16" => 2,
                    "32" => 4,
                    "64" => 8,
                    "128" => 16,
                    _ => return None,
                };
                match part.get(..1)? {
                    "b" => Self::Bits(bytes),
                    "u" if bytes <= 8 => Self::Unsigned(bytes),
                    "s" if bytes <= 8 => Self::Signed(bytes),
                    _ => return None,
                }
            }
        })
    }

    pub(crate) fn bytes(self) -> u8 {
        match self {
            Self::Predicate => 1,
            Self::Bits(bytes) | Self::Unsigned(bytes) | Self::Signed(bytes) => bytes,
            Self::F16 | Self::Bf16 => 2,
            Self::F16x2 | Self::Bf16x2 | Self::Integer16x2(_) | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Signed(_))
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }
}
