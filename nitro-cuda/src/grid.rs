//! The shape of a launch.

use std::fmt;

/// The shape of a launch.
///
/// ```
/// use nitro_cuda::Grid;
///
/// let grid = Grid::covering(1000, 256).with_shared_bytes(4096);
/// assert_eq!((grid.blocks, grid.threads), ((4, 1, 1), (256, 1, 1))); // 24 threads more than elements
/// let tiles = Grid { blocks: (8, 8, 1), ..Grid::linear(1, 256) };
/// assert_eq!(tiles.to_string(), "(8, 8, 1) blocks of (256, 1, 1) threads and 0 bytes of shared memory");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of blocks in x, y, z.
    pub blocks: (u32, u32, u32),
    /// Number of threads of a block in x, y, z.
    pub threads: (u32, u32, u32),
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Grid {
    /// `blocks` of `threads` in one dimension, without dynamic shared memory.
    #[must_use]
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { blocks: (blocks, 1, 1), threads: (threads, 1, 1), shared_bytes: 0 }
    }

    /// Makes as many blocks of `threads` as `count` elements need, one thread an element; at least one block.
    #[must_use]
    pub fn covering(count: usize, threads: u32) -> Self {
        let blocks = count.div_ceil(threads as usize).max(1);
        Self::linear(u32::try_from(blocks).unwrap_or(u32::MAX), threads)
    }

    /// Gives each block so much dynamic shared memory.
    #[must_use]
    pub const fn with_shared_bytes(self, shared_bytes: u32) -> Self {
        Self { shared_bytes, ..self }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, threads, shared_bytes } = self;
        write!(
            formatter,
            "{blocks:?} blocks of {threads:?} threads and {shared_bytes} bytes of shared memory"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_covers_every_element_once() {
        assert_eq!(Grid::covering(1000, 256), Grid::linear(4, 256));
        assert_eq!(Grid::covering(1024, 256), Grid::linear(4, 256));
        assert_eq!(Grid::covering(0, 256).blocks, (1, 1, 1), "no launch may be empty");
    }
}
