//! Keys on the device.

use nitro_cuda::{Buffer, CudaError, Pod};
use rayon::prelude::*;

use crate::variants::sort::{Bits, Key, sample_descents_log2, sample_distinct, sample_runs_log2};

/// Most keys that can be sorted at once: radix sort publishes counts in 30 bits.
pub const MAX_KEYS: usize = (1 << 30) - 1;

/// An unsigned integer that the device sorts. Sealed: `u32` and `u64`.
pub trait Word: Bits + Pod {
    /// Size in bits.
    const BITS: u32;
    /// What the kernels call it.
    const NAME: &'static str;
    /// Keys that a thread of merge and locality sort holds; the kernels say the same.
    const TILE_ITEMS: u32;
    /// Keys that a thread of radix sort holds; the kernels say the same.
    const RADIX_ITEMS: u32;
}

impl Word for u32 {
    const BITS: u32 = u32::BITS;
    const NAME: &'static str = "u32";
    const TILE_ITEMS: u32 = 15;
    const RADIX_ITEMS: u32 = 18;
}

impl Word for u64 {
    const BITS: u32 = u64::BITS;
    const NAME: &'static str = "u64";
    const TILE_ITEMS: u32 = 11;
    const RADIX_ITEMS: u32 = 10;
}

/// Unsorted keys on the device, with what is known of a sample of them.
#[derive(Debug)]
pub struct Keys<W: Word> {
    words: Buffer<W>,
    /// Ascending runs in a sample, as log2(1 + runs that end early per thousand neighbours).
    pub sample_runs_log2: f64,
    /// Descents between sampled keys far apart, as log2(1 + descents).
    pub sample_descents_log2: f64,
    /// Share of sampled keys that are different from all others before.
    pub sample_distinct: f64,
}

impl<W: Word> Keys<W> {
    /// Looks at a sample of floating-point numbers, and copies the integers of the same order to the current device.
    ///
    /// # Errors
    /// When there is no device, or not enough memory on it.
    ///
    /// # Panics
    /// If there are more than [`MAX_KEYS`].
    pub fn new<K: Key<Bits = W>>(keys: &[K]) -> Result<Self, CudaError> {
        assert!(keys.len() <= MAX_KEYS, "at most {MAX_KEYS} keys can be sorted, not {}", keys.len());
        Ok(Self {
            words: Buffer::from_slice(&words(keys))?,
            sample_runs_log2: sample_runs_log2(keys),
            sample_descents_log2: sample_descents_log2(keys),
            sample_distinct: sample_distinct(keys),
        })
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The keys.
    pub(in crate::cuda) fn words(&self) -> &Buffer<W> {
        &self.words
    }
}

/// The integers that stand for floating-point numbers in the total order.
pub(super) fn words<K: Key>(keys: &[K]) -> Vec<K::Bits> {
    keys.par_iter().map(|key| key.ordered()).collect()
}
