//! The type of elements and arguments.

use serde::{Deserialize, Serialize};

/// The type of an element or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // as the types of Rust
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Element {
    /// Returns the bytes of one.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns its name, as workloads have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Tells whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Reads a number of this type from little-endian bytes.
    pub(crate) fn value(self, bytes: &[u8]) -> f64 {
        macro_rules! of {
            ($type:ty) => {
                bytes.try_into().map_or(f64::NAN, |bytes| <$type>::from_le_bytes(bytes) as f64)
            };
        }
        match self {
            Self::U8 => of!(u8),
            Self::I8 => of!(i8),
            Self::U16 => of!(u16),
            Self::I16 => of!(i16),
            Self::U32 => of!(u32),
            Self::I32 => of!(i32),
            Self::U64 => of!(u64),
            Self::I64 => of!(i64),
            Self::F32 => of!(f32),
            Self::F64 => of!(f64),
        }
    }

    /// Appends a number as this type has it, whole numbers cut to their ranges.
    pub(crate) fn append(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::U8 => bytes.push(value as u8),
            Self::I8 => bytes.extend((value as i8).to_le_bytes()),
            Self::U16 => bytes.extend((value as u16).to_le_bytes()),
            Self::I16 => bytes.extend((value as i16).to_le_bytes()),
            Self::U32 => bytes.extend((value as u32).to_le_bytes()),
            Self::I32 => bytes.extend((value as i32).to_le_bytes()),
            Self::U64 => bytes.extend((value as u64).to_le_bytes()),
            Self::I64 => bytes.extend((value as i64).to_le_bytes()),
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend(value.to_le_bytes()),
        }
    }
}
