//! Sorting keys of 32 and 64 bits on the device, from one buffer to another.
//!
//! Keys are unsigned integers. Floating-point numbers are sorted as the integers that stand for them in IEEE 754's
//! total order, see [`Key`](crate::variants::sort::Key).

pub mod inputs;
mod keys;
mod locality;
mod merge;
mod radix;
mod record;

use nitro_cuda::{Buffer, CudaError, Program};

pub use keys::{Keys, MAX_KEYS, Word};
pub use locality::locality;
pub use merge::merge;
pub use radix::radix;
pub use record::record;

/// A source behind `tile.cu`, in one text that tells the compiler what is from which file.
macro_rules! with_tile {
    ($file:literal) => {
        concat!(
            "#line 1 \"sort/tile.cu\"\n",
            include_str!("tile.cu"),
            "#line 1 \"sort/",
            $file,
            "\"\n",
            include_str!($file)
        )
    };
}
use with_tile;

/// The CUDA sources of this function.
pub fn programs() -> [&'static Program; 3] {
    [&merge::KERNELS, &locality::KERNELS, &radix::KERNELS]
}

/// Threads of a block that sorts or merges a tile; the kernels say the same.
const TILE_THREADS: u32 = 256;

/// How merge and locality sort divide their keys.
struct Tiles {
    /// Keys of a tile.
    tile_keys: u32,
    /// Number of tiles.
    count: u32,
    /// Merges that the keys of a tile take part in.
    passes: u32,
}

impl Tiles {
    /// The tiles of at least one key.
    fn of<W: Word>(keys: u32) -> Tiles {
        let tile_keys = TILE_THREADS * W::TILE_ITEMS;
        let count = keys.div_ceil(tile_keys);
        Tiles { tile_keys, count, passes: count.next_power_of_two().ilog2() }
    }

    /// For each pass how long the runs are that it merges.
    fn runs(&self) -> impl Iterator<Item = u32> {
        (0..self.passes).map(|pass| self.tile_keys << pass)
    }
}

/// The number of keys, once it is clear that they and the result have one length.
pub(super) fn key_count<W: Word>(from: &Keys<W>, to: &Buffer<W>) -> Result<u32, CudaError> {
    if from.len() == to.len() {
        Ok(u32::try_from(from.len()).expect("`Keys::new` has checked the number of keys"))
    } else {
        Err(CudaError::Length { expected: from.len(), found: to.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_double_until_two_make_up_all_keys() {
        let runs = |keys| Tiles::of::<u32>(keys).runs().collect::<Vec<_>>();
        assert_eq!(runs(1), [0; 0]);
        assert_eq!(runs(3840), [0; 0]);
        assert_eq!(runs(3841), [3840]);
        assert_eq!(runs(2 * 3840), [3840]);
        assert_eq!(runs(2 * 3840 + 1), [3840, 7680]);
        let last = Tiles::of::<u64>(MAX_KEYS as u32).runs().last().unwrap();
        assert!(2 * u64::from(last) >= MAX_KEYS as u64 && (last as usize) < MAX_KEYS);
    }
}
