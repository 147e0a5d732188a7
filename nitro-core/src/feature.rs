//! Features: numbers computed from the arguments of a call.

use std::cell::Cell;
use std::fmt;
use std::mem::MaybeUninit;

use crate::{Function, MAX_FEATURES};

/// A type whose values can be features: every primitive number, and `bool` as 0 or 1.
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
#[derive(Clone, Copy)]
pub struct FeatureVector {
    names: &'static [&'static str],
    values: [f64; MAX_FEATURES],
    computed: u32,
}

impl FeatureVector {
    pub(crate) fn empty(names: &'static [&'static str]) -> Self {
        Self { names, values: [0.0; MAX_FEATURES], computed: 0 }
    }

    pub(crate) fn set(&mut self, index: usize, value: f64) {
        self.values[index] = value;
        self.computed |= 1 << index;
    }

    /// The feature of this name, if it exists and was computed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// The computed features in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let computed = |index: &usize| self.computed & (1 << index) != 0;
        (0..self.names.len()).filter(computed).map(|index| (self.names[index], self.values[index]))
    }

    /// Number of computed features.
    #[must_use]
    pub fn len(&self) -> usize {
        self.computed.count_ones() as usize
    }

    /// Whether no feature was computed.
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

/// A feature that is computed when it is asked for, which happens at most once a call.
pub struct Once<F>(Cell<Option<F>>);

impl<T, F: FnOnce() -> T> Once<F> {
    /// A feature that `compute` computes.
    #[inline]
    pub fn new(compute: F) -> Self {
        Self(Cell::new(Some(compute)))
    }

    /// Computes it.
    ///
    /// # Panics
    /// The second time.
    #[inline]
    pub fn take(&self) -> T {
        self.0.take().expect("a feature is asked for once")()
    }
}

/// The features that a model asks for, in its order; on the stack, and only as much of it is touched as there are.
pub(crate) struct Row {
    values: [MaybeUninit<f64>; MAX_FEATURES],
    count: usize,
    /// Depends on every bit of every value and on their order.
    fingerprint: u64,
}

/// Computes the features of these indices.
pub(crate) type Features<'a> = dyn Fn(&[usize], &mut Row) + 'a;

/// All features of a function, whether finite or not.
pub(crate) fn all(function: &Function, compute: &Features<'_>) -> Vec<f64> {
    let one = |index| {
        let mut row = Row::empty();
        compute(&[index], &mut row);
        row.values()[0]
    };
    (0..function.features().len()).map(one).collect()
}

impl Row {
    pub(crate) fn empty() -> Self {
        Self { values: [const { MaybeUninit::uninit() }; MAX_FEATURES], count: 0, fingerprint: 0 }
    }

    /// Takes the features of these indices, up to the first that is not finite.
    #[inline]
    pub(crate) fn fill(&mut self, indices: &[usize], feature: impl Fn(usize) -> f64) {
        let (mut count, mut fingerprint) = (0, 0_u64);
        for (place, &index) in self.values.iter_mut().zip(indices) {
            let value = *place.write(feature(index));
            count += 1;
            fingerprint = fingerprint.rotate_left(7) ^ value.to_bits();
            if !value.is_finite() {
                break;
            }
        }
        (self.count, self.fingerprint) = (count, fingerprint);
    }

    /// The place of a value that is not finite: the last one.
    #[inline]
    pub(crate) fn not_finite(&self) -> Option<usize> {
        self.values().last().is_some_and(|last| !last.is_finite()).then(|| self.count - 1)
    }

    /// A number that tells most rows apart.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// What was taken.
    #[inline]
    pub(crate) fn values(&self) -> &[f64] {
        // SAFETY: so many were written.
        unsafe { self.values[..self.count].assume_init_ref() }
    }
}
