//! Sizes that tiles may have.

/// The sizes that loops of a [`DecidedSpace`](super::DecidedSpace) may have. Those that divide their dimension count.
///
/// ```
/// use nitro_decide::{DecidedSpace, Limits, TileSizes};
///
/// let few = TileSizes { sum: vec![8], threads: vec![8], ..TileSizes::reduced() };
/// let space = DecidedSpace::sgemm([64; 3], &few, &Limits::default())?;
/// assert!(space.root().count(10_000).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSizes {
    /// Threads along a dimension.
    pub threads: Vec<u64>,
    /// Elements of a thread along rows; neighbours.
    pub rows: Vec<u64>,
    /// Elements of a thread along columns that are as far from each other as there are threads along them.
    pub strips: Vec<u64>,
    /// Elements of a thread along columns that are neighbours.
    pub neighbours: Vec<u64>,
    /// Tiles of the sum.
    pub sum: Vec<u64>,
    /// Threads along a dimension of those that load a tile together.
    pub loading_threads: Vec<u64>,
    /// Elements along a dimension that each of them loads.
    pub loaded: Vec<u64>,
    /// The other decisions.
    pub open: OpenChoices,
}

/// The decisions beside sizes, kinds, threads and memory. What a bound on the time cannot tell apart, as
/// most of this, has to be timed point by point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenChoices {
    /// The order of unrolled loops around arithmetic and stores; else, and around loads, it is that in which they
    /// are written.
    pub unrolled: bool,
    /// The order of blocks, and of threads; else it is that in which they are written.
    pub threads: bool,
    /// True where rows of tiles in shared memory are padded; else they are not.
    pub paddings: bool,
    /// True where caches are chosen for loads and stores; else they are as usual.
    pub caches: bool,
    /// True where the next tiles are loaded while those before are used; else they are loaded as they are needed.
    pub ahead: bool,
}

impl OpenChoices {
    /// Everything.
    pub const ALL: Self = Self { unrolled: true, threads: true, paddings: true, caches: true, ahead: true };
}

impl TileSizes {
    /// Returns all powers of two that make sense on a GPU, with all orders, and paddings of tiles.
    #[must_use]
    pub fn full() -> Self {
        Self {
            threads: powers(10),
            rows: powers(6),
            strips: powers(4),
            neighbours: powers(2),
            sum: powers(8),
            loading_threads: powers(10),
            loaded: powers(7),
            open: OpenChoices { caches: false, ..OpenChoices::ALL },
        }
    }

    /// Returns few enough that every point can be measured.
    #[must_use]
    pub fn reduced() -> Self {
        Self {
            threads: vec![8, 16, 32],
            rows: vec![4, 8],
            strips: vec![1, 2],
            neighbours: vec![4],
            sum: vec![8, 16],
            loading_threads: vec![1, 2, 4, 8, 16, 32, 64, 128],
            loaded: vec![1, 2, 4, 8, 16],
            open: OpenChoices::default(),
        }
    }
}

/// Returns the powers of two up to this one.
fn powers(most: u32) -> Vec<u64> {
    (0..=most).map(|power| 1 << power).collect()
}
