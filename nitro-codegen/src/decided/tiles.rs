//! Which sizes tiles may have.

/// Which sizes the loops of a [`DecidedSpace`](super::DecidedSpace) may have. Those that divide their dimension count.
///
/// ```
/// use nitro_codegen::{DecidedSpace, TileSizes};
/// use nitro_search::partial::Limits;
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
    /// Whether the order of loops of one kind is as it is written, and tiles are not padded.
    pub fixed: bool,
}

impl TileSizes {
    /// All powers of two that make sense on a GPU.
    #[must_use]
    pub fn full() -> Self {
        let powers = |most: u32| (0..=most).map(|power| 1 << power).collect::<Vec<u64>>();
        Self {
            threads: powers(8),
            rows: powers(4),
            strips: powers(2),
            neighbours: powers(2),
            sum: powers(6),
            loading_threads: powers(8),
            loaded: powers(5),
            fixed: false,
        }
    }

    /// Few enough that every point can be measured.
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
            fixed: true,
        }
    }
}
