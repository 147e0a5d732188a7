//! Decisions about one kernel.

use serde::{Deserialize, Serialize};

use super::MatrixArithmetic;
use crate::limits::{LANES, MOST_THREADS};

/// Decisions about one kernel: threads, what each of them covers, and where its values are meanwhile.
///
/// ```
/// use nitro_nest::Tiling;
///
/// // Tiles of 64 × 64 elements, 16 of which each thread has in registers.
/// let registers = Tiling { block: [16, 16, 1], thread_tile: [4, 4, 1], promotes: true, ..Tiling::default() };
/// assert_eq!(registers.tile(), [64, 64, 1]);
/// // The operands of 16 iterations at a time are in shared memory.
/// let staged = Tiling { tile_k: 16, ..registers };
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tiling {
    /// Threads of a block along x, y and z. Where they [share rows](super::Schedule::rows): those of a row, and rows.
    pub block: [u32; 3],
    /// Values that each thread covers along x, y and z: neighbours along y and z, along x as `vector_width` says.
    ///
    /// Of a row that threads share, the most values along x that each of them has in registers.
    #[serde(rename = "points")]
    pub thread_tile: [u32; 3],
    /// The number of a thread's values along x that are neighbours, in kernels that stage something or share rows.
    ///
    /// Groups of them are a block's threads apart. With 1, neighbouring threads touch neighbouring elements; with 4 a
    /// thread reads four elements of shared memory at once. It counts as the largest number that is not above it and
    /// divides the thread tile.
    #[serde(rename = "neighbours")]
    pub vector_width: u32,
    /// Iterations of the innermost loop of a thread whose operands are *staged* in shared memory before they run.
    ///
    /// 0: none are.
    #[serde(rename = "inner")]
    pub tile_k: u32,
    /// Pipeline stages of what is staged, as far as there is room in shared memory. 0 is 1.
    ///
    /// With 2, the operands of the next iterations are on their way while some are worked on, with 3 those of the
    /// ones after them too. In [tiles in time](super::Schedule::time_steps) it is the rows that are loaded ahead.
    #[serde(rename = "buffers")]
    pub stages: u32,
    /// Values of neighbouring points of a thread are neighbours in shared memory, also where they are not in their
    /// array.
    pub transposes: bool,
    /// Terms that a block has of sums which are [split](super::Schedule::splits_sums) (split-K).
    ///
    /// 0: as many as are usual, 256.
    #[serde(rename = "terms", skip_serializing_if = "is_zero")]
    pub split_k: u32,
    /// Slices of a block along z that share out the iterations which are staged (sliced-K of products of matrices).
    ///
    /// Each has `tile_k` of them, and a block adds up what they come to: more threads for a tile than it has elements
    /// for. It takes a nest that permits it, and a grid with two dimensions that goes through one sum. A power of two
    /// up to 16; 0 is 1.
    #[serde(rename = "slices", skip_serializing_if = "is_zero")]
    pub sliced_k: u32,
    /// A thread adds four [neighbours](Self::vector_width) at once to sums that several blocks add up.
    ///
    /// Rows have to begin at multiples of 16 bytes. It is one operation from compute capability 9.0 on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adds_wide: bool,
    /// Iterations of a loop of a thread that are written out. 0: as many as the compiler likes, 16 of a recurrence.
    pub unroll: u32,
    /// *Register promotion*: an element that a loop of a thread writes again and again is in a register meanwhile.
    pub promotes: bool,
    /// The least number of blocks for which a multiprocessor has registers at the same time.
    ///
    /// A thread gets by with what is left for it. 0: it takes as many as it likes.
    #[serde(rename = "resident_blocks")]
    pub min_blocks: u32,
    /// Products are computed by the *matrix units* of warps, with this arithmetic: results are approximate.
    ///
    /// It takes a nest that permits another order of additions, registers for results (`promotes`) and operands that
    /// are staged, as many iterations at once as a multiple of its [`depth`](MatrixArithmetic::depth). A warp is
    /// 4 × 8 threads of the block, along x and y, each of which has an even number of values along both. Tiles that
    /// are cut off along the sum, and kernels that are no such products, are computed as ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix_units: Option<MatrixArithmetic>,
    /// Four warps multiply together (*warp groups*, `wgmma`): compute capability 9.0 alone has that.
    ///
    /// A block is four threads wide, and as many times 32 high as it has groups; a thread has up to 64 values along x.
    /// There are three stages, whatever [`stages`](Self::stages) says. Operands that are both stored as matrix units
    /// take them stay so: they have four stages of 64 terms or a multiple. Where sums do not simply go through rows of
    /// one operand and columns of another one, each warp multiplies by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub warp_groups: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
pub(super) fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The usual terms of a chunk: some hundred are worth the additions to memory that it takes.
const USUAL_SPLIT_K: u32 = 256;

impl Default for Tiling {
    /// Returns blocks of 256 threads along x, one value for each thread, nothing staged or promoted.
    fn default() -> Self {
        Self {
            block: [256, 1, 1],
            thread_tile: [1; 3],
            vector_width: 1,
            tile_k: 0,
            stages: 1,
            transposes: false,
            split_k: 0,
            sliced_k: 0,
            adds_wide: false,
            unroll: 0,
            promotes: false,
            min_blocks: 0,
            matrix_units: None,
            warp_groups: false,
        }
    }
}

impl Tiling {
    /// Returns the usual tiling of products on matrix units: warps have 64 × 64 elements each.
    ///
    /// With several parts two blocks of four warps share a multiprocessor; with one part a block has eight, since
    /// larger tiles read operands less often.
    #[must_use]
    pub fn on_matrix_units(arithmetic: MatrixArithmetic) -> Self {
        let (x, min_blocks) = if arithmetic.parts() == 1 { (16, 1) } else { (8, 2) };
        Self {
            block: [x, 16, 1],
            thread_tile: [16, 8, 1],
            vector_width: 2,
            tile_k: 16,
            stages: 3,
            promotes: true,
            min_blocks,
            matrix_units: Some(arithmetic),
            ..Self::default()
        }
    }

    /// Returns the usual tiling of products by warp groups, of compute capability 9.0: each has 64 rows of 128 columns.
    ///
    /// With several parts a block has two groups, since threads need registers for a step of the sum too; else four.
    #[must_use]
    pub fn on_warp_groups(arithmetic: MatrixArithmetic) -> Self {
        let groups = if arithmetic.parts() == 1 { 4 } else { 2 };
        Self {
            block: [4, 32 * groups, 1],
            thread_tile: [32, 2, 1],
            tile_k: 32,
            min_blocks: 1,
            warp_groups: true,
            ..Self::on_matrix_units(arithmetic)
        }
    }

    /// Returns `true` if the points of threads lie as fragments of matrix units do.
    pub(crate) fn has_fragments(&self) -> bool {
        self.matrix_units.is_some() && self.has_sound_fragments()
    }

    /// Returns `true` if warps are 4 × 8 threads that have even numbers of points, and groups are whole.
    pub(super) fn has_sound_fragments(&self) -> bool {
        let is_multiple = |number: u32, of: u32| number > 0 && number.is_multiple_of(of);
        let ([x, y, _], [points_x, points_y, points_z]) = (self.block, self.thread_tile);
        let are_fragments = is_multiple(x, 4) && is_multiple(y, 8) && points_z == 1;
        let are_groups = x == 4 && is_multiple(y, 32) && points_x <= 64;
        are_fragments
            && (are_groups || !self.warp_groups)
            && is_multiple(points_x, 2)
            && is_multiple(points_y, 2)
    }

    /// Returns the usual tiling of kernels of whole rows ([`Schedule::rows`](super::Schedule::rows)).
    ///
    /// 256 threads share a row, and have one of up to 4,096 values in registers.
    pub(super) fn of_rows() -> Self {
        Self { thread_tile: [16, 1, 1], unroll: 4, ..Self::default() }
    }

    /// Returns the usual tiling of kernels of whole columns: rows whose neighbours neighbouring threads have.
    ///
    /// Eight neighbours are a transaction, and 64 threads share each.
    pub(super) fn of_columns() -> Self {
        Self { block: [64, 8, 1], ..Self::of_rows() }
    }

    /// Returns the usual tilings of kernels that run several iterations of a stencil, for arrays of so many dimensions.
    ///
    /// Threads have neighbouring points along x and y; those along z are the rows (or planes) that a block goes
    /// through. All tiles are of one size: later ones have fewer threads, each with more points.
    pub(crate) fn of_time(dimensions: usize) -> Vec<Self> {
        let tiling = |block, thread_tile, stages| Self { block, thread_tile, stages, ..Self::default() };
        match dimensions {
            2 => vec![tiling([256, 1, 1], [1, 1, 256], 4), tiling([128, 1, 1], [2, 1, 256], 4)],
            _ => vec![
                tiling([32, 32, 1], [1, 1, 64], 2),
                tiling([32, 16, 1], [1, 2, 64], 2),
                tiling([32, 8, 1], [1, 4, 64], 2),
            ],
        }
    }

    /// Returns the tiling of the loops that number rows, where the threads of a block along x share one.
    pub(crate) fn of_row_numbers(&self) -> Self {
        let [inner, outer] = self.rows_of_block();
        Self { block: [inner, outer, 1], ..Self::default() }
    }

    /// Returns the threads that share a row: whole warps, or a part of a warp that shuffles by itself.
    pub(crate) fn threads_of_row(&self) -> u32 {
        match self.block[0] {
            narrow if narrow < LANES => narrow.next_power_of_two(),
            wide => wide.next_multiple_of(LANES).min(MOST_THREADS),
        }
    }

    /// Returns the rows that a block has along two loops, as far as there are threads for them.
    ///
    /// Those that share warps make whole ones together, and would be a block with a warp for each, too.
    pub(crate) fn rows_of_block(&self) -> [u32; 2] {
        let narrow = match self.threads_of_row() {
            narrow if narrow < LANES => narrow,
            wide => return [self.block[1].min(MOST_THREADS / wide), 1],
        };
        let most = MOST_THREADS / LANES;
        let outer = self.block[2].min(most);
        let inner = self.block[1].min(most / outer);
        if (narrow * inner * outer).is_multiple_of(LANES) {
            return [inner, outer];
        }
        [inner.next_multiple_of(LANES / narrow), 1]
    }

    /// Returns how many values a block covers along x, y and z.
    #[must_use]
    pub fn tile(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.block[axis] * self.thread_tile[axis])
    }

    /// Returns `true` if a block has threads for its slices, and their halves can be added up again and again.
    pub(super) fn has_sound_slices(&self) -> bool {
        let threads: u32 = self.block.iter().product();
        self.sliced_k == 0
            || self.sliced_k <= 16 && self.sliced_k.is_power_of_two() && threads * self.sliced_k <= 1024
    }

    /// Returns the terms that a block has of sums which are split.
    pub(crate) fn split_k_chunk(&self) -> i64 {
        if self.split_k == 0 { USUAL_SPLIT_K.into() } else { self.split_k.into() }
    }

    /// Checks what a caller hands over.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024, a thread covers no value, or slices are no power of two up to 16.
    pub(super) fn assert_sound(&self) {
        let threads = self.block.iter().try_fold(1_u32, |all, extent| all.checked_mul(*extent));
        let Self { block, thread_tile, sliced_k, .. } = self;
        assert!(threads.is_some_and(|threads| (1..=1024).contains(&threads)), "a block of {block:?} threads");
        assert!(!thread_tile.contains(&0), "threads that cover {thread_tile:?} values");
        assert!(self.has_sound_slices(), "{sliced_k} slices of blocks of {block:?}");
        let is_sound = self.matrix_units.is_none() || self.has_sound_fragments();
        assert!(is_sound, "matrix units for blocks of {block:?} threads of {thread_tile:?} values");
    }
}
