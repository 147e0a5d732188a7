//! Tiles in shared memory, out of a copy: for matrices of which there is room for another one.

use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::check_shape;
use crate::cuda::launch::resident_blocks;

/// The kernel, whose parameters are the definitions `TILE` and `BLOCK_ROWS`.
pub static TILED: Program = Program::new("transpose/tiled.cu", include_str!("tiled.cu"));

/// Rows and columns of a tile.
pub const TILES: [u32; 3] = [16, 32, 64];
/// Rows of a tile that a block moves at once.
pub const BLOCK_ROWS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Most threads of a block.
const MAX_THREADS: u32 = 1024;

/// Whether the kernel can be compiled and launched so. The two values alone decide.
pub const fn is_tiling(tile: u32, block_rows: u32) -> bool {
    tile.is_multiple_of(block_rows) && tile * block_rows <= MAX_THREADS
}

/// Transposes out of a copy, tile by tile; the copy is as large as the matrix.
///
/// # Errors
/// [`CudaError::Length`] if there are not rows times columns elements, [`CudaError::OutOfMemory`] without room for
/// the copy, [`CudaError::Compile`] for a pair of parameters that [is none](is_tiling), and when the device fails.
pub fn tiled(
    tile: u32,
    block_rows: u32,
    values: &mut Buffer<f64>,
    rows: usize,
    columns: usize,
) -> Result<(), CudaError> {
    if !check_shape(values, rows, columns)? {
        return Ok(());
    }
    let module = TILED.module(&[("TILE", tile.into()), ("BLOCK_ROWS", block_rows.into())])?;
    let kernel = module.kernel("transpose_tiled")?;
    let mut copy = Buffer::uninit(values.len())?;
    copy.copy_from(values)?;
    let tiles = rows.div_ceil(tile as usize) * columns.div_ceil(tile as usize);
    let blocks = resident_blocks(kernel, tile * block_rows, 0, tiles);
    let grid = Grid { blocks: (blocks, 1, 1), threads: (tile, block_rows, 1), shared_bytes: 0 };
    let arguments = [(&copy).into(), values.into(), (rows as u32).into(), (columns as u32).into()];
    // SAFETY: the arguments are those of the kernel; copy and matrix have so many rows and columns, and the kernel
    // was compiled for blocks of this shape.
    unsafe { kernel.launch(grid, &arguments) }
}
