//! The numbers that kernels compute with.

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
