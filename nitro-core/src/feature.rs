//! Features: numbers computed from the arguments of a call.

use std::fmt;
use std::mem::MaybeUninit;

use crate::MAX_FEATURES;

/// A type whose values can be features: every primitive number, and `bool` as 0 or 1.
///
/// ```
/// use nitro_core::FeatureValue;
///
/// /// A size that a program has a type for.
/// #[derive(Clone, Copy)]
/// struct Bytes(u64);
///
/// impl FeatureValue for Bytes {
///     fn to_f64(self) -> f64 {
///         self.0.to_f64()
///     }
/// }
///
/// assert_eq!((Bytes(4096).to_f64(), true.to_f64()), (4096.0, 1.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "a feature is a number or a bool, not `{Self}`",
    label = "this feature has type `{Self}`",
    note = "convert it, for example with `as f64`"
)]
pub trait FeatureValue: Copy {
    /// The value as the model sees it. Integers beyond 2^53 are rounded.
    fn to_f64(self) -> f64;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl FeatureValue for $number {
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl FeatureValue for bool {
    fn to_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// The features of one call, by name. A feature that no decision needed was not computed and is absent.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// let selection = sort::select(&[7; 4096]);
/// assert_eq!(selection.features().get("length"), Some(4096.0));
/// let shown: Vec<_> = selection.features().iter().map(|(name, value)| format!("{name}={value}")).collect();
/// assert_eq!(shown, ["length=4096"]);
/// ```
#[derive(Clone, Copy)]
pub struct FeatureVector {
    names: &'static [&'static str],
    values: [f64; MAX_FEATURES],
    computed: u32,
}

impl FeatureVector {
    /// The features whose bits are set.
    pub(crate) fn new(names: &'static [&'static str], features: &[f64], computed: u32) -> Self {
        let mut values = [0.0; MAX_FEATURES];
        values[..features.len()].copy_from_slice(features);
        Self { names, values, computed }
    }

    /// The feature of this name, if it exists and was computed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// The computed features in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let indices = (0..self.names.len()).filter(|index| self.computed & (1 << index) != 0);
        indices.map(|index| (self.names[index], self.values[index]))
    }

    /// Number of computed features.
    #[must_use]
    pub fn len(&self) -> usize {
        self.computed.count_ones() as usize
    }

    /// Returns true where no feature was computed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.computed == 0
    }
}

impl fmt::Debug for FeatureVector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

/// Computes the features whose bits are set, each into its place of all that the function has. None is computed a
/// second time.
pub(crate) type Features<'a> = dyn Fn(u32, &mut [f64]) + 'a;

/// Computes this many features: all of a function, whether finite or not.
pub(crate) fn all(count: usize, compute: &Features<'_>) -> Vec<f64> {
    let mut values = vec![0.0; count];
    compute(bits(0..count), &mut values);
    values
}

/// Bit by bit the features of these indices.
pub(crate) fn bits(indices: impl IntoIterator<Item = usize>) -> u32 {
    indices.into_iter().fold(0, |bits, index| bits | 1 << index)
}

/// The features that a model asks for, in its order. They are on the stack, and only as much of it is touched as
/// there are.
pub(crate) struct Row {
    values: [MaybeUninit<f64>; MAX_FEATURES],
    count: usize,
}

impl Row {
    /// The features of these indices out of those of a function.
    #[inline]
    pub(crate) fn gather(indices: &[usize], features: &[f64]) -> Self {
        let mut values = [const { MaybeUninit::uninit() }; MAX_FEATURES];
        let slots = values.iter_mut().zip(indices);
        let count = slots.map(|(slot, &index)| slot.write(features[index])).count();
        Self { values, count }
    }

    /// The features.
    #[inline]
    pub(crate) fn values(&self) -> &[f64] {
        // SAFETY: so many were written.
        unsafe { self.values[..self.count].assume_init_ref() }
    }
}
