//! Floating-point numbers as integers of the same order.

use rayon::prelude::*;

/// Keys that one thread translates at least.
const TASK_KEYS: usize = 64 * 1024;

/// A floating-point number that can be sorted into IEEE 754's total order, the one of [`f64::total_cmp`].
///
/// Sealed: `f32` and `f64`.
pub trait Key: Copy + Send + Sync + sealed::Sealed {
    /// The unsigned integer of the same size.
    type Bits: Bits;
    /// Size in bits.
    const BITS: u32;

    /// The keys as the integers that their bits spell.
    fn as_bits(keys: &mut [Self]) -> &mut [Self::Bits];
    /// The integer that stands where the key stands in the total order.
    fn ordered(self) -> Self::Bits;
}

/// An unsigned integer: the bits of a [`Key`].
pub trait Bits: Copy + Ord + Default + Send + Sync + sealed::Sealed {
    /// Size in bytes.
    const BYTES: usize;

    /// Translates the bits of a number to the integer at its place in the total order.
    fn to_ordered(self) -> Self;
    /// Translates back to the bits of the number.
    fn to_original(self) -> Self;
    /// A byte, counted from the least significant.
    fn byte(self, index: usize) -> usize;
}

mod sealed {
    /// Keeps others from implementing the traits.
    pub trait Sealed {}
}

macro_rules! key {
    ($float:ty, $bits:ty, $signed:ty) => {
        impl sealed::Sealed for $float {}
        impl sealed::Sealed for $bits {}

        impl Key for $float {
            type Bits = $bits;
            const BITS: u32 = <$bits>::BITS;

            fn as_bits(keys: &mut [Self]) -> &mut [$bits] {
                bytemuck::cast_slice_mut(keys)
            }

            fn ordered(self) -> $bits {
                self.to_bits().to_ordered()
            }
        }

        impl Bits for $bits {
            const BYTES: usize = size_of::<$bits>();

            // Negative numbers descend with their bits, and all must come before the positive ones.
            fn to_ordered(self) -> $bits {
                self ^ ((self as $signed >> (<$bits>::BITS - 1)) as $bits | 1 << (<$bits>::BITS - 1))
            }

            fn to_original(self) -> $bits {
                self ^ ((!self as $signed >> (<$bits>::BITS - 1)) as $bits | 1 << (<$bits>::BITS - 1))
            }

            fn byte(self, index: usize) -> usize {
                (self >> (8 * index)) as u8 as usize
            }
        }
    };
}

key!(f32, u32, i32);
key!(f64, u64, i64);

/// Sorts keys by sorting the integers that stand for them.
pub(super) fn by_bits<K: Key>(keys: &mut [K], sort: impl FnOnce(&mut [K::Bits])) {
    let bits = K::as_bits(keys);
    translate(bits, Bits::to_ordered);
    sort(bits);
    translate(bits, Bits::to_original);
}

/// Replaces every integer, on all threads of the pool where that pays.
fn translate<B: Bits>(bits: &mut [B], change: impl Fn(B) -> B + Sync) {
    let change_all = |bits: &mut [B]| bits.iter_mut().for_each(|bits| *bits = change(*bits));
    if bits.len() <= TASK_KEYS || rayon::current_num_threads() == 1 {
        change_all(bits);
    } else {
        bits.par_chunks_mut(TASK_KEYS).for_each(change_all);
    }
}
