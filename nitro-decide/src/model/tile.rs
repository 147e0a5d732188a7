//! Tiles of arrays, and the statements that bring them to shared memory.

use crate::candidate::ChoiceId;
use crate::space::{Array, Kernel, Nesting, Passing};

/// A tile of an array, as a statement walks over it.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) layout: ChoiceId,
    /// Positions among the dimensions of the statement, as the array lies in global memory.
    pub(super) dimensions: Vec<usize>,
    /// The loops that walk over the tile, for each dimension of the array.
    pub(super) loops: Vec<Vec<usize>>,
}

/// The statement that brings an array to shared memory.
#[derive(Clone, Debug)]
pub(super) struct Staging {
    /// Its dimensions in the kernel, and their sizes.
    pub(super) dimensions: Vec<(usize, u64)>,
    pub(super) strides: Vec<u64>,
    /// Loops around it that do all of it again.
    pub(super) repeated: Vec<usize>,
    pub(super) tile: Tile,
}

impl Tile {
    /// Creates the tile of an array; `own` are the dimensions of the statement that stand for those of the array.
    pub(super) fn new(nesting: &Nesting, array: &Array, layout: ChoiceId, own: Vec<usize>) -> Self {
        let mut loops = Vec::with_capacity(array.dimensions.len());
        for &dimension in &array.dimensions {
            let mut tiles = nesting.loops_of(dimension);
            tiles.retain(|&at| nesting.loops[at].level > 0);
            loops.push(tiles);
        }
        Self { layout, dimensions: own, loops }
    }

    /// Returns the dimension of the statement along which elements are neighbours, for a layout.
    pub(super) fn along(&self, layout: usize) -> Option<usize> {
        if layout < 2 { self.dimensions.last().copied() } else { self.dimensions.first().copied() }
    }
}

impl Staging {
    /// Finds the staging of an array of the kernel that a load passes on.
    pub(super) fn of(kernel: &Kernel, nesting: &Nesting, array: usize) -> Option<Self> {
        let passing = Passing::Array(array);
        let passed = kernel.dependences.iter().find(|one| one.passing == passing)?;
        let load = &kernel.statements[passed.from];
        let access = load.accesses.iter().find(|access| access.array == kernel.arrays[array].name)?;
        // Positions among the load's dimensions of those that stand for the array's.
        let mut rows = Vec::new();
        for of in &kernel.arrays[array].dimensions {
            let from = passed.along.iter().find(|along| along.1 == *of)?.0;
            rows.push(load.dimensions.iter().position(|own| *own == from)?);
        }
        let repeated = (0..nesting.loops.len()).filter(|&at| nesting.is_repeated(load, at)).collect();
        Some(Self {
            dimensions: load.dimensions.iter().map(|&at| (at, kernel.dimensions[at].size)).collect(),
            strides: access.strides.clone(),
            repeated,
            tile: Tile::new(nesting, &kernel.arrays[array], nesting.layouts[array]?, rows),
        })
    }
}
