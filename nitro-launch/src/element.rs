//! The numbers that kernels compute with, and those that they store.

use serde::{Deserialize, Serialize};

/// The type of all floating-point numbers of a nest and its kernels: of arrays, scalars and constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Element {
    /// `f32`, single precision.
    #[default]
    F32,
    /// `f64`, double precision.
    F64,
}

impl Element {
    /// Returns true for single precision, which texts do not mention.
    #[must_use]
    pub fn is_single(&self) -> bool {
        *self == Self::F32
    }

    /// The bytes of a number.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The name of the type in Rust.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The name of the type in C++.
    #[must_use]
    pub fn c_name(self) -> &'static str {
        match self {
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }
}

/// The form in which an array's elements are stored. Kernels compute with the numbers of the nest: what is read is
/// converted, and what is written was rounded to nearest, ties to even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Storage {
    /// As they are computed with.
    #[default]
    Number,
    /// `f16`, half precision, of nests of `f32`.
    F16,
    /// `bf16`, the upper half of an `f32`, of nests of that.
    Bf16,
}

impl Storage {
    /// Returns true where elements are stored as they are computed with, which texts do not mention.
    #[must_use]
    pub fn is_number(&self) -> bool {
        *self == Self::Number
    }

    /// The name of the type in Rust, where numbers are of another one.
    #[must_use]
    pub fn name(self, element: Element) -> &'static str {
        match self {
            Self::Number => element.name(),
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }

    /// The name of the type in C++, where numbers are of another one: 16 bits that kernels convert by themselves.
    #[must_use]
    pub fn c_name(self, element: Element) -> &'static str {
        match self {
            Self::Number => element.c_name(),
            Self::F16 | Self::Bf16 => "unsigned short",
        }
    }
}
