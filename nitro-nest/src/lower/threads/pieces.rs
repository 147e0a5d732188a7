//! How tiles of operands that are stored as matrix units take them are counted, 16 bytes at a time.

use super::context::Context;
use super::fragments::axis;

/// A number that counts pieces: how many there are, and where the next one is.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) extent: i64,
    /// Along the axis, and along the sum.
    pub(super) of_axis: i64,
    pub(super) of_terms: i64,
    /// In the array: blocks, rows, neighbours.
    pub(super) place: [i64; 3],
}

impl Count {
    fn along_axis(extent: i64, of_axis: i64, place: [i64; 3]) -> Self {
        Self { extent, of_axis, of_terms: 0, place }
    }

    fn along_terms(extent: i64, of_terms: i64, place: [i64; 3]) -> Self {
        Self { extent, of_axis: 0, of_terms, place }
    }
}

/// The pieces of 16 bytes of a tile of so many terms.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    pub(super) depth: i64,
    /// Numbers of a row of a swizzled array, and of a piece.
    pub(super) row: i64,
    pub(super) neighbours: i64,
}

impl Pieces {
    /// Returns how those are counted that lie along the sum.
    fn along_terms(self) -> [Count; 2] {
        let Self { depth, row, neighbours } = self;
        [
            Count::along_terms(depth / row, row, [1, 0, 0]),
            Count::along_terms(row / neighbours, neighbours, [0, 0, neighbours]),
        ]
    }

    /// Returns how pieces of the left operand are counted.
    ///
    /// The 16 rows of a warp are eight neighbours, and as many a block's threads further on. In the array they follow
    /// each other, and those of the four warps of a group do.
    pub(super) fn of_left(self, context: &Context<'_>, is_along_terms: bool) -> Vec<Count> {
        let y = axis(context, 1).0;
        let (threads, fragments) = (y.threads, y.points / 2);
        if is_along_terms {
            let rows = [
                Count::along_axis(fragments, 2 * threads, [0, 2 * threads, 0]),
                Count::along_axis(threads / 8, 8, [0, 16, 0]),
                Count::along_axis(2, threads, [0, 8, 0]),
                Count::along_axis(8, 1, [0, 1, 0]),
            ];
            return rows.into_iter().chain(self.along_terms()).collect();
        }
        vec![
            Count::along_terms(self.depth, 1, [0, 1, 0]),
            Count::along_axis(fragments, 2 * threads, [threads / 32, 0, 0]),
            Count::along_axis(2, threads, [0, 0, 8]),
            Count::along_axis(threads / 32, 32, [1, 0, 0]),
            Count::along_axis(4, 8, [0, 0, 16]),
        ]
    }

    /// Returns how pieces of the right operand are counted.
    pub(super) fn of_right(self, columns: i64, is_along_terms: bool) -> Vec<Count> {
        let Self { depth, row, neighbours } = self;
        if is_along_terms {
            let columns = Count::along_axis(columns, 1, [0, 1, 0]);
            return [columns].into_iter().chain(self.along_terms()).collect();
        }
        vec![
            Count::along_terms(depth, 1, [0, 1, 0]),
            Count::along_axis(columns / row, row, [1, 0, 0]),
            Count::along_axis(row / neighbours, neighbours, [0, 0, neighbours]),
        ]
    }
}
