//! Shapes of arrays for given sizes, and the integers that count their elements.

use serde::{Deserialize, Serialize};

use crate::Affine;
use crate::launch::value;

/// The most elements that arrays of tests and references may have: 2^40, beyond what any machine holds.
const MOST_ELEMENTS: i64 = 1 << 40;
/// The size below which what a kernel computes from sizes and indices stays within 32 bits. Tiles that stand out
/// beyond an array are less than half of what there is.
const SMALL: u64 = 1 << 30;

/// The extents of an array for these sizes. Of a temporary that has an element for each iteration of a loop there
/// is none where the loop ends before it begins.
///
/// ```
/// use nitro_launch::{Variable, shape};
///
/// let extents = [Variable::Parameter(0) * 2, Variable::Parameter(0) - 5];
/// assert_eq!(shape(&extents, &[8], false), Ok(vec![16, 3]));
/// assert_eq!(shape(&extents, &[3], false), Err(vec![6, -2]));
/// assert_eq!(shape(&extents, &[3], true), Ok(vec![6, 0]));
/// ```
///
/// # Errors
/// The extents, when one is negative or there are more than 2^40 elements.
///
/// # Panics
/// When the extents name a size that is not among those.
pub fn shape(extents: &[Affine], sizes: &[i64], is_temporary: bool) -> Result<Vec<i64>, Vec<i64>> {
    let least = if is_temporary { 0 } else { i64::MIN };
    let mut shape = Vec::with_capacity(extents.len());
    for extent in extents {
        shape.push(extent.evaluate(&|variable| value(sizes, &[], variable)).max(least));
    }
    let elements = shape.iter().try_fold(1_i64, |all, extent| all.checked_mul(*extent));
    let fits = elements.is_some_and(|elements| elements <= MOST_ELEMENTS);
    if fits && shape.iter().all(|extent| *extent >= 0) { Ok(shape) } else { Err(shape) }
}

/// The integers that kernels count in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Integers {
    /// `int`: faster, where all arrays and sizes are small enough.
    Bits32,
    /// `long long`, for any sizes.
    Bits64,
}

impl Integers {
    /// The integers that suffice for these sizes and shapes of all arrays.
    ///
    /// ```
    /// use nitro_launch::Integers;
    ///
    /// assert_eq!(Integers::sufficient(&[1000], &[vec![1000, 1000]]), Integers::Bits32);
    /// assert_eq!(Integers::sufficient(&[50_000], &[vec![50_000, 50_000]]), Integers::Bits64);
    /// ```
    #[must_use]
    pub fn sufficient(sizes: &[i64], shapes: &[Vec<i64>]) -> Self {
        let elements = shapes.iter().map(|shape| shape.iter().product::<i64>());
        let are_small = sizes.iter().copied().chain(elements).all(|value| value.unsigned_abs() < SMALL);
        if are_small { Self::Bits32 } else { Self::Bits64 }
    }

    /// The name of their type in C++.
    #[must_use]
    pub fn c_name(self) -> &'static str {
        match self {
            Self::Bits32 => "int",
            Self::Bits64 => "long long",
        }
    }
}
