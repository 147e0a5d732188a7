//! How the work of a kernel is spread over threads.

use serde::{Deserialize, Serialize};

/// Decisions about one kernel: threads, what each of them covers, and where its values are meanwhile.
///
/// ```
/// use nitro_nest::Tiling;
///
/// // Tiles of 64 × 64 elements, 16 of which each thread has in registers, while 16 iterations' operands are in shared memory.
/// let tiling = Tiling { block: [16, 16, 1], points: [4, 4, 1], inner: 16, promotes: true, ..Tiling::default() };
/// assert_eq!(tiling.tile(), [64, 64, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tiling {
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Values that each thread covers along x, y and z: neighbours along y and z, along x as `neighbours` says.
    pub points: [u32; 3],
    /// How many of a thread's values along x are neighbours, in kernels that stage something; groups of them are a
    /// block's threads apart. With 1, neighbouring threads touch neighbouring elements; with 4 a thread reads four
    /// elements of shared memory at once. It counts as the largest number that is not above it and divides
    /// `points`.
    pub neighbours: u32,
    /// Iterations of the innermost loop of a thread whose operands are *staged* in shared memory before they run.
    /// 0: none are.
    pub inner: u32,
    /// Buffers of what is staged: with 2, the operands of the next iterations are on their way while some are
    /// worked on, with 3 those of the ones after them too, as far as there is room in shared memory. 0 is 1.
    pub buffers: u32,
    /// Whether what is staged lies in shared memory so that values of neighbouring points of a thread are
    /// neighbours there, also where they are not in their array.
    pub transposes: bool,
    /// Terms that a block has of sums which are [split](super::Schedule::splits_sums). 0: as many as are usual, 256.
    #[serde(skip_serializing_if = "is_zero")]
    pub terms: u32,
    /// *Slices*: threads along z share out the iterations that are staged, `inner` for each of them, and a block
    /// adds up what they come to (sliced-K of products of matrices): more threads for a tile than it has elements
    /// for, where the nest permits it and a grid with two dimensions goes through one sum. A power of two up to 16;
    /// 0 is 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub slices: u32,
    /// Whether a thread adds four [neighbours](Self::neighbours) at once to sums that several blocks add up, where
    /// rows begin at multiples of 16 bytes: one operation from compute capability 9.0 on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adds_wide: bool,
    /// How many iterations of a loop of a thread are written out. 0: as many as the compiler likes.
    pub unroll: u32,
    /// *Register promotion*: an element that a loop of a thread writes again and again is in a register while the
    /// loop runs.
    pub promotes: bool,
    /// Blocks for which a multiprocessor is to have registers at the same time: a thread gets by with what is left
    /// for it. 0: it takes as many as it likes.
    pub resident_blocks: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Some hundred are worth the additions to memory that each part of a sum takes.
const USUAL_TERMS: i64 = 256;

impl Default for Tiling {
    /// Blocks of 256 threads along x, one value for each thread, nothing staged or promoted.
    fn default() -> Self {
        Self {
            block: [256, 1, 1],
            points: [1; 3],
            neighbours: 1,
            inner: 0,
            buffers: 1,
            transposes: false,
            terms: 0,
            slices: 0,
            adds_wide: false,
            unroll: 0,
            promotes: false,
            resident_blocks: 0,
        }
    }
}

impl Tiling {
    /// Values that a block covers along x, y and z.
    #[must_use]
    pub fn tile(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.block[axis] * self.points[axis])
    }

    /// Whether a block has so many threads, and halves of its slices can be added up again and again.
    pub(super) fn has_sound_slices(&self) -> bool {
        let threads: u32 = self.block.iter().product();
        self.slices == 0
            || self.slices <= 16 && self.slices.is_power_of_two() && threads * self.slices <= 1024
    }

    pub(crate) fn part_terms(&self) -> i64 {
        if self.terms == 0 { USUAL_TERMS } else { self.terms.into() }
    }

    /// # Panics
    /// When a block has no thread or more than 1024, a thread covers no value, or slices are no power of two up to 16.
    pub(super) fn check(&self) {
        let threads = self.block.iter().try_fold(1_u32, |all, extent| all.checked_mul(*extent));
        assert!(
            threads.is_some_and(|threads| (1..=1024).contains(&threads)),
            "a block of {:?} threads",
            self.block
        );
        assert!(!self.points.contains(&0), "threads that cover {:?} values", self.points);
        assert!(self.has_sound_slices(), "{} slices of blocks of {:?}", self.slices, self.block);
    }
}
